#!/usr/bin/env bash
# Builds nestbed and runs all its tests, with few random orders of the executor. Tests that need a GPU are skipped if
# there is none. The last lines say how many tests ran, and how many were skipped and why.
#
#     tests/run.sh                          everything once
#     tests/run.sh --thorough               the same with a thousand random orders per strategy (half an hour): run it
#                                           before a change of the executor or of a strategy lands
#     tests/run.sh --cuda                   also compiles the CUDA code where there is no GPU
#     tests/run.sh -R Executor              with options of ctest: the tests whose name contains Executor
#     NESTBED=build/release/nestbed tests/run.sh     the tests in this build folder; nothing is built
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
answer_help "" "$@"
cuda=''
while [[ ${1-} == --thorough || ${1-} == --cuda ]]; do
    case $1 in
    --thorough) export NESTBED_THOROUGH=1 ;;
    --cuda) cuda=$1 ;;
    esac
    shift
done
if [[ -n ${NESTBED:-} ]]; then
    find_nestbed "$cuda"
    build=$(dirname -- "$NESTBED")
    [[ -x $build/tests/nestbed_tests ]] || {
        say "run.sh: NESTBED=$NESTBED: there are no tests in $build; allowed: a nestbed beside its tests, or unset to build both"
        exit 2
    }
else
    install_packages python3-pandas python3-matplotlib python3-plotly python3-selenium chromium chromium-driver
    ((EUID)) || install_packages slurm-wlm munge # without root, slurmd cannot run
    build=$("$root/experiments/build.sh" "$cuda")
    # The tests on a GPU trace too.
    [[ -z $(find_capability) ]] || "$root/experiments/build.sh" "$cuda" traced >/dev/null
fi
results=$(mktemp)
trap 'rm -f "$results"' EXIT
failed=0
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" --output-junit "$results" "$@" || failed=$?
"$root/tests/summary.py" "$results"
exit "$failed"
