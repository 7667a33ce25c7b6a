#!/usr/bin/env bash
# Checks what the README, results/README.md and results/h200/README.md say against the CSVs that it rests on.
#
#     experiments/claims.sh check             both documents and the CSVs agree; else a line that names the claim, and exit 3
#     experiments/claims.sh list [--json]     every number, computed from its CSV
#     experiments/claims.sh compare FOLDER    the same numbers from the CSVs of a second run [--json] [--csv FILE]; where that is of
#                                             another GPU, only what must hold on every GPU is judged
#     experiments/claims.sh write             the numbers into the documents
#     NESTBED=build/release/nestbed experiments/claims.sh check    with this binary, and nothing is built
#
# results/claims.json says how each number comes about, and of results/h200/README.md the README.template.md beside it
# (experiments/computed_page.py). --results FOLDER: another folder than results/.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "$here/claims.py" "$@"
case " $* " in
*" check "* | *" list "* | *" compare "* | *" write "*) ;;
*)
    say "claims.sh: there is no action in '$*'; allowed: check, list, compare, write"
    exit 2
    ;;
esac
install_packages python3-pandas
find_nestbed
exec /usr/bin/python3 "$here/claims.py" "$@"
