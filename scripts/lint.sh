#!/usr/bin/env bash
# Runs clang-tidy over the program's sources, with the checks that .clang-tidy chooses. Takes some ten minutes on two cores.
#
#   scripts/lint.sh                    all of src
#   scripts/lint.sh src/layers/*.cpp   these files
#
# Prints what is found; exit status 1 if that is anything.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

need clang-tidy 'this check' clang libomp-dev || exit 0
install_packages

# It reads the files as Clang does, which cannot use another compiler's precompiled headers.
cmake -S . -B build/lint -G Ninja -DCMAKE_CXX_COMPILER=clang++ -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DCMAKE_BUILD_TYPE=Debug >/dev/null
files=("$@")
[[ $# -gt 0 ]] || files=(src/*.cpp src/*/*.cpp)
printf '%s\0' "${files[@]}" | xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p build/lint 2>/dev/null || exit 1
echo "${#files[@]} files: nothing found"
