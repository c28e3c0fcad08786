#!/usr/bin/env bash
# The checks that take too long for .ci/run. Run it before a release, and after a change to what it checks. If a stage
# fails, the others still run. It needs root, a Debian mirror and several hours on two cores.
#
#   scripts/dev/release_check.sh                  all stages
#   scripts/dev/release_check.sh fuzz valgrind    only these two
#
# Prints a table of minutes and results, with date, commit and processor. Exit status 1 if a stage failed.
# docs/reliability.md has the last table.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/dev/stages.sh

readonly STAGES='
mutation       | scripts/dev/mutation_test.sh
lessons        | scripts/dev/test_lessons.sh
asan           | scripts/test.sh asan
threads        | scripts/test.sh tsan "[threads]"
fuzz           | scripts/dev/fuzz.sh 60
valgrind       | scripts/dev/valgrind.sh
crash          | scripts/dev/crash_test.sh 100
bad_inputs     | build release glassformer_program; scripts/dev/bad_inputs.py
fault_injection | build release glassformer_program; build release failing_disk; scripts/dev/fault_injection.py
compilers      | scripts/dev/digest_table.sh --compilers
newer          | scripts/dev/newer_compilers.sh
libcxx         | scripts/dev/check_libcxx.sh
aarch64        | scripts/dev/test_aarch64.sh
reformatted    | scripts/dev/test_reformatted.sh
install        | scripts/dev/test_install.sh headers
package        | scripts/dev/test_package.sh
interop        | build release glassformer_program; scripts/compare/check_interop.py foreign; scripts/compare/check_interop.py own
interop_4      | build release glassformer_program; python=$(python_with "this check" "optimum.onnxruntime, ctranslate2" torch==2.13.0 "optimum-onnx[onnxruntime]" ctranslate2 sentencepiece safetensors) || exit 0; "$python" scripts/compare/check_interop.py own
lint           | scripts/dev/lint.sh
'
status=0
run_stages go-on "$@" || status=$?
[[ $status != 2 ]] || exit 2  # no such stage
commit=$(git log -1 --format='%h')
[[ -z $(git status --porcelain) ]] || commit+=' with changes'
printf '\n%s, commit %s, %s cores of %s\n' "$(date +%F)" "$commit" "$(nproc)" \
  "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)"
exit $status
