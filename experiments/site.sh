#!/usr/bin/env bash
# Writes the documents as one site, with search and the page of results, and checks every link.
#
#     experiments/site.sh                 build/site: open index.html; the search needs a server, such as
#                                         python3 -m http.server -d build/site
#     experiments/site.sh -o FOLDER       another folder
#     NESTBED=build/release/nestbed experiments/site.sh    uses this binary and builds nothing
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

# shellcheck source=experiments/packages.sh
source "$here/packages.sh"

answer_help "$here/site_pages.py" "$@"
check_nestbed
install_packages git mkdocs cmark-gfm
find_nestbed
exec /usr/bin/python3 "$here/site_pages.py" "$@"
