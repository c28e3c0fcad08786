#!/usr/bin/env bash
# Builds everything for aarch64 (64-bit ARM) and tests it in an emulator: the arithmetic, the layers and the model, and
# whether training gives the same bits as on this machine. Takes about half an hour.
#
#   scripts/dev/test_aarch64.sh                       downloads from deb.debian.org
#   scripts/dev/test_aarch64.sh http://MIRROR/debian  downloads from another mirror
#
# Needs root and Debian 12. The aarch64 libraries (0.5 GB) stay in build/aarch64_root.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/packages.sh

readonly mirror=${1:-http://deb.debian.org/debian}
if [[ $(id -u) != 0 ]]; then
  echo 'SKIPPED: only root can unpack the aarch64 libraries.' >&2
  exit 0
fi
need debootstrap 'fetching the aarch64 libraries' || exit 0
need qemu-aarch64 'running aarch64 programs' qemu-user || exit 0
need aarch64-linux-gnu-g++ 'compiling for aarch64' g++-aarch64-linux-gnu || exit 0
build release glassformer_program >/dev/null

export AARCH64_ROOT=$PWD/build/aarch64_root
if [[ ! -e $AARCH64_ROOT/complete ]]; then
  if [[ -e $AARCH64_ROOT ]]; then
    echo "$AARCH64_ROOT is not complete: an earlier call was interrupted. Remove this directory." >&2
    exit 1
  fi
  mkdir -p build
  packages=libc6-dev,libstdc++-12-dev,libgcc-12-dev,libgomp1,libyaml-cpp-dev,libspdlog-dev,libicu-dev,libssl-dev
  packages+=,libsentencepiece-dev,libcpp-httplib-dev,libeigen3-dev,nlohmann-json3-dev,libcli11-dev,catch2
  debootstrap --foreign --arch=arm64 --variant=minbase --include="$packages" bookworm "$AARCH64_ROOT" "$mirror" \
    >build/aarch64_root.log 2>&1 || { cat build/aarch64_root.log >&2; exit 1; }
  for package in "$AARCH64_ROOT"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$AARCH64_ROOT"; done
  touch "$AARCH64_ROOT/complete"
fi

cmake -S . -B build/aarch64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64.cmake -DGLASSFORMER_MPI=OFF \
  ${GLASSFORMER_CMAKE:-} >/dev/null
cmake --build build/aarch64
emulate() { qemu-aarch64 -L "$AARCH64_ROOT" "$@"; }
emulate build/aarch64/copy_task
emulate build/aarch64/glassformer_tests '[arithmetic],[numerics],[layers],[model]'

# A wrapper, so that digest_table.sh can run the emulated program like any other.
printf '#!/bin/sh\nexec qemu-aarch64 -L "%s" "%s" "$@"\n' "$AARCH64_ROOT" "$PWD/build/aarch64/glassformer" \
  >build/aarch64/emulated
chmod +x build/aarch64/emulated
scripts/dev/digest_table.sh "aarch64, emulated=$PWD/build/aarch64/emulated"
echo 'aarch64, emulated: the tests pass, and every digest is the same as here.'
