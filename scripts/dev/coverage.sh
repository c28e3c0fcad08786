#!/usr/bin/env bash
# Which lines and branches of src do the tests reach? Builds with counters, runs every test, and prints a table of files
# with the lines that no test reaches. (gcovr does the counting.)
#
#   scripts/dev/coverage.sh
#
# It counts only the source's own branches, not those that the compiler adds for exceptions.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need gcovr 'counting lines' || exit 0
install_packages
build coverage
find build/coverage -name '*.gcda' -delete
export GCOV_ERROR_FILE=$PWD/build/coverage/gcov.log  # not standard error, whose content some tests check
build/coverage/glassformer_tests
report=(gcovr --root . --filter src/ --exclude-throw-branches --exclude-unreachable-branches build/coverage)
"${report[@]}" --txt --print-summary
"${report[@]}" --branches --txt | tail -3
