#!/usr/bin/env bash
# Sets nestbed up and runs an experiment: on the GPU where there is one, on the CPU executor elsewhere.
#
#     experiments/run.sh                                      the book's experiment, experiments/book.cfg
#     experiments/run.sh experiments/quick.cfg                another one
#     experiments/run.sh experiments/grid.cfg --grid 1:64:*2  with the options of `nestbed run`
#
#     NESTBED=build/release/nestbed experiments/run.sh        with this program; nothing is built
#
# `nestbed help run` lists the options. The CSV goes to results/local/ of the folder that you are in (of the repository, without arguments) unless -o
# says otherwise.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "" "$@"
find_nestbed
if (($# == 0)); then
    set -- "$here/book.cfg"
    if [[ -w $here/.. ]]; then
        cd "$here/.."
        set -- experiments/book.cfg
    fi
fi
exec "$NESTBED" run "$@"
