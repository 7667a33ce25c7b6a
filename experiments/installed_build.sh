#!/usr/bin/env bash
# Names the folder of the installed nestbed, as experiments/build.sh does in the repository after it has built one.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
realpath -- "$here/../../../bin"
