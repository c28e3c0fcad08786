#!/usr/bin/env bash
# Tests examples/one_file/transformer.cpp: without warnings, g++ and clang++ (if installed) build programs that
# train the toy for 50 updates and find the digests of data/toy/digests.txt, and its gradients pass the check. Also tests
# that the program fails if a digest, an argument or a file is wrong.
#
#   scripts/dev/test_one_file.sh
#
# The variable COMPILERS holds the compilers to try (default: g++ clang++), FLAGS their options (default: -O3).
set -euo pipefail
cd "$(dirname "$0")/../.."

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

fail() { echo "test_one_file.sh: $*" >&2; exit 1; }

# Runs a program and requires an exit status and a text in its output.
expect() {  # expect STATUS TEXT PROGRAM [ARGUMENT]...
  local status=0
  "${@:3}" >"$directory/out" 2>&1 || status=$?
  [[ $status == "$1" ]] && grep -qF -e "$2" "$directory/out" && return
  { grep -F DIFFERENT "$directory/out" || true; tail -n 3 "$directory/out"; } | head -n 5 >&2
  fail "expected exit status $1 and \"$2\", found exit status $status and the lines above: ${*:3}"
}

# Copies of the toy: with a changed digit in one digest, without one tensor, with one more, without digests.
for name in wrong missing extra none; do
  mkdir "$directory/$name"
  cp data/toy/{train,test}.{en,de} "$directory/$name"
done
sed '/^toy 1 model.encoder.layers.0.fc1.weight /{s/0$/1/;t;s/.$/0/}' data/toy/digests.txt >"$directory/wrong/digests.txt"
sed '/^toy 1 final_logits_bias /d' data/toy/digests.txt >"$directory/missing/digests.txt"
{ cat data/toy/digests.txt; echo 'toy 1 model.extra.weight 0123456789abcdef'; } >"$directory/extra/digests.txt"
grep -v '^toy ' data/toy/digests.txt >"$directory/none/digests.txt"

built=''
for compiler in ${COMPILERS:-g++ clang++}; do
  command -v "$compiler" >/dev/null || continue
  built+=" $compiler"
  program=$directory/transformer-$compiler
  # shellcheck disable=SC2086  # FLAGS may hold several options
  "$compiler" -std=c++20 ${FLAGS:--O3} -ffp-contract=off -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror \
    examples/one_file/transformer.cpp -o "$program" || fail "$compiler cannot build the program without warnings"

  expect 0 'digests are equal: bit for bit, these are the weights of glassformer after update 50.' "$program"
  cp "$directory/out" "$directory/out-$compiler"
  expect 0 'The gradients are right' "$program" gradients
  for name in wrong missing extra none; do
    expect 1 'Not all digests are equal' "$program" 1 "$directory/$name"
    different=$(grep -c 'DIFFERENT$' "$directory/out" || true)
    [[ $name == none || $different == 1 || ($name == extra && $different == 0) ]] ||
      fail "expected one digest to be different in $name/digests.txt, found $different"
  done
  expect 2 'nowhere/digests.txt: expected a text file' "$program" 1 nowhere
  expect 2 'usage: transformer' "$program" -1
  expect 2 'usage: transformer' "$program" 1 data/toy too-many
done
[[ -n $built ]] || fail 'expected g++ or clang++, found neither'

if [[ $built == ' g++ clang++' ]]; then
  diff "$directory/out-g++" "$directory/out-clang++" || fail 'g++ and clang++ build programs with different outputs'
fi
echo "one file: built with$built, $(tail -n 1 "$directory/out-${built##* }")"
