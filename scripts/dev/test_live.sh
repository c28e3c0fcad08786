#!/usr/bin/env bash
# Tests the live page, in which the model trains in the browser: that its engine is what the sources give, and, in
# Chromium and Firefox without a window, that it has the program's bits and works (src/web/test/browser).
#
#   scripts/dev/test_live.sh            everything
#   scripts/dev/test_live.sh browsers   without compiling the engine
#
# On Debian and Ubuntu, installs the browsers and the compiler for WebAssembly if they are missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need node 'the test of the live page' nodejs || exit 0
need npm 'the test of the live page' || exit 0
if [[ ! -d src/web/node_modules ]] && ! (cd src/web && npm ci --no-audit --no-fund --ignore-scripts); then
  echo 'SKIPPED: npm cannot reach its registry; the test of the live page needs src/web/package-lock.json.' >&2
  exit 0
fi
if can_install; then
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || apt_install chromium || true
  command -v firefox-esr >/dev/null || command -v firefox >/dev/null || apt_install firefox-esr || true
fi

if [[ ${1:-} == browsers ]]; then scripts/live.sh; else scripts/live.sh --check; fi

install_packages
build release glassformer_program
readonly glassformer=build/release/glassformer
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
readonly sentences=(--source 'she sleeps .' --target 'sie schläft .' --source 'the small dog sees a house .'
  --target 'der kleine hund sieht ein haus .')
# The page of the small model shows them in the other order.
readonly small_sentences=("${sentences[@]:4}" "${sentences[@]:0:4}")

# What the program says about a model after 50 updates: a trace, and the best translations of both sentences.
native() {  # native CONFIG OPTION...
  local config=$1 run=$directory/$1_run
  "$glassformer" train "configs/$config.yaml" --output "$run" --set training.max_updates=50 \
    --set training.max_epochs=0 --set training.validation.translate=false --set training.checkpoints.average=0
  "$glassformer" explain "$run/last" "${@:2}" --html "$directory/$config.html" --json "$directory/$config.json"
  local beam penalty
  while read -r beam penalty; do
    printf '%s\n' 'she sleeps .' 'the small dog sees a house .' |
      "$glassformer" translate "$run/last" --beam "$beam" --n-best "$beam" --length-penalty "$penalty" \
        --output "$directory/n_best_${config}_${beam}_$penalty.txt"
  done <<<$'1 1\n4 1\n4 0\n4 2'
}
native toy "${sentences[@]}"
native debug "${small_sentences[@]}"
files_at_once=() # an old Node runs one file after another
[[ $(node --help) == *--test-concurrency* ]] && files_at_once=(--test-concurrency=2)
NATIVE=$directory node --test "${files_at_once[@]}" src/web/test/browser/*.test.mjs
