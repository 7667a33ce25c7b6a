#!/usr/bin/env bash
# Sets nestbed up and runs an experiment: on the GPU where there is one, on the CPU executor elsewhere.
#
#     experiments/run.sh                                      the book's experiment, experiments/book.cfg
#     experiments/run.sh experiments/quick.cfg                another one
#     experiments/run.sh experiments/grid.cfg --grid 1:64:*2  with the options of `nestbed run`
#
# The CSV goes to results/local/ of the folder that you are in (of the repository, without arguments) unless -o
# says otherwise.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
build=$("$here/build.sh" "" nestbed) # the tests are not needed here
if (($# == 0)); then
    cd "$here/.."
    set -- experiments/book.cfg
fi
exec "$build/nestbed" run "$@"
