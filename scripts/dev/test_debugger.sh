#!/usr/bin/env bash
# Tests README's walk through the debugger: makes a debug build and lets scripts/dev/debugger_walk.py compare. The build is
# the preset's, but compiles a directory at once (unity build), which takes half as long.
#
# On Debian and Ubuntu gdb is installed if it is missing. Where it cannot be, the test is skipped, loudly.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need gdb 'the test of the walk through the debugger' || exit 0
# gdb brings a Python of its own; some are built without it.
if ! gdb -q -nx -batch -ex 'python print("here")' 2>/dev/null | grep -q here; then
  echo 'SKIPPED: this gdb knows no Python, which the test of the walk through the debugger needs.' >&2
  exit 0
fi

install_packages
cmake --preset debug -G Ninja -B build/debugger -DCMAKE_UNITY_BUILD=ON ${GLASSFORMER_CMAKE:-}
cmake --build build/debugger --target glassformer_program
scripts/dev/debugger_walk.py --program build/debugger/glassformer
