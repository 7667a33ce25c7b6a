#!/usr/bin/env bash
# Checks the numbers in the documents against the CSV files that they come from.
#
#     experiments/claims.sh check             the documents and the CSVs agree, and the CSVs that are computed from others are what those
#                                             give; otherwise it names the claims and exits with 3
#     experiments/claims.sh list [--json]     every number, computed from its CSV
#     experiments/claims.sh compare FOLDER    the same numbers from the CSVs of a second run [--json] [--csv FILE]; if that is from
#                                             another GPU, it judges only what must hold on every GPU
#     experiments/claims.sh write             writes the numbers into the documents
#     NESTBED=build/release/nestbed experiments/claims.sh check    uses this binary and builds nothing
#
# results/claims.json defines how each number is computed; results/h200/README.template.md does so for results/h200/README.md
# (experiments/computed_page.py). --results FOLDER: use another folder than results/.
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
check_nestbed
install_packages python3-pandas python3-matplotlib
find_nestbed
exec /usr/bin/python3 "$here/claims.py" "$@"
