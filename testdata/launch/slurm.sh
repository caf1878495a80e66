# Four ranks under srun, on four nodes that are four daemons of this host, of a Slurm
# that is started for this and stopped after it. It needs root, as slurmd does.
launcher=srun
rank_variable=SLURM_PROCID
. "$(dirname "$0")/common.sh"
host=$(hostname -s)
[ "$(id -u)" = 0 ] || { echo "srun: skipped, only root can start slurmd"; [ "${CI:-}" != true ]; exit; }
port=$((17000 + $$ % 1000 * 10))
daemons=()

# stop ends the daemons, and what they have not ended.
stop() {
	scancel --quiet --signal=KILL --user=root >"$work/scancel" 2>&1
	scancel --quiet --user=root >>"$work/scancel" 2>&1
	kill "${daemons[@]}" 2>"$work/kill"
	for ((try = 0; try < 50; try++)); do
		[ -n "$(jobs -rp)" ] || return
		sleep 0.1
	done
	kill -9 "${daemons[@]}" 2>"$work/kill"
	wait "${daemons[@]}" 2>"$work/kill"
}

mkdir -p "$work"/{state,spool,munge} && chmod 755 "$work" && chmod 700 "$work/munge"
cat >"$work/slurm.conf" <<END
ClusterName=loopc
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
SlurmctldPidFile=$work/slurmctld.pid
SlurmctldLogFile=$work/slurmctld.log
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool/%n
SlurmdPidFile=$work/slurmd.%n.pid
SlurmdLogFile=$work/slurmd.%n.log
TmpFS=$work/spool/%n
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket
CredType=cred/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1
KillWait=2
$(for k in 1 2 3 4; do echo "NodeName=n$k NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + k)) CPUs=1 RealMemory=64 State=UNKNOWN"; done)
PartitionName=all Nodes=n[1-4] Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$work/slurm.conf
head -c 1024 /dev/urandom >"$work/munge/key" && chmod 400 "$work/munge/key"
trap stop EXIT
munged --foreground --force --key-file="$work/munge/key" --socket="$work/munge/socket" --pid-file="$work/munge/pid" --seed-file="$work/munge/seed" --log-file="$work/munge/log" >"$work/munged" 2>&1 &
daemons+=($!)
for ((try = 0; try < 200; try++)); do [ -S "$work/munge/socket" ] && break; sleep 0.1; done
slurmctld -D -f "$SLURM_CONF" >"$work/slurmctld" 2>&1 &
daemons+=($!)
for k in 1 2 3 4; do
	mkdir -p "$work/spool/n$k"
	slurmd -D -f "$SLURM_CONF" -N "n$k" >"$work/slurmd.n$k" 2>&1 &
	daemons+=($!)
done
for ((try = 0; try < 400; try++)); do
	[ "$(sinfo -h -t idle -o %D 2>"$work/sinfo")" = 4 ] && break
	sleep 0.1
done
[ "$(sinfo -h -t idle -o %D 2>"$work/sinfo")" = 4 ] || {
	tail -n 5 "$work"/*.log "$work"/munged "$work"/slurmd.n1
	fail "its nodes do not come up"
}
launch() { srun --mpi=pmi2 -N 4 -n 4 "$program" "$@"; }
check 'rank 2: process [0-9]+ on n3 is gone' 'the process that leads the run is gone|peer is gone: rank 0 '

# Without PMI: on the first node, by the secret in a file. Names of these nodes stand
# for no address, so that the place is named.
(umask 077 && od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$work/secret")
launch() { LOOPC_ROOT=127.0.0.1:$((port + 9)) LOOPC_SECRET_FILE=$work/secret srun --mpi=none -N 4 -n 4 "$program" "$@"; }
same_bits
echo "$launcher: same bits without PMI"

# By the program itself: in an allocation of its own, in one that is there, and as a
# script.
launch() { "$program" --slurm -n 4 --slurm-option nodes=4 --job diffusion "$@"; }
same_bits
killed 2 'rank 2: process [0-9]+ on n[1-4] is gone'
stopped TERM "$program" --slurm -n 4 --slurm-option nodes=4
stopped KILL "$program" --slurm -n 4 --slurm-option nodes=4
launch() { salloc -N 4 -n 4 "$program" --slurm -n 4 "$@"; }
same_bits
launch() {
	local status=0
	"$program" --slurm-script "$work/job" -n 4 --slurm-option nodes=4 --slurm-option "output=$work/said.job" "$@" &&
		sbatch --wait --quiet "$work/job" || status=$?
	cat "$work/said.job"
	return "$status"
}
same_bits
echo "$launcher: same bits by --slurm and --slurm-script, and ends when a rank is killed"

# What follows takes more than a minute.
[ "${LONG:-false}" = true ] || exit 0
# Slurm looks at time limits every half a minute: it asks the ranks for a checkpoint two minutes before the limit, which
# is past here, and the job is queued again. It continues from the checkpoint, until it has ended.
slow=$(dirname "$program")/../slow/program
limited=(--random 1 --epoch 25)
"$slow" "${limited[@]}" --out "u=$work/alone.npy" >"$work/said.alone" 2>&1 || fail "a single rank fails"
"$slow" --slurm-script "$work/job" -n 4 --slurm-option nodes=4 --slurm-option time=1 --slurm-option "output=$work/said.requeued" \
	"${limited[@]}" --cpus 1 --out "u=$work/four.npy" --checkpoint "$work/checkpoint" --checkpoint-every 1h >"$work/said" 2>&1 || fail "there is no script"
job=$(PAUSE=10ms sbatch --parsable "$work/job") || fail "the job is not queued"
for ((try = 0; try < 1400; try++)); do
	scontrol --oneliner show job "$job" >"$work/said.job" 2>&1
	grep -q 'JobState=COMPLETED' "$work/said.job" && break
	# Slurm lets a job that is queued again wait for two minutes. Some seconds suffice until its old script has ended.
	grep -q 'JobState=PENDING Reason=BeginTime' "$work/said.job" && sleep 8 && scontrol update "jobid=$job" starttime=now
	sleep 0.1
done
grep -q 'JobState=COMPLETED' "$work/said.job" || fail "the job that is queued again does not end"
grep -q ' Restarts=[1-9]' "$work/said.job" || fail "the job was not queued again"
cmp "$work/alone.npy" "$work/four.npy" || fail "the result of the job that was queued again differs"
echo "$launcher: a job at its time limit writes a checkpoint, is queued again, continues, and has the same bits"
