#!/usr/bin/env bash
# Tests what `cmake --install` puts in place, in a directory of its own: the program trains from the configs that come
# with it; the manual page is free of faults; bash, zsh and fish complete; and a project that knows nothing but
# find_package(glassformer) translates.
#
#   scripts/test_install.sh            all of this
#   scripts/test_install.sh headers    and that each header can be included alone, which takes a minute or two
#
# On Debian and Ubuntu man, zsh and fish are installed if they are missing. Where one cannot be, its part is skipped,
# loudly.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh

install_packages
# shellcheck disable=SC2086  # several options, perhaps
cmake --preset release -G Ninja ${GLASSFORMER_CMAKE:-} >/dev/null
cmake --build --preset release --target glassformer_made >/dev/null
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
readonly what=${1:-} prefix=$directory/usr share=$directory/usr/share
readonly glassformer=$prefix/bin/glassformer
cmake --install build/release --prefix "$prefix" >/dev/null
export OMP_NUM_THREADS=2

expect() {  # expect WHAT EXPECTED FOUND
  [[ $2 == "$3" ]] && return
  printf '%s:\n  expected %s\n  found    %s\n' "$1" "$2" "$3" >&2
  exit 1
}

test_program() {
  "$glassformer" train "$share/glassformer/configs/debug.yaml" --output "$directory/run" 2>/dev/null
  expect 'the installed program' 'sie schläft .' "$("$glassformer" translate "$directory/run" <<<'she sleeps .')"
}

test_manual() {
  need man 'the test of the manual page' man-db || return 0
  local page=("$share"/man/man1/glassformer.1*) width section
  for width in 80 100 60; do
    expect "warnings of man, $width columns" '' \
      "$(LC_ALL=C.UTF-8 MANWIDTH=$width man --warnings -l "${page[0]}" 2>&1 >"$directory/page")"
    for section in NAME SYNOPSIS DESCRIPTION VERBS OPTIONS 'EXIT STATUS' ENVIRONMENT FILES EXAMPLES 'SEE ALSO'; do
      expect 'the manual page' "$section" "$(grep -x "$section" "$directory/page")"
    done
    [[ $width == 60 ]] ||  # examples are not broken into lines
      expect 'lines wider than the page' '' "$(grep -E "^.{$((width + 1))}" "$directory/page" || true)"
  done
}

# What is typed, \t being the tab key, and what comes of it.
readonly typed='glassformer trai\t|<train>
glassformer train --ou\t|<train><--output>
glassformer train --set model.nor\tpr\t|<train><--set><model.norm=pre>
glassformer train conf\tto\t|<train><configs/toy.yaml>
glassformer evaluate run\t|<evaluate><runs>
glassformer translate --input toy.tx\t|<translate><--input><toy.txt>
glassformer completion fi\t|<completion><fish>'

# Types into the shell and compares; the program is a function that shows its arguments.
type_into() {  # type_into 'what to begin with' COMMAND [ARGUMENT]...
  local line
  {
    printf '%s\n' "$1" 'glassformer() { printf "<%s>" "$@"; echo; }'
    while IFS= read -r line; do printf '%b\n' "${line%|*}"; done <<<"$typed"
    echo exit
  } | (cd "$directory/here" && TERM=dumb script -qec "${*:2}" /dev/null) |
    sed -E 's/\r//g; s|/>$|>|' >"$directory/screen"
  while IFS= read -r line; do
    grep -qxF "${line#*|}" "$directory/screen" && continue
    cat "$directory/screen" >&2
    expect "$2 completes ${line%|*}" "${line#*|}" 'what stands above'
  done <<<"$typed"
}

test_completion() {
  mkdir -p "$directory/here/runs"
  cp -r "$share/glassformer/configs" "$directory/here"
  touch "$directory/here/toy.txt" "$directory/here/runs.txt"
  type_into "source '$share/bash-completion/completions/glassformer'" bash --norc --noprofile -i
  if need zsh 'the test of its completion'; then
    type_into "fpath=('$share/zsh/site-functions' \$fpath); autoload -U compinit; compinit -D -u" zsh -f -i
  fi
  if need fish 'the test of its completion'; then
    local file=$share/fish/vendor_completions.d/glassformer.fish
    expect 'fish completes a verb' train "$(fish -N -c "source $file; complete -C 'glassformer trai'" | cut -f1)"
    expect 'fish completes a key' model.norm=pre \
      "$(fish -N -c "source $file; complete -C 'glassformer train --set model.norm=pr'" | cut -f1)"
  fi
}

test_library() {
  local options=()
  [[ $what != headers ]] || options=(-DHEADERS="$prefix/include/glassformer")
  cmake -S tests/installed -B "$directory/project" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" "${options[@]}" >/dev/null
  if ! cmake --build "$directory/project" >"$directory/build.log"; then
    cat "$directory/build.log" >&2
    exit 1
  fi
  expect 'a program that uses the library' 'sie schläft .' "$("$directory/project/translate" "$directory/run")"
}

test_program
test_manual
test_completion
test_library
echo 'What is installed works.'
