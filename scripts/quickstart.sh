#!/usr/bin/env bash
# From nothing to a translation: installs what is missing, builds, trains the toy translator (English to German),
# evaluates it, translates a few sentences. A second run does no work twice.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

install_packages
build release
glassformer=build/release/glassformer
run=runs/toy

if [[ -f $run/finished ]]; then
  echo "The toy is trained already: $run (remove it to train again)." >&2
elif [[ -e $run/last ]]; then
  "$glassformer" train configs/toy.yaml --output "$run" --resume
else
  "$glassformer" train configs/toy.yaml --output "$run"
fi
touch "$run/finished"

echo
echo 'A few translations:'
while IFS= read -r sentence; do
  printf '  %-45s  %s\n' "$sentence" "$("$glassformer" translate "$run" <<<"$sentence")"
done <<'SENTENCES'
the small dog sees a house .
today the dog sees a house .
SENTENCES

echo
echo 'Evaluation on sentences that training has not seen (test_compositional: with pairs of adjective and noun'
echo 'that training has not seen together):'
"$glassformer" evaluate "$run"
