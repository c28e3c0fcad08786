#!/usr/bin/env bash
# Checks that all of src and its tests compile with Clang's own standard library, libc++, as on macOS, and with posix.cpp
# instead of linux.cpp. It only checks (-fsyntax-only): Debian's yaml-cpp, spdlog, ICU and SentencePiece cannot be linked
# with libc++. Each directory is checked as one file, which takes some minutes on two cores.
#
#   scripts/dev/check_libcxx.sh               with Clang 19
#   scripts/dev/check_libcxx.sh clang++-17    with another version (libc++ 14 lacks parts of C++20; 16 is enough)
#
# Exit status 1 if a directory does not compile.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly compiler=${1:-clang++-19}
readonly number=${compiler##*-}
has_libcxx() { "$compiler" -std=c++20 -stdlib=libc++ -fsyntax-only -x c++ - <<<'#include <vector>' 2>/dev/null; }

command -v "$compiler" >/dev/null || ! can_install || apt_install "clang-$number" || true
if ! command -v "$compiler" >/dev/null; then
  echo "SKIPPED: $compiler is not installed; this check needs it." >&2
  exit 0
fi
has_libcxx || ! can_install || apt_install "libc++-$number-dev" "libc++abi-$number-dev" || true
if ! has_libcxx; then
  echo "SKIPPED: $compiler has no libc++ (on Debian, the packages libc++-$number-dev and libc++abi-$number-dev)." >&2
  exit 0
fi
install_packages
openmp=$(borrowed_openmp "$compiler")
include=$(mktemp -d)  # as in cmake/Core.cmake
trap 'rm -r "$include"' EXIT
ln -s "$PWD/src" "$include/glassformer"

check() {  # check DIRECTORY
  local files=("$1"/*.cpp)
  [[ $1 != tests/* ]] || files=("$1"/test_*.cpp)
  [[ -e ${files[0]} ]] || files=("$1"/*.hpp)
  printf '#include "%s"\n' "${files[@]}" | grep -v '/linux\.cpp"' |
    # shellcheck disable=SC2086  # several options
    "$compiler" -std=c++20 -stdlib=libc++ -fopenmp -fsyntax-only \
      -I. -Itests -I"$include" -isystem /usr/include/eigen3 $openmp -DGLASSFORMER_VERSION='""' -DGLASSFORMER_HAS_MPI=0 \
      -DSPDLOG_FMT_EXTERNAL -DGLASSFORMER_{SOURCE_DIR,PROGRAM,FAILING_DISK,WRONG_GRADIENT,MPIRUN}='""' -x c++ - ||
    { echo "check_libcxx.sh: $1 does not compile with $compiler and libc++" >&2; return 1; }
}
export -f check
export compiler openmp include

readonly tests=(tests/*/test_*.cpp)
{ echo src; awk '/^[a-z]/ { print "src/" $2 }' src/modules.txt; printf '%s\n' "${tests[@]%/*}" | uniq; } |
  xargs -P "$(nproc)" -I{} bash -c 'check "$1"' check {} || exit 1
echo "src and tests compile with $("$compiler" --version | head -n 1) and libc++"
