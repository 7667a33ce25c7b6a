#!/usr/bin/env bash
# Measures everything again on this machine: all experiments, then the figures, the claims beside ours, and the page.
#
#     experiments/reproduce.sh                       into results/local/
#     experiments/reproduce.sh --as a100             into results/a100/, with a README.md: one table of what was measured
#     experiments/reproduce.sh -o /tmp/mine book depth     another folder; these experiments alone
#     experiments/reproduce.sh --dry-run             what there is to do and how long it takes
#     experiments/reproduce.sh --measure-only        no figures, no page: neither packages nor the network are needed
#
# What is there is left out, so it can be stopped at any time and started again. On a machine without a GPU the executor
# runs smaller experiments. NESTBED names a nestbed that is built already.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
command -v python3 >/dev/null || install_packages python3
exec python3 "$here/reproduce.py" "$@"
