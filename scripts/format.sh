#!/usr/bin/env bash
# Are the lines that have changed formatted as .clang-format says? (Not all of the older ones are.)
#
#   scripts/format.sh         prints what clang-format would change; exit status 1 if that is anything
#   scripts/format.sh --fix   changes it
#
# GLASSFORMER_BASE names the commit to compare with; scripts/changes.sh says which one it is by default. New files count
# once git knows them (git add).
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
source scripts/changes.sh

need clang-format 'the check of formatting' || exit 0
base=$(base_commit)
if [[ -z $base ]]; then
  echo 'SKIPPED: the history does not say which lines have changed; set GLASSFORMER_BASE.' >&2
  exit 0
fi
if [[ ${1:-} == --fix ]]; then
  git clang-format --force "$base" -- src tests || true  # status 1: it has changed something
  exit 0
fi
difference=$(git clang-format --diff "$base" -- src tests || true)
case $difference in
  '' | 'no modified files to format' | *'did not modify any files')
    echo "formatted: what has changed since $(git log -1 --format='%h, %s' "$base")"
    ;;
  *)
    echo "$difference"
    echo 'To mend this: scripts/format.sh --fix' >&2
    exit 1
    ;;
esac
