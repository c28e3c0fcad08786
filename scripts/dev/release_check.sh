#!/usr/bin/env bash
# The checks that take too long for .ci/run. Run it before a release, and at the end of a change that touches what it
# checks. A stage that fails does not stop the others. Needs root, a Debian mirror and several hours on two cores.
#
#   scripts/dev/release_check.sh                  all stages
#   scripts/dev/release_check.sh fuzz valgrind    these
#
# Ends with a table of minutes and results, the date, the commit and the processor; exit status 1 if a stage failed.
# README keeps the last result.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/stages.sh

readonly STAGES='
mutation       | scripts/mutation_test.sh
lessons        | scripts/dev/test_lessons.sh
threads        | scripts/test.sh tsan "[threads]"
fuzz           | scripts/fuzz.sh 60
valgrind       | scripts/valgrind.sh
crash          | scripts/crash_test.sh 100
bad_inputs     | build release glassformer_program; scripts/bad_inputs.py
install        | scripts/test_install.sh headers
package        | scripts/test_package.sh
documentation  | scripts/test_documentation.sh
interop        | build release glassformer_program; scripts/check_interop.py foreign; scripts/check_interop.py own
interop_4      | build release glassformer_program; python=$(python_with "this check" "optimum.onnxruntime, ctranslate2" torch==2.13.0 "optimum-onnx[onnxruntime]" ctranslate2 sentencepiece safetensors) || exit 0; "$python" scripts/check_interop.py own
lint           | scripts/lint.sh
'
status=0
run_stages go-on "$@" || status=$?
[[ $status != 2 ]] || exit 2  # no such stage
commit=$(git log -1 --format='%h')
[[ -z $(git status --porcelain) ]] || commit+=' with changes'
printf '\n%s, commit %s, %s cores of %s\n' "$(date +%F)" "$commit" "$(nproc)" \
  "$(lscpu | sed -n 's/^Model name: *//p' | head -n 1)"
exit $status
