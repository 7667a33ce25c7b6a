#!/usr/bin/env bash
# Does it pay to launch from the device? The two steps of results/method.md that need no GPU: which cases are measured again, and the
# table of what they took.
#
#     experiments/pays.sh choose results/local/pays/pays_search*.csv -o experiments/pays_chosen.cfg
#     experiments/pays.sh table results/local/pays -o results/h100/pays.csv     of its pays_search*.csv and pays_1.csv, pays_2.csv, ...
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/pays.py" "$@"
check_nestbed
install_packages python3-pandas python3-matplotlib
find_nestbed
exec /usr/bin/python3 "$here/pays.py" "$@"
