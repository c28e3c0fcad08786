#!/usr/bin/env bash
# Tests the claims at the top of configs/lessons/*.yaml: without a mask, a model fails in the way they describe; with
# all masks it does not. Tests only directions: the exact figures differ between processors.
#
#   scripts/dev/test_lessons.sh
#
# Trains the toy and the lessons in build/lessons, a minute or two each on two idle cores. It reuses models that already
# exist: after a change to training, remove that directory.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

install_packages
build release glassformer_program
readonly glassformer=build/release/glassformer runs=build/lessons
readonly sentence='now the young girl hears mice .'
long=$(head -n 7 data/toy/test.en | tr '\n' ' ')
lines=$(wc -l <data/toy/test.en)
mkdir -p "$runs"
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT

train() {  # train NAME CONFIG: a run gets its final name when it is complete
  [[ ! -e $runs/$1 ]] || return 0
  rm -rf "$runs/$1.part"
  "$glassformer" train "$2" --output "$runs/$1.part"
  mv "$runs/$1.part" "$runs/$1"
}

claim() {  # claim 'the claim' 'an awk expression, which must be true'
  echo "$1: $2"
  awk "BEGIN { exit !($2) }" || { echo "FALSE: $1" >&2; exit 1; }
}

# Prints how many translations of the test text change if the text is one batch, together with a long sentence, instead
# of one sentence at a time.
changed_translations() {  # changed_translations RUN
  export OMP_NUM_THREADS=1  # with more, each thread has its own batch
  (cat data/toy/test.en; echo "$long") | "$glassformer" translate "$1" --batch $((lines + 1)) |
    head -n "$lines" >"$directory/together.de"
  "$glassformer" translate "$1" --input data/toy/test.en --batch 1 --output "$directory/alone.de"
  paste -d '\n' "$directory/together.de" "$directory/alone.de" | awk 'NR % 2 { one = $0; next } one != $0' | wc -l
}

# In a batch with a long sentence, prints what percentage of a short sentence's attention goes to padding: encoder,
# decoder, cross.
attention_on_padding() {  # attention_on_padding RUN
  "$glassformer" explain "$1" --source "$sentence" --source "$long" --json "$directory/trace.json" \
    --html "$directory/page.html"
  python3 -c '
import json, sys
on_padding = json.load(open(sys.argv[1], encoding="utf-8"))["what_if"][0]["on_padding"][0]
print(*(100 * on_padding[kind] for kind in ("encoder self", "decoder self", "cross")))' "$directory/trace.json"
}

figure() {  # figure NAME RUN: prints a figure of the first test text
  "$glassformer" evaluate "$2" --json | python3 -c '
import json, sys
print(json.load(sys.stdin)[0][sys.argv[1]])' "$1"
}

train toy configs/toy.yaml
for lesson in no_padding_masks no_cross_mask no_look_ahead; do train "$lesson" "configs/lessons/$lesson.yaml"; done

claim 'with all masks, no translation depends on the batch' "$(changed_translations "$runs/toy") == 0"
read -r encoder decoder cross <<<"$(attention_on_padding "$runs/toy")"
claim 'with all masks, no word attends to padding' "$encoder == 0 && $decoder == 0 && $cross == 0"

claim 'without padding masks, some translations depend on the batch' \
  "$(changed_translations "$runs/no_padding_masks") > 0"
read -r encoder decoder cross <<<"$(attention_on_padding "$runs/no_padding_masks")"
claim 'without padding masks, words attend to padding in the encoder and in cross-attention' \
  "$encoder > 1 && $cross > 1"
claim '... but not in the decoder, whose look-ahead mask hides padding' "$decoder == 0"

claim 'without the cross mask, some translations depend on the batch' \
  "$(changed_translations "$runs/no_cross_mask") > 0"
read -r encoder decoder cross <<<"$(attention_on_padding "$runs/no_cross_mask")"
claim 'without the cross mask, words attend to padding in cross-attention only' \
  "$encoder == 0 && $decoder == 0 && $cross > 1"

for run in toy no_padding_masks no_cross_mask; do
  claim "evaluation does not show the failure: exact match of $run" "$(figure exact_match "$runs/$run") > 0.9"
done
claim 'without the look-ahead mask, nearly every token is right' "$(figure token_accuracy "$runs/no_look_ahead") > 0.99"
claim '... but BLEU is low' "$(figure bleu "$runs/no_look_ahead") < 5"
claim '... and no translation is right' "$(figure exact_match "$runs/no_look_ahead") == 0"
echo "The lessons' claims are true."
