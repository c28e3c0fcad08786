#!/usr/bin/env bash
# Does this machine compute exactly what the documents say? Did a run compute exactly what it claims?
#
#   scripts/verify.sh          trains the toy for 50 updates and compares the digests of its weights after 0, 1 and 50
#                              updates with data/toy/digests.txt; takes less than a minute
#   scripts/verify.sh --all    trains the toy and the reversed digits to the end, and compares a translation and the
#                              trace of a sentence, too; takes about two minutes
#   scripts/verify.sh RUN [FROM TO] [OPTION...]
#                              repeats a run from the checkpoint after FROM updates (0: from the start) to the one after
#                              TO, and compares the weights at each checkpoint with RUN/digests.jsonl. By default, FROM
#                              is the first checkpoint that is left, and TO the last. Further OPTIONs go to train, for
#                              example --set data.directory=DIR if the text is elsewhere.
#   scripts/verify.sh --write  writes data/toy/digests.txt, after a change of the arithmetic
#
# Any processor, any number of threads. GLASSFORMER names the program (default: build/release/glassformer). The exit
# status is 0 if everything is equal, 1 if something differs, and 2 if it could not be compared.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
readonly root
readonly glassformer=${GLASSFORMER:-$root/build/release/glassformer} expected=$root/data/toy/digests.txt
directory=$(mktemp -d)
training=
clean_up() {
  if [[ -n $training ]]; then
    kill "$training" 2>/dev/null || true
    wait "$training" 2>/dev/null || true
  fi
  rm -rf "$directory"
}
trap clean_up EXIT

stop() { echo "verify.sh: $*" >&2; exit 2; }
[[ -x $glassformer ]] || stop "$glassformer: there is no such program. Build it with scripts/quickstart.sh, or set GLASSFORMER."

sha256() {  # of standard input
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

arithmetic() { "$glassformer" --version | sed -n 's/^arithmetic  *//p'; }

# The weights after an update: a line "TENSOR DIGEST" for each tensor; nothing if the file does not have that update.
weights_at() {  # weights_at DIGESTS_FILE UPDATE
  grep "^{\"update\":$2," "$1" | tail -n 1 | sed -e 's/.*"weights":{//' -e 's/}.*//' | tr ',' '\n' | tr -d '"' | tr ':' ' '
}

# Says how two lists of digests differ: the first line of the second file that is not the same in the first.
first_difference() {  # first_difference EXPECTED FOUND
  diff "$1" "$2" | sed -n 's/^[<>] \([^ ]*\).*/\1/p' | head -n 1
}

train() {  # train CONFIG OUTPUT [OPTION]...
  "$glassformer" train "$1" --output "$2" "${@:3}" >"$directory/log" 2>&1 || { cat "$directory/log" >&2; stop "training failed"; }
}

# Prints lines "NAME UPDATE TENSOR DIGEST".
digests_of() {  # digests_of NAME RUN UPDATE...
  local update
  for update in "${@:3}"; do weights_at "$2/digests.jsonl" "$update" | sed "s/^/$1 $update /"; done
}

short_digests() {
  train "$root/configs/toy.yaml" "$directory/toy" --set training.max_updates=1
  train "$root/configs/toy.yaml" "$directory/toy" --resume --set training.max_updates=50
  digests_of toy "$directory/toy" 0 1 50
}

last_update() { updates_of "$1" | tail -n 1; }  # last_update RUN

long_digests() {
  train "$root/configs/toy.yaml" "$directory/toy_end"
  digests_of toy "$directory/toy_end" "$(last_update "$directory/toy_end")"
  train "$root/configs/reverse.yaml" "$directory/reverse"
  digests_of reverse "$directory/reverse" "$(last_update "$directory/reverse")"
  echo "toy end translations $("$glassformer" translate "$directory/toy_end" --beam 4 <"$root/data/toy/test.en" 2>/dev/null | sha256)"
  "$glassformer" explain "$directory/toy_end" --source 'the small dog does not see a house .' \
    --json "$directory/trace.json" --html "$directory/page.html" 2>/dev/null
  echo "toy end trace $(grep -o '"numbers":[][0-9.,e+-]*' "$directory/trace.json" | sha256)"
}

compare_with_documents() {  # compare_with_documents FOUND: FOUND may have fewer lines
  grep -v '^#' "$expected" >"$directory/expected"
  if [[ $(grep '^arithmetic' "$directory/expected") != "arithmetic $(arithmetic)" ]]; then
    echo "The self-test of this program's arithmetic differs: expected $(grep '^arithmetic' "$directory/expected"), found $(arithmetic)."
  fi
  while read -r line; do
    grep -qxF -e "$line" "$directory/expected" && continue
    read -r name update tensor _ <<<"$line"
    echo "This machine does NOT compute what the documents say: $name, update $update, $tensor is the first that differs."
    exit 1
  done <"$1"
  echo "This machine computes exactly what the documents say ($(wc -l <"$1" | tr -d ' ') digests compared)."
}

# Whether no line of RUN/digests.jsonl was changed after it was written.
check_chain() {  # check_chain RUN
  local number=0 line before=
  cp "$1/digests.jsonl" "$directory/digests"
  while IFS= read -r line; do
    [[ $number == 0 ]] || before=$(head -n "$number" "$directory/digests" | sha256)
    number=$((number + 1))
    [[ $line == *"\"before\":\"$before\"}" ]] || {
      echo "$1/digests.jsonl:$number: a line before this one has been changed."
      exit 1
    }
  done <"$1/digests.jsonl"
}

field() { sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" "$1" | tail -n 1; }  # field FILE NAME: its last value

config_value() { sed -n "s/^  $2: *\([^#]*[^# ]\) *#.*/\1/p" "$1" | head -n 1 | tr -d "\"'"; }  # config_value FILE KEY

check_text() {  # check_text RUN [OPTION]...
  local side language data name option
  data=$(config_value "$1/config.yaml" directory)
  for option in "${@:2}"; do [[ $option != data.directory=* ]] || data=${option#*=}; done
  name=$(config_value "$1/config.yaml" train)
  for side in source target; do
    language=$(config_value "$1/config.yaml" "${side}_language")
    [[ -r $data/$name.$language ]] || stop "$data/$name.$language: the text of this run is not there. If it is elsewhere: --set data.directory=DIR"
    if [[ $(sha256 <"$data/$name.$language") != "$(field "$1/digests.jsonl" $side)" ]]; then
      echo "$data/$name.$language is not the text that the run was trained on: it has changed since."
      exit 1
    fi
  done
}

checkpoints_of() {  # checkpoints_of RUN: the updates of those that are left
  find "$1/" -maxdepth 1 -name 'step-*' -type d | sed -n 's/.*\/step-0*\([0-9][0-9]*\)$/\1/p' | sort -n
}

updates_of() { sed -n 's/^{"update":\([0-9]*\),.*/\1/p' "$1/digests.jsonl" | sort -nu; }  # updates_of RUN

verify_run() {  # verify_run RUN [FROM TO] [OPTION]...
  local run=$1 from to options=()
  shift
  [[ -e $run/digests.jsonl ]] || stop "$run/digests.jsonl: there is no such file. Is $run a run directory of version 0.2?"
  from=$(checkpoints_of "$run" | head -n 1)
  to=$(last_update "$run")
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    [[ ${2:-} =~ ^[0-9]+$ ]] || stop "expected two numbers of updates, FROM and TO, found one"
    from=$1 to=$2
    shift 2
  fi
  options=("$@")
  [[ $from != "$to" ]] || from=0  # only one checkpoint is left
  [[ $from -lt $to ]] || stop "expected FROM below TO, found $from and $to"
  [[ -n $(weights_at "$run/digests.jsonl" "$to") ]] || stop "$run has no digests for update $to; it has: $(updates_of "$run" | tr '\n' ' ')"
  check_chain "$run"
  [[ $(field "$run/digests.jsonl" arithmetic) == "$(arithmetic)" ]] ||
    stop "the run was computed with another version of the arithmetic ($(field "$run/digests.jsonl" arithmetic)) than this program's ($(arithmetic)); use the version that computed it"
  check_text "$run" ${options[@]+"${options[@]}"}

  local copy=$directory/run resume=()
  mkdir "$copy"
  cp "$run/config.yaml" "$copy/config.yaml"
  if [[ $from != 0 ]]; then
    local step
    step=$(printf 'step-%08d' "$from")
    [[ -d $run/$step ]] || stop "$run/$step: there is no such checkpoint; left are: $(checkpoints_of "$run" | tr '\n' ' ')"
    cp -R "$run/$step" "$copy/$step"
    resume=(--resume)
  fi
  cp "$copy/config.yaml" "$directory/config.yaml"
  [[ $from != 0 ]] || rm -r "$copy"
  "$glassformer" train "$directory/config.yaml" --output "$copy" ${resume[@]+"${resume[@]}"} ${options[@]+"${options[@]}"} \
    >"$directory/log" 2>&1 &
  training=$!
  local update compared=0
  while read -r update; do
    [[ $update -ge $from && $update -le $to ]] || continue
    until [[ -e $copy/digests.jsonl && -n $(weights_at "$copy/digests.jsonl" "$update") ]]; do
      if ! kill -0 "$training" 2>/dev/null && [[ ! -e $copy/digests.jsonl || -z $(weights_at "$copy/digests.jsonl" "$update") ]]; then
        tail -n 3 "$directory/log" >&2
        stop "training ended before update $update"
      fi
      sleep 0.2
    done
    weights_at "$run/digests.jsonl" "$update" >"$directory/a"
    weights_at "$copy/digests.jsonl" "$update" >"$directory/b"
    if ! cmp -s "$directory/a" "$directory/b"; then
      echo "The run is NOT confirmed: after update $update, $(first_difference "$directory/a" "$directory/b") differs."
      exit 1
    fi
    local kept
    kept=$(printf 'step-%08d/model.safetensors' "$update")
    if [[ -e $run/$kept ]] && ! cmp -s "$run/$kept" "$copy/$kept"; then
      echo "The run is NOT confirmed: $run/$kept does not hold the weights that the run recorded after update $update."
      exit 1
    fi
    compared=$((compared + 1))
  done < <(updates_of "$run")
  echo "The run is confirmed: from update $from to $to, this machine computes the same weights, bit for bit ($compared compared)."
}

case ${1:-} in
  '') short_digests >"$directory/found"; compare_with_documents "$directory/found" ;;
  --all) { short_digests; long_digests; } >"$directory/found"; compare_with_documents "$directory/found" ;;
  --write)
    {
      echo '# Digests for scripts/verify.sh, which also writes this file: NAME UPDATE TENSOR DIGEST.'
      echo "arithmetic $(arithmetic)"
      short_digests
      long_digests
    } >"$directory/found"
    cp "$directory/found" "$expected"
    ;;
  -h | --help) sed -n '2,/^set /s/^# \{0,1\}//p' "$0" ;;
  -*) stop "unknown option $1; see scripts/verify.sh --help" ;;
  *) verify_run "$@" ;;
esac
