#!/usr/bin/env bash
# Makes the traces for the tests in src/web/test: JSON files of `glassformer explain`. Small models, which together
# record every equation of the layers, in every form that the settings give it.
#
#   scripts/dev/make_web_traces.sh PROGRAM DIRECTORY    writes DIRECTORY/NAME.json
set -euo pipefail
cd "$(dirname "$0")/../.."
readonly program=$1 directory=$2

# Three lengths, so that both sides have padding.
readonly toy=(--source 'she knows that the children read a book .' --target 'der hund schläft .'
  --source 'the dog sleeps .' --target 'sie weiß , dass die kinder das buch lesen .'
  --source 'the small dog sees a house .' --target 'das haus .')
readonly debug=(--source 'she sleeps' --target 'der hund sieht ein' --source 'the small dog sees' --target 'sie')

make_trace() {  # make_trace NAME CONFIG SETTINGS EXPLAIN-OPTION...
  local run=$directory/run_$1 settings=() setting
  for setting in $3; do settings+=(--set "$setting"); done
  "$program" train "configs/$2.yaml" --output "$run" --set training.max_epochs=0 "${settings[@]}" >"$run.log" 2>&1 ||
    { cat "$run.log" >&2; exit 1; }
  "$program" explain "$run" "${@:4}" --html "$run.html" --json "$directory/$1.json" >/dev/null
  rm -r "$run" "$run.html" "$run.log"
}

make_trace toy toy 'training.max_updates=100 model.d_model=16 model.d_ff=24' "${toy[@]}"
make_trace dropout debug 'training.max_updates=20 training.label_smoothing=0.1 model.dropout=0.1
  model.embedding_dropout=0.2 model.attention_dropout=0.3 model.activation_dropout=0.4' "${debug[@]}" --dropout
make_trace pre_gelu debug 'training.max_updates=20 model.norm=pre model.activation=gelu model.tied_embeddings=none
  model.decoder_layers=2' "${debug[@]}"
make_trace swish_all_tied debug 'training.max_updates=20 model.activation=swish model.tied_embeddings=all
  tokenizer.joint=true model.scale_embeddings=false' "${debug[@]}"
make_trace masks_off debug 'training.max_updates=20 masks.encoder_padding=false masks.target_padding=false
  masks.look_ahead=false masks.cross_padding=false' "${debug[@]}"
