#!/usr/bin/env bash
# Tests docs/course/debugger.md: makes a debug build and runs scripts/dev/debugger_walk.py, which runs the page's gdb commands
# and compares their output with the page. The build uses the preset debug, but as a unity build: half the time.
#
# On Debian and Ubuntu, installs gdb if it is missing. If that fails, skips the test with a message.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need gdb 'the debugger walk' || exit 0
# gdb contains a Python of its own, but some builds of gdb lack it.
if ! gdb -q -nx -batch -ex 'python print("here")' 2>/dev/null | grep -q here; then
  echo 'SKIPPED: the debugger walk needs a gdb with Python; this one has none.' >&2
  exit 0
fi

install_packages
cmake --preset debug -G Ninja -B build/debugger -DCMAKE_UNITY_BUILD=ON ${GLASSFORMER_CMAKE:-}
cmake --build build/debugger --target glassformer_program
scripts/dev/debugger_walk.py --program build/debugger/glassformer
