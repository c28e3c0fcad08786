#!/usr/bin/env bash
# Builds the live page, in which the model trains in the browser: build/live. Open build/live/glassformer-live.html, or
# put the directory on any static web server.
#
#   scripts/live.sh            from the engine and the scripts in src/web/dist
#   scripts/live.sh --engine   first compiles the engine to WebAssembly, into src/web/dist
#   scripts/live.sh --snapshots  first trains the toy with the program, for a minute or two: the page then opens it after
#                              50, 150 and 400 updates and at the end of training, without training up to there itself
#   scripts/live.sh --check    compiles the engine, and fails if the one in src/web/dist is not what the sources give
#
# It needs Python and, for the course in the page, pandoc. On Debian and Ubuntu, it installs them. After a change of
# TypeScript, scripts/dev/test_web.sh --fix bundles the scripts. The engine is compiled with Debian's clang-19: another
# version gives other bytes, but the same numbers.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/packages.sh
readonly DIST=src/web/dist SNAPSHOTS=build/live_snapshots/toy.json

install_compiler() {
  command -v clang++-19 >/dev/null && [[ -e /usr/lib/wasm32-wasi/libc++.a ]] && return
  if can_install; then
    apt_install clang-19 lld-19 wasi-libc libc++-19-dev-wasm32 libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 ||
      true
  fi
  command -v clang++-19 >/dev/null && [[ -e /usr/lib/wasm32-wasi/libc++.a ]]
}

build_engine() {  # build_engine NAME RELAXED OUTPUT
  cmake -G Ninja -B "build/$1" --toolchain cmake/wasm32.cmake -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF \
    -DGLASSFORMER_CORE_ONLY=ON -DGLASSFORMER_RELAXED="$2" ${GLASSFORMER_CMAKE:-} >/dev/null
  cmake --build "build/$1" --target engine
  gzip -9nc "build/$1/engine.wasm" >"$3"
}

# The first engine uses fused multiply-adds; the second emulates them, for browsers and processors that have none.
build_engines() {  # build_engines DIRECTORY
  build_engine wasm ON "$1/engine.wasm.gz"
  build_engine wasm_emulated OFF "$1/engine_emulated.wasm.gz"
}

# The page restores what the program has trained: the bits are the same.
make_snapshots() {
  install_packages program
  build release glassformer_program
  local update
  run=$(mktemp -d)
  trap 'rm -rf "$run"' EXIT
  build/release/glassformer train configs/toy.yaml --output "$run/all" --set data.valid= \
    --set training.validation.every=50 --set training.checkpoints.keep=1000 --set training.checkpoints.average=0
  mkdir "$run/toy"  # a run with some of the checkpoints
  mv "$run/all/"{config.yaml,train.log,last} "$run/toy"
  for update in 50 150 400; do mv "$run/all/$(printf 'step-%08d' $update)" "$run/toy"; done
  mv "$run/all/$(readlink "$run/toy/last")" "$run/toy"
  mkdir -p "${SNAPSHOTS%/*}"
  build/release/glassformer live "$run/toy" --json "$SNAPSHOTS"
}

case ${1:-} in
  '') ;;
  --snapshots) make_snapshots ;;
  --engine | --check)
    if ! install_compiler; then
      echo 'SKIPPED: the engine of the live page needs clang-19 with the libraries for wasm32-wasi.' >&2
      [[ $1 == --check ]] || exit 2
    elif [[ $1 == --engine ]]; then
      build_engines "$DIST"
    else
      fresh=$(mktemp -d)
      trap 'rm -r "$fresh"' EXIT
      build_engines "$fresh"
      for engine in engine.wasm.gz engine_emulated.wasm.gz; do
        if ! cmp <(gunzip -c "$fresh/$engine") <(gunzip -c "$DIST/$engine"); then
          echo "$DIST/$engine is not what the sources give. To build it again: scripts/live.sh --engine" >&2
          exit 1
        fi
      done
      echo 'the engine in src/web/dist is what the sources give'
    fi
    ;;
  *)
    echo "$0: expected nothing, --engine, --snapshots or --check, found $1" >&2
    exit 2
    ;;
esac
need python3 'the live page' || exit 2
if can_install; then
  need pandoc 'the course in the page' || true  # without it, the page gets no course
fi
snapshots=(--snapshots "$SNAPSHOTS")
if [[ ! -e $SNAPSHOTS ]]; then
  snapshots=()
  echo "The page begins with an untrained model. To give it the toy's snapshots, too: $0 --snapshots" >&2
fi
python3 scripts/live_pages.py build/live "${snapshots[@]}"
echo 'Open build/live/glassformer-live.html'
