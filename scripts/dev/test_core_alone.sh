#!/usr/bin/env bash
# Tests that glassformer_core stands alone: its files include nothing of the product, it builds where CMake can find no
# other package, not even OpenMP, and the example in tests/core_alone trains and translates with it.
#
#   scripts/dev/test_core_alone.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

scripts/dev/check_modules.py
readonly OTHERS='OpenMP yaml-cpp spdlog CLI11 nlohmann_json ICU OpenSSL SentencePiece Catch2 MPI'
disabled=(--no-warn-unused-cli)
for package in $OTHERS; do disabled+=("-DCMAKE_DISABLE_FIND_PACKAGE_$package=ON"); done
GLASSFORMER_CMAKE="${GLASSFORMER_CMAKE:-} ${disabled[*]}" build core >/dev/null
build/core/copy_task
