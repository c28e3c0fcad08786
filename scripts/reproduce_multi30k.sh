#!/usr/bin/env bash
# Trains and evaluates README's Multi30k models again, from a fresh clone: three seeds, one after the other, and then
# the row for a table of results. Interrupted, it goes on where it was.
#
#   scripts/reproduce_multi30k.sh DIR              lower-cased tokens: DIR/tok, configs/multi30k_tiny.yaml
#   scripts/reproduce_multi30k.sh DIR raw          plain text:         DIR/raw, configs/multi30k_raw.yaml
#   scripts/reproduce_multi30k.sh DIR tok 1        seed 1 alone
#
# DIR/tok and DIR/raw hold train, val and test_2016_flickr, each as .en and .de; README says where they come from.
set -euo pipefail

refuse() { echo "reproduce_multi30k.sh: $*" >&2; exit 2; }

[[ $# -ge 1 ]] || refuse 'expected the directory of Multi30k, found no argument; see README, "Results"'
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
      'see README, "Results", for where Multi30k comes from'
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
  trained_by=$(cat configs/multi30k_tiny.yaml "configs/$config.yaml" && echo "$directory")  # the first is the base of raw
  if [[ -e $run/finished ]]; then
    [[ $(<"$run/finished") == "$trained_by" ]] ||
      refuse "$run: was trained by another configs/$config.yaml, or on text of another directory; move it away"
    echo "$run is trained already. Remove that directory to train it again." >&2
    continue
  fi
  resume=()
  [[ ! -e $run/last ]] || resume=(--resume)
  build/release/glassformer train "configs/$config.yaml" --output "$run" ${resume[@]+"${resume[@]}"} \
    --set "data.directory='$directory'" --set "training.seed=$seed"
  echo "$trained_by" >"$run/finished"
done
python3 scripts/dev/results_row.py --task "$task" --published "$published" "${runs[@]}"
