#!/usr/bin/env bash
# From nothing to a translation: installs what is missing, builds, trains the toy translator (English to German),
# evaluates it, translates a few sentences. A second run does no work twice.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

install_packages program
build release glassformer_program
glassformer=build/release/glassformer
run=runs/toy

if [[ -e $run/finished ]]; then
  echo "The toy is trained already, in $run. Remove that directory to train it again." >&2
elif [[ -e $run/last ]]; then
  "$glassformer" train configs/toy.yaml --output "$run" --resume
else
  rm -rf "$run"  # a run that ended before its first checkpoint has nothing to be continued from
  "$glassformer" train configs/toy.yaml --output "$run"
fi
touch "$run/finished"

sentences='the small dog sees a house .
today the dog does not see the cat .
she knows that the children read a book .'
echo
echo 'A few translations:'
paste -d '\n' <(sed 's/^/  /' <<<"$sentences") <("$glassformer" translate "$run" <<<"$sentences" | sed 's/^/      /')

echo
echo 'Evaluation on sentences that training has not seen (test_compositional: each with an adjective and a noun that'
echo 'training has not seen together):'
evaluation=$("$glassformer" evaluate "$run")
echo "$evaluation"
echo
sed -nE 's/^([^ :]+): .*exact match ([0-9.]+)%.*/exact match on \1: \2%/p' <<<"$evaluation"
