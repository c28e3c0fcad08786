#!/usr/bin/env bash
# Trains a tiny model, translates with it and explains it under valgrind, which checks every memory access and every use
# of an uninitialized value. Exits with status 1 if it finds anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need valgrind 'this test' || exit 0
install_packages
cmake -S . -B build/valgrind -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo
cmake --build build/valgrind --target glassformer_program

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export OMP_NUM_THREADS=1  # valgrind runs one thread at a time, and reports OpenMP's threads as lost memory
check() {
  valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    build/valgrind/glassformer "$@"
}
check train configs/debug.yaml --output "$directory/run" --set training.max_updates=20 \
  --set training.validation.every=10
check train configs/debug.yaml --output "$directory/run" --resume --set training.max_updates=30 \
  --set training.validation.every=10
check translate "$directory/run" --beam 3 <data/debug/valid.en
check evaluate "$directory/run" --source data/debug/valid.en --reference data/debug/valid.de
check explain "$directory/run" --source 'a b' --html "$directory/page.html" >/dev/null
echo 'valgrind found nothing'
