#!/usr/bin/env bash
# Tests experiments/sweep.sbatch on its own Slurm: one node, this machine, with three simulated GPUs.
#
#     NESTBED=build/release/nestbed tests/scripts/slurm_test.sh
#
# Runs as root, without systemd. All its files are in a temporary folder, which it removes at the end. It does not
# touch a Slurm that is already installed here. If it cannot run, it prints the reason and exits with 77. Under
# CI=true that is a failure.
set -euo pipefail
root=$(cd "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
# shellcheck source=experiments/packages.sh
source "$root/experiments/packages.sh"
export NESTBED=${NESTBED:?names a nestbed that is built}
NESTBED=$(realpath "$NESTBED")
SECONDS=0
readonly kDeadline=240 # seconds, for everything

fail() {
    say "slurm_test: FAILED after $SECONDS s: $*"
    exit 1
}
skip() {
    [[ ${CI:-} != true ]] || fail "$*"
    say "slurm_test: skipped: $*"
    exit 77
}
ok() { printf 'ok   %3d s  %s\n' "$SECONDS" "$*"; }

# wait_for WHAT COMMAND...: waits until the command succeeds.
wait_for() {
    local what=$1
    shift
    until "$@"; do
        ((SECONDS < kDeadline)) || fail "timed out waiting for $what"
        sleep 0.1
    done
}

# --- Start a Slurm

((EUID == 0)) || skip "it needs root, to run slurmd"
(install_packages munge slurm-wlm python3) || skip "Slurm could not be installed"

PATH=$PATH:/usr/sbin
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SQUEUE_@}" SWEEP_CHECK # settings of a Slurm on this machine and of its users
scratch=$(mktemp -d)
export SLURM_CONF=$scratch/slurm.conf

# processes_with NAME=VALUE...: the ids of the processes whose environment contains all of these.
processes_with() {
    local folder variable
    for folder in /proc/[0-9]*; do
        for variable in "$@"; do
            grep -qzxF -- "$variable" "$folder/environ" 2>/dev/null || continue 2
        done
        printf '%s\n' "${folder#/proc/}"
    done | sort -n
}

# Everything started here has this SLURM_CONF in its environment: the daemons, the tasks, and their children.
clean_up() {
    local code=$? log
    trap - EXIT
    if ((code != 0)); then
        for log in "$scratch"/*.log "$scratch"/work/{*,results/local/*}.shards/*.txt; do
            [[ -s $log ]] && printf '\n--- %s\n' "${log#"$scratch/"}" && tail -n 40 "$log"
        done >&2
    fi
    cd /
    signal_all TERM
    sleep 0.5
    signal_all KILL
    wait 2>/dev/null || true
    rm -rf "$scratch"
    exit "$code"
}
signal_all() {
    local pid
    for pid in $(processes_with "SLURM_CONF=$SLURM_CONF"); do
        [[ $pid == "$$" || $pid == "$BASHPID" ]] || kill "-$1" "$pid" 2>/dev/null || true
    done
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

free_ports() {
    python3 -c '
import socket
held = [socket.socket() for _ in range(2)]
for one in held:
    one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in held))'
}

host=$(hostname -s)
read -r controller_port node_port < <(free_ports)
mkdir "$scratch/state" "$scratch/spool" "$scratch/munge" "$scratch/work"
chmod 755 "$scratch" "$scratch/munge"
# cred_expire: a requeued job waits this long. The default is two minutes, and 5 seconds is the minimum.
cat >"$SLURM_CONF" <<END
ClusterName=nestbed-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$controller_port
SlurmdPort=$node_port
SlurmUser=root
AuthInfo=socket=$scratch/munge/socket,cred_expire=5
ProctrackType=proctrack/linuxproc
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
JobRequeue=1
KillWait=10
ReturnToService=2
SlurmdParameters=config_overrides
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldSyslogDebug=quiet
SlurmdSyslogDebug=quiet
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 Gres=gpu:3 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
# Devices that exist on every machine serve as GPUs, because Slurm only numbers them.
printf 'Name=gpu File=/dev/%s\n' null zero full >"$scratch/gres.conf"

mungekey --create --keyfile="$scratch/munge/key"
munged --foreground --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" --pid-file="$scratch/munge/pid" \
    --seed-file="$scratch/munge/seed" 2>"$scratch/munged.log" &
wait_for "munged" test -S "$scratch/munge/socket"
node_is_idle() { [[ $(sinfo --noheader --format=%T) == idle ]]; }
slurmctld -D -i 2>"$scratch/slurmctld.log" &
wait_for "slurmctld" eval 'scontrol ping 2>/dev/null | grep -q "is UP"'
slurmd -D 2>"$scratch/slurmd.log" &
wait_for "slurmd" node_is_idle
ok "Slurm $(sinfo --version | cut -d " " -f 2) runs: munged, slurmctld, slurmd"

# --- The experiments to sweep

sweep=$root/experiments/sweep.sbatch
cd "$scratch/work"
# Each shard takes some seconds, however the cases are distributed: all cases take about the same time, around 40 ms.
cat >long.cfg <<END
strategy = neighbored, synced
backend  = cpu
workers  = 1
grid     = 300:390:10
block    = 128
repeat   = 30
warmup   = 0
END
cat >short.cfg <<END
strategy = nosync, tail
backend  = cpu
grid     = 1:16:*2
block    = 32
repeat   = 2
warmup   = 0
END

rows() { # the number of rows of a log: line ends, without the header
    local lines=0
    [[ ! -e $1 ]] || lines=$(grep -c $'\r$' "$1" || true)
    printf '%s' $((lines > 0 ? lines - 1 : 0))
}
has_rows() { (($(rows "$1") >= $2)); }
job_has() { [[ $(scontrol show job --oneliner "$1") == *" $2 "* ]]; }
has_ended() { ! squeue --noheader --jobs="$1" 2>/dev/null | grep -q .; }
exit_code() { scontrol show job --oneliner "$1" | sed 's/.* ExitCode=\([0-9]*\):.*/\1/'; }
log_of() { printf '%s/%s-of-3.csv' "$1" "$2"; }

# submit N EXPERIMENT...: sets array and merge to the job ids that sweep.sbatch prints.
submit() {
    "$sweep" "$@" >submitted || fail "sweep.sbatch: exit code $?"
    array=$(sed -n 's/^array job \([0-9]*\):.*/\1/p' submitted)
    merge=$(sed -n 's/^merge job \([0-9]*\):.*/\1/p' submitted)
    [[ -n $array && -n $merge ]] || fail "sweep.sbatch does not print the job ids: $(cat submitted)"
}

# same_samples MERGED WHOLE: fails unless both have the same (key, repetition) pairs, each once, in complete rows with
# status ok.
same_samples() {
    python3 - "$@" <<'END'
import csv
import sys

def samples(path):
    with open(path, newline="", encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("\r\n"), f"{path}: the last line is not whole"
    header, *rows = csv.reader(text.splitlines(), strict=True)
    for row in rows:
        assert len(row) == len(header), f"{path}: a row of {len(row)} columns, not {len(header)}: {row}"
        assert dict(zip(header, row))["status"] == "ok", f"{path}: {row}"
    found = [(row[header.index("key")], row[header.index("repetition")]) for row in rows]
    assert len(set(found)) == len(found), f"{path}: {len(found) - len(set(found))} rows are there twice"
    return set(found)

merged, whole = (samples(path) for path in sys.argv[1:])
assert whole, "nothing was measured"
assert merged == whole, f"{len(whole - merged)} are missing, as {sorted(whole - merged)[:3]}; {len(merged - whole)} too many"
END
}

# --- What sweep.sbatch refuses before it submits anything

# refused MESSAGE WORDS...: WORDS are the arguments of sweep.sbatch.
refused() {
    local says=$1 code=0
    shift
    "$sweep" "$@" >out 2>err || code=$?
    [[ $code == 2 && ! -s out && $(cat err) == *"$says"* ]] || fail "sweep.sbatch $*: exit code $code, $(cat out err)"
}
for count in 0 -1 1001 2.5 x ''; do
    refused "sweep.sbatch: N is '$count': it is not a number of shards; allowed: " "$count" short.cfg
done
refused "EXPERIMENT.cfg is missing" 3
refused "sweep.sbatch: none.cfg: there is no such experiment file; allowed: " 3 none.cfg
refused "unknown option '--gird'" 3 short.cfg --gird 8
refused "--shard: a task gets its shard from its index" 3 short.cfg --shard 1/3
refused "--overwrite: a requeued task would start again" 3 short.cfg --overwrite
refused "--output out.txt: it is not the name of a log" 3 short.cfg -o out.txt
refused "-o: its value is missing" 3 short.cfg -o
refused "nowhere.shards/ cannot be created" 3 short.cfg -o no/where/nowhere.csv
touch there.csv
refused "--output there.csv: it already exists, and the merge would overwrite it" 3 short.cfg --output=there.csv
NESTBED=/nowhere/nestbed refused "NESTBED=/nowhere/nestbed: there is no such program" 3 short.cfg
"$sweep" 3 short.cfg --dry-run >out
[[ -s out && -z $(squeue --noheader) ]] || fail "something was submitted"
ok "bad input is refused by name, and nothing is submitted"

# --- Three shards at once, each stopped half-way in a different way

"$NESTBED" run long.cfg -o whole.csv >whole.log 2>&1 & # the merged log must equal this one
whole=$!
submit 3 long.cfg --title "a  title, with 'blanks' and \"quotes\" at 50%" -o "a log.csv"
shards="a log.shards"
for shard in 1 2 3; do
    wait_for "rows of shard $shard" has_rows "$(log_of "$shards" $shard)" 10
done
gpus=$(sed -n 's/.*, GPU \([^,]*\),.*/\1/p' "$shards"/*-of-3.txt | sort | tr '\n' ' ')
[[ $gpus == "0 1 2 " ]] || fail "the tasks have the GPUs $gpus, not one each"
ok "three tasks run at once, each with a GPU of its own"

# Ends shard 2 like the loss of a node: kills its batch script and nestbed without any notice.
mapfile -t processes < <(processes_with "SLURM_CONF=$SLURM_CONF" "SLURM_ARRAY_JOB_ID=$array" SLURM_ARRAY_TASK_ID=2)
((${#processes[@]} > 1)) || fail "task 2 has only the processes ${processes[*]}"
kill -KILL "${processes[@]}" || true # one may have ended when another was killed
scontrol requeue "${array}_1"              # as an administrator would, or preemption
scancel --batch --signal=USR1 "${array}_3" # as Slurm does before the time limit
wait_for "the end of task 2" job_has "${array}_2" JobState=FAILED
cp "$(log_of "$shards" 2)" killed.csv
scontrol requeue "${array}_2"
for shard in 1 3; do
    wait_for "task $shard to be queued again" job_has "${array}_$shard" Restarts=1
    cp "$(log_of "$shards" $shard)" "stopped-$shard.csv"
done
job_has "$merge" JobState=PENDING || fail "the merge does not wait for the requeued tasks"
refused "jobs in the queue write it" 3 long.cfg -o "$scratch/work/a log.csv"
ok "killed with $(rows killed.csv) rows, requeued with $(rows stopped-1.csv), at its limit with $(rows stopped-3.csv); the merge waits"

wait_for "the merge" has_ended "$array,$merge"
[[ $(exit_code "$merge") == 0 ]] || fail "the merge: exit code $(exit_code "$merge")"
wait_for "the unsharded run" eval "! kill -0 $whole 2>/dev/null"
wait "$whole" || fail "the unsharded run: exit code $?: $(cat whole.log)"
same_samples "a log.csv" whole.csv || fail "the merged log is not the unsharded one"
[[ -s "a log.csv.json" ]] || fail "the merged log has no manifest"
ok "the merged log equals the unsharded one: $(rows "a log.csv") rows, none missing, none twice"

for one in 1:stopped-1.csv 2:killed.csv 3:stopped-3.csv; do
    log=$(log_of "$shards" "${one%%:*}") before=${one#*:}
    python3 - "$log" "$before" <<'END' || fail "$log was not resumed"
import json
import pathlib
import sys

log, before = (pathlib.Path(path) for path in sys.argv[1:])
was = before.read_bytes()
was = was[:was.rindex(b"\n") + 1]
now = log.read_bytes()
assert len(was) < len(now), f"{log}: it was complete already when it was stopped"
assert now.startswith(was), f"{log}: the rows of the run that was stopped are not all there"
runs = json.loads(pathlib.Path(f"{log}.json").read_text())["runs"]
assert len(runs) > 1, f"{log}: the manifest knows of {len(runs)} run"
END
done
ok "each shard was resumed: what it had is there unchanged, and its manifest has both runs"

# --- A shard that never runs, a task that is requeued after the merge, and the same command again

export SBATCH_GRES=none # as on a cluster without GPUs
scontrol update PartitionName=test State=DOWN # so that nothing starts yet
submit 2 short.cfg
scancel "${array}_2"
scontrol update PartitionName=test State=UP
wait_for "the merge" has_ended "$array,$merge"
shards=results/local/short.shards
[[ $(exit_code "$merge") == 3 ]] || fail "the merge without shard 2: exit code $(exit_code "$merge")"
grep -q "shard 2 of 2 has no log, $shards/2-of-2.csv" $shards/merge.txt || fail "the merge does not name shard 2"
grep -q "GPU not set" $shards/1-of-2.txt || fail "SBATCH_GRES=none: the task has a GPU"
ok "a shard that never ran is named, and the merge ends with 3; SBATCH_GRES=none asks for no GPU"

scontrol requeue "${array}_1"
wait_for "task 1 again" grep -q "merge job .* follows" $shards/1-of-2.txt
merge=$(sed -n 's/.*merge job \([0-9]*\) follows/\1/p' $shards/1-of-2.txt)
wait_for "the second merge" has_ended "$array,$merge"
[[ $(exit_code "$merge") == 3 ]] || fail "the second merge: exit code $(exit_code "$merge")"
ok "after a task that is requeued late another merge follows"

"$NESTBED" run short.cfg -o whole-short.csv >/dev/null
submit 2 short.cfg
wait_for "the third merge" has_ended "$array,$merge"
[[ $(exit_code "$merge") == 0 ]] || fail "the third merge: exit code $(exit_code "$merge")"
same_samples results/local/short.csv whole-short.csv || fail "the merged log is not the unsharded one"
ok "the same command again makes it complete"
