#!/usr/bin/env bash
# Checks that Doxygen understands every comment in the library's headers, and that every class, function and constant
# has one. A comment also covers the declarations below it, up to the next blank line, so overloads can share one.
# Members, plain structs and enumerations may go without: often their names say everything.
#
# On Debian and Ubuntu, installs doxygen if it is missing. If that fails, skips the check with a message.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need doxygen 'the check of header comments' || exit 0
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

# Whether a line declares a plain struct, or has a comment above it with no blank line in between: covered FILE LINE
covered() {
  awk -v line="$2" 'NR == line { exit !(comment || /^struct /) } /^ *$/ { comment = 0 } /^ *\/\// { comment = 1 }' "$1"
}

wrong=0
while IFS= read -r warning; do
  if [[ $warning =~ ^([^:]+):([0-9]+):.*\ is\ not\ documented ]] && covered "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}"; then
    continue
  fi
  echo "${warning#"$PWD/"}"
  wrong=$((wrong + 1))
done < <(grep -vE '(Member .* of (struct|class) .*|\(enumeration\) .*) is not documented' "$directory/warnings" || true)
[[ $wrong == 0 ]] || { echo "$wrong mistakes in header comments"; exit 1; }
echo "$(find src -name '*.hpp' -not -path 'src/commands/*' | wc -l) headers: all their comments are in order"
