#!/usr/bin/env bash
# Tests that Doxygen understands every comment of the library's headers, and that every struct, class, enumeration,
# function, constant and name of a type has one. (Members may go without, where the name says it all.)
#
# On Debian and Ubuntu doxygen is installed if it is missing. Where it cannot be, the test is skipped, loudly.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need doxygen 'the test of the documentation' || exit 0
directory=$(mktemp -d)
trap 'rm -r "$directory"' EXIT
{
  cat scripts/dev/Doxyfile
  echo "OUTPUT_DIRECTORY = $directory"
  echo 'GENERATE_HTML = NO'
  echo 'GENERATE_XML = YES'
  echo 'WARN_IF_UNDOCUMENTED = YES'
  echo 'WARN_AS_ERROR = NO'
} | doxygen - 2>"$directory/warnings"
if grep -vE 'Member .* of (struct|class) .* is not documented' "$directory/warnings"; then exit 1; fi
echo "$(find src -name '*.hpp' -not -path 'src/verbs/*' | wc -l) headers: all documented"
