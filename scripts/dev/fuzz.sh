#!/usr/bin/env bash
# Runs the fuzzers of tests/fuzz in turn, and prints how many inputs each tried and what it found.
#
#   scripts/dev/fuzz.sh                20 seconds each
#   scripts/dev/fuzz.sh 600            ten minutes each
#   scripts/dev/fuzz.sh 600 config     only this one
#
# Needs Clang and the runtime of its sanitizers. Starts from the inputs in tests/fuzz/corpus, which earlier runs found
# (a new fuzzer needs some there). Keeps new inputs in build/fuzz/corpus, and those that break the program in
# build/fuzz/crashes. To store the smallest set of inputs that still reaches all the code that these inputs reach:
#
#   build/fuzz/fuzz_text -merge=1 smallest build/fuzz/corpus/fuzz_text
#   tar -C smallest -czf tests/fuzz/corpus/fuzz_text.tar.gz .
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly seconds=${1:-20} wanted=${2:-}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "scripts/dev/fuzz.sh: expected a number of seconds, found $seconds" >&2
  exit 2
fi

fuzzers=()
for source in tests/fuzz/fuzz_*.cpp; do
  name=$(basename "$source" .cpp)
  [[ -n $wanted && $name != "fuzz_$wanted" ]] || fuzzers+=("$name")
done
if [[ ${#fuzzers[@]} == 0 ]]; then
  echo "scripts/dev/fuzz.sh: there is no fuzzer $wanted; choose from" tests/fuzz/fuzz_*.cpp >&2
  exit 2
fi

install_packages
install_clang address,undefined || exit 0
cmake --preset fuzz -G Ninja
cmake --build --preset fuzz --target "${fuzzers[@]}"

status=0
printf '%-18s %12s %9s %8s %9s\n' fuzzer executions seconds crashes inputs
for fuzzer in "${fuzzers[@]}"; do
  corpus=build/fuzz/corpus/$fuzzer crashes=build/fuzz/crashes/$fuzzer log=build/fuzz/$fuzzer.log
  mkdir -p "$corpus" "$crashes"
  [[ -n $(ls -A "$corpus") ]] || tar -C "$corpus" -xf "tests/fuzz/corpus/$fuzzer.tar.gz"
  OMP_NUM_THREADS=1 "build/fuzz/$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=300000 \
    -print_final_stats=1 -artifact_prefix="$crashes/" "$corpus" >"$log" 2>&1 || status=1
  printf '%-18s %12s %9s %8s %9s\n' "$fuzzer" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds" \
    "$(find "$crashes" -type f | wc -l)" "$(find "$corpus" -type f | wc -l)"
done
[[ $status == 0 ]] || echo 'The fuzzers found errors: see build/fuzz/*.log and build/fuzz/crashes.' >&2
exit $status
