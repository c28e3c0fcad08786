#!/usr/bin/env bash
# Does this machine compute exactly what the documents say? Does a run have exactly the weights that it claims?
#
#   scripts/verify.sh          trains the toy for 50 updates and compares the digests of its weights after 0, 1 and 50
#                              updates with data/toy/digests.txt; takes less than a minute
#   scripts/verify.sh --all    trains the toy and the reversed digits to the end, and compares a translation and the
#                              trace of a sentence, too; takes a minute or two
#   scripts/verify.sh RUN [FROM TO] [OPTION...]
#                              repeats a run from the checkpoint after FROM updates (0: from the start) to the one after
#                              TO, and compares the weights at each checkpoint with RUN/digests.jsonl. By default, FROM
#                              is the first checkpoint that still exists and has digests, and TO the last update in
#                              digests.jsonl. Further OPTIONs go to `glassformer train`, for example
#                              --set data.directory=DIR if the text is elsewhere.
#   scripts/verify.sh --write  writes data/toy/digests.txt, after a change of the arithmetic
#
# Works with any processor and any number of threads. The variable GLASSFORMER names the program (default:
# build/release/glassformer). To repeat a run with several ranks, set MPIRUN, for example to 'mpirun -n 2'. The exit
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
trap 'exit 130' INT TERM

stop() { echo "verify.sh: $*" >&2; exit 2; }
[[ -x $glassformer ]] || stop "$glassformer: there is no such program. Build it with scripts/quickstart.sh, or set GLASSFORMER."

sha256() {  # of standard input
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi | cut -d' ' -f1
}

arithmetic() { "$glassformer" --version | sed -n 's/^arithmetic  *//p'; }

# Prints the weights after an update: a line "TENSOR DIGEST" for each tensor; nothing if the file lacks that update.
weights_at() {  # weights_at DIGESTS_FILE UPDATE
  grep "^{\"update\":$2,.*\"}\$" "$1" | tail -n 1 | sed -e 's/.*"weights":{//' -e 's/}.*//' | tr ',' '\n' | tr -d '"' | tr ':' ' '
}

# Prints the name of the first tensor whose digests differ.
first_difference() {  # first_difference EXPECTED FOUND
  diff "$1" "$2" | sed -n 's/^[<>] \([^ ]*\).*/\1/p' | head -n 1
}

failed() { cat "$directory/log" >&2; stop "$1 failed"; }  # failed WHAT

train() {  # train CONFIG OUTPUT [OPTION]...
  "$glassformer" train "$1" --output "$2" "${@:3}" >"$directory/log" 2>&1 || failed training
}

# Prints lines "NAME UPDATE TENSOR DIGEST".
digests_of() {  # digests_of NAME RUN UPDATE...
  local update
  for update in "${@:3}"; do
    weights_at "$2/digests.jsonl" "$update" | sed "s/^/$1 $update /" || stop "$1: training recorded no digests for update $update"
  done
}

short_digests() {
  train "$root/configs/toy.yaml" "$directory/toy" --set training.max_updates=1
  train "$root/configs/toy.yaml" "$directory/toy" --resume --set training.max_updates=50
  digests_of toy "$directory/toy" 0 1 50
}

last_update() { updates_of "$1" | tail -n 1; }  # last_update RUN

long_digests() {
  local toy=$directory/toy_end
  train "$root/configs/toy.yaml" "$toy"
  digests_of toy "$toy" "$(last_update "$toy")"
  train "$root/configs/reverse.yaml" "$directory/reverse"
  digests_of reverse "$directory/reverse" "$(last_update "$directory/reverse")"
  "$glassformer" translate "$toy" --beam 4 --input "$root/data/toy/test.en" --output "$directory/test.de" 2>"$directory/log" ||
    failed translation
  echo "toy end translations $(sha256 <"$directory/test.de")"
  "$glassformer" explain "$toy" --source 'the small dog does not see a house .' --json "$directory/trace.json" \
    --html "$directory/page.html" 2>"$directory/log" || failed explain
  echo "toy end trace $(grep -o '"numbers":[][0-9.,e+-]*' "$directory/trace.json" | sha256)"
}

compare_with_documents() {  # compare_with_documents FOUND: FOUND may have fewer lines
  local line name update tensor
  [[ -s $1 ]] || stop "no digests were computed"
  { echo "arithmetic $(arithmetic)"; cat "$1"; } >"$directory/all"
  while read -r line; do
    grep -qxF -e "$line" "$expected" && continue
    read -r name update tensor _ <<<"$line"
    if [[ $name == arithmetic ]]; then
      echo "This machine does NOT compute what the documents say: the self-test's digest is $update instead of" \
        "$(sed -n 's/^arithmetic //p' "$expected")."
    else
      echo "This machine does NOT compute what the documents say: $name, update $update, $tensor is the first that differs."
    fi
    exit 1
  done <"$directory/all"
  echo "This machine computes exactly what the documents say ($(wc -l <"$1" | tr -d ' ') digests compared)."
}

# Checks that each line of RUN/digests.jsonl has the digest of the lines before it.
check_chain() {  # check_chain RUN
  local number=0 line before=
  cp "$1/digests.jsonl" "$directory/digests"
  while IFS= read -r line; do
    [[ $number == 0 ]] || before=$(head -n "$number" "$directory/digests" | sha256)
    number=$((number + 1))
    [[ $line == *"\"before\":\"$before\"}" ]] || {
      echo "$1/digests.jsonl:$number: this line does not fit those before it: one of them, or this line, has been changed."
      exit 1
    }
  done <"$1/digests.jsonl"
}

field() { sed -n "s/.*\"$2\":\"\([^\"]*\)\".*/\1/p" "$1" | tail -n 1; }  # field FILE NAME: its last value

# A value in a config.yaml that the program wrote: KEY: VALUE  # comment. It may be a JSON string.
config_value() {  # config_value FILE KEY
  sed -n "s/^ *$2: *\(.*[^ ]\)  *# .*/\1/p" "$1" | head -n 1 | sed -e 's/^"\(.*\)"$/\1/' -e 's/\\\(["\\]\)/\1/g'
}

check_text() {  # check_text RUN [OPTION]...
  local side language data name option
  data=$(config_value "$1/config.yaml" directory)
  for option in "${@:2}"; do
    case $option in data.directory=* | --set=data.directory=*) data=${option#*directory=} ;; esac
  done
  case $data in \'*\' | \"*\") data=${data:1:${#data}-2} ;; esac
  name=$(config_value "$1/config.yaml" train)
  for side in source target; do
    language=$(config_value "$1/config.yaml" "${side}_language")
    [[ -r $data/$name.$language ]] ||
      stop "$data/$name.$language: the text of this run is not there. If it is elsewhere, add --set data.directory=DIR"
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

step() { printf 'step-%08d' "$1"; }  # step UPDATE: the name of its checkpoint

# The first update that has both a checkpoint and digests; nothing if there is none.
first_start() {  # first_start RUN
  checkpoints_of "$1" | { grep -xF -f <(updates_of "$1") || true; } | head -n 1
}

# Options that end the repetition after update $to, whatever ended the run, and keep what we compare.
set_options() {  # set_options RUN: sets $options
  local run=$1 side name
  options=(--set training.max_epochs=0 --set training.max_minutes=0 --set training.validation.patience=0
    --set training.checkpoints.average=0 --set training.checkpoints.keep=1000000)
  # A cosine schedule depends on max_updates.
  [[ $(sed -n '/^  schedule:/,$p' "$run/config.yaml" | sed -n 's/^    kind: *\([a-z_]*\).*/\1/p' | head -n 1) == cosine ]] ||
    options+=(--set "training.max_updates=$to")
  # Other versions of SentencePiece may learn other pieces, so we take those of the run.
  [[ $from == 0 && $(config_value "$run/config.yaml" kind) == sentencepiece ]] || return 0
  for side in source target; do
    [[ $side == source || $(config_value "$run/config.yaml" joint) == false ]] || continue
    [[ -z $(config_value "$run/config.yaml" "${side}_model" | tr -d '"') ]] || continue
    name=$(find "$run/" -path "*/step-*/$side.spm" | head -n 1)
    [[ -z $name ]] || options+=(--set "tokenizer.${side}_model='$(cd "$(dirname "$name")" && pwd)/$side.spm'")
  done
}

# Compares the weights after an update with those of the repetition. Waits until that has recorded them; returns 1 if it
# has passed the update without recording it.
compare_update() {  # compare_update RUN COPY UPDATE
  local run=$1 copy=$2 update=$3 alive latest
  while true; do
    kill -0 "$training" 2>/dev/null && alive=1 || alive=
    latest=$(updates_of "$copy" 2>/dev/null | tail -n 1)
    [[ -z $(weights_at "$copy/digests.jsonl" "$update" 2>/dev/null) ]] || break
    [[ ${latest:-0} -le $update ]] || return 1
    if [[ -z $alive ]]; then
      grep -q ' done[:,]' "$directory/log" && return 1
      tail -n 3 "$directory/log" >&2
      stop "training failed before update $update"
    fi
    sleep 0.2
  done
  weights_at "$run/digests.jsonl" "$update" >"$directory/a"
  weights_at "$copy/digests.jsonl" "$update" >"$directory/b"
  if ! cmp -s "$directory/a" "$directory/b"; then
    echo "The run is NOT confirmed: after update $update, $(first_difference "$directory/a" "$directory/b") differs."
    exit 1
  fi
  local kept status=0
  kept=$(step "$update")/model.safetensors
  if [[ -e $run/$kept && -e $copy/$kept ]]; then cmp -s "$run/$kept" "$copy/$kept" || status=$?; fi
  if [[ $status == 1 ]]; then
    echo "The run is NOT confirmed: $run/$kept does not hold the weights that the run recorded after update $update."
    exit 1
  fi
  for kept in $(checkpoints_of "$copy"); do  # keeps the disk from filling up
    [[ $kept -ge $update ]] || rm -rf "${copy:?}/$(step "$kept")"
  done
}

verify_run() {  # verify_run RUN [FROM TO] [OPTION]...
  local run=$1 from to options=() given
  shift
  [[ -e $run/digests.jsonl ]] || stop "$run/digests.jsonl: there is no such file. Is $run a run directory of version 0.2 or later?"
  from=$(first_start "$run")
  to=$(last_update "$run")
  [[ ${from:-0} != "$to" ]] || from=0  # only one checkpoint is left
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    [[ ${2:-} =~ ^[0-9]+$ ]] || stop "expected two numbers of updates, FROM and TO, found one"
    from=$((10#$1)) to=$((10#$2))
    shift 2
  fi
  from=${from:-0}
  given=("$@")
  [[ $from -lt ${to:-0} ]] || stop "expected FROM below TO, found $from and ${to:-no update}"
  [[ -n $(weights_at "$run/digests.jsonl" "$to") ]] || stop "$run has no digests for update $to; it has: $(updates_of "$run" | tr '\n' ' ')"
  [[ $from == 0 || -d $run/$(step "$from") ]] ||
    stop "$run/$(step "$from"): there is no such checkpoint; the run still has: $(checkpoints_of "$run" | tr '\n' ' ')"
  check_chain "$run"
  local arithmetic other
  arithmetic=$(arithmetic)
  other=$(sed -n 's/^{"update":\([0-9]*\),.*"arithmetic":"\([^"]*\)".*/\1 \2/p' "$run/digests.jsonl" |
    awk -v from="$from" -v to="$to" -v ours="$arithmetic" '$1 > from && $1 <= to && $2 != ours { print $2; exit }')
  [[ -z $other ]] || stop "the arithmetic of the run ($other) is not this program's ($arithmetic); verify the run with the version of Glassformer that trained it"
  if [[ $(sha256 <"$run/config.yaml") != "$(field "$run/digests.jsonl" config)" ]]; then
    echo "$run/config.yaml is not the config that the run was trained with: it has changed since."
    exit 1
  fi
  check_text "$run" ${given[@]+"${given[@]}"}

  local copy=$directory/run resume=()
  if [[ $from != 0 ]]; then
    mkdir "$copy"
    cp "$run/config.yaml" "$copy/config.yaml"
    cp -R "$run/$(step "$from")" "$copy/$(step "$from")"
    resume=(--resume)
  fi
  cp "$run/config.yaml" "$directory/config.yaml"
  set_options "$run"
  # shellcheck disable=SC2086  # MPIRUN may hold several words
  ${MPIRUN:-} "$glassformer" train "$directory/config.yaml" --output "$copy" ${resume[@]+"${resume[@]}"} "${options[@]}" \
    ${given[@]+"${given[@]}"} >"$directory/log" 2>&1 &
  training=$!
  local update compared=0 last=$from left_out=''
  while read -r update; do
    [[ $update -ge $from && $update -le $to ]] || continue
    if compare_update "$run" "$copy" "$update"; then compared=$((compared + 1)) last=$update; else left_out+=" $update"; fi
  done < <(updates_of "$run")
  [[ $last != "$from" ]] || stop "no update after $from could be compared, because the repetition does not stop there:$left_out"
  echo "The run is confirmed: from update $from to $last, this machine computes the same weights, bit for bit ($compared updates compared)."
  # The run was interrupted there, or its config has been changed since.
  [[ -z $left_out ]] || echo "Not compared, because the repetition does not stop there:$left_out."
  [[ -z $(find "$run/" -maxdepth 1 -name 'average-*') ]] || echo "The mean of the last checkpoints (average-*) was not checked."
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
