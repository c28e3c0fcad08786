#!/usr/bin/env bash
# Trains, translates and explains a tiny model under valgrind, which watches every access to memory and every value that
# nobody has set. Ends with status 1 if it finds anything.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

need valgrind 'this test' || exit 0
install_packages
# For any machine: valgrind does not know the latest instructions of this one.
cmake -S . -B build/valgrind -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DGLASSFORMER_PORTABLE=ON
cmake --build build/valgrind --target glassformer_program

directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
export OMP_NUM_THREADS=1  # it runs one thread at a time, and takes the runtime's threads for lost memory
watched() {
  valgrind --quiet --error-exitcode=1 --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite \
    build/valgrind/glassformer "$@"
}
watched train configs/debug.yaml --output "$directory/run" --set training.max_updates=20 \
  --set training.validation.every=10
watched train configs/debug.yaml --output "$directory/run" --resume --set training.max_updates=30 \
  --set training.validation.every=10
watched translate "$directory/run" --beam 3 <data/debug/valid.en
watched evaluate "$directory/run" --source data/debug/valid.en --reference data/debug/valid.de
watched explain "$directory/run" --source 'a b' --html "$directory/page.html" >/dev/null
echo 'valgrind has found nothing'
