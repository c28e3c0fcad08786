#!/usr/bin/env bash
# Tests the claims at the top of configs/lessons/*.yaml, word for word and digit for digit: without a mask, positions
# or residual sums, a model fails in the way they describe; with all of them it does not. Also tests the metrics of the toy in README.md.
#
#   scripts/dev/test_lessons.sh
#
# Trains the toy and the lessons, a minute or two each on two idle cores.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

install_packages
build release glassformer_program
readonly glassformer=build/release/glassformer
readonly sentence='now the young girl hears mice .'
long=$(head -n 7 data/toy/test.en | tr '\n' ' ')
long=${long% }
lines=$(wc -l <data/toy/test.en)
directory=$(mktemp -d)
readonly runs=$directory/runs
trap 'rm -r "$directory"' EXIT
wrong=0

says() {  # says LESSON 'what its config must say'
  echo "$1: $2"
  [[ $(sed -n 's/^# *//p' "configs/lessons/$1.yaml" | tr '\n' ' ') == *"$2"* ]] && return
  echo "configs/lessons/$1.yaml does not say this." >&2
  wrong=1
}

# Prints how many translations of the test text change if the text is one batch, together with a long sentence, instead
# of one sentence at a time.
changed_translations() {  # changed_translations RUN
  (cat data/toy/test.en; echo "$long") >"$directory/together.en"
  "$glassformer" translate "$1" --input "$directory/together.en" --batch $((lines + 1)) |
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
print(*(f"{100 * on_padding[kind]:.1f}" for kind in ("encoder self", "decoder self", "cross")))' "$directory/trace.json"
}

# Prints metrics of the first test text, for example 'token accuracy is 99.98 % and exact match 99.80 %'.
metrics() {  # metrics RUN FORMAT
  "$glassformer" evaluate "$1" --json | python3 -c '
import json, sys
print(sys.argv[1].format(**json.load(sys.stdin)[0]))' "$2"
}

translations_of() {  # translations_of RUN: alone, and next to a long sentence
  local alone together
  alone=$("$glassformer" translate "$1" <<<"$sentence")
  together=$(printf '%s\n' "$sentence" "$long" | "$glassformer" translate "$1" --batch 2 | head -n 1)
  echo "Alone, \"$sentence\" becomes \"$alone\"; next to the long sentence it becomes \"$together\""
}

"$glassformer" train configs/toy.yaml --output "$runs/toy"
for lesson in no_padding_masks no_cross_mask no_look_ahead no_positions no_residual no_scaling; do
  "$glassformer" train "configs/lessons/$lesson.yaml" --output "$runs/$lesson"
done

readonly accuracy='token accuracy is {token_accuracy:.2%} and exact match {exact_match:.2%}'
[[ $(changed_translations "$runs/toy") == 0 && $(attention_on_padding "$runs/toy") == '0.0 0.0 0.0' ]] ||
  { echo 'With all masks, a translation depends on its batch, or a word attends to padding.' >&2; wrong=1; }

says no_padding_masks "$(metrics "$runs/no_padding_masks" "$accuracy" | sed 's/%/ %/g')"
says no_padding_masks "$(translations_of "$runs/no_padding_masks")"
read -r encoder decoder cross <<<"$(attention_on_padding "$runs/no_padding_masks")"
says no_padding_masks "spend $encoder % of their attention on padding in the encoder, and $cross % in cross-attention"
[[ $decoder == 0.0 ]] || { echo 'The look-ahead mask does not hide padding.' >&2; wrong=1; }
says no_padding_masks "$(changed_translations "$runs/no_padding_masks") of the 500 translations change"

says no_cross_mask "$(metrics "$runs/no_cross_mask" "$accuracy" | sed 's/%/ %/g')"
says no_cross_mask "$(translations_of "$runs/no_cross_mask")"
read -r encoder decoder cross <<<"$(attention_on_padding "$runs/no_cross_mask")"
says no_cross_mask "spend $cross % of their cross-attention on padding, and none of their attention in the encoder"
[[ $encoder == 0.0 ]] || { echo 'In the encoder, words attend to padding.' >&2; wrong=1; }
says no_cross_mask "$(changed_translations "$runs/no_cross_mask") of the 500 translations change"

says no_look_ahead "$(metrics "$runs/no_look_ahead" 'token accuracy is {token_accuracy:.2%} and perplexity {perplexity:.3f}' |
  sed 's/%/ %/g') (with the mask, $(metrics "$runs/toy" '{token_accuracy:.2%} and {perplexity:.3f}' | sed 's/%/ %/g'))"
says no_look_ahead "BLEU is $(metrics "$runs/no_look_ahead" '{bleu:.2f}') (with the mask, $(metrics "$runs/toy" '{bleu:.2f}'))"
[[ $(metrics "$runs/no_look_ahead" '{exact_match}') == 0.0 ]] ||
  { echo 'Without the look-ahead mask, a translation is right.' >&2; wrong=1; }
says no_look_ahead 'none of the 500 translations is right'
"$glassformer" translate "$runs/no_look_ahead" --input data/toy/test.en --output "$directory/copies.de"
first=$("$glassformer" translate "$runs/no_look_ahead" <<<'the small dog does not see a house .')
says no_look_ahead "\"the small dog does not see a house .\" becomes \"$first\", and so do \
$(grep -cxF "$first" "$directory/copies.de") of the 500"
read -r count second <<<"$(grep -vxF "$first" "$directory/copies.de" | sort | uniq -c | sort -rn | head -n 1)"
says no_look_ahead "$count become \"$second\""

readonly percent_of_toy='{token_accuracy:.2%} and {exact_match:.2%}'
with=$(metrics "$runs/toy" "$percent_of_toy" | sed 's/%/ %/g')
says no_positions "$(metrics "$runs/no_positions" "$accuracy" | sed 's/%/ %/g') (with positions, $with)"
"$glassformer" translate "$runs/no_positions" --input data/toy/test.en --output "$directory/bags.de"
says no_positions "In $(python3 -c '
import sys
pairs = zip(*(map(str.split, open(name, encoding="utf-8")) for name in sys.argv[1:]))
print(sum(one != other and sorted(one) == sorted(other) for one, other in pairs))' "$directory/bags.de" data/toy/test.de) \
of the 500 translations, the words are right and only their order is wrong"
first=$("$glassformer" translate "$runs/no_positions" <<<'the small dog sees a house .')
second=$("$glassformer" translate "$runs/no_positions" <<<'a house sees the small dog .')
[[ $first == "$second" ]] || { echo 'Without positions, the order of the words matters.' >&2; wrong=1; }
says no_positions "\"the small dog sees a house .\" becomes \"$first\", and so does \"a house sees the small dog .\" (with \
positions, \"$("$glassformer" translate "$runs/toy" <<<'a house sees the small dog .')\")"

says no_residual "$(metrics "$runs/no_residual" "$accuracy" | sed 's/%/ %/g') (with the sum, $with)"
says no_residual "$(metrics "$runs/no_residual" '{cut_off}') of the 500 translations do not end by themselves"
[[ $("$glassformer" translate "$runs/no_residual" <<<'the small dog sees a house .' | tr -d ' .') == '' ]] ||
  { echo 'Without residual sums, the translation is more than full stops.' >&2; wrong=1; }

says no_scaling "$(metrics "$runs/no_scaling" "$accuracy" | sed 's/%/ %/g') (with the division, $with)"

for test in 0 1; do
  line=$("$glassformer" evaluate "$runs/toy" --json | python3 -c '
import json, sys
test = json.load(sys.stdin)[int(sys.argv[1])]
print("exact match on {name}: {exact_match:.2%}".format(**test))' "$test")
  grep -qxF "$line" README.md || { echo "README.md does not say: $line" >&2; wrong=1; }
done

[[ $wrong == 0 ]] && echo 'The lessons say exactly what happens.'
exit $wrong
