#!/usr/bin/env bash
# Tests the page of `glassformer explain` in a browser: makes it with the toy model, opens it in headless Chromium, and
# compares what it shows with the JSON trace. Does the same for a model with a NaN among its weights, and for small
# models that each lack some masks.
#
#   scripts/dev/test_page.sh                                             all tests
#   scripts/dev/test_page.sh WalkTest SectionsTest.test_every_mask_cell  only these, and only on the toy's page
#
# On Debian and Ubuntu, installs the browser if it is missing. If that fails, skips the tests with a message.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

has_browser() {
  command -v chromedriver >/dev/null && { command -v chromium || command -v google-chrome; } >/dev/null &&
    python_that_imports selenium >/dev/null
}

install_browser() {
  has_browser && return
  if can_install; then apt_install chromium chromium-driver python3-selenium || true; fi
  has_browser
}

if ! install_browser; then
  echo 'SKIPPED: no browser found. The test of the page needs chromium, chromedriver and python3-selenium.' >&2
  exit 0
fi

install_packages
build release glassformer_program
readonly glassformer=build/release/glassformer run=runs/page_test  # not runs/toy, which may be yours
if [[ ! -e $run/best ]]; then
  resume=()
  [[ ! -e $run/config.yaml ]] || resume=(--resume)
  "$glassformer" train configs/toy.yaml --output "$run" "${resume[@]}" --set training.max_updates=500 \
    --set training.max_epochs=0
fi

directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
# Three lengths, so that both sides have padding; and HTML that must not become part of the page.
sources=(--source 'she knows that the children read a book .' --source 'the dog sleeps .'
  --source '<script>alert("no")</script> the small dog sees a house .')
# Targets that the model would not produce, so that the expected token is not always the most likely one.
targets=(--target 'der hund schläft .' --target 'sie weiß , dass die kinder das buch lesen .' --target 'das haus .')
options=()
test_page() {  # test_page NAME MODEL [TEST]...: the page that explain makes with $options
  "$glassformer" explain "$2" "${sources[@]}" "${options[@]}" --html "$directory/$1.html" --json "$directory/$1.json"
  "$python" tests/page/test_page.py "$directory/$1.html" "$directory/$1.json" . "${@:3}"
}

# The toy model with a gain so large that its metrics are not finite. The page must show that.
make_broken_model() {  # make_broken_model DIRECTORY
  cp -rL "$run/best" "$1"
  rm "$1/SHA256SUMS"
  python3 - "$1/model.safetensors" <<'END'
import json, struct, sys
with open(sys.argv[1], "r+b") as file:
    header = struct.unpack("<Q", file.read(8))[0]
    tensor = json.loads(file.read(header))["model.decoder.layers.0.final_layer_norm.weight"]
    file.seek(8 + header + tensor["data_offsets"][0])
    for _ in range(8):
        file.write(struct.pack("<f", 3e38))
END
}

# Explains two sentences, one with the longer source and the other with the longer target, with a model that lacks the
# masks named, such as "look_ahead+cross_padding". The model is pre-norm without label smoothing, which the toy does not
# test: it is post-norm with label smoothing.
explain_without() {  # explain_without 'mask+mask'
  local mask switches=()
  for mask in ${1//+/ }; do switches+=(--set "masks.$mask=false"); done
  rm -rf "$directory/run"
  "$glassformer" train configs/debug.yaml --output "$directory/run" --set training.max_updates=20 --set model.norm=pre \
    "${switches[@]}"
  "$glassformer" explain "$directory/run" --source 'she sleeps' --target 'der hund sieht ein' \
    --source 'the small dog sees' --target 'sie' \
    --html "$directory/masks/${1:-all}.html" --json "$directory/masks/${1:-all}.json"
}
test_reasons() {
  local masks=(encoder_padding look_ahead target_padding cross_padding) i j
  mkdir "$directory/masks"
  explain_without ''
  "$glassformer" explain "$run" --source 'the dog sleeps .' --html "$directory/masks/other.html"
  for ((i = 0; i < 4; ++i)); do
    explain_without "${masks[i]}"
    for ((j = i + 1; j < 4; ++j)); do explain_without "${masks[i]}+${masks[j]}"; done
  done
  "$python" tests/page/test_reasons.py "$directory/masks"
}

python=$(python_that_imports selenium)
test_dropout() {  # --dropout adds steps; --layer removes some
  options=(--dropout --layer 1 "${targets[@]}")
  test_page dropout "$run" \
    WalkTest.test_arrow_keys_walk_to_the_last_step_and_back \
    SectionsTest.test_the_metrics_of_the_loss SectionsTest.test_the_probability_and_loss_of_every_position \
    SectionsTest.test_the_sentences_fit_the_model_and_the_trace SectionsTest.test_every_parameter_has_its_norm \
    SectionsTest.test_the_gradient_of_the_memory_is_a_sum SectionsTest.test_what_if_lists_all_variants
}
test_other_models() {
  make_broken_model "$directory/broken"
  test_page broken "$directory/broken" SectionsTest.test_the_metrics_of_the_loss \
    SectionsTest.test_the_probability_and_loss_of_every_position SectionsTest.test_every_parameter_has_its_norm \
    SectionsTest.test_what_if_lists_all_variants NumbersTest.test_every_heat_map_shows_a_number_on_focus
  test_reasons
}

if [[ $# -gt 0 ]]; then
  test_page all "$run" "$@"
  exit
fi
(test_other_models) >"$directory/other_models.log" 2>&1 &  # a second browser at the same time
other_models=$! status=0
test_page all "$run" || status=1
"$python" tests/page/test_explained_number.py "$directory/all.html" "$directory/all.json" || status=1
test_dropout || status=1
wait $other_models || status=1
cat "$directory/other_models.log"
exit $status
