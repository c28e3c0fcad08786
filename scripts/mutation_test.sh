#!/usr/bin/env bash
# Do the tests notice? Puts the faults of tests/faults.txt into a copy of the sources, one at a time, builds, runs the
# tests until the first that fails, and prints which faults were caught.
#
#   scripts/mutation_test.sh                 all of them: about half an hour on two cores
#   scripts/mutation_test.sh layer_norm      those whose first line contains this
#
# The copy lies in build/mutants and is kept, so that a second run need not build it anew.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
install_packages

readonly COPY=build/mutants WANTED=${1:-}

refresh_copy() {  # writes only what differs, for the sake of the build
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [[ -f $file ]] || continue
    cmp -s "$file" "$COPY/$file" || { mkdir -p "$COPY/$(dirname "$file")" && cp "$file" "$COPY/$file"; }
  done
  (cd "$COPY" && find src tests -type f) | while IFS= read -r file; do [[ -f $file ]] || rm "$COPY/$file"; done
}

replace_once() {  # replace_once FILE OLD NEW
  python3 - "$@" <<'PYTHON'
import sys
file, old, new = sys.argv[1:]
text = open(file, encoding="utf-8").read()
if old not in text:
    sys.exit(f"tests/faults.txt: this no longer stands in {file}: {old}")
open(file, "w", encoding="utf-8").write(text.replace(old, new, 1))
PYTHON
}

build_copy() { (cd "$COPY" && cmake --build --preset release) >"$COPY/build.log" 2>&1; }

run_tests() {  # those that take no time first
  (cd "$COPY" && for tests in '[layers],[model],[seeds],[pytorch]' '~[layers]~[model]~[seeds]~[pytorch]'; do
    timeout 600 build/release/glassformer_tests --abort "$tests" || exit 1
  done) >"$COPY/tests.log" 2>&1
}

mkdir -p "$COPY"
refresh_copy
(cd "$COPY" && cmake --preset release -G Ninja) >"$COPY/build.log" 2>&1
build_copy || { tail -n 20 "$COPY/build.log"; echo 'The copy does not build without a fault.'; exit 1; } >&2
run_tests || { tail -n 20 "$COPY/tests.log"; echo 'The tests fail without a fault.'; exit 1; } >&2

count=0 caught=0
while IFS= read -r title; do
  [[ $title == src/* && $title == *"$WANTED"* ]] || continue
  IFS= read -r old
  IFS= read -r new
  file=${title%%:*}
  replace_once "$COPY/$file" "${old#- }" "${new#+ }"
  if ! build_copy; then
    verdict='NOT BUILT'
  elif run_tests; then
    verdict='SURVIVED'
  else
    verdict='caught'
    caught=$((caught + 1))
  fi
  printf '%-10s %s\n' "$verdict" "$title"
  count=$((count + 1))
  cp "$file" "$COPY/$file"
done <tests/faults.txt

echo "caught $caught of $count"
[[ $count -gt 0 && $caught -eq $count ]]
