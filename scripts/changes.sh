# Sourced by scripts/format.sh and scripts/lint.sh: what counts as changed.

# Prints the commit that changes are measured from: $GLASSFORMER_BASE if it is set; on a branch, where the branch left
# origin/main; otherwise the last commit that is at least twelve hours older than HEAD. Prints nothing where the history
# does not go back that far.
base_commit() {
  local base
  if [[ -n ${GLASSFORMER_BASE:-} ]]; then
    git rev-parse --verify "$GLASSFORMER_BASE^{commit}"
    return
  fi
  base=$(git merge-base origin/main HEAD 2>/dev/null || true)
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    base=$(git rev-list -1 --before=$(($(git log -1 --format=%ct) - 12 * 3600)) HEAD)
  fi
  echo "$base"
}

# The files of C++ that differ from a commit, in the working tree too, one a line; those that were removed are left out.
changed_sources() {  # changed_sources COMMIT [DIRECTORY]...
  {
    git diff --name-only --diff-filter=d "$1" -- "${@:2}"
    git ls-files --others --exclude-standard -- "${@:2}"
  } | grep -E '\.[ch]pp$' | sort -u
}
