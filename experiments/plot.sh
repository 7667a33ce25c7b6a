#!/usr/bin/env bash
# Draws every figure from the CSV logs alone, as SVG and PNG (or --pdf), into figures/ beside each log.
#
#     experiments/plot.sh                            every folder under results/ that holds logs
#     experiments/plot.sh results/h200               all logs of a folder
#     experiments/plot.sh results/h200 results/a100  the logs that both have, the two machines side by side: results/a100/beside-h200/
#     experiments/plot.sh out.csv -o /tmp/figures    one log, or one CSV of `nestbed info graph`, and where the figures go
#     experiments/plot.sh out.csv --x grain --y gpu_us --series fanout    a figure of your choice: --help has all options
#     experiments/plot.sh trace.json                 a timeline of `nestbed trace`
#     experiments/plot.sh --setup                    only installs what it needs
#     NESTBED=build/release/nestbed experiments/plot.sh    uses this binary and builds nothing
#
# The experiment of a log names its figures; otherwise they follow from what the log holds. The same log gives the same bytes.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/plot.py" "$@"
[[ ${1-} == --setup ]] || check_nestbed
check_path "${1-}"
install_packages python3-pandas python3-matplotlib
if [[ "${1-}" == --setup ]]; then exit 0; fi
find_nestbed
python=/usr/bin/python3 # Debian's packages are for this Python, whatever else is on the PATH
# Looks for the packages, and does not import them, which takes a second.
"$python" -c 'import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, ("pandas", "matplotlib"))))' || python=python3
MPLBACKEND=Agg exec "$python" "$here/plot.py" "$@"
