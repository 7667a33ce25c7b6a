#!/usr/bin/env bash
# Measures what the ledger and the NVTX ranges cost. It runs experiments/overhead.cfg with three variants in turn, for several
# rounds, into one log whose column `experiment` names the variant. Then it prints the ratios.
#
#     experiments/overhead.sh NESTBED NESTBED_WITHOUT_LEDGER LOG.csv [ROUNDS]
#
# The second binary comes from the preset no-ledger: experiments/build.sh no-ledger.
set -euo pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=experiments/packages.sh
source "$here/packages.sh"
answer_help "" "$@"
(($# == 3 || $# == 4)) || {
    print_head >&2
    exit 2
}
nestbed=$1 without_ledger=$2 log=$3 rounds=${4:-12}
parts=$log.parts # one file per run, because a log contains one experiment; all are joined at the end
mkdir -p "$parts"
for ((round = 1; round <= rounds; ++round)); do
    echo "overhead.sh: round $round of $rounds" >&2
    # Each round has a different order. nosync has a race: a wrong row has no time, and the exit code is 3.
    for ((turn = 0; turn < 3; ++turn)); do
        case $(((turn + round) % 3)) in
        0) variant=("$nestbed" --experiment full) ;;
        1) variant=("$nestbed" --experiment no_nvtx --no-nvtx) ;;
        2) variant=("$without_ledger" --experiment no_ledger) ;;
        esac
        "${variant[0]}" run "$here/overhead.cfg" "${variant[@]:1}" --output "$parts/$round-$turn.csv" >/dev/null || (($? == 3))
    done
done
for part in "$parts"/*.csv; do
    [[ -s $log ]] || head -n 1 "$part" >"$log"
    tail -n +2 "$part" >>"$log"
done
rm -r "$parts"
NESTBED=$nestbed exec "$here/overhead.py" "$log"
