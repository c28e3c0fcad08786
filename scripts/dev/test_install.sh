#!/usr/bin/env bash
# Tests what `cmake --install` installs, in a temporary directory: the program trains with the installed configs, and a
# project that uses only find_package(glassformer) translates. A project that uses only the core is built although CMake
# finds no library that the core does not need.
#
#   scripts/dev/test_install.sh            all of this
#   scripts/dev/test_install.sh headers    also that each header can be included on its own, which takes a minute or two
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

install_packages
# shellcheck disable=SC2086  # it may hold several options
cmake --preset release -G Ninja ${GLASSFORMER_CMAKE:-} >/dev/null
cmake --build --preset release --target glassformer_program >/dev/null
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
readonly what=${1:-} prefix=$directory/usr share=$directory/usr/share
readonly glassformer=$prefix/bin/glassformer
cmake --install build/release --prefix "$prefix" >/dev/null
export OMP_NUM_THREADS=2

expect() {  # expect WHAT EXPECTED FOUND
  [[ $2 == "$3" ]] && return
  printf '%s:\n  expected %s\n  found    %s\n' "$1" "$2" "$3" >&2
  exit 1
}

test_program() {
  "$glassformer" train "$share/glassformer/configs/debug.yaml" --output "$directory/run" 2>/dev/null
  expect 'the installed program' 'sie schläft .' "$("$glassformer" translate "$directory/run" <<<'she sleeps .')"
}

test_library() {
  local options=()
  [[ $what != headers ]] || options=(-DHEADERS="$prefix/include/glassformer")
  cmake -S tests/installed -B "$directory/project" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "${options[@]}" >/dev/null
  if ! cmake --build "$directory/project" >"$directory/build.log"; then
    cat "$directory/build.log" >&2
    exit 1
  fi
  expect 'a program that uses the library' 'sie schläft .' "$("$directory/project/translate" "$directory/run")"
}

test_core() {
  local disabled=() package
  for package in yaml-cpp spdlog CLI11 nlohmann_json ICU OpenSSL SentencePiece Catch2 MPI; do
    disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON")
  done
  cmake -S tests/installed/core -B "$directory/core" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" --no-warn-unused-cli \
    "${disabled[@]}" >/dev/null
  cmake --build "$directory/core" >/dev/null
  local plain
  plain=$("$directory/core/plain")
  expect 'the digest of the core' "$(grep '^arithmetic' data/toy/digests.txt)" "${plain%%,*}"
  expect 'a program that fuses products and sums' "$plain" "$("$directory/core/fused")"
}

test_program
test_library
test_core
echo 'The installed program and library work.'
