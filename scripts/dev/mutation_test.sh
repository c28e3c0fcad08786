#!/usr/bin/env bash
# Would the tests notice a mistake? Plants mistakes into a copy of the sources, one at a time, and runs tests until one
# fails. Tries a random sample of 400 small mistakes (mutants) that scripts/dev/mutants/operators.py makes everywhere in
# src, and the hand-made faults of tests/faults.txt, which are of kinds that no operator makes. Takes some hours.
#
#   scripts/dev/mutation_test.sh                        all of them
#   scripts/dev/mutation_test.sh --sample 0             only the hand-made faults
#   scripts/dev/mutation_test.sh --sample 50 --files src/run       only mutants of some files, and the hand-made faults
#   scripts/dev/mutation_test.sh --seed 2               another sample
#   scripts/dev/mutation_test.sh --again                tries those again that no test has noticed
#
# All are compiled at once, and switched by an environment variable (scripts/dev/mutants/planting.py). Results are kept
# in build/mutants, so a run that was stopped goes on. Status 1 if a hand-made fault or more than 5 % of the sample
# survived. docs/reliability.md has the last results.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh
install_packages
exec python3 scripts/dev/mutants/mutate.py "$@"
