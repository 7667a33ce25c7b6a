#!/usr/bin/env bash
# Opens traces with the importer of chrome://tracing, outside a browser, and checks the result.
#
#     experiments/check_trace.sh TRACE.json…
#
# Installs Debian's nodejs and npm if they are missing, and the npm package traceviewer into build/traceviewer.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
answer_help "" "$@"
(($#)) || {
    echo "check_trace.sh: no trace was named; allowed: one or more files of nestbed trace" >&2
    exit 2
}
for trace in "$@"; do check_path "$trace"; done
viewer=$root/build/traceviewer/node_modules/traceviewer
if [[ ! -d $viewer ]]; then
    command -v npm >/dev/null || install_packages nodejs npm
    npm install --silent --no-save --prefix "$root/build/traceviewer" traceviewer@1.0.11 >&2
fi
exec node "$root/experiments/check_trace.js" "$viewer" "$@"
