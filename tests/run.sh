#!/usr/bin/env bash
# Sets nestbed up and runs all its tests; those that need a GPU skip, and say so, where there is none.
#
#     tests/run.sh [OPTIONS OF ctest]      e.g. tests/run.sh -L gpu, tests/run.sh -R Executor
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
install_packages python3-pandas python3-matplotlib python3-plotly python3-selenium chromium chromium-driver
((EUID)) || install_packages slurm-wlm munge # without root there is no slurmd to test with
build=$("$root/experiments/build.sh")
ctest --test-dir "$build" --output-on-failure --parallel "$(nproc)" "$@"
