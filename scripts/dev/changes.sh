# shellcheck shell=bash
# Sourced by scripts/dev/lint.sh: what counts as changed.

# Prints the commit to compare with: $GLASSFORMER_BASE if set; on a branch, the commit where it left origin/main; on
# main with uncommitted changes, the last commit; otherwise the last commit that is at least twelve hours older than
# HEAD. Prints nothing if the history is shorter.
base_commit() {
  local base
  if [[ -n ${GLASSFORMER_BASE:-} ]]; then
    git rev-parse --verify "$GLASSFORMER_BASE^{commit}"
    return
  fi
  base=$(git merge-base origin/main HEAD 2>/dev/null || true)
  if [[ $base == "$(git rev-parse HEAD)" && -n $(git status --porcelain --untracked-files=no) ]]; then
    echo "$base"  # a clone in which you have not committed yet: only your changes count
    return
  fi
  if [[ -z $base || $base == "$(git rev-parse HEAD)" ]]; then
    base=$(git rev-list -1 --before=$(($(git log -1 --format=%ct) - 12 * 3600)) HEAD)
  fi
  echo "$base"
}

# Prints the C++ files changed since a commit, one per line: first those changed in the working tree, then the others,
# the most recently committed first. Skips files that no longer exist.
changed_sources() {  # changed_sources COMMIT [DIRECTORY]...
  {
    git ls-files --others --exclude-standard -- "${@:2}"
    git diff --name-only HEAD -- "${@:2}"
    git log --format= --name-only "$1..HEAD" -- "${@:2}"
  } | awk '/\.[ch]pp$/ && !seen[$0]++' | while IFS= read -r file; do [[ ! -e $file ]] || echo "$file"; done
}
