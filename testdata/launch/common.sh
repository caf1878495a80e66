# What the scripts of this folder share. A script gets the program, a folder to work
# in, and is to be sourced after:
#
#	program   an emitted program of examples/diffusion, unchanged for all launchers
#	work      an empty folder
#	transport what is between the ranks, if they are to be told
#
# It defines launch ARGS..., which starts four ranks of the program with the
# arguments, rank_variable, which names the variable with a rank's number, and if
# ranks run copies of the program, executable, a pattern of their paths.
set -uo pipefail
program=$1
work=$2
transport=(${3:+--transport "$3"})
small=(-p T=60,N=120 --random 1 --cpus 1 "${transport[@]}")
# Some 20 s of waiting instead of computing.
long=(-p T=4000,N=500 --random 1 --cpus 1 --virtual 40 --progress json "${transport[@]}")

# fail WORDS...: the script fails, and shows what the ranks said.
fail() {
	echo "$launcher: $*"
	tail -n 20 "$work"/said* 2>&1
	exit 1
}

# victim RANK: the process of the program that its launcher calls RANK, or nothing.
victim() {
	local folder
	for folder in /proc/[0-9]*; do
		if [[ "$(readlink "$folder/exe" 2>"$work/readlink")" == ${executable:-$(readlink -f "$program")} ]] &&
			tr '\0' '\n' <"$folder/environ" 2>"$work/environ" | grep -qx "$rank_variable=$1"; then
			echo "${folder#/proc/}"
			return
		fi
	done
}

# same_bits: the result of four ranks has the bits of a run by one, which equals the
# sequential loops.
same_bits() {
	"$program" "${small[@]}" --out "u=$work/alone.npy" --check >"$work/said.alone" 2>&1 || fail "a single rank fails"
	launch "${small[@]}" --out "u=$work/four.npy" --summary "$work/summary.json" --trace "$work/trace.json" >"$work/said" 2>&1 ||
		fail "exit status $?"
	cmp "$work/alone.npy" "$work/four.npy" || fail "the result differs"
	[ "$(grep -c wait_data_seconds "$work/summary.json")" = 5 ] || fail "the summary lacks ranks"
	grep -q "on 4 ranks" "$work/said" || fail "these are not four ranks"
	grep -q '"rank 3' "$work/trace.json" || fail "the trace lacks rank 3"
	rm -f "$work"/*.npy "$work"/*.json
}

# killed RANK PATTERN: with one rank killed, the others end within seconds, and say
# something that matches.
killed() {
	local pid="" try began status=0
	launch "${long[@]}" >"$work/said" 2>&1 &
	local launched=$!
	# A machine that is busy takes its time to start four processes.
	for ((try = 0; try < 300; try++)); do
		grep -q '"done":[1-9]' "$work"/said* && pid=$(victim "$1") && [ -n "$pid" ] && break
		sleep 0.1
	done
	[ -n "$pid" ] || fail "there is no rank $1 to kill, or it computes nothing"
	began=$(date +%s%N)
	kill -9 "$pid"
	wait "$launched" || status=$?
	[ "$status" != 0 ] || fail "the exit status is 0 though rank $1 was killed"
	[ $((($(date +%s%N) - began) / 1000000)) -lt 12000 ] || fail "it took $((($(date +%s%N) - began) / 1000000)) ms to end after rank $1 was killed"
	grep -Eq "$2" "$work"/said* || fail "nothing says why it ended after rank $1 was killed"
	gone "rank $1 was killed"
}

# gone WHAT: no rank is left, 12 s after began at most, when WHAT happened.
gone() {
	while [ -n "$(victim 0)$(victim 1)$(victim 2)$(victim 3)" ]; do
		[ $((($(date +%s%N) - began) / 1000000)) -lt 12000 ] || fail "ranks are left 12 s after $1"
		sleep 0.1
	done
}

# stopped SIGNAL COMMAND...: when the command, which starts ranks, gets the signal, they
# end within seconds.
stopped() {
	local try began signal=$1
	shift
	: >"$work/said" # what the run before has said there
	"$@" "${long[@]}" >"$work/said" 2>&1 &
	local launched=$!
	# A batch system may first have to tidy up what was killed before.
	for ((try = 0; try < 300; try++)); do
		grep -q '"done":[1-9]' "$work/said" && break
		sleep 0.1
	done
	[ -n "$(victim 3)" ] || fail "there is no rank 3 after $((try / 10)) s"
	began=$(date +%s%N)
	kill "-$signal" "$launched"
	wait "$launched" && fail "the exit status is 0 after SIG$signal"
	gone "SIG$signal"
}

# The whole test.
check() {
	same_bits
	killed 2 "$1"
	killed 0 "$2"
	local how=${transport[*]}
	echo "$launcher${how:+ $how}: same bits, and ends when a rank is killed"
}
