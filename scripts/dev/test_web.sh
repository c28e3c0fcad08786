#!/usr/bin/env bash
# Tests the TypeScript sources of the pages in src/web: their types, their format, that src/web/dist is what they give,
# and src/web/test. If the program has been built, those tests also recompute every number of traces that it writes. The
# program contains the files of src/web/dist, so building it needs neither Node nor npm.
#
#   scripts/dev/test_web.sh          checks everything
#   scripts/dev/test_web.sh --fix    formats the sources and writes src/web/dist
#
# Downloads the packages in src/web/package-lock.json.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need node 'the check of src/web' nodejs || exit 0
need npm 'the check of src/web' || exit 0
cd src/web
if ! npm ci --no-audit --no-fund --ignore-scripts; then
  npm ping >/dev/null 2>&1 && exit 1
  echo 'SKIPPED: npm cannot reach its registry; the check of src/web needs the packages in src/web/package-lock.json.' >&2
  exit 0
fi

if [[ ${1:-} == --fix ]]; then
  npm run --silent format:fix
  npm run --silent build
  exit
fi
npm run --silent check
npm run --silent format || { echo 'To fix this: scripts/dev/test_web.sh --fix' >&2; exit 1; }

directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
npm run --silent build -- "$directory"
if ! diff --recursive --brief --exclude="*.gz" dist "$directory"; then
  echo 'src/web/dist is not what the sources give. To build it again: scripts/dev/test_web.sh --fix' >&2
  exit 1
fi

traces=()
if [[ -x ../../build/release/glassformer ]]; then
  mkdir "$directory/traces"
  ../../scripts/dev/make_web_traces.sh build/release/glassformer "$directory/traces"
  traces=("$directory"/traces/*.json)
else
  echo 'SKIPPED: the tests that need traces, because build/release/glassformer has not been built.' >&2
fi
npm run --silent test -- "${traces[@]}"
echo "src/web: types, format and dist are right, and the tests pass"
