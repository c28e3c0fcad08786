#!/usr/bin/env bash
# Installs what is missing, builds, and runs all tests. With the preset release, it also checks the scripts, the order
# of the modules, and the documents: their links, names and commands.
#
#   scripts/test.sh                     with the preset release
#   scripts/test.sh asan                with the address and undefined-behaviour sanitizers (needs Clang)
#   scripts/test.sh tsan '[threads]'    with the thread sanitizer
#
# Arguments after the preset go to the test program: names of tests, tags, options.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

preset=${1:-release}
install_packages
case $preset in
  asan)
    install_clang address,undefined || exit 0
    export LSAN_OPTIONS="suppressions=$PWD/tests/leaks_of_others.txt:print_suppressions=0:${LSAN_OPTIONS:-}"
    ;;
  tsan)
    install_clang thread || exit 0
    export TSAN_OPTIONS="ignore_noninstrumented_modules=1:${TSAN_OPTIONS:-}"
    ;;
esac

build "$preset"
if [[ $# -gt 1 ]]; then
  "build/$preset/glassformer_tests" "${@:2}"
  exit
fi

# Run the [program] tests at the same time as the others, because they mostly wait. Let idle threads sleep, not spin.
export OMP_WAIT_POLICY=passive
"build/$preset/glassformer_tests" '[program]' >"build/$preset/program_tests.log" 2>&1 &
program=$! status=0
trap 'kill $program 2>/dev/null || true' EXIT
"build/$preset/glassformer_tests" '~[program]' || status=1
wait $program || status=1
cat "build/$preset/program_tests.log"
[[ $status == 0 ]]

if [[ $preset == release ]]; then
  # On a processor with AVX-512, the tests above used it. The core for AVX2 must pass them, too.
  [[ $(GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F build/release/glassformer --version) != *avx512* ]]
  GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F build/release/glassformer_tests '[numerics],[layers],[model],[training]'
  for test in tests/scripts/test_*.py; do python3 "$test"; done
  for maker in scripts/fixtures/make_*_corpus.py; do python3 "$maker" --check; done
  scripts/dev/check_modules.py
  scripts/dev/make_pictures.py --check
  scripts/dev/make_reference.py --check
  scripts/dev/test_documents.py
fi
