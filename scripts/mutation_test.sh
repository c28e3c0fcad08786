#!/usr/bin/env bash
# Do the tests notice? Puts the faults of tests/faults.txt into a copy of the sources, one at a time, builds, runs the
# tests until the first that fails, and prints which faults were caught, and by which test.
#
#   scripts/mutation_test.sh                 all of them: about a quarter of an hour on two cores
#   scripts/mutation_test.sh layer_norm      those whose first line contains this
#
# The copy lies in build/mutants and is kept, so that a second run need not build it anew.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
install_packages

readonly COPY=build/mutants WANTED=${1:-}

fail() { echo "$1" >&2; exit "${2:-1}"; }  # fail MESSAGE [STATUS]

# Sees to it, before anything is built, that every fault says where it goes; prints how many are wanted.
count_faults() {
  python3 - "$WANTED" <<'PYTHON'
import sys
lines = open("tests/faults.txt", encoding="utf-8").read().splitlines()
wrong, count = [], 0
for number, (title, old, new) in enumerate(zip(lines, lines[1:], lines[2:]), 1):
    if not title.startswith("src/"):
        continue
    count += sys.argv[1] in title
    try:
        times = open(title.split(":")[0], encoding="utf-8").read().count(old[2:])
    except OSError as error:
        wrong.append(f"tests/faults.txt:{number}: {error}")
        continue
    if not (old.startswith("- ") and new.startswith("+ ") and old[2:] != new[2:]):
        wrong.append(f"tests/faults.txt:{number}: expected a line with '- ', then another with '+ '")
    elif times != 1:
        wrong.append(f"tests/faults.txt:{number + 1}: stands {times} times in the file, instead of once: {old[2:]}")
if wrong:
    sys.exit("\n".join(wrong))
print(count)
PYTHON
}

refresh_copy() {  # writes only what differs, for the sake of the build
  mkdir -p "$COPY"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [[ -f $file ]] || continue
    cmp -s "$file" "$COPY/$file" || { mkdir -p "$COPY/$(dirname "$file")" && cp "$file" "$COPY/$file"; }
  done
  (cd "$COPY" && find . -path ./build -prune -o -type f -print) | while IFS= read -r file; do
    [[ -f $file ]] || rm "$COPY/$file"
  done
}

put_in() {  # put_in FILE OLD NEW
  python3 - "$@" <<'PYTHON'
import sys
file, old, new = sys.argv[1:]
text = open(file, encoding="utf-8").read()
open(file, "w", encoding="utf-8").write(text.replace(old, new))
PYTHON
}

build_copy() {
  (cd "$COPY" && cmake --preset release -G Ninja && cmake --build --preset release) >"$COPY/build/build.log" 2>&1
}

run_tests() {  # run_tests [FILE]: those of the fault's file first, then those that take no time
  (cd "$COPY" && name=test_$(basename "${1%.*}") && for tests in "[#$name]" '[layers],[model],[seeds],[pytorch]' ''; do
    [[ $tests != "[#$name]" ]] || ls tests/*/"$name.cpp" || continue
    timeout --foreground 600 build/release/glassformer_tests --abort -# "$tests" </dev/null || exit 1
  done) >"$COPY/build/tests.log" 2>&1
}

# The name of the test that failed: a test's name stands between two lines of dashes, before what it has to say.
failed_test() {
  awk '/^-----/ { if (!inside) getline name; inside = !inside; next }
       /FAILED/ { print name; exit }' "$COPY/build/tests.log"
}

wanted=$(count_faults) || fail 'Nothing was built. Mend tests/faults.txt first.' 2
[[ $wanted -gt 0 ]] || fail "No fault of tests/faults.txt has \"$WANTED\" in its first line." 2
mkdir -p "$COPY/build"
refresh_copy
build_copy || fail "The copy does not build without a fault: $COPY/build/build.log"
run_tests none || fail "The tests fail without a fault: $COPY/build/tests.log"

caught=0
while IFS= read -r title; do
  [[ $title == src/* && $title == *"$WANTED"* ]] || continue
  IFS= read -r old
  IFS= read -r new
  file=$COPY/${title%%:*}
  cp "$file" "$COPY/build/pristine"
  put_in "$file" "${old#- }" "${new#+ }"
  if ! build_copy; then
    echo "NOT BUILT  $title"
  elif run_tests "${title%%:*}"; then
    echo "SURVIVED   $title"
  else
    echo "caught     $title"
    echo "           by: $(failed_test)"
    caught=$((caught + 1))
  fi
  cp "$COPY/build/pristine" "$file"
done <tests/faults.txt

echo "caught $caught of $wanted"
[[ $caught -eq $wanted ]]
