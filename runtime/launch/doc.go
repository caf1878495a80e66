// Package launch answers three questions of a rank: who am I, how many are we, where are
// the others. It also starts ranks, on this host, by ssh, or by a batch system, and
// watches over them.
//
// Whoever starts the ranks runs a rendezvous (Serve), and tells each rank by its
// environment which number it has and where the rendezvous is, and in secret what the
// processes of the run know one another by (package auth). A rank registers there (Join)
// with the address at which it listens, and learns all addresses once the last one has.
// The connection stays open as a control channel: progress, results and failures go up,
// and down comes the word to cancel or to commit. If it breaks, the launcher is gone and
// the rank ends.
//
// # Other hosts
//
// With --hosts the launcher copies the program to each host by ssh and starts the ranks
// there. The connection that copied the program stays open and carries a byte now and
// then; the copy on the host reads them, and the host removes it when the connection ends
// or is silent (Watch), so that nothing is left there however the run ends. --slurm and
// --k8s leave the start to srun and Kubernetes, by a command line, a script or a manifest.
// When mpiexec, mpirun, srun, an Indexed Job or plain variables start the ranks
// (FindStarter), the process of rank 0 does what the launcher does. Ranks that do not see
// a file read and write it through the rendezvous (Service), and are placed so that ranks
// with much to exchange share a host (Place).
//
// # Silence
//
// All times for silent processes follow from one, --patience (DefaultPatience): ranks give
// up a silent rank after it, the launcher and a host after three times as long. An outage
// of half of it does no harm: TCP tries again at growing intervals, which Linux from 6.15
// on bounds for us, and elsewhere ranks wait a quarter longer (package tcp). A hangup of
// the terminal ends a run as an interrupt does, unless it was ignored from the start
// (nohup).
//
// # The process while it computes
//
// A process that does nothing but run nests collects its garbage before the workers begin,
// and not while they compute (Uncollected). Go's scheduler has one processor more than
// workers where others move messages, and not one more where nobody does, for that one
// would take workers off their CPUs (UseProcessors). Workers begin on CPUs of their own
// (Seats). A program that the nests are part of is left as it is.
//
// # Invariants
//
// However a run ends, no process and no copy of the program outlives it by more than these
// times. The secret is never on a command line.
package launch
