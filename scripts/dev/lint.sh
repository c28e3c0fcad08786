#!/usr/bin/env bash
# Runs clang-tidy over the program's sources, with the checks that .clang-tidy chooses. All of src takes between
# ten minutes and half an hour on two cores.
#
#   scripts/dev/lint.sh                    all of src
#   scripts/dev/lint.sh src/layers/*.cpp   these files
#   scripts/dev/lint.sh --changed 5        what has changed, the latest first, for at most five minutes
#
# A header is checked with the .cpp file of its name, or else with one that includes it. GLASSFORMER_BASE names the commit
# that --changed compares with; scripts/dev/changes.sh says which one it is by default.
#
# Prints the findings; exit status 1 if there are any.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
source scripts/dev/changes.sh

need clang-tidy 'this check' clang libomp-dev || exit 0

# The .cpp file with which clang-tidy checks a file: for a header, its own, or else the first that includes it.
checked_with() {  # checked_with src/layers/masks.hpp
  if [[ -e ${1%.?pp}.cpp ]]; then
    echo "${1%.?pp}.cpp"
  else
    { grep -rlF --include='*.cpp' "#include \"${1#src/}\"" src || echo "$1"; } | sort | head -n 1
  fi
}

files=("$@") last_second=''
if [[ $# == 0 ]]; then
  files=(src/*.cpp src/*/*.cpp)
elif [[ $1 == --changed ]]; then
  minutes=${2:-5}
  base=$(base_commit)
  if [[ -z $base ]]; then
    echo 'SKIPPED: the history does not say which files have changed; set GLASSFORMER_BASE.' >&2
    exit 0
  fi
  last_second=$(($(date +%s) + 60 * minutes))
  mapfile -t files < <(changed_sources "$base" src | while IFS= read -r file; do checked_with "$file"; done |
    awk '!seen[$0]++')
  echo "${#files[@]} files to check: what has changed since $(git log -1 --format='%h, %s' "$base")"
  [[ ${#files[@]} -gt 0 ]] || exit 0
fi

install_packages
# It reads the files as Clang does, which cannot use another compiler's precompiled headers.
cmake -S . -B build/lint -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DGLASSFORMER_UNITY=OFF \
  -DCMAKE_BUILD_TYPE=Debug >/dev/null

late=$(mktemp)
trap 'rm "$late"' EXIT
check() {  # check FILE: unless there is no time left
  if [[ -n $last_second && $(date +%s) -ge $last_second ]]; then
    echo "$1" >>"$late"
  else
    local errors
    errors=$(mktemp)  # how many warnings it has suppressed; or why it failed
    clang-tidy --quiet -p build/lint "$1" 2>"$errors" || { cat "$errors" >&2; rm "$errors"; return 1; }
    rm "$errors"
  fi
}
export -f check
export late last_second
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'check "$1"' check || exit 1
[[ ! -s $late ]] ||
  echo "SKIPPED: $(wc -l <"$late") of ${#files[@]} files not checked: out of time; scripts/dev/lint.sh checks all." >&2
echo "$((${#files[@]} - $(wc -l <"$late"))) files: nothing found"
