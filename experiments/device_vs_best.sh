#!/usr/bin/env bash
# Does it pay to launch from the device? The two steps of results/method.md that need no GPU: which cases are measured again, and the
# table of what they took.
#
#     experiments/device_vs_best.sh choose results/local/device_vs_best/device_vs_best_search*.csv -o experiments/device_vs_best_chosen.cfg
#     experiments/device_vs_best.sh table results/local/device_vs_best -o results/h100/device_vs_best.csv     of its device_vs_best_search*.csv and device_vs_best_1.csv, device_vs_best_2.csv, ...
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/device_vs_best.py" "$@"
check_nestbed
install_packages python3-pandas python3-matplotlib
find_nestbed
exec /usr/bin/python3 "$here/device_vs_best.py" "$@"
