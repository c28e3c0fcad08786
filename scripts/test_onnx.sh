#!/usr/bin/env bash
# Does onnxruntime compute what Glassformer computes? Trains a small model of each kind on the toy, for some seconds,
# exports it, and compares the two (scripts/check_onnx.py). Where onnxruntime is missing, pip installs
# it in build/python.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

python=$(python_with 'the test of exported models' 'numpy, onnxruntime, sentencepiece' \
  onnxruntime==1.23.2 sentencepiece==0.2.1) || exit 0
install_packages
build release glassformer_program >/dev/null

runs=$(mktemp -d)
trap 'rm -r "$runs"' EXIT
number=0
while read -r -a model; do
  number=$((number + 1))
  echo "${model[*]}"
  build/release/glassformer train configs/toy.yaml --output "$runs/$number" --set training.max_updates=200 \
    "${model[@]/#/--set=}" 2>/dev/null
  "$python" scripts/check_onnx.py "$runs/$number" --source data/toy/test.en --target data/toy/test.de
done <<'MODELS'
model.norm=post model.activation=relu model.tied_embeddings=all tokenizer.joint=true
model.norm=post model.activation=swish model.tied_embeddings=none
model.norm=pre model.activation=gelu model.tied_embeddings=none
model.norm=pre model.activation=swish model.tied_embeddings=target
MODELS
echo 'a model of transformers, as those of OPUS-MT'
"$python" scripts/check_onnx.py tests/fixtures/marian/opus --source data/toy/test.en --target data/toy/test.de
