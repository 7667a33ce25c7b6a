#!/usr/bin/env bash
# Opens traces with the importer of chrome://tracing, outside a browser, and checks the result.
#
#     experiments/check_trace.sh TRACE.json…
#
# Installs Debian's nodejs and npm if they are missing, and the npm package traceviewer into build/traceviewer.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
(($#)) || {
    echo "check_trace.sh: no trace was named; allowed: one or more files of nestbed trace" >&2
    exit 2
}
viewer=$root/build/traceviewer/node_modules/traceviewer
if [[ ! -d $viewer ]]; then
    if ! command -v npm >/dev/null; then
        apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
        ((EUID == 0)) || apt=(sudo "${apt[@]}")
        "${apt[@]}" update -qq >&2
        "${apt[@]}" install -y -qq --no-install-recommends nodejs npm >&2
    fi
    npm install --silent --no-save --prefix "$root/build/traceviewer" traceviewer@1.0.11 >&2
fi
exec node "$root/experiments/check_trace.js" "$viewer" "$@"
