#!/usr/bin/env bash
# Writes one HTML page to explore a results folder: what came out, every figure of plot.sh, by workload and with filters, the numbers, and
# the rows behind each.
#
#     experiments/report.sh                             results/h200, to results/h200/report.html (git ignores it)
#     experiments/report.sh results/local -o page.html  another folder, another file
#     NESTBED=build/release/nestbed experiments/report.sh    uses this binary and builds nothing
#
# The page holds all that it needs and uses no network: open it in a browser, or send it to somebody.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

# shellcheck source=experiments/packages.sh
source "$here/packages.sh"

answer_help "$here/report.py" "$@"
check_nestbed
check_path "${1-}"
install_packages python3-pandas python3-matplotlib python3-plotly python3-scipy
find_nestbed
exec /usr/bin/python3 "$here/report.py" "$@"
