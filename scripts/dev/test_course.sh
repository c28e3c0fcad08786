#!/usr/bin/env bash
# Tests the course: the pages show the program's own code and numbers; every lab fails unsolved and passes solved; every
# known wrong answer gets its own diagnosis, and those derived from the right ones fail; a class of broken submissions is
# graded; the finale ends in the digest; the slides, and the pages for the live page, need no network; and each of these
# checks can fail.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

install_packages
build release glassformer_program
if ! python_that_imports 'numpy, yaml' >/dev/null && can_install; then apt_install python3 python3-numpy python3-yaml || true; fi
python=$(python_with 'the course' 'numpy, yaml' numpy pyyaml) || exit 0

timed() {
  local begin=$SECONDS
  "$@"
  echo "$((SECONDS - begin)) seconds: ${*#"$python"}"
}

timed "$python" scripts/course.py --check
timed python3 tests/course/test_class_page.py
said=$(mktemp)
slides=$(mktemp --suffix .html)
"$python" tests/course/test_course.py >"$said" 2>&1 &  # at the same time: neither always uses both cores
beside=$!
trap 'kill "$beside" 2>/dev/null || true; rm "$said" "$slides"' EXIT
timed python3 tests/course/prove_labs.py
status=0
wait "$beside" || status=$?
cat "$said"
[ "$status" = 0 ]
timed python3 tests/course/test_grade.py

need pandoc 'the test of the slides and of the pages for the live page' || exit 0
timed python3 tests/course/test_course_pages.py
scripts/slides.sh "$slides"
if grep -oE '((src|href)="?|url\(["'\'']?)https?:[^"]*' "$slides"; then
  echo 'The slides need the network for the lines above.' >&2
  exit 1
fi
