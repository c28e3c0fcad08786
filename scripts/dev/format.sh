#!/usr/bin/env bash
# Checks that every C++ file follows .clang-format.
#
#   scripts/dev/format.sh         prints the lines that do not; exit status 1 if there are any
#   scripts/dev/format.sh --fix   formats them
#
# New files are checked once git tracks them (git add). The commits that only format are listed in
# .git-blame-ignore-revs. To skip them: git config blame.ignoreRevsFile .git-blame-ignore-revs
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need clang-format 'the format check' || exit 0
mapfile -d '' -t files < <(git ls-files -z -- '*.cpp' '*.hpp')
if [[ ${1:-} == --fix ]]; then
  clang-format -i -- "${files[@]}"
  exit
fi
if clang-format --dry-run -Werror -- "${files[@]}"; then
  echo "well formatted: ${#files[@]} files"
else
  echo 'To fix this: scripts/dev/format.sh --fix' >&2
  exit 1
fi
