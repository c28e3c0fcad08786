#!/usr/bin/env bash
# Checks that changed lines follow .clang-format. (Not all older lines do.)
#
#   scripts/dev/format.sh         prints what clang-format would change; exit status 1 if it would change anything
#   scripts/dev/format.sh --fix   makes these changes
#
# GLASSFORMER_BASE names the commit to compare with; see scripts/dev/changes.sh for the default. New files are checked
# once git tracks them (git add).
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
source scripts/dev/changes.sh

need clang-format 'the format check' || exit 0
base=$(base_commit)
if [[ -z $base ]]; then
  echo 'SKIPPED: the history does not go back far enough to show what has changed; set GLASSFORMER_BASE.' >&2
  exit 0
fi
if [[ ${1:-} == --fix ]]; then
  git clang-format --force --extensions cpp,hpp "$base" -- src tests || true  # status 1: something has changed
  exit 0
fi
difference=$(git clang-format --diff --extensions cpp,hpp "$base" -- src tests) || [[ $? == 1 && -n $difference ]] || {
  echo 'git clang-format failed.' >&2
  exit 1
}
case $difference in
  'no modified files to format' | *'did not modify any files')
    echo "well formatted: all changes since $(git log -1 --format='%h, %s' "$base")"
    ;;
  *)
    echo "$difference"
    echo 'To fix this: scripts/dev/format.sh --fix' >&2
    exit 1
    ;;
esac
