#!/usr/bin/env bash
# Would the tests notice a fault? Puts the faults of tests/faults.txt into a copy of the sources, one at a time, builds,
# runs tests until one fails, and prints which test caught each fault.
#
#   scripts/dev/mutation_test.sh                   all faults: two or three hours on two cores
#   scripts/dev/mutation_test.sh layer_norm        those whose title contains this text
#   scripts/dev/mutation_test.sh --metrics         those marked [metrics], which need only the program and tests/metrics
#   scripts/dev/mutation_test.sh --list FILE       the faults of this file, in the format of tests/faults.txt
#
# Options go before the text to look for. A test in tests/metrics must catch a fault marked [metrics]. Any other
# fault is tried with the C++ tests first and, if they do not notice it, with tests/metrics.
#
# The copy stays in build/mutants, so a second run builds only what has changed.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly COPY=build/mutants USAGE='usage: scripts/dev/mutation_test.sh [--metrics] [--list FILE] [TEXT]'
fail() { echo "$1" >&2; exit "${2:-1}"; }  # fail MESSAGE [STATUS]

faults=tests/faults.txt metrics_only=no text=''
while [[ $# -gt 0 ]]; do
  case $1 in
    --metrics) metrics_only=yes ;;
    --list) [[ $# -gt 1 ]] || fail "$USAGE" 2; faults=$2; shift ;;
    -*) fail "$USAGE" 2 ;;
    *) text=$1 ;;
  esac
  shift
done

# Checks that every fault applies exactly once, and prints the chosen ones, three lines each.
wanted_faults() {
  python3 - "$faults" "$metrics_only" "$text" <<'PYTHON'
import sys
sys.path.insert(0, "scripts/dev")
from faults import plant, read_faults
path, metrics_only, text = sys.argv[1:]
wrong, wanted = [], []
try:
    faults = read_faults(path)
except ValueError as error:
    sys.exit(str(error))
for fault in faults:
    if text in fault.whole_title and (metrics_only == "no" or fault.title.endswith("[metrics]")):
        wanted += [fault.whole_title, fault.old, fault.new]
    try:
        plant(open(fault.file, encoding="utf-8").read(), fault)
    except (OSError, ValueError) as error:
        wrong.append(f"{path}:{fault.number + 1}: {error}")
if wrong:
    sys.exit("\n".join(wrong))
print("\n".join(wanted))
PYTHON
}

refresh_copy() {  # writes only files that differ, so that ninja rebuilds only those
  mkdir -p "$COPY"
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [[ -f $file ]] || continue
    cmp -s "$file" "$COPY/$file" || { mkdir -p "$COPY/$(dirname "$file")" && cp "$file" "$COPY/$file"; }
  done
  (cd "$COPY" && find . -path ./build -prune -o -type f -print) | while IFS= read -r file; do
    [[ -f $file ]] || rm "$COPY/$file"
  done
}

insert_fault() {  # insert_fault FILE OLD NEW: FILE is in the copy
  python3 - "$@" <<'PYTHON'
import sys
sys.path.insert(0, "scripts/dev")
from faults import Fault, plant
file, old, new = sys.argv[1:]
text = open(file, encoding="utf-8").read()
open(file, "w", encoding="utf-8").write(plant(text, Fault(0, file, "", old, new)))
PYTHON
}

build_copy() {  # build_copy TARGET: glassformer_tests also builds the program
  (cd "$COPY" && { [[ -e build/release/build.ninja ]] || cmake --preset release -G Ninja -DGLASSFORMER_UNITY=OFF; } &&
    cmake --build --preset release --target "$1") >"$COPY/build/build.log" 2>&1
}

# Runs the tests of the fault's file first, then quick ones, then all. Status 124 if a fault makes a loop endless.
run_cpp_tests() {  # run_cpp_tests FILE
  (cd "$COPY" && name=test_$(basename "${1%.*}") && for tests in "[#$name]" '[layers],[model],[seeds],[pytorch]' ''; do
    [[ $tests != "[#$name]" ]] || ls >/dev/null 2>&1 tests/*/"$name.cpp" || continue
    limit=300  # seconds
    [[ -n $tests ]] || limit=600
    timeout --foreground $limit build/release/glassformer_tests --abort -# "$tests" </dev/null || exit
  done) >"$COPY/build/tests.log" 2>&1
}

# Runs the tests of metrics: first those whose file name occurs in the fault's title, then all.
run_metrics() {  # run_metrics [TITLE]
  local file word related=''
  for file in tests/metrics/test_*.py; do
    word=$(basename "${file#*/test_}" .py)
    [[ ${1:-} != *"${word:0:7}"* ]] || related+="${related:+ or }$word"
  done
  (cd "$COPY" && export GLASSFORMER_PROGRAM=$PWD/build/release/glassformer && for tests in ${related:+"$related"} ''; do
    timeout --foreground 1800 scripts/dev/test_metrics.sh -x -rfE -k "$tests" </dev/null || exit
  done) >"$COPY/build/metrics.log" 2>&1
}

# In Catch2's report, a test's name is above its output, between two lines of dashes.
failed_cpp_test() {
  awk '/^-----/ { if (!inside) getline name; inside = !inside; next }
       /FAILED/ { print name; found = 1; exit }
       END { if (!found) print "a crash" }' "$COPY/build/tests.log"
}

failed_metric() { sed -nE 's/^(FAILED|ERROR) (.*)/\2/p' "$COPY/build/metrics.log" | sed 's/ - .*//; q'; }

# Prints which test caught a fault; fails if none did.
catch_fault() {  # catch_fault TITLE
  local status=0 by
  if [[ $1 == *'[metrics]' ]]; then
    build_copy glassformer_program || { echo "NOT BUILT  $1"; return 1; }
  else
    build_copy glassformer_tests || { echo "NOT BUILT  $1"; return 1; }
    run_cpp_tests "${1%%:*}" || status=$?
    if [[ $status != 0 ]]; then
      by=$(failed_cpp_test)
      [[ $status != 124 ]] || by='a timeout'
      printf 'caught     %s\n           by: %s\n' "$1" "$by"
      return
    fi
  fi
  run_metrics "$1" || status=$?
  if [[ $status == 0 ]]; then
    echo "SURVIVED   $1"
    return 1
  fi
  by=$(failed_metric)
  [[ $status != 124 ]] || by='a timeout'
  if [[ -z $by ]]; then
    echo "NOT RUN    $1"
    return 1
  fi
  printf 'caught     %s\n           by: %s\n' "$1" "$by"
}

install_packages
wanted=$(wanted_faults) || fail "Nothing was built: correct $faults first." 2
[[ -n $wanted ]] || fail "$faults contains no such fault." 2

# Before the first fault, everything must build and pass.
mkdir -p "$COPY/build"
rm -rf "$COPY/build/before"
refresh_copy
if grep '^src/' <<<"$wanted" | grep -qv '\[metrics\]$'; then
  build_copy glassformer_tests || fail "The copy does not build without a fault: $COPY/build/build.log"
  run_cpp_tests none || fail "The tests fail without a fault: $COPY/build/tests.log"
else
  build_copy glassformer_program || fail "The copy does not build without a fault: $COPY/build/build.log"
fi
if ! run_metrics || grep -q '^SKIPPED: the tests of metrics' "$COPY/build/metrics.log"; then
  fail "The tests of metrics fail or cannot run without a fault: $COPY/build/metrics.log"
fi

caught=0 count=0 not_caught=''
while IFS= read -r title && IFS= read -r old && IFS= read -r new; do
  file=$COPY/${title%%:*} count=$((count + 1))
  cp -p "$file" "$COPY/build/pristine"
  # Half of the program may depend on a header. So the build is saved first and restored afterwards.
  [[ $file != *.hpp ]] || cp -a "$COPY/build/release" "$COPY/build/before"
  insert_fault "$file" "${old#- }" "${new#+ }"
  if catch_fault "$title"; then caught=$((caught + 1)); else not_caught+="  $title"$'\n'; fi
  if [[ $file == *.hpp ]]; then
    cp -p "$COPY/build/pristine" "$file"
    rm -rf "$COPY/build/release"
    mv "$COPY/build/before" "$COPY/build/release"
  else
    cp "$COPY/build/pristine" "$file"
  fi
done <<<"$wanted"

echo "caught $caught of $count, in $((SECONDS / 60)) minutes"
[[ -z $not_caught ]] || fail "Not caught:"$'\n'"${not_caught%$'\n'}"
