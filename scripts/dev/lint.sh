#!/usr/bin/env bash
# Runs clang-tidy on the program's sources, with the checks chosen in .clang-tidy. All of src takes between ten minutes
# and half an hour on two cores.
#
#   scripts/dev/lint.sh                    all of src
#   scripts/dev/lint.sh src/layers/*.cpp   only these files
#   scripts/dev/lint.sh --changed 5        the changed files, latest first, for at most five minutes
#
# A header is checked with the .cpp file of the same name, otherwise with one that includes it. GLASSFORMER_BASE names
# the commit that --changed compares with; see scripts/dev/changes.sh for the default.
#
# Prints the findings; exit status 1 if there are any.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
source scripts/dev/changes.sh

need clang-tidy 'this check' clang libomp-dev || exit 0

# Prints the .cpp file to check a file with: for a header, that of the same name, otherwise the first that includes it.
checked_with() {  # checked_with src/layers/masks.hpp
  if [[ -e ${1%.?pp}.cpp ]]; then
    echo "${1%.?pp}.cpp"
  else
    { grep -rlF --include='*.cpp' "#include \"glassformer/${1#src/}\"" src || echo "$1"; } | sort | head -n 1
  fi
}

files=("$@") deadline=''
if [[ $# == 0 ]]; then
  files=(src/*.cpp src/*/*.cpp)
elif [[ $1 == --changed ]]; then
  minutes=${2:-5}
  base=$(base_commit)
  if [[ -z $base ]]; then
    echo 'SKIPPED: the history does not go back far enough to show what has changed; set GLASSFORMER_BASE.' >&2
    exit 0
  fi
  deadline=$(($(date +%s) + 60 * minutes))
  mapfile -t files < <(changed_sources "$base" src | while IFS= read -r file; do checked_with "$file"; done |
    awk '!seen[$0]++')
  echo "${#files[@]} files to check for the changes since $(git log -1 --format='%h, %s' "$base")"
  [[ ${#files[@]} -gt 0 ]] || exit 0
fi

install_packages
# Like Clang, clang-tidy cannot read another compiler's precompiled headers.
cmake -S . -B build/lint -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DGLASSFORMER_UNITY=OFF \
  -DCMAKE_BUILD_TYPE=Debug >/dev/null

unchecked=$(mktemp)
trap 'rm "$unchecked"' EXIT
check() {  # check FILE: unless time has run out
  if [[ -n $deadline && $(date +%s) -ge $deadline ]]; then
    echo "$1" >>"$unchecked"
  else
    local errors
    errors=$(mktemp)  # the number of warnings it suppressed, or why it failed
    clang-tidy --quiet -p build/lint "$1" 2>"$errors" || { cat "$errors" >&2; rm "$errors"; return 1; }
    rm "$errors"
  fi
}
export -f check
export unchecked deadline
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'check "$1"' check || exit 1
[[ ! -s $unchecked ]] ||
  echo "SKIPPED: no time for $(wc -l <"$unchecked") of ${#files[@]} files; scripts/dev/lint.sh checks all." >&2
echo "$((${#files[@]} - $(wc -l <"$unchecked"))) files checked: nothing found"
