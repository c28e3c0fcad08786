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
"$glassformer" train configs/toy.yaml --output "$directory/run" --set training.max_updates=50 \
  --set training.max_epochs=0 --set training.validation.translate=false --set training.checkpoints.average=0
"$glassformer" explain "$directory/run/last" --source 'she sleeps .' --target 'sie schläft .' \
  --source 'the small dog sees a house .' --target 'der kleine hund sieht ein haus .' \
  --html "$directory/trace.html" --json "$directory/trace.json"
NATIVE_TRACE=$directory/trace.json node --test src/web/test/browser/*.test.mjs
