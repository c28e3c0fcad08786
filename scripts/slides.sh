#!/usr/bin/env bash
# Makes the slides of the lecture (docs/course/teaching/slides.md): one HTML file, which needs no network.
#
#   scripts/slides.sh             slides.html
#   scripts/slides.sh OUT.html    another file
#
# Open it in a browser. The arrow keys change the slide, o shows all of them, f fills the screen. On paper, or saved as a
# PDF (Print), each slide is followed by the teacher's notes.
set -euo pipefail
out=${1:-slides.html}
[[ $out == /* ]] || out=$PWD/$out
cd "$(dirname "$0")/.."
source scripts/packages.sh

need pandoc 'making the slides' || exit 2
embed=--embed-resources  # older versions have only the second option
pandoc --help | grep -q -e "$embed" || embed=--self-contained
# (Comments hold what scripts/course.py needs.)
cd docs/course/teaching
pandoc slides.md --to dzslides --standalone "$embed" --css slides.css --slide-level 2 --mathml --strip-comments \
  --no-highlight --output "$out"
echo "$out"
