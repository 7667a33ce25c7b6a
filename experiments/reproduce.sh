#!/usr/bin/env bash
# Measures everything again on this machine: runs all experiments, draws the figures, compares our numbers with these, writes the page.
#
#     experiments/reproduce.sh                       into results/local/
#     experiments/reproduce.sh --as a100             into results/a100/, with a README.md: one table of what was measured
#     experiments/reproduce.sh -o /tmp/mine book depth     into another folder; only these experiments
#     experiments/reproduce.sh --dry-run             prints what there is to do and how long it takes
#     experiments/reproduce.sh --any-session         also where an empty kernel takes another time than in our logs of this GPU
#     experiments/reproduce.sh --measure-only        no figures and no page: needs neither packages nor the network
#
# It skips complete experiments, so you can stop it at any time and start it again. Without a GPU the executor runs smaller
# experiments. NESTBED names a nestbed that is built already.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
command -v python3 >/dev/null || {
    check_nestbed
    install_packages python3
}
exec python3 "$here/reproduce.py" "$@"
