#!/usr/bin/env bash
# Runs clang-tidy on src, tests and examples, with the checks chosen in .clang-tidy and tests/.clang-tidy. All of them
# take about an hour on two cores.
#
#   scripts/dev/lint.sh                    all files
#   scripts/dev/lint.sh src/layers/*.cpp   only these files
#   scripts/dev/lint.sh --changed 5        the changed files, src and the latest first, for at most five minutes
#
# A header is checked with the .cpp file of the same name, otherwise with one that includes it. GLASSFORMER_BASE names
# the commit that --changed compares with; see scripts/dev/changes.sh for the default.
#
# Prints the findings; exit status 1 if there are any, or if a named file is not part of the build.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
source scripts/dev/changes.sh

need clang-tidy 'this check' clang libomp-dev || exit 0

# Prints the .cpp file to check a file with: for a header, that of the same name, otherwise the first that includes it,
# if need be through another header. If there is none, prints the header.
checked_with() {  # checked_with src/layers/masks.hpp
  local file=$1 name includers
  while [[ $file == *.hpp ]]; do
    if [[ -e ${file%.hpp}.cpp ]]; then
      file=${file%.hpp}.cpp
    else
      name=${file#tests/}
      includers=$(grep -rlF --include='*.?pp' -e "#include \"${name/#src/glassformer}\"" \
                       -e "#include \"${file##*/}\"" src tests | sort || true)
      [[ -n $includers ]] || break
      file=$(grep -m 1 '\.cpp$' <<<"$includers" || head -n 1 <<<"$includers")
    fi
  done
  echo "$file"
}

files=("$@") deadline='' named=''
if [[ $# == 0 ]]; then
  mapfile -t files < <(git ls-files 'src/*.cpp' 'tests/*.cpp' 'examples/*.cpp')
elif [[ $1 == --changed ]]; then
  minutes=${2:-5}
  base=$(base_commit)
  if [[ -z $base ]]; then
    echo 'SKIPPED: the history does not go back far enough to show what has changed; set GLASSFORMER_BASE.' >&2
    exit 0
  fi
  deadline=$(($(date +%s) + 60 * minutes))
  mapfile -t files < <(changed_sources "$base" src; changed_sources "$base" tests examples)
  echo "${#files[@]} files to check for the changes since $(git log -1 --format='%h, %s' "$base")"
  [[ ${#files[@]} -gt 0 ]] || exit 0
else
  named=yes
fi

install_packages
# Like Clang, clang-tidy cannot read another compiler's precompiled headers. The second build has src/machine/posix.cpp.
for option in FUZZ POSIX; do
  cmake -S . -B "build/lint/$option" -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
    -DGLASSFORMER_UNITY=OFF -DCMAKE_BUILD_TYPE=Debug "-DGLASSFORMER_$option=ON" >/dev/null
done
build_of() {  # build_of FILE: prints the first build that compiles it
  grep -slF "\"file\": \"$PWD/$1\"" build/lint/{FUZZ,POSIX}/compile_commands.json | head -n 1 | xargs -r dirname
}
mapfile -t files < <(for file in "${files[@]}"; do checked_with "$file"; done | awk '!seen[$0]++')
for i in "${!files[@]}"; do
  if [[ -z $(build_of "${files[i]}") ]]; then
    if [[ -n $named ]]; then
      echo "${files[i]}: no such file in this build" >&2
      exit 1
    fi
    echo "not checked: ${files[i]}, which this build does not compile"  # for instance, a test of the installed library
    unset "files[i]"
  fi
done
if [[ ${#files[@]} == 0 ]]; then
  echo 'nothing to check'
  exit 0
fi

unchecked=$(mktemp)
trap 'rm "$unchecked"' EXIT
check() {  # check FILE: unless time has run out
  if [[ -n $deadline && $(date +%s) -ge $deadline ]]; then
    echo "$1" >>"$unchecked"
  else
    local errors
    errors=$(mktemp)  # the number of warnings it suppressed, or why it failed
    clang-tidy --quiet -p "$(build_of "$1")" "$1" 2>"$errors" || { cat "$errors" >&2; rm "$errors"; return 1; }
    rm "$errors"
  fi
}
export -f check build_of
export unchecked deadline
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 bash -c 'check "$1"' check || exit 1
[[ ! -s $unchecked ]] ||
  echo "SKIPPED: no time for $(wc -l <"$unchecked") of ${#files[@]} files; scripts/dev/lint.sh checks all." >&2
echo "$((${#files[@]} - $(wc -l <"$unchecked"))) files checked: nothing found"
