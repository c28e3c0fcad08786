#!/usr/bin/env bash
# Builds with newer compilers than Debian 12's own, with warnings as errors, runs the quick tests, and compares the
# digest of the arithmetic with data/toy/digests.txt.
#
#   scripts/dev/newer_compilers.sh            Clang 19 (a package of Debian 12 and 13) and GCC 15 (of Debian testing)
#   scripts/dev/newer_compilers.sh g++-14     only this one
#
# A compiler that is not installed is skipped, with a message at the end. Exit status 1 if another one fails.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

compilers=("$@")
[[ $# -gt 0 ]] || compilers=(clang++-19 g++-15)
install_packages

quick_tests() {  # quick_tests COMPILER
  local build=build/newer/$1 flags expected
  flags=$(borrowed_openmp "$1")
  cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER="$1" -DCMAKE_CXX_FLAGS="$flags" \
    -DGLASSFORMER_WERROR=ON >/dev/null || return 1
  cmake --build "$build" >"$build/log" || { cat "$build/log" >&2; return 1; }
  "$build/glassformer_tests" '[numerics],[layers],[model],[training]' || return 1
  expected=$(sed -n 's/^arithmetic //p' data/toy/digests.txt)
  "$build/glassformer" --version | grep -F "$expected" ||
    { echo "newer_compilers.sh: with $1, the digest of the arithmetic is not $expected" >&2; return 1; }
}

skipped=() status=0
for compiler in "${compilers[@]}"; do
  package=${compiler/clang++/clang}
  command -v "$compiler" >/dev/null || ! can_install || apt_install "$package" || true
  if ! command -v "$compiler" >/dev/null; then
    skipped+=("$compiler")
    continue
  fi
  echo "--- $("$compiler" --version | head -n 1)"
  quick_tests "$compiler" || status=1
done
for compiler in "${skipped[@]+"${skipped[@]}"}"; do
  echo "SKIPPED: $compiler IS NOT INSTALLED; nothing was built with it (Debian: ${compiler/clang++/clang})." >&2
done
tried=$((${#compilers[@]} - ${#skipped[@]}))
[[ $tried == 0 ]] || echo "$tried of ${#compilers[@]} compilers tried"  # the last line: part of this check ran
exit $status
