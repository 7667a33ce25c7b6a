#!/usr/bin/env bash
# Fuzzes the readers of experiment files, axes, CSV files, worker messages and graphs, and the rewriter of CUDA files, with
# libFuzzer under AddressSanitizer and UndefinedBehaviorSanitizer. It installs what it needs, and does not change the corpus
# in tests/fuzz/corpus. The rewriter's corpus is the texts of tests/program/rewriter_cases.txt.
#
#     tests/fuzz.sh [RUNS]      executions of each target (10000); all targets run at once
#
# To run ten million executions of each target on another machine with 16 cores, copy build/fuzz/*_fuzz, tests/fuzz and
# build/fuzz/corpus (to fuzz/corpus) into one folder there, and run:
#
#     for name in settings axis csv messages graph rewriter; do
#         mkdir -p "found/$name" && ./"${name}_fuzz" -fork=16 -runs=10000000 -timeout=60 -ignore_timeouts=0 \
#             -ignore_ooms=0 -dict="fuzz/$name.dict" -artifact_prefix="found/$name-" "found/$name" "fuzz/corpus/$name" || break
#     done
#
# To add the findings of a long run to the corpus: -merge=1 tests/fuzz/corpus/NAME found/NAME.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
answer_help "" "$@"
runs=${1:-10000}
[[ $runs =~ ^[1-9][0-9]*$ ]] || {
    printf 'fuzz.sh: %s is not a number of executions\n' "$runs" >&2
    exit 2
}
install_packages cmake ninja-build g++ clang libclang-rt-dev llvm libboost-dev libboost-program-options-dev libcsv-dev libfmt-dev libmd-dev nlohmann-json3-dev zlib1g-dev

cd "$root"
options=()
grep -qs '^VERSION_ID="12"' /etc/os-release || options+=(-DNESTBED_WERROR=OFF) # as in experiments/build.sh
CXX=clang++ cmake -S tests/fuzz -B build/fuzz -G Ninja "${options[@]}" >&2
cmake --build build/fuzz >&2

# The order of addresses influences libFuzzer. A fixed order, where allowed, makes all runs the same.
fixed=()
! setarch --addr-no-randomize true 2>/dev/null || fixed=(setarch --addr-no-randomize)

rm -rf build/fuzz/corpus
cp -r tests/fuzz/corpus build/fuzz
mkdir build/fuzz/corpus/rewriter
awk '/^=== /{ file = "build/fuzz/corpus/rewriter/" ++number; next } /^--- /{ file = "" } file { print >file }' tests/program/rewriter_cases.txt

targets=(settings axis csv messages graph rewriter)
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT # a background process of a script does not receive Ctrl-C
declare -A running
for name in "${targets[@]}"; do
    grown=build/fuzz/grown/$name
    rm -rf "$grown"
    mkdir -p "$grown"
    "${fixed[@]}" "build/fuzz/${name}_fuzz" -seed=1 -runs="$runs" -timeout=60 -verbosity=0 -print_final_stats=1 \
        -dict="tests/fuzz/$name.dict" -artifact_prefix="build/fuzz/$name-" "$grown" "build/fuzz/corpus/$name" \
        >"build/fuzz/$name.log" 2>&1 &
    running[$name]=$!
done

failed=0
for name in "${targets[@]}"; do
    if wait "${running[$name]}"; then
        awk -v name="$name" '/number_of_executed_units/ { printf "%-8s %d executions: nothing found\n", name, $2 }' \
            "build/fuzz/$name.log"
    else
        failed=1
        printf '%s: a finding\n' "$name" >&2
        grep -vE '^(INFO|"|#)' "build/fuzz/$name.log" | tail -n 60 >&2
        artifact=$(sed -n 's/.*Test unit written to //p' "build/fuzz/$name.log" | tail -n 1)
        [[ -z $artifact ]] || printf 'the input: %s; to see it again: build/fuzz/%s_fuzz %s\n' "$artifact" "$name" \
            "$artifact" >&2
    fi
done
exit "$failed"
