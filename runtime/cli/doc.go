// Package cli is the command line of an emitted main: it reads flags, reads and writes arrays
// as files, runs the ranks as goroutines or as processes, shows progress, and compares with the
// sequential loops.
//
// It takes a sched.Program, which holds everything that the emitted package knows. It writes
// files; on standard output the reductions, a line each, and one line about the run; everything
// else on standard error. Exit codes: 0 done, 1 the run failed, 2 the command line is wrong, 3 a
// bug of ours, 4 a signal ended the run with a checkpoint.
//
// # Processes
//
// With -n above 1 the program starts itself once per rank (package launch), and each rank reads
// its job from standard input. If another launcher, such as mpiexec, started the program once
// per rank, the process of rank 0 gives the other ranks their jobs.
//
// Each rank plans by itself; the handshake compares digests of program and plan. A rank reads
// only the box of each input that it needs, and writes what it computed into the launcher's
// temporary file, for which the launcher has reserved space before the run. The file gets its
// name after every rank has succeeded. Of several files, all get their names or none; complete
// files that cannot get their names stay under other names, which the error tells. A rank's I/O
// runs in goroutines of its own, which send heartbeats: a dead peer is an error that names
// rank, peer and step, never a hang.
//
// Two ranks on one host communicate through shared memory, all others by TCP. --transport tcp
// uses TCP everywhere, and --transport shm refuses anything else. --transport ofi and mpi keep
// TCP for coordination, and move faces through package rma; they need cgo and a build tag,
// which loopc run sets. Without the tag no C file is compiled.
//
// With --trace, each goroutine of a rank records its actions in memory of its own, without a
// lock. A rank writes its part when it ends, even if it fails, and the launcher merges the
// parts into one file. Once a second, ranks report their progress to the launcher's --metrics.
// Packing is estimated from a sample of levels, because reading the clock takes as long as
// packing one.
//
// # Invariants
//
// Files that cannot be written are refused before the run. No result is lost: results that
// cannot get their names stay under other names.
package cli
