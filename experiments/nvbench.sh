#!/usr/bin/env bash
# Compares the times of a log of `nestbed run` with those of nvbench on the same GPU, case by case.
#
#     experiments/nvbench.sh NVBENCH.csv LOG.csv --map cub_sum=cub --map neighbored=neighbored --size Elements [-o OUT.csv]
#
# NVBENCH.csv is what a benchmark of nvbench writes with --csv; nvbench is not part of this project. LOG.csv must be measured as
# nvbench measures: nestbed run ... --submit held --l2 flushed. --help lists the other options.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/nvbench.py" "$@"
check_nestbed
check_path "${1-}"
install_packages python3-pandas
find_nestbed
exec /usr/bin/python3 "$here/nvbench.py" "$@"
