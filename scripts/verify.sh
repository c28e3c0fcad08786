#!/usr/bin/env bash
# Does this machine compute exactly what the documents say? Does a run have exactly the weights that it claims?
#
#   scripts/verify.sh          trains the toy for 50 updates and compares the digests of its weights after 0, 1 and 50
#                              updates with data/toy/digests.txt; takes less than a minute
#   scripts/verify.sh --all    trains the toy and the reversed digits to the end, and compares a translation and the
#                              trace of a sentence, too; takes a minute or two
#   scripts/verify.sh RUN [FROM TO] [OPTION...]
#                              checks every file of the checkpoints that still exist, including best and last, against
#                              the digests in RUN/digests.jsonl. Then repeats the run from the checkpoint after FROM
#                              updates (0: from the start) to the one after TO, and compares the weights and files of
#                              each checkpoint. By default, FROM is the first checkpoint that still exists and has
#                              digests, and TO the last update in digests.jsonl. At the end, lists what no digest
#                              covers. Further OPTIONs go to `glassformer train`, for example
#                              --set data.directory=DIR if the text is elsewhere.
#   scripts/verify.sh --write  writes data/toy/digests.txt, after a change of the arithmetic
#
# Works with any processor and any number of threads. The variable GLASSFORMER names the program (default:
# build/release/glassformer). To repeat a run with several ranks, set MPIRUN, for example to 'mpirun -n 2'. The exit
# status is 0 if everything is equal, 1 if something differs, and 2 if it could not be compared.
set -euo pipefail
export LC_ALL=C  # bytes, not letters
root=$(cd "$(dirname "$0")/.." && pwd)
readonly root
readonly glassformer=${GLASSFORMER:-$root/build/release/glassformer} expected=$root/data/toy/digests.txt
directory='' training='' verdict=''

# Prints a text in which control characters, characters that change the writing direction, and bytes that are not UTF-8
# are visible, as \x1B: a file name must not control the terminal.
visible() {  # visible TEXT
  local text=$1 shown='' more=$'[\x80-\xBF]' i length code
  if [[ $text != *[![:print:]]* ]]; then  # only ASCII
    printf '%s\n' "$text"
    return
  fi
  for ((i = 0; i < ${#text}; i += length)); do
    case ${text:i:4} in
      [[:print:]]*) length=1 ;;
      $'\xC2'[$'\xA0'-$'\xBF']* | [$'\xC3'-$'\xDF']$more*) length=2 ;;  # C2 80 to C2 9F are control characters
      $'\xE2\x80'[$'\xAA'-$'\xAE']* | $'\xE2\x81'[$'\xA6'-$'\xA9']*) length=0 ;;
      [$'\xE0'-$'\xEF']$more$more*) length=3 ;;
      [$'\xF0'-$'\xF4']$more$more$more*) length=4 ;;
      *) length=0 ;;
    esac
    if [[ $length == 0 ]]; then
      length=1
      printf -v code '%d' "'${text:i:1}"
      printf -v code '\\x%02X' $((code & 255))
      shown+=$code
    else
      shown+=${text:i:length}
    fi
  done
  printf '%s\n' "$shown"
}

say() { visible "$*"; }
stop() { visible "verify.sh: $*" >&2; exit 2; }  # it could not be compared
differs() { say "$*"; verdict=1; exit 1; }       # not in a subshell

clean_up() {
  local status=$?
  if [[ -n $training ]]; then
    kill "$training" 2>/dev/null || true
    wait "$training" 2>/dev/null || true
  fi
  [[ -z $directory ]] || rm -rf "$directory"
  # A full disk or a program that is missing is not a difference.
  if [[ $status != 0 && $status != 2 && $status != 130 && $status != "$verdict" ]]; then
    echo 'verify.sh: a command failed, so this could not be compared.' >&2
    status=2
  fi
  exit "$status"
}
trap clean_up EXIT
trap 'exit 130' INT TERM

if command -v sha256sum >/dev/null; then
  sha256_command=(sha256sum)
elif command -v shasum >/dev/null; then
  sha256_command=(shasum -a 256)
else
  stop 'expected the program sha256sum or shasum, found neither. Install one of them.'
fi
for tool in awk cmp cut diff grep head od sed sort tail tr wc; do
  command -v "$tool" >/dev/null || stop "expected the program $tool, found none. Install it."
done
directory=$(mktemp -d) || stop 'no temporary directory could be made. Set TMPDIR to a directory with some space.'

sha256() { "${sha256_command[@]}" | cut -d' ' -f1; }  # of standard input

require_file() {  # require_file FILE: other things could keep us waiting forever
  [[ -e $1 || -L $1 ]] || stop "$1: there is no such file."
  [[ -f $1 ]] || stop "$1: expected a file, found a directory, a pipe, a device or a broken link."
  [[ -r $1 ]] || stop "$1: this file cannot be read. Check its permissions."
}

digest_of() { sha256 <"$1" || stop "$1: this file cannot be read."; }  # digest_of FILE

[[ -f $glassformer && -x $glassformer ]] ||
  stop "$glassformer: there is no such program. Build it with scripts/quickstart.sh, or set GLASSFORMER."

arithmetic() { "$glassformer" --version | sed -n 's/^arithmetic  *//p'; }

# The functions below that take a DIGESTS file expect a digests.jsonl. In its lines, "update" comes first, except in
# those for a mean of checkpoints, which begin with "average".

# Prints the weights after an update: a line "TENSOR DIGEST" for each tensor; nothing if the file lacks that update.
weights_at() {  # weights_at DIGESTS UPDATE
  weights_in "$1" "{\"update\":$2,"
}

# The same for the last line that begins with this text.
weights_in() {  # weights_in DIGESTS BEGINNING
  grep "^$2.*\"}\$" "$1" | tail -n 1 | sed -e 's/.*"weights":{//' -e 's/}.*//' | tr ',' '\n' | tr -d '"' | tr ':' ' '
}

# Prints the name of the first tensor whose digests differ.
first_difference() {  # first_difference EXPECTED FOUND
  diff "$1" "$2" | sed -n 's/^[<>] \([^ ]*\).*/\1/p' | head -n 1
}

# Ends with the last lines of the program's log.
failed() {  # failed WHAT
  local line
  tail -n 3 "$directory/log" | while IFS= read -r line; do visible "$line" >&2; done
  stop "$1 failed"
}

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

last_update() { updates_of "$1" | tail -n 1; }  # last_update DIGESTS

long_digests() {
  local toy=$directory/toy_end
  train "$root/configs/toy.yaml" "$toy"
  digests_of toy "$toy" "$(last_update "$toy/digests.jsonl")"
  train "$root/configs/reverse.yaml" "$directory/reverse"
  digests_of reverse "$directory/reverse" "$(last_update "$directory/reverse/digests.jsonl")"
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
  require_file "$expected"
  { echo "arithmetic $(arithmetic)"; cat "$1"; } >"$directory/all"
  while read -r line; do
    grep -qxF -e "$line" "$expected" && continue
    read -r name update tensor _ <<<"$line"
    if [[ $name == arithmetic ]]; then
      differs "This machine does NOT compute what the documents say: the self-test's digest is $update instead of" \
        "$(sed -n 's/^arithmetic //p' "$expected")."
    fi
    differs "This machine does NOT compute what the documents say: $name, update $update, $tensor is the first that" \
      'differs.'
  done <"$directory/all"
  echo "This machine computes exactly what the documents say ($(wc -l <"$1" | tr -d ' ') digests compared)."
}

# --- The digests of a run ---

# Copies the complete lines of RUN/digests.jsonl to $digests, which does not change if the run is still training. Checks
# that each line has the digest of the lines before it.
read_digests() {  # read_digests RUN: sets $digests
  local file=$1/digests.jsonl number=0 count line before='' wrong
  local form='^[{]("average":[[][^]]*[]],)?"update":[0-9]+,.*"weights":[{].*[}],"before":"[0-9a-f]*"[}]$'
  [[ -e $file || -L $file ]] || stop "$file: there is no such file. Is $1 a run directory of version 0.2 or later?"
  require_file "$file"
  digests=$directory/digests
  cp "$file" "$directory/all_digests"
  count=$(wc -l <"$directory/all_digests" | tr -d ' ')  # if training was killed, the last line may be incomplete
  head -n "$count" "$directory/all_digests" >"$digests"
  cmp -s "$directory/all_digests" "$digests" || not_covered "$file:$((count + 1)) (an incomplete line, which was ignored)"
  [[ $count -gt 0 ]] || stop "$file: expected lines that training wrote, found none."
  wrong=$(grep -anvE "$form" "$digests" | head -n 1 | cut -d: -f1 || true)
  [[ $wrong != 1 ]] || stop "$file:1: expected a line that training wrote, found something else."
  # shellcheck disable=SC2094  # it is only read
  while IFS= read -r line; do
    [[ $number == 0 ]] || before=$(head -n "$number" "$digests" | sha256)
    number=$((number + 1))
    [[ $line == *"\"before\":\"$before\"}" ]] ||
      differs "$file:$number: this line does not fit those before it: one of them, or this line, has been changed."
  done <"$digests"
  [[ -z $wrong ]] || stop "$file:$wrong: expected a line that training wrote, found something else."
  list_records
}

# Writes a table of the lines: KIND (start, checkpoint or average), UPDATE, CHECKSUMS (the digest of SHA256SUMS), CONFIG
# (its digest at that time), BEST (of an average: whether it became the best). Without a value: "-".
list_records() {
  awk '
    function value(key) {
      return match($0, "\"" key "\":\"[0-9a-f]*\"") ? substr($0, RSTART + length(key) + 4, RLENGTH - length(key) - 5) : "-"
    }
    {
      kind = /^[{]"average":/ ? "average" : /^[{]"update":[0-9]+,"program":/ ? "start" : "checkpoint"
      match($0, /"update":[0-9]+/)
      update = substr($0, RSTART + 9, RLENGTH - 9) + 0
      if (kind == "start") config = value("config")
      best = /^[{]"average":[^{]*"best":true/ ? "best" : "-"
      print kind, update, value("checksums"), config == "" ? "-" : config, best
    }' "$digests" >"$directory/records"
}

# Prints CHECKSUMS CONFIG BEST of the last line of this kind for an update; nothing if there is none.
record_of() {  # record_of KIND UPDATE
  awk -v kind="$1" -v update="$2" '
    $1 == kind && $2 == update { found = $3 " " $4 " " $5 }
    END { if (found != "") print found }' "$directory/records"
}

# Prints the first update of the table, or the first that has CHECKSUMS; nothing if there is none.
first_record() { awk '{ print $2; exit }' "$directory/records"; }
first_with_checksums() { awk '$3 != "-" { print $2; exit }' "$directory/records"; }

# --- The checkpoints of a run ---

uncovered=() missing=()
not_covered() { uncovered+=("$*"); }  # not_covered WHAT: remembers what no digest covers

# Checks the files of a checkpoint against its SHA256SUMS.
check_files() {  # check_files CHECKPOINT
  local sums=$1/SHA256SUMS line number=0 names=$'\n' file name sum found
  require_file "$sums"
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    [[ $line =~ ^([0-9a-f]{64})\ \ ([^/]+)$ ]] || differs "$sums:$number: this is not a checksum and a file name."
    sum=${BASH_REMATCH[1]} name=${BASH_REMATCH[2]}
    names+=$name$'\n' file=$1/$name
    if [[ ! -e $file && ! -L $file && $name == training_state.safetensors ]]; then
      missing+=("$file")  # you may publish a run without it
      continue
    fi
    [[ -f $file ]] || differs "$file: expected a file, because SHA256SUMS lists it, found none."
    require_file "$file"
    found=$(digest_of "$file")
    [[ $found == "$sum" ]] || differs "$file does not have the checksum that is in SHA256SUMS: it has changed since."
  done <"$sums"
  for file in "$1"/* "$1"/.[!.]*; do
    [[ -e $file || -L $file ]] || continue
    name=${file##*/}
    [[ $name != SHA256SUMS && $names != *$'\n'"$name"$'\n'* ]] || continue
    [[ $name == .* ]] || differs "$file is not in SHA256SUMS: it was added after the checkpoint was written."
    not_covered "$file"
  done
}

check_config() {  # check_config CHECKPOINT DIGEST
  local found
  require_file "$1/config.yaml"
  found=$(digest_of "$1/config.yaml")
  [[ $found == "$2" ]] || differs "$1/config.yaml is not the config that the run was trained with: it has changed since."
}

kind_of() { case $1 in average-*) echo average ;; *) echo checkpoint ;; esac; }  # kind_of average-00000100
update_of() { echo $((10#${1#*-})); }                                            # update_of step-00000100: 100

# Checks the files of a checkpoint against each other and against what the run recorded. Uses $from and $to.
check_checkpoint() {  # check_checkpoint RUN NAME
  local path=$1/$2 sums='' config='' found update
  update=$(update_of "$2")
  read -r sums config _ < <(record_of "$(kind_of "$2")" "$update") || true
  if [[ ! -e $path/SHA256SUMS && ! -L $path/SHA256SUMS ]]; then
    [[ ${sums:--} == - ]] || differs "$path/SHA256SUMS: expected a file, because the run recorded its digest, found none."
  else
    check_files "$path"
    if [[ ${sums:--} != - ]]; then
      found=$(digest_of "$path/SHA256SUMS")
      if [[ $found != "$sums" ]]; then
        [[ $(kind_of "$2") == checkpoint && $'\n'$(pending_means)$'\n' == *$'\n'$update$'\n'* ]] ||
          differs "$path/SHA256SUMS is not the one that the run recorded: it has changed since."
        not_covered "$path (training may have been killed while it rewrote this checkpoint)"
      fi
    fi
  fi
  [[ -z $config ]] || check_config "$path" "$config"
  if [[ -z $sums ]]; then
    not_covered "$path"
  elif [[ $sums == - && $update -ge $from && $update -le $to ]]; then
    not_covered "$path (except its config.yaml and weights)"
  elif [[ $sums == - ]]; then  # the weights are not compared
    not_covered "$path (except its config.yaml)"
  fi
}

# Prints the name of the run's checkpoint that a directory is a copy of; nothing if there is none.
original_of() {  # original_of RUN DIRECTORY
  local found path
  [[ -f $2/SHA256SUMS ]] || return 0
  found=$(digest_of "$2/SHA256SUMS")
  found=$(awk -v sums="$found" '
    $3 == sums { name = sprintf("%s-%08d", $1 == "average" ? "average" : "step", $2) }
    END { if (name != "") print name }' "$directory/records")
  if [[ -z $found ]]; then
    for path in "$1"/step-* "$1"/average-*; do
      if [[ -d $path && -f $path/SHA256SUMS ]] && cmp -s "$path/SHA256SUMS" "$2/SHA256SUMS"; then found=${path##*/}; fi
    done
  fi
  printf '%s' "$found"
}

# Whether the run must have recorded a checkpoint: it is not older than the version that began to do so.
must_be_recorded() {  # must_be_recorded NAME
  local first update
  update=$(update_of "$1")
  if [[ $(kind_of "$1") == average ]]; then
    first=$(first_with_checksums)
    [[ -n $first && $update -gt $first ]]
  else
    first=$(first_record)
    [[ -n $first && $update -ge $first ]]
  fi
}

# Checks that best or last is one of the run's checkpoints.
check_link() {  # check_link RUN best|last: sets $linked to the checkpoint's name, or to nothing
  local path=$1/$2 target='' sums config
  linked=''
  [[ -e $path || -L $path ]] || return 0
  if [[ ! -d $path ]]; then
    not_covered "$path (it leads to nothing)"
    return
  fi
  [[ ! -L $path ]] || target=$(readlink "$path")
  target=${target%/}
  if [[ $target =~ ^(step|average)-[0-9]{8,}$ ]]; then
    linked=$target  # this checkpoint was checked
  else              # a copy, made with cp -L
    linked=$(original_of "$1" "$path")
    if [[ -z $linked && -z $(first_with_checksums) && -z $(checkpoints_of "$1") ]]; then
      not_covered "$path"  # only this checkpoint of an old run is left
      return
    fi
    [[ -n $linked ]] || differs "$path is not one of the checkpoints that the run recorded."
    check_files "$path"
    read -r sums config _ < <(record_of "$(kind_of "$linked")" "$(update_of "$linked")") || true
    [[ -z ${config:-} ]] || check_config "$path" "$config"
  fi
  [[ -z $(record_of "$(kind_of "$linked")" "$(update_of "$linked")") ]] || return 0
  [[ $(kind_of "$linked") == average || -z $(record_of start "$(update_of "$linked")") ]] || return 0
  ! must_be_recorded "$linked" ||
    differs "$path leads to $linked, but $1/digests.jsonl has no line for it: that line has been removed."
}

header_size() {  # header_size SAFETENSORS: of the file's header, with the eight bytes before it
  local size
  size=$(od -An -tu8 -N8 "$1" | tr -d ' \n')
  [[ $size =~ ^[0-9]{1,9}$ ]] || stop "$1: expected a file in the format safetensors, found something else."
  echo $((size + 8))
}

# Prints the update of the run's last checkpoint. If training may have been killed between recording it and moving the
# link last, prints the update of the checkpoint before it, too.
latest_updates() {
  awk '
    $1 == "start" && latest == "" { latest = $2 }  # a run that an older version began
    $1 == "checkpoint" && $2 != latest { before = latest; latest = $2 }
    $1 == "average" { before = "" }  # the link was moved before the mean was computed
    END { print latest, before }' "$directory/records"
}

# Prints the updates of the means that became the best, if no checkpoint was recorded afterwards for the same update:
# training was killed before it moved the link best, or before it wrote this to the training state.
pending_means() {
  awk '
    $1 == "average" && $5 == "best" { pending[$2] = 1 }
    $1 == "checkpoint" { delete pending[$2] }
    END { for (update in pending) print update }' "$directory/records"
}

# Prints the name that best has if a training state says that the best update is UPDATE, and then other possible names.
names_of_best() {  # names_of_best UPDATE
  awk -v best="$1" '
    $1 == "average" && $5 == "best" && $2 == best { mean = 1 }
    $1 == "checkpoint" && $2 == best && mean { settled = 1 }
    END { printf "%s-%08d\n", settled ? "average" : "step", best }' "$directory/records"
  pending_means | awk -v best="$1" '$1 >= best { printf "average-%08d\n", $1 }'
}

# Checks that last is the run's last checkpoint.
check_last() {  # check_last RUN LAST: the name of a checkpoint, or nothing
  local latest before
  read -r latest before < <(latest_updates)
  [[ -z $2 || $2 == "$(step "$latest")" || (-n $before && $2 == "$(step "$before")") ]] ||
    differs "$1/last is $2, but the run's last checkpoint is $(step "$latest"): last has been changed."
}

# Prints the directory with the latest training state that can say which checkpoint is the best; nothing if there is none.
state_for_best() {  # state_for_best RUN BEST LAST
  local update
  # If training is killed between moving the links, best is newer than last.
  if [[ -n $3 && $2 == step-* && $(update_of "$2") -gt $(update_of "$3") && -f $1/best/training_state.safetensors ]]; then
    echo "$1/best"
  elif [[ -n $3 && -f $1/last/training_state.safetensors ]]; then
    echo "$1/last"
  else
    while read -r update; do
      [[ -f $1/$(step "$update")/training_state.safetensors && -n $(record_of checkpoint "$update") ]] || continue
      echo "$1/$(step "$update")"
      return
    done < <(checkpoints_of "$1" | sort -rn)
  fi
}

# Checks that best is what the run's latest training state says.
check_best() {  # check_best RUN BEST LAST: names of checkpoints, or nothing
  local state size update names latest seen average unknown='best (which checkpoint it leads to)'
  [[ -n $2 ]] || return 0
  state=$(state_for_best "$@")
  if [[ -z $state ]]; then
    not_covered "$unknown"
    return
  fi
  require_file "$state/training_state.safetensors"
  size=$(header_size "$state/training_state.safetensors")
  update=$(head -c "$size" "$state/training_state.safetensors" | grep -ao '\\"best_update\\":[0-9]*' | sed 's/.*://' || true)
  if [[ ${update:-0} == 0 ]]; then  # none yet
    not_covered "$unknown"
    return
  fi
  read -r latest _ < <(latest_updates)
  case $state in
    */best | */last) seen=$latest ;;
    *) seen=$(update_of "${state##*/}") ;;
  esac
  names=$(names_of_best "$update")
  average=$(printf 'average-%08d' "$update")
  [[ -n $(record_of average "$update") ]] || must_be_recorded "$average" || names+=$'\n'$average  # by an older version
  if [[ $(update_of "$2") -gt $seen || ($seen -lt $latest && $'\n'$names$'\n' == *$'\n'$2$'\n'*) ]]; then
    not_covered "$unknown"  # a later checkpoint may be better
  elif [[ $'\n'$names$'\n' != *$'\n'$2$'\n'* ]]; then
    differs "$1/best is $2, but the run's best checkpoint is ${names%%$'\n'*}: best has been changed."
  fi
}

check_checkpoints() {  # check_checkpoints RUN
  local path best
  for path in "$1"/step-* "$1"/average-*; do
    [[ -d $path && ${path##*/} =~ ^(step|average)-[0-9]{8,}$ ]] || continue
    check_checkpoint "$1" "${path##*/}"
  done
  check_link "$1" best
  best=$linked
  check_link "$1" last
  check_last "$1" "$linked"
  check_best "$1" "$best" "$linked"
}

# What is in the run's directory besides checkpoints, config and digests.
list_other_files() {  # list_other_files RUN
  local path
  for path in "$1"/* "$1"/.[!.]*; do
    [[ -e $path || -L $path ]] || continue
    case ${path##*/} in
      config.yaml | digests.jsonl | best | last | .lock) ;;
      *) [[ -d $path && ${path##*/} =~ ^(step|average)-[0-9]{8,}$ ]] || not_covered "$path" ;;
    esac
  done
  not_covered 'the validation text'
}

say_what_is_not_covered() {  # say_what_is_not_covered RUN
  local text='' one
  for one in ${missing[@]+"${missing[@]}"}; do say "$one is missing, so it was not checked."; done
  for one in "${uncovered[@]}"; do text+="${text:+, }${one#"$1"/}"; done
  say "No digest covers these parts of the run: $text."
}

# --- The config and the text of a run ---

# The last value of "program", "config", "source" or "target".
field() {  # field DIGESTS NAME
  sed -n "s/^{\"update\":[0-9]*,\"program\":.*\"$2\":\"\([^\"]*\)\".*/\1/p" "$1" | tail -n 1
}

# A value in a config.yaml that the program wrote: KEY: VALUE  # comment. It may be a JSON string.
config_value() {  # config_value FILE KEY
  sed -n "s/^ *$2: *\(.*[^ ]\)  *# .*/\1/p" "$1" | head -n 1 | sed -e 's/^"\(.*\)"$/\1/' -e 's/\\\(["\\]\)/\1/g'
}

check_text() {  # check_text RUN [OPTION]...
  local side language data name option file found
  data=$(config_value "$1/config.yaml" directory)
  for option in "${@:2}"; do
    case $option in data.directory=* | --set=data.directory=*) data=${option#*directory=} ;; esac
  done
  case $data in \'*\' | \"*\") data=${data:1:${#data}-2} ;; esac
  name=$(config_value "$1/config.yaml" train)
  for side in source target; do
    language=$(config_value "$1/config.yaml" "${side}_language")
    file=$data/$name.$language
    [[ -e $file ]] || stop "$file: the text of this run is not there. If it is elsewhere, add --set data.directory=DIR"
    require_file "$file"
    found=$(digest_of "$file")
    [[ $found == "$(field "$digests" $side)" ]] ||
      differs "$file is not the text that the run was trained on: it has changed since."
  done
}

# The updates of the checkpoints that still exist.
checkpoints_of() {  # checkpoints_of RUN
  local path
  for path in "$1"/step-*; do
    if [[ -d $path && ${path##*/} =~ ^step-[0-9]{8,}$ ]]; then update_of "${path##*/}"; fi
  done | sort -n
}

updates_of() { sed -n 's/^{"update":\([0-9]*\),.*/\1/p' "$1" | sort -nu; }  # updates_of DIGESTS

step() { printf 'step-%08d' "$1"; }  # step UPDATE: the name of its checkpoint

# The first update that has both a checkpoint and digests; nothing if there is none.
first_start() {  # first_start RUN
  checkpoints_of "$1" | { grep -xF -f <(updates_of "$digests") || true; } | head -n 1
}

# --- The repetition ---

# The program locks the run's directory while it trains; version 0.2, and a file system that cannot lock directories, the
# file .lock.
require_finished() {  # require_finished RUN
  local path status
  command -v flock >/dev/null || return 0
  for path in "$1" "$1/.lock"; do
    [[ -d $path || -f $path ]] || continue
    status=0
    flock --shared --nonblock --conflict-exit-code 75 "$path" true 2>/dev/null || status=$?
    [[ $status != 75 ]] || stop "$1: the run is still training; verify it when it has finished"
  done
}

is_cosine() {  # is_cosine RUN: such a schedule depends on max_updates
  [[ $(sed -n '/^  schedule:/,$p' "$1/config.yaml" | sed -n 's/^    kind: *\([a-z_]*\).*/\1/p' | head -n 1) == cosine ]]
}

# The checkpoints whose mean the run wrote after update $to; nothing if there is no such mean, or if the repetition does
# not make all of them.
checkpoints_to_average() {  # checkpoints_to_average RUN: uses $from and $to
  local names name
  ! is_cosine "$1" || [[ $(config_value "$1/config.yaml" max_updates) == "$to" ]] || return 0
  names=$(sed -n "s/^{\"average\":\[\([^]]*\)\],\"update\":$to,.*/\1/p" "$digests" | tail -n 1 | tr -d '"' | tr ',' ' ')
  for name in $names; do
    [[ $name =~ ^step-[0-9]{8,}$ && $(update_of "$name") -ge $from && $(update_of "$name") -gt 0 ]] || return 0
  done
  echo "$names"
}

# Options that end the repetition after update $to, whatever ended the run, and keep what we compare.
set_options() {  # set_options RUN: sets $options
  local run=$1 side name
  options=(--set training.max_epochs=0 --set training.max_minutes=0 --set training.validation.patience=0
    --set "training.checkpoints.average=$(wc -w <<<"$averaged" | tr -d ' ')" --set training.checkpoints.keep=1000000)
  is_cosine "$run" || options+=(--set "training.max_updates=$to")
  # Other versions of SentencePiece may learn other pieces, so we take those of the run.
  [[ $from == 0 && $(config_value "$run/config.yaml" kind) == sentencepiece ]] || return 0
  for side in source target; do
    [[ $side == source || $(config_value "$run/config.yaml" joint) == false ]] || continue
    [[ -z $(config_value "$run/config.yaml" "${side}_model" | tr -d '"') ]] || continue
    name=$(find "$run/" -path "*/step-*/$side.spm" | head -n 1)
    [[ -z $name ]] || options+=(--set "tokenizer.${side}_model='$(cd "$(dirname "$name")" && pwd)/$side.spm'")
  done
}

# Compares a checkpoint's files with those of the repetition, if both have that checkpoint. The config differs by the
# options above; the training state, by the minutes in its header.
compare_files() {  # compare_files RUN COPY NAME
  local file name status ours theirs
  for file in "$2/$3"/*; do
    name=${file##*/} status=0
    [[ -f $file && -f $1/$3/$name && $name != SHA256SUMS && $name != config.yaml ]] || continue
    if [[ $name == training_state.safetensors ]]; then
      ours=$(header_size "$1/$3/$name") || exit 2
      theirs=$(header_size "$file") || exit 2
      cmp -s <(tail -c +$((ours + 1)) "$1/$3/$name") <(tail -c +$((theirs + 1)) "$file") || status=$?
    else
      cmp -s "$1/$3/$name" "$file" || status=$?
    fi
    [[ $status -le 1 ]] || stop "$1/$3/$name: cannot be compared with the one of the repetition."
    [[ $status == 0 ]] || differs "The run is NOT confirmed: $1/$3/$name does not hold what the repetition wrote there."
  done
}

# Compares the weights that the run and the repetition recorded in the last line with this beginning.
compare_weights() {  # compare_weights COPY BEGINNING WHERE
  weights_in "$digests" "$2" >"$directory/a"
  weights_in "$1/digests.jsonl" "$2" >"$directory/b"
  [[ -s $directory/a && -s $directory/b ]] || stop "no digests $3 could be read"
  cmp -s "$directory/a" "$directory/b" ||
    differs "The run is NOT confirmed: $3, $(first_difference "$directory/a" "$directory/b") differs."
}

is_training() { kill -0 "$training" 2>/dev/null; }

# Waits until the repetition has recorded an update. Returns 1 if it has passed the update without recording it.
wait_for_update() {  # wait_for_update COPY UPDATE
  local alive latest
  while true; do
    alive=1
    is_training || alive=''
    latest=$(updates_of "$1/digests.jsonl" 2>/dev/null | tail -n 1)
    [[ -z $(weights_at "$1/digests.jsonl" "$2" 2>/dev/null) ]] || return 0
    [[ ${latest:-0} -le $2 ]] || return 1
    if [[ -z $alive ]]; then
      ! grep -q ' done[:,]' "$directory/log" || return 1
      failed "training until update $2"
    fi
    sleep 0.2
  done
}

compare_update() {  # compare_update RUN COPY UPDATE
  local kept name
  compare_weights "$2" "{\"update\":$3," "after update $3"
  compare_files "$1" "$2" "$(step "$3")"
  for kept in $(checkpoints_of "$2"); do  # keeps the disk from filling up
    name=$(step "$kept")
    [[ $kept -ge $3 || " $averaged " == *" $name "* ]] || rm -rf "${directory:?}/run/$name"
  done
}

# Compares the mean of the last checkpoints. Returns 1 if the repetition averages other checkpoints.
compare_average() {  # compare_average RUN COPY
  local name beginning pattern
  name=$(printf 'average-%08d' "$to")
  beginning="{\"average\":[\"${averaged// /\",\"}\"],\"update\":$to,"
  while is_training; do sleep 0.2; done
  grep -q ' done[:,]' "$directory/log" || failed 'the end of training'
  grep -qF "$beginning" "$2/digests.jsonl" || return 1
  pattern=${beginning/\[/\\[}
  compare_weights "$2" "$pattern" 'in the mean of the last checkpoints'
  compare_files "$1" "$2" "$name"
}

start_repetition() {  # start_repetition RUN COPY [OPTION]...: sets $training
  local resume=()
  if [[ $from != 0 ]]; then
    mkdir -p "$2/$(step "$from")"
    cp "$1/config.yaml" "$2/config.yaml"
    cp -R "$1/$(step "$from")/." "$2/$(step "$from")"
    resume=(--resume)
  fi
  cp "$1/config.yaml" "$directory/config.yaml"
  set_options "$1"
  # shellcheck disable=SC2086  # MPIRUN may hold several words
  ${MPIRUN:-} "$glassformer" train "$directory/config.yaml" --output "$2" ${resume[@]+"${resume[@]}"} "${options[@]}" \
    "${@:3}" >"$directory/log" 2>&1 &
  training=$!
}

verify_run() {  # verify_run RUN [FROM TO] [OPTION]...
  local run=$1 from to options=() given averaged ours other
  shift
  [[ -d $run ]] || stop "$run: there is no such directory."
  run=${run%/}
  require_finished "$run"
  read_digests "$run"
  from=$(first_start "$run")
  to=$(last_update "$digests")
  [[ ${from:-0} != "$to" ]] || from=0  # only one checkpoint is left
  if [[ ${1:-} =~ ^[0-9]+$ ]]; then
    [[ ${2:-} =~ ^[0-9]+$ ]] || stop "expected two numbers of updates, FROM and TO, found one"
    from=$((10#$1)) to=$((10#$2))
    shift 2
  fi
  from=${from:-0}
  given=("$@")
  [[ $from -lt ${to:-0} ]] || stop "expected FROM below TO, found $from and ${to:-no update}"
  [[ -n $(weights_at "$digests" "$to") ]] ||
    stop "$run has no digests for update $to; it has: $(updates_of "$digests" | tr '\n' ' ')"
  [[ $from == 0 || -d $run/$(step "$from") ]] ||
    stop "$run/$(step "$from"): there is no such checkpoint; the run still has: $(checkpoints_of "$run" | tr '\n' ' ')"
  check_config "$run" "$(field "$digests" config)"
  check_checkpoints "$run"
  list_other_files "$run"
  ours=$(arithmetic)
  other=$(sed -n 's/^{"update":\([0-9]*\),.*"arithmetic":"\([^"]*\)".*/\1 \2/p' "$digests" |
    awk -v from="$from" -v to="$to" -v ours="$ours" '$1 > from && $1 <= to && $2 != ours { print $2; exit }')
  [[ -z $other ]] || stop "the arithmetic of the run ($other) is not this program's ($ours); verify the run with the version of Glassformer that trained it"
  check_text "$run" ${given[@]+"${given[@]}"}

  averaged=$(checkpoints_to_average "$run")
  start_repetition "$run" "$directory/run" ${given[@]+"${given[@]}"}
  local update compared=0 last=$from left_out=''
  while read -r update; do
    [[ $update -ge $from && $update -le $to ]] || continue
    if wait_for_update "$directory/run" "$update"; then
      compare_update "$run" "$directory/run" "$update"
      compared=$((compared + 1)) last=$update
    else
      left_out+=" $update"
    fi
  done < <(updates_of "$digests")
  [[ $last != "$from" ]] || stop "no update after $from could be compared, because the repetition does not stop there:$left_out"
  [[ -z $averaged ]] || compare_average "$run" "$directory/run" || averaged=''
  echo "The run is confirmed: from update $from to $last, this machine computes the same weights, bit for bit ($compared updates compared)."
  if [[ -n $averaged ]]; then
    echo 'So is the mean of the last checkpoints.'
  elif [[ -n $(find "$run/" -maxdepth 1 -name 'average-*') ]]; then
    echo 'The mean of the last checkpoints (average-*) was not repeated.'
  fi
  # The run was interrupted there, or its config has been changed since.
  [[ -z $left_out ]] || echo "Not compared, because the repetition does not stop there:$left_out."
  say_what_is_not_covered "$run"
}

[[ $# -gt 0 ]] || set -- --short
case $1 in
  '') stop 'expected the directory of a run, found an empty argument' ;;
  --short) short_digests >"$directory/found"; compare_with_documents "$directory/found" ;;
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
