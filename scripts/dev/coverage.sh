#!/usr/bin/env bash
# Which lines and branches of src do the tests reach? Builds with counters, runs every test, and prints a table of the
# files, with those lines that no test has reached. (gcovr does the counting.)
#
#   scripts/dev/coverage.sh
#
# Branches are those that the source has: the ways out that the compiler adds for exceptions are not counted.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need gcovr 'the count of lines' || exit 0
install_packages
build coverage
find build/coverage -name '*.gcda' -delete
export GCOV_ERROR_FILE=$PWD/build/coverage/gcov.log  # tests look at standard error
build/coverage/glassformer_tests
report=(gcovr --root . --filter src/ --exclude-throw-branches --exclude-unreachable-branches build/coverage)
"${report[@]}" --txt --print-summary
"${report[@]}" --branches --txt | tail -3
