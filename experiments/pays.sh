#!/usr/bin/env bash
# Does it pay to launch from the device? The two steps of results/protocol.md that need no GPU: which cases are measured again, and the
# table of what they took.
#
#     experiments/pays.sh choose results/h100/pays_search.csv -o experiments/pays_chosen.cfg
#     experiments/pays.sh table results/h100                   its pays_search.csv and pays_*.csv into pays.csv
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/pays.py" "$@"
install_packages python3-pandas python3-matplotlib
find_nestbed
exec /usr/bin/python3 "$here/pays.py" "$@"
