#!/usr/bin/env bash
# Checks that changed lines follow .clang-format. (Not all of the older ones do.)
#
#   scripts/dev/format.sh         prints what clang-format would change; exit status 1 if it would change anything
#   scripts/dev/format.sh --fix   changes them
#
# GLASSFORMER_BASE names the commit to compare with; scripts/dev/changes.sh says which one it is by default. New files count
# once git knows them (git add).
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
source scripts/dev/changes.sh

need clang-format 'the check of formatting' || exit 0
base=$(base_commit)
if [[ -z $base ]]; then
  echo 'SKIPPED: the history does not say which lines have changed; set GLASSFORMER_BASE.' >&2
  exit 0
fi
if [[ ${1:-} == --fix ]]; then
  git clang-format --force --extensions cpp,hpp "$base" -- src tests || true  # status 1: it has changed something
  exit 0
fi
difference=$(git clang-format --diff --extensions cpp,hpp "$base" -- src tests) || [[ $? == 1 && -n $difference ]] || {
  echo 'git clang-format failed.' >&2
  exit 1
}
case $difference in
  'no modified files to format' | *'did not modify any files')
    echo "formatted: what has changed since $(git log -1 --format='%h, %s' "$base")"
    ;;
  *)
    echo "$difference"
    echo 'To fix this: scripts/dev/format.sh --fix' >&2
    exit 1
    ;;
esac
