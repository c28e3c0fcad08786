#!/usr/bin/env bash
# Runs the fuzzers of tests/fuzz, one after the other, and prints how much each has tried and what it has found.
#
#   scripts/fuzz.sh                20 seconds each
#   scripts/fuzz.sh 600            ten minutes each
#   scripts/fuzz.sh 600 config     only this one
#
# Wants Clang with its sanitizers' runtime. What is found that is new is kept in build/fuzz/corpus, what breaks the
# program in build/fuzz/crashes; the seeds are files of this project.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

readonly seconds=${1:-20} wanted=${2:-}
if [[ ! $seconds =~ ^[1-9][0-9]*$ ]]; then
  echo "scripts/fuzz.sh: expected a number of seconds, found $seconds" >&2
  exit 2
fi

install_packages
install_clang address,undefined || exit 0
cmake --preset fuzz -G Ninja
fuzzers=()
for source in tests/fuzz/fuzz_*.cpp; do
  name=$(basename "$source" .cpp)
  [[ -n $wanted && $name != "fuzz_$wanted" ]] || fuzzers+=("$name")
done
cmake --build --preset fuzz --target "${fuzzers[@]}"

seeds() {  # seeds fuzz_config: puts files of the project into a new corpus
  case $1 in
    fuzz_config) cp configs/*.yaml "$corpus" ;;
    fuzz_text | fuzz_bleu) cp data/debug/* "$corpus" ;;
    fuzz_tokenizer) echo '["<pad>", "<s>", "</s>", "<unk>", "dog", "house"]' >"$corpus/words" ;;
    fuzz_safetensors)
      python3 - "$corpus/one" <<'PYTHON'
import json, struct, sys
header = json.dumps({"__metadata__": {"format": "pt"},
                     "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
                     "b": {"dtype": "F32", "shape": [1], "data_offsets": [16, 20]}}).encode()
open(sys.argv[1], "wb").write(struct.pack("<Q", len(header)) + header + bytes(20))
PYTHON
      ;;
  esac
}

status=0
printf '%-18s %12s %9s %8s %9s\n' fuzzer executions seconds crashes inputs
for fuzzer in "${fuzzers[@]}"; do
  corpus=build/fuzz/corpus/$fuzzer crashes=build/fuzz/crashes/$fuzzer log=build/fuzz/$fuzzer.log
  mkdir -p "$corpus" "$crashes"
  [[ -n $(ls -A "$corpus") ]] || seeds "$fuzzer"
  OMP_NUM_THREADS=1 "build/fuzz/$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -print_final_stats=1 -artifact_prefix="$crashes/" "$corpus" >"$log" 2>&1 || status=1
  printf '%-18s %12s %9s %8s %9s\n' "$fuzzer" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")" "$seconds" \
    "$(find "$crashes" -type f | wc -l)" "$(find "$corpus" -type f | wc -l)"
done
[[ $status == 0 ]] || echo 'Something was found: see build/fuzz/*.log and build/fuzz/crashes.' >&2
exit $status
