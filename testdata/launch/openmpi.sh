# Four ranks under Open MPI's mpirun, which ends all others when one ends by a signal.
launcher=mpirun.openmpi
rank_variable=OMPI_COMM_WORLD_RANK
. "$(dirname "$0")/common.sh"
# Variables instead of --allow-run-as-root: other users need neither.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
launch() { mpirun.openmpi -n 4 --oversubscribe "$program" "$@"; }
check 'rank 2: process [0-9]+ on .* is gone|peer is gone: rank 2 closed|process rank 2 .* exited on signal 9' 'process rank 0 .* exited on signal 9|leads the run is gone|peer is gone: rank 0 closed'
