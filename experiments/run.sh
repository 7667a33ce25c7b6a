#!/usr/bin/env bash
# Installs what nestbed needs, builds it, and runs an experiment: on the GPU if there is one, otherwise on the CPU executor.
#
#     experiments/run.sh                                      the book's experiment, experiments/book.cfg
#     experiments/run.sh experiments/quick.cfg                another experiment
#     experiments/run.sh experiments/grid.cfg --grid 1:64:*2  with the options of `nestbed run`
#
# Without -o the CSV goes to results/local/ of the current folder; without any arguments, to that of the repository.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=$("$here/build.sh" "" nestbed) # the tests are not needed here
if (($# == 0)); then
    cd "$here/.."
    set -- experiments/book.cfg
fi
exec "$build/nestbed" run "$@"
