#!/usr/bin/env bash
# Reproduces the Multi30k results in docs/results.md from a fresh clone: trains and evaluates three seeds in turn, then
# prints a row for the table of results. If it was interrupted, run it again: it continues where it stopped.
#
#   scripts/reproduce_multi30k.sh DIR              lower-cased tokens: DIR/tok, configs/multi30k_tiny.yaml
#   scripts/reproduce_multi30k.sh DIR raw          plain text:         DIR/raw, configs/multi30k_raw.yaml
#   scripts/reproduce_multi30k.sh DIR tok 1        seed 1 alone
#
# DIR/tok and DIR/raw each contain train, val and test_2016_flickr as .en and .de; docs/results.md tells you where to
# get them.
set -euo pipefail

refuse() { echo "reproduce_multi30k.sh: $*" >&2; exit 2; }

[[ $# -ge 1 ]] || refuse 'expected the directory of Multi30k, found no argument; see docs/results.md'
directory=$1 text=${2:-tok} seeds=("${@:3}")
[[ ${#seeds[@]} -gt 0 ]] || seeds=(1 2 3)
case $text in
  tok) config=multi30k_tiny task='Multi30k en-de, lower-cased tokens' published='41.02 (Wu et al. 2021)' ;;
  raw) config=multi30k_raw task='Multi30k en-de, plain text' published='' ;;
  *) refuse "expected tok or raw, found \"$text\"" ;;
esac
for name in train val test_2016_flickr; do
  for language in en de; do
    [[ -f $directory/$text/$name.$language ]] || refuse "$directory/$text/$name.$language: expected a file, found none;" \
      'docs/results.md tells you where to get Multi30k'
  done
done
directory=$(cd "$directory/$text" && pwd)

cd "$(dirname "$0")/.."
source scripts/packages.sh
install_packages
build release glassformer_program >&2

runs=()
for seed in "${seeds[@]}"; do
  run=runs/${config}_seed$seed
  runs+=("$run")
  inputs=$(cat configs/multi30k_tiny.yaml "configs/$config.yaml" && echo "$directory")  # tiny is the base of raw
  if [[ -e $run/finished ]]; then
    [[ $(<"$run/finished") == "$inputs" ]] ||
      refuse "$run: was trained with a different configs/$config.yaml or on text from another directory; move it away"
    echo "$run is already trained. To train it again, remove that directory." >&2
    continue
  fi
  resume=()
  [[ ! -e $run/config.yaml && -z $(compgen -G "$run/step-*") ]] || resume=(--resume)
  build/release/glassformer train "configs/$config.yaml" --output "$run" ${resume[@]+"${resume[@]}"} \
    --set "data.directory='$directory'" --set "training.seed=$seed"
  echo "$inputs" >"$run/finished"
done
python3 scripts/dev/results_row.py --task "$task" --published "$published" "${runs[@]}"
