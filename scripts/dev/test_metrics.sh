#!/usr/bin/env bash
# Tests every metric that the program reports, from outside: runs its commands, and recomputes what they print and write
# with a second implementation in NumPy (in tests/metrics; tests/README.md lists the metrics).
#
#   scripts/dev/test_metrics.sh                          all tests
#   scripts/dev/test_metrics.sh -k padding -x            passes these arguments to pytest
#
# It runs build/release/glassformer, or the program that the environment variable GLASSFORMER_PROGRAM names.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly MODULES='numpy, pytest, yaml'
if ! python_that_imports "$MODULES" >/dev/null && can_install; then
  apt_install python3 python3-numpy python3-pytest python3-yaml || true
fi
if ! python=$(python_that_imports "$MODULES"); then
  echo 'SKIPPED: the tests of metrics need Python with numpy, pytest and yaml (python3-numpy, python3-pytest,' \
    'python3-yaml).' >&2
  exit 0
fi

if [[ -z ${GLASSFORMER_PROGRAM:-} ]]; then
  install_packages
  build release glassformer_program
fi
"$python" -m pytest -q -rs -p no:cacheprovider tests/metrics "$@"  # -rs: shows which tests were skipped, and why
