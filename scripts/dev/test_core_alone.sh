#!/usr/bin/env bash
# Tests that glassformer_core does not depend on the rest: its files include nothing else from src, it builds without
# exceptions and even if CMake finds no other packages, not even OpenMP, and the examples run with it. It needs no threads
# of the standard library, which WebAssembly may lack, and uses no function of the C library whose last digit depends on
# the machine. Also tests examples/one_file.
#
#   scripts/dev/test_core_alone.sh
set -euo pipefail
cd "$(dirname "$0")/../.."

scripts/dev/check_modules.py
readonly OTHERS='OpenMP yaml-cpp spdlog CLI11 nlohmann_json ICU OpenSSL SentencePiece Catch2 MPI'
disabled=(--no-warn-unused-cli)
for package in $OTHERS; do disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
# In its own directory, because CMake remembers what is disabled.
# shellcheck disable=SC2086  # it may hold several options
cmake --preset core -B build/core_alone -G Ninja ${GLASSFORMER_CMAKE:-} "${disabled[@]}" -DCMAKE_CXX_FLAGS=-fno-exceptions >/dev/null
cmake --build build/core_alone >/dev/null
for example in copy_task own_layer own_optimizer; do "build/core_alone/$example"; done
COMPILERS=g++ scripts/dev/test_one_file.sh

threads=$(ninja -C build/core_alone -t deps | grep -E '/(mutex|thread|condition_variable|future)$' | sort -u || true)
if [[ -n $threads ]]; then
  printf 'glassformer_core includes threads of the standard library even without OpenMP:\n%s\n' "$threads" >&2
  exit 1
fi

for library in build/core_alone/{,glibc-hwcaps/x86-64-v4/}libglassformer_core.so; do
  [[ -e $library ]] || continue
  inexact=$(nm -D --undefined-only "$library" |
    grep -oE ' (a?(sin|cos|tan)h?|sincos|atan2|exp|exp2|exp10|expm1|log|log2|log10|log1p|pow|erf|erfc|cbrt|hypot|[lt]gamma)[fl]?@.*' || true)
  if [[ -n $inexact ]]; then
    echo "glassformer_core calls functions that differ between machines (use numerics/functions.hpp):$inexact" >&2
    exit 1
  fi
done
