# shellcheck shell=bash
# Sourced by .ci/run and scripts/dev/release_check.sh: runs stages in order and prints a table with the minutes and
# CPU minutes that each one took.
#
# A stage is a line of $STAGES, "name | command". Each command runs in its own shell, which has sourced
# scripts/packages.sh; its standard input is empty. Its output is also stored in build/stages/NAME.log. A stage fails if
# its exit status is not 0. A line that begins with SKIPPED says what this machine lacks: if that is the last line, the
# whole stage was skipped, otherwise a part of it. A stage named in $REQUIRED fails if all of it was skipped, unless
# GLASSFORMER_MAY_SKIP is set.
set -o pipefail

stage_names() { awk -F'|' 'NF > 1 { gsub(/ /, "", $1); print $1 }' <<<"$STAGES"; }

minutes() { printf '%d.%d' $((($1 + 3) / 60)) $(((($1 + 3) % 60) / 6)); }  # minutes 90: 1.5

# Sets $processor to the seconds of CPU time that all finished stages have used.
count_processor_time() {
  times >build/stages/times  # not in a pipe, which would count that of a new process
  processor=$(awk 'NR == 2 { split($0, part, /[ms ]+/)
                             printf "%.0f", 60 * (part[1] + part[3]) + part[2] + part[4] }' build/stages/times)
}

run_stage() {  # run_stage NAME COMMAND: sets $result
  local log=build/stages/$1.log status=0
  bash -euo pipefail -c "source scripts/packages.sh; $2" </dev/null 2>&1 | tee "$log" || status=$?
  if [[ $status != 0 ]]; then
    result="FAILED (status $status)"
  elif [[ $(tail -n 1 "$log") == SKIPPED* ]]; then
    result='skipped'
    [[ " ${REQUIRED:-} " != *" $1 "* || -n ${GLASSFORMER_MAY_SKIP:-} ]] || result='FAILED (skipped)'
  elif grep -q '^SKIPPED' "$log"; then
    result='passed, partly skipped'
  else
    result='passed'
  fi
}

# Runs the named stages, or all of them. After a failure, "stop" skips the remaining stages; "go-on" runs them.
# Returns 1 if a stage failed, 2 if there is no stage of a given name.
run_stages() {  # run_stages stop|go-on [NAME]...
  local after_failure=$1 name command result start before processor failed='' table='' skipped='' first_start=$SECONDS
  shift
  for name; do
    if ! stage_names | grep -qxF -e "$name"; then
      # shellcheck disable=SC2046  # on one line
      echo "$0: there is no stage $name. Stages:" $(stage_names) >&2
      return 2
    fi
  done
  mkdir -p build/stages
  while IFS='|' read -r name command <&3; do
    name=${name// /}
    [[ -n $name ]] || continue
    [[ $# == 0 || " $* " == *" $name "* ]] || continue
    if [[ -n $failed && $after_failure == stop ]]; then
      table+="| $name | | | not run |"$'\n'
      continue
    fi
    printf '\n--- %s:%s\n' "$name" "$command"
    count_processor_time
    start=$SECONDS before=$processor
    run_stage "$name" "$command"
    count_processor_time
    table+="| $name | $(minutes $((SECONDS - start))) | $(minutes $((processor - before))) | $result |"$'\n'
    skipped+=$(sed -n "s/^SKIPPED/\n$name: SKIPPED/p" "build/stages/$name.log")
    [[ $result != FAILED* ]] || failed+=" $name"
  done 3<<<"$STAGES"
  count_processor_time
  printf '\n| stage | minutes | CPU minutes | result |\n|---|---|---|---|\n%s| all | %s | %s | |\n' "$table" \
    "$(minutes $((SECONDS - first_start)))" "$(minutes "$processor")"
  [[ -z $skipped ]] || printf '%s\n' "$skipped"
  [[ -z $failed ]] || { printf '\nFailed:%s\n' "$failed"; return 1; }
}
