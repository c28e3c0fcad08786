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
readonly tests=build/$preset/glassformer_tests

# Runs the chosen tests in two processes, because most tests use only one thread. Catch2 3 can divide tests; for
# Catch2 2, we do.
run_in_halves() {  # run_in_halves FILTER
  local first=(--shard-count 2 --shard-index 0 "$1") second=(--shard-count 2 --shard-index 1 "$1") half status=0
  if ! "$tests" --help | grep -q -- --shard-count; then
    local chosen=build/$preset/chosen_tests
    # The status is the number of tests. A comma would end a name.
    { "$tests" --list-test-names-only "$1" || true; } | sed -e '/^$/d' -e 's/,/\\,/g' >"$chosen"
    awk -v place="$chosen" '{ print >(place "." NR % 2) }' "$chosen"
    first=(-f "$chosen.0") second=(-f "$chosen.1")
    local found
    found=$({ "$tests" --list-test-names-only -f "$chosen" || true; } | grep -c .)
    if [[ $found -ne $(wc -l <"$chosen") ]]; then
      echo "test.sh: $chosen names $(wc -l <"$chosen") tests, of which Catch2 finds $found" >&2
      return 1
    fi
  fi
  "$tests" "${second[@]}" >"build/$preset/second_half.log" 2>&1 &
  half=$!
  "$tests" "${first[@]}" || status=1
  wait $half || status=1
  cat "build/$preset/second_half.log"
  return $status
}

if [[ $preset == asan && $# == 2 ]]; then
  run_in_halves "$2"
  exit
elif [[ $# -gt 1 ]]; then
  "$tests" "${@:2}"
  exit
fi

# The tests of whole programs and of scripts run at the same time as everything else. Let idle threads sleep, not spin.
export OMP_WAIT_POLICY=passive
test_programs() {
  "$tests" '[program]'
  [[ $preset == release ]] || return 0
  for test in tests/scripts/test_*.py; do python3 "$test"; done
}
(set -e; test_programs) >"build/$preset/program_tests.log" 2>&1 &
programs=$! status=0
trap 'pkill -P $programs 2>/dev/null || true' EXIT
"$tests" '~[program]' || status=1
if [[ $preset == release && $(build/release/glassformer --version) == *avx512* ]]; then
  # The tests above used AVX-512. The core for AVX2 must pass them, too.
  readonly without=glibc.cpu.hwcaps=-AVX512F
  if [[ $(GLIBC_TUNABLES=$without build/release/glassformer --version) == *avx512* ]]; then
    echo "test.sh: GLIBC_TUNABLES=$without does not hide AVX-512" >&2
    exit 1
  fi
  GLIBC_TUNABLES=$without "$tests" '[numerics],[layers],[model],[training]' || status=1
fi
if [[ $preset == release ]]; then
  for maker in scripts/fixtures/make_*_corpus.py; do python3 "$maker" --check || status=1; done
  scripts/dev/check_modules.py || status=1
  scripts/dev/make_pictures.py --check || status=1
  scripts/dev/make_reference.py --check || status=1
  scripts/dev/test_documents.py || status=1
fi
wait $programs || status=1
cat "build/$preset/program_tests.log"
exit $status
