# Four ranks under hydra's mpiexec, which kills all others when one ends by a signal.
launcher=mpiexec.hydra
rank_variable=PMI_RANK
. "$(dirname "$0")/common.sh"
launch() { mpiexec.hydra -n 4 "$program" "$@"; }
check 'KILLED BY SIGNAL|Killed \(signal 9\)|process [0-9]+ on .* is gone|peer is gone: rank 2 closed' 'KILLED BY SIGNAL|Killed \(signal 9\)|is gone'
