# Four processes that are told by variables who they are, and by a file the secret.
launcher=variables
rank_variable=LOOPC_RANK
. "$(dirname "$0")/common.sh"
export LOOPC_SIZE=4 LOOPC_ROOT=127.0.0.1:$((20000 + $$ % 10000)) LOOPC_SECRET_FILE=$work/secret
(umask 077 && od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >"$LOOPC_SECRET_FILE")
launch() {
	local rank ranks=() status=0
	for rank in 3 2 1; do
		LOOPC_RANK=$rank "$program" "$@" >"$work/said.$rank" 2>&1 &
		ranks+=($!)
	done
	LOOPC_RANK=0 "$program" "$@" || status=$?
	for rank in "${ranks[@]}"; do
		wait "$rank" || status=$?
	done
	return "$status"
}
check 'rank 2: process [0-9]+ on .* is gone' 'the process that leads the run is gone|peer is gone: rank 0 '
