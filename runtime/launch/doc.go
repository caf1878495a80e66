// Package launch tells a rank its number, the number of ranks, and the addresses of the
// others. It also starts ranks, on this host, by ssh, or by a batch system, and watches
// over them.
//
// The launcher runs a rendezvous (Serve). It gives each rank its number and the address of the
// rendezvous in environment variables. Through a private channel it gives the rank the secret by
// which the processes of the run authenticate one another (package auth). A rank registers at
// the rendezvous (Join) with the address at which it listens, and receives all addresses
// when the last rank has registered. The connection stays open as a control channel: the
// rank sends progress, results and failures, and the launcher sends the order to cancel or
// to commit. If the connection breaks, the launcher is gone and the rank ends.
//
// # Other hosts
//
// With --hosts the launcher copies the program to each host by ssh and starts the ranks
// there. The connection that copied the program stays open and carries heartbeats. The
// program on the host reads them, and the host removes the copy when the connection ends or
// is silent (Watch), so that nothing is left on the host, however the run ends. With
// --slurm and --k8s, srun or Kubernetes starts the ranks, from a command line, a script or
// a manifest. If another launcher has started the ranks (mpiexec, srun, an Indexed Job, or
// anything that sets LOOPC_RANK and LOOPC_SIZE: see FindStarter), the process of rank 0 takes
// the part of the launcher. Ranks that cannot see a file access it through the rendezvous
// (Service). Ranks are placed so that those that exchange much share a host (Place).
//
// # Silence
//
// All timeouts follow from --patience (DefaultPatience): ranks give up a silent rank after
// this time. On a connection between the launcher and another host, the other side counts as gone
// after three times as long, so that ranks, which know more, report first. A network outage of half
// this time does no harm: TCP retries at growing intervals, which package tcp bounds on
// Linux 6.15 or later; on other systems ranks wait a quarter longer. SIGHUP ends a run like
// SIGINT, unless it was ignored from the start (nohup).
//
// # The process while it computes
//
// A process that only runs nests collects its garbage before the workers begin, and not
// while they compute (Uncollected). GOMAXPROCS is the number of workers plus one if other
// goroutines move messages; otherwise it is the number of workers, because an additional
// thread would take CPUs from workers (UseProcessors). Workers begin on CPUs of their own
// (Seats). A user's program that calls nests is left alone.
//
// # Invariants
//
// However a run ends, no process and no copy of the program outlives it by more than these
// timeouts. The secret is never on a command line.
package launch
