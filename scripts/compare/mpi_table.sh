#!/usr/bin/env bash
# Trains the toy for a few updates with different numbers of ranks and threads on this machine, and prints a table. The
# final weights must be the same in every row, bit for bit.
#
#   scripts/compare/mpi_table.sh                                        1, 2 and 4 ranks with 1 and 2 threads each
#   scripts/compare/mpi_table.sh --set training.optimizer.kind=muon     passes these options to `train`
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

install_packages
need_mpi 'the table of ranks' || exit 0
build release glassformer_program >/dev/null
readonly glassformer=$PWD/build/release/glassformer
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1  # in containers you are often root

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT

echo '| ranks | threads per rank | seconds | SHA-256 of the weights |'
echo '|---|---|---|---|'
digests=()
for ranks in 1 2 4; do
  for threads in 1 2; do
    run=$directory/$ranks-$threads
    began=$(date +%s%N)
    if ! OMP_NUM_THREADS=$threads mpirun --oversubscribe --bind-to none -n $ranks \
        "$glassformer" train configs/toy.yaml --output "$run" --set training.max_epochs=0 --set training.max_updates=60 --set data.tests=[] \
        --set training.validation.every=60 --set training.validation.unit=updates \
        --set training.checkpoints.average=0 "$@" 2>"$run.log"; then
      cat "$run.log" >&2
      exit 1
    fi
    milliseconds=$((($(date +%s%N) - began) / 1000000))
    digest=$(sha256sum <"$run/last/model.safetensors")
    digests+=("$digest")
    printf '| %d | %d | %d.%d | %s |\n' "$ranks" "$threads" $((milliseconds / 1000)) $((milliseconds % 1000 / 100)) \
      "${digest:0:16}"
  done
done
[[ $(printf '%s\n' "${digests[@]}" | sort -u | wc -l) == 1 ]] || { echo 'The weights differ.' >&2; exit 1; }
