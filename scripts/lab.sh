#!/usr/bin/env bash
# The labs of the course (docs/course): you write the functions of a transformer, inside the real program.
#
#   scripts/lab.sh list               all labs, and which of them you have solved
#   scripts/lab.sh start N            copies the files of lab N to labs/N, without the bodies that you are to write;
#                                     3b, for example, is a variant of lab 3
#   scripts/lab.sh check N            compiles and runs your code, and explains the first case that fails
#   scripts/lab.sh watch N            the same whenever you save a file, until Ctrl-C
#   scripts/lab.sh hint N             the next of three hints
#   scripts/lab.sh solution N         the real functions
#   scripts/lab.sh reset N            starts again; your files are kept beside the new ones
#   scripts/lab.sh hunt [SEED]        plants a fault in a copy of the project, for you to find
#   scripts/lab.sh hunt SEED FILE:LINE   is it there?
#   scripts/lab.sh finale             trains the toy with the functions of all your labs
#   scripts/lab.sh grade DIR          the points of each lab in DIR, for teachers; of a class, with --html FILE
#
# The exit status is 0 if the lab is solved, 1 if not, and 2 if the command could not be carried out.
set -euo pipefail
source "$(dirname "$0")/packages.sh"
[[ $# -gt 0 ]] || { sed -n '2,/^set /s/^# \{0,1\}//p' "$0"; exit 2; }
install_packages >&2
exec python3 "$(dirname "$0")/course/lab.py" "$@"
