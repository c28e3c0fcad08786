#!/usr/bin/env bash
# Kills a small training run with SIGKILL at random moments, continues it with --resume, and compares the final weights
# with those of an uninterrupted run: they must be the same, bit for bit.
#
#   scripts/dev/crash_test.sh 100        100 runs, each killed one to three times
#   scripts/dev/crash_test.sh 100 7      the same with another seed for the moments
#
# A run writes a checkpoint every other update, so it is often killed while it is writing one. Every fourth run is copied
# without its links (cp -rL) before it is continued.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly count=${1:-100} seed=${2:-1}
if [[ ! $count =~ ^[1-9][0-9]*$ || ! $seed =~ ^[0-9]+$ ]]; then
  echo 'scripts/dev/crash_test.sh: expected a number of runs and an optional seed: scripts/dev/crash_test.sh 100 7' >&2
  exit 2
fi
install_packages
build release glassformer_program >/dev/null
readonly glassformer=$PWD/build/release/glassformer toy=$PWD/data/toy
export OMP_NUM_THREADS=2
RANDOM=$seed

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
mkdir "$directory/text"
for language in en de; do
  head -300 "$toy/train.$language" >"$directory/text/train.$language"
  head -4 "$toy/valid.$language" >"$directory/text/valid.$language"
done

train() {  # train RUN [--resume]
  "$glassformer" train configs/toy.yaml --output "$directory/$1" "${@:2}" --set data.directory="$directory/text" \
    --set data.tests=[] --set model.d_model=16 --set model.d_ff=16 --set training.max_tokens=100 \
    --set training.max_epochs=0 --set training.max_updates=60 --set training.schedule.warmup=5 \
    --set training.validation.every=2 --set training.validation.unit=updates --set training.checkpoints.average=3 \
    --set decoding.max_length_ratio=0.5 2>"$directory/$1.log"
}

# Which checkpoints last and best link to, and their weights.
outcome() { (cd "$directory/$1" && readlink last best && sha256sum last/model.safetensors best/model.safetensors); }

resume_or_start() {  # if it was killed before it had written config.yaml, there is no run to resume
  if [[ -e $directory/$1/config.yaml ]]; then train "$1" --resume; else train "$1"; fi
}

began=$(date +%s%N)
train whole
readonly milliseconds=$((($(date +%s%N) - began) / 1000000))
expected=$(outcome whole)

identical=0 kills=0
for ((i = 1; i <= count; ++i)); do
  rm -rf "$directory/run"
  times=$((1 + i % 3))
  for ((kill = 0; kill < times; ++kill)); do
    resume_or_start run 2>/dev/null &  # otherwise the shell would report every kill
    moment=$((RANDOM * milliseconds / 32768 / times))
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    # The function runs in a subshell, whose only child is the training run.
    ! pkill -KILL -P $! -x glassformer || ((++kills))
    wait $! 2>/dev/null || true
  done
  if ((i % 4 == 0)) && [[ -e $directory/run/last ]]; then
    cp -rL "$directory/run" "$directory/copy"
    rm -rf "$directory/run"
    mv "$directory/copy" "$directory/run"
  fi
  if ! resume_or_start run; then
    echo "run $i could not be resumed:" >&2
    tail -3 "$directory/run.log" >&2
  elif [[ $(outcome run) == "$expected" ]]; then
    ((++identical))
  else
    echo "run $i ended differently:" >&2
    diff <(echo "$expected") <(outcome run) >&2 || true
  fi
done
echo "$identical of $count identical, after $kills kills"
[[ $identical == "$count" ]]
