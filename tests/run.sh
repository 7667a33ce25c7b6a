#!/usr/bin/env bash
# Builds nestbed and its tests, and runs them. Tests that need a GPU are skipped if
# there is none. The last lines say how many tests passed, how many were skipped and
# why, what was left, and the command that runs again only what failed.
#
#     tests/run.sh               the ordinary tests: every unit, command, document
#                                and strategy, with few inputs
#     tests/run.sh --all         all tests: also the other inputs, the race detector,
#                                users' programs, the numbers of the documents, the
#                                page, runs that are killed
#     tests/run.sh --thorough    all, with a thousand random orders per strategy
#                                (half an hour): run it before a change of the
#                                executor or of a strategy lands
#     tests/run.sh --cuda        also compiles the CUDA code where there is no GPU
#     tests/run.sh -R Executor   with options of ctest: the tests whose name
#                                contains Executor
#     NESTBED=build/release/nestbed tests/run.sh
#                                the tests in this build folder; builds nothing
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
answer_help "" "$@"
cuda=''
again=(tests/run.sh) # what the summary says to run what failed again
[[ -z ${NESTBED:-} ]] || again=("NESTBED=$NESTBED" "${again[@]}")
while [[ ${1-} == --all || ${1-} == --thorough || ${1-} == --cuda ]]; do
    case $1 in
    --all) export NESTBED_ALL=1 ;;
    --thorough) export NESTBED_ALL=1 NESTBED_THOROUGH=1 ;;
    --cuda) cuda=$1 ;;
    esac
    again+=("$1")
    shift
done
check_nestbed "$cuda"
options=("$@")
target=''
if [[ ${NESTBED_ALL-} != 1 ]]; then
    target=nestbed_ordinary_tests
    # ctest leaves out what matches every -LE, not any.
    options=()
    left='^all$'
    while (($#)); do
        if [[ ($1 == -LE || $1 == --label-exclude) && $# -gt 1 ]]; then
            shift
            left+="|$1"
        else
            options+=("$1")
        fi
        shift
    done
    options+=(--label-exclude "$left")
fi
if [[ -n ${NESTBED:-} ]]; then
    find_nestbed
    build=$(dirname -- "$NESTBED")
    [[ -x $build/tests/nestbed_tests ]] || {
        say "run.sh: NESTBED=$NESTBED: there are no tests in $build; allowed: a nestbed beside its tests, or unset to build both"
        exit 2
    }
else
    if [[ -n $target ]]; then install_test_packages; else install_test_packages --all; fi
    build=$("$root/experiments/build.sh" "$cuda" "$target")
    # The tests on a GPU trace too.
    [[ -z $(find_capability) ]] || "$root/experiments/build.sh" "$cuda" traced >/dev/null
fi
results=$(mktemp)
trap 'rm -f "$results"' EXIT
failed=0
# One more than there are cores, because some tests wait for a timeout.
ctest --test-dir "$build" --parallel "$(($(nproc) + 1))" --no-label-summary --test-output-size-passed 4096 --output-junit "$results" "${options[@]}" |
    "$root/tests/summary.py" "$results" "${again[@]}" || failed=$((PIPESTATUS[0] ? PIPESTATUS[0] : PIPESTATUS[1]))
exit "$failed"
