#!/usr/bin/env bash
# Tests that the page of `explain` shows the same statements for every step, however the source code is formatted: builds
# the program from a copy whose layers and model have lines of at most 60 columns, and compares the traces of a small
# model. Everything but line numbers and sources must be the same, down to the last digit.
#
#   scripts/dev/test_reformatted.sh
#
# The copy is built without optimization, in build/reformatted. tests/page/test_reformatted_code.cpp tests other
# formats, without compiling them.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need clang-format 'the test of reformatted sources' || exit 0
install_packages
build release glassformer_program
readonly own=build/release/glassformer directory=build/reformatted
rm -rf "$directory/source"
mkdir -p "$directory/source"
git ls-files -z --cached --others --exclude-standard | tar --create --null --files-from=- | tar --extract -C "$directory/source"
sed -i 's/^ColumnLimit: .*/ColumnLimit: 60/' "$directory/source/.clang-format"
clang-format -i "$directory"/source/src/{layers,model}/*.[ch]pp
# shellcheck disable=SC2086  # it may hold several options
cmake -S "$directory/source" -B "$directory/build" -G Ninja ${GLASSFORMER_CMAKE:-} -DCMAKE_BUILD_TYPE=Debug \
  -DBUILD_TESTING=OFF >/dev/null
cmake --build "$directory/build" --target glassformer_program >/dev/null

# Post-norm without dropout and pre-norm with it: together they record every kind of step.
rm -rf "$directory"/{run,*.json}
for options in model.norm=post '--dropout model.norm=pre model.dropout=0.1'; do
  settings=() explain=()
  for option in $options; do
    if [[ $option == --* ]]; then explain+=("$option"); else settings+=(--set "$option"); fi
  done
  rm -rf "$directory/run"
  "$own" train configs/debug.yaml --output "$directory/run" --set training.max_updates=20 "${settings[@]}"
  for program in "$own" "$directory/build/glassformer"; do
    "$program" explain "$directory/run" "${explain[@]}" --source 'she sleeps' --source 'the small dog sees' \
      --html "$directory/page.html" --json "$directory/$([[ $program == "$own" ]] && echo own || echo reformatted).json"
  done
  python3 - "$directory"/{own,reformatted}.json <<'END'
import json, re, sys

traces = [json.load(open(name, encoding="utf-8")) for name in sys.argv[1:]]
statements = []
for trace in traces:
    sources = {file: text.split("\n") for file, text in trace.pop("sources").items()}

    def code(file, lines):
        """Without spaces and the slashes of comments; a string literal in several pieces is joined."""
        text = "\n".join(sources[file][lines[0] - 1:lines[1]])
        return re.sub(r'\s+|//+', "", text).replace('""', "")

    statements.append([])
    for step in trace["steps"]:
        statements[-1].append(code(step["code"]["file"], step["code"].pop("lines")))
        if step["differentiates"]:
            statements[-1].append(code(step["differentiates"]["file"], step["differentiates"].pop("lines")))
for own, reformatted in zip(*statements):
    if own != reformatted:
        sys.exit(f"Expected the statements\n{own}\nfound\n{reformatted}")
if traces[0] != traces[1]:
    sys.exit("The traces differ in more than their lines of code.")
print(f"{len(traces[0]['steps'])} steps show the same statements in both formats")
END
done
