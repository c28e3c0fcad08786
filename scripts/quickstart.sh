#!/usr/bin/env bash
# From a fresh clone to a translation: installs what is missing, builds, trains the toy translator (English to German),
# translates a few sentences, and evaluates the model. A second run does not train again.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

install_packages program
build release glassformer_program
glassformer=build/release/glassformer
run=runs/toy

if [[ -e $run/finished ]]; then
  echo "The toy model in $run is already trained. To train it again, remove that directory." >&2
else
  # If anything is wrong with a run that has begun, the program says so and changes nothing.
  resume=()
  [[ ! -e $run/config.yaml && -z $(compgen -G "$run/step-*") ]] || resume=(--resume)
  "$glassformer" train configs/toy.yaml --output "$run" ${resume[@]+"${resume[@]}"}
fi
touch "$run/finished"

sentences='the small dog sees a house .
today the dog does not see the cat .
she knows that the children read a book .'
echo
echo 'A few translations:'
paste -d '\n' <(sed 's/^/  /' <<<"$sentences") <("$glassformer" translate "$run" <<<"$sentences" | sed 's/^/      /')

echo
echo 'Evaluation on sentences that were not in training (in test_compositional, each has an adjective and a noun that'
echo 'never occurred together in training):'
evaluation=$("$glassformer" evaluate "$run")
echo "$evaluation"
echo
sed -nE 's/^([^ :]+): .*exact match ([0-9.]+)%.*/exact match on \1: \2%/p' <<<"$evaluation"
