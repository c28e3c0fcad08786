#!/usr/bin/env bash
# Do all ways of running the program compute the same bits? Prints a table with a row for each way. The columns are
# digests of the weights after 50 updates of the toy and 5 of configs/multi30k_tiny.yaml, and of the trace of a sentence
# (the numbers that `explain` records).
#
#   scripts/dev/digest_table.sh                        with the default build: AVX-512, AVX2, one and two threads, two
#                                                      ranks, and the reference arithmetic (slow: not Multi30k)
#   scripts/dev/digest_table.sh --compilers            also builds with GCC and Clang, with -O0 and -O3
#   scripts/dev/digest_table.sh 'NAME=COMMAND'...      also with other programs
#
# The exit status is 1 if two digests of a column differ.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
build release
build release reference_core >/dev/null
project=$PWD text=$PWD/../shared/multi30k/tok
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export OMP_WAIT_POLICY=passive

sha() { sha256sum | cut -c1-16; }

weights_after() {  # weights_after UPDATES CONFIG COMMAND...
  local run=$directory/${2//\//_}
  rm -rf "$run"
  "${@:3}" train "configs/$2.yaml" --output "$run" --set "training.max_updates=$1" --set decoding.max_length_ratio=0 \
    "${settings[@]}" >"$directory/log" 2>&1 || { cat "$directory/log" >&2; exit 2; }  # the ratio: a short validation
  grep "^{\"update\":$1," "$run/digests.jsonl" | tail -n 1 | sed -e 's/.*"weights"://' -e 's/}.*//' | sha
}

require() {  # require INSTRUCTIONS COMMAND...: the command must use them
  "${@:2}" --version | grep -q "^instructions *$1\$" || { echo "digest_table.sh: ${*:2}: expected $1" >&2; exit 2; }
}

toy=() multi30k=() traces=()
row() {  # row NAME COLUMNS COMMAND...
  local columns=$2 weights='' more='' trace=''
  settings=()
  weights=$(weights_after 50 toy "${@:3}")
  toy+=("$weights")
  if [[ $columns == *multi30k* && -d $text ]]; then
    settings=(--set "data.directory=$text" --set training.schedule.warmup=2 --set training.max_epochs=0)
    # SentencePiece's arithmetic is not ours: all rows use the pieces that the first one has learned.
    [[ -d $directory/pieces ]] && settings+=(--set "tokenizer.source_model=$directory/pieces/source.spm")
    more=$(weights_after 5 multi30k_tiny "${@:3}")
    multi30k+=("$more")
    [[ -d $directory/pieces ]] || cp -rL "$directory/multi30k_tiny/last" "$directory/pieces"
  fi
  if [[ $columns == *trace* ]]; then
    (cd "$directory" && "${@:3}" explain toy/last --source 'the old dog sees a cat .' --html /dev/null \
      --json trace.json 2>"$directory/log") || { cat "$directory/log" >&2; exit 2; }
    trace=$(sha <"$directory/trace.json")
    traces+=("$trace")
  fi
  printf '| %-36s | %-16s | %-16s | %-16s |\n' "$1" "$weights" "${more:--}" "${trace:--}"
}

printf '| %-36s | %-16s | %-16s | %-16s |\n' '' 'toy, 50 updates' 'Multi30k, 5' trace
printf '|%s|%s|%s|%s|\n' "$(printf '%.0s-' {1..38})" "$(printf '%.0s-' {1..18})"{,,}
program=$project/build/release/glassformer
own=$("$program" --version | sed -n 's/^instructions *//p')
row "$own, all threads" 'multi30k trace' "$program"
if [[ $own == avx512 ]]; then
  require avx2 env GLASSFORMER_INSTRUCTIONS=avx2 "$program"
  row avx2 'multi30k trace' env GLASSFORMER_INSTRUCTIONS=avx2 "$program"
fi
row '1 thread' 'multi30k trace' env OMP_NUM_THREADS=1 "$program"
row '2 threads' 'multi30k trace' env OMP_NUM_THREADS=2 "$program"
if command -v mpirun >/dev/null; then
  row '2 ranks' multi30k mpirun --allow-run-as-root --oversubscribe --bind-to none -n 2 env OMP_NUM_THREADS=1 "$program"
fi
if [[ -d build/release/reference ]]; then
  require reference env LD_LIBRARY_PATH="$project/build/release/reference" "$program"
  row 'the reference arithmetic' trace env LD_LIBRARY_PATH="$project/build/release/reference" "$program"
fi
others=("$@")
if [[ ${1:-} == --compilers ]]; then
  others=()
  for compiler in g++ clang++; do
    for type in Debug Release; do  # -O0 and -O3
      build=$project/build/bits/$compiler-$type
      cmake -S . -B "$build" -G Ninja -DCMAKE_CXX_COMPILER=$compiler -DCMAKE_BUILD_TYPE=$type -DBUILD_TESTING=OFF >/dev/null
      cmake --build "$build" >/dev/null
      others+=("$compiler, $type=$build/glassformer")
      [[ $type == Debug || $own != avx512 ]] ||
        others+=("$compiler, $type, avx2=env GLASSFORMER_INSTRUCTIONS=avx2 $build/glassformer")
    done
  done
fi
for other in "${others[@]}"; do
  read -ra command <<<"${other#*=}"
  row "${other%%=*}" 'multi30k trace' "${command[@]}"
done
[[ -d $text ]] || echo "SKIPPED: the column Multi30k, because $text does not exist"

for column in toy multi30k traces; do
  declare -n digests=$column
  if [[ $(printf '%s\n' "${digests[@]}" | sort -u | wc -l) -gt 1 ]]; then
    echo "digest_table.sh: expected one digest in each column, found several for $column" >&2
    exit 1
  fi
done
