#!/usr/bin/env bash
# Installs what is missing, builds, runs every test.
#
#   scripts/test.sh              the release build
#   scripts/test.sh asan         with the address and undefined-behaviour sanitizers
#   scripts/test.sh tsan '[threads]'   with the thread sanitizer; what follows the preset goes to the test program
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

preset=${1:-release}
install_packages
build "$preset"
"build/$preset/glassformer_tests" "${@:2}"
if [[ $preset == release ]]; then
  for test in tests/scripts/test_*.py; do python3 "$test"; done
fi
