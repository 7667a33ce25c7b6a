#!/usr/bin/env bash
# Installs what nestbed needs, builds the program and the workloads of an experiment, and runs it: on the GPU if there is one,
# otherwise on the CPU executor.
#
#     experiments/run.sh                                      the book's experiment, experiments/book.cfg
#     experiments/run.sh --repeat 5                           the same with options of `nestbed run`
#     experiments/run.sh experiments/quick.cfg                another experiment
#     experiments/run.sh experiments/grid.cfg --grid 1:64:*2  with the options of `nestbed run`
#     experiments/run.sh --cuda                               also compiles the CUDA code where there is no GPU
#
#     NESTBED=build/release/nestbed experiments/run.sh        with this program; builds nothing
#
# `nestbed help run` lists the options. Without -o the CSV goes to results/local/ of the current folder; without any arguments, to that
# of the repository.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "" "$@"
cuda=''
if [[ ${1-} == --cuda ]]; then
    cuda=$1
    shift
fi
if (($# == 0)); then
    set -- "$here/book.cfg"
    if [[ -w $here/.. ]]; then
        cd "$here/.."
        set -- experiments/book.cfg
    fi
fi
case " $* " in
    *.cfg[\ :]* | *" --strategy"*) ;;
    *) set -- "$here/book.cfg" "$@" ;;
esac
# Our times of an H200 stand beside those of the same cases. With other strategies than the file's, there may be no such log.
beside=()
for word in "$@"; do
    log=$here/../results/h200/$(basename -- "$word" .cfg).csv
    if [[ $word == *.cfg && $word -ef $here/${word##*/} && (-f $log || -f $log.gz) ]]; then
        beside=(--reference "$(realpath --relative-base="$PWD" -- "$log")")
    fi
done
[[ " $* " != *" --strategy"* && " $* " != *" --reference"* ]] || beside=()
find_nestbed "$cuda" run "$@"
exec "$NESTBED" run "$@" "${beside[@]}"
