#!/usr/bin/env bash
# Predicts the GPU times of the logs of a folder by the folder's launch roofline (model.json), and writes the predictions beside the
# measured times into one table, predicted.csv. experiments/plot.sh draws the table. Needs no GPU.
#
#     experiments/predicted.sh results/h200                    all logs of the folder
#     experiments/predicted.sh results/h200 ways book          these logs, in this order
#     experiments/predicted.sh results/h200 -o /tmp/now.csv    into another file
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/predicted.py" "$@"
check_nestbed
check_path "${1-}"
install_packages python3-pandas
find_nestbed
exec /usr/bin/python3 "$here/predicted.py" "$@"
