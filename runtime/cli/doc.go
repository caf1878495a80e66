// Package cli is the command line of an emitted main: it reads flags, arrays from and to
// files, runs the ranks as goroutines or as processes, tells of progress, and compares
// with the sequential loops.
//
// In comes a sched.Program, which is what the emitted package knows. Out go files, one
// line on standard output, and everything else on standard error. Exit codes: 0 done, 1
// the run failed, 2 the command line is wrong, 3 a bug of ours.
//
// # Processes
//
// With -n above 1 the program starts itself as ranks (package launch). Such a rank reads
// its job from standard input. Started several times by another launcher, the process of
// rank 0 is also what such ranks have for a launcher; the others get their jobs from it.
//
// Each rank plans by itself; the handshake compares digests of program and plan. Ranks
// read only the box of each input that they need, and write what they computed into the
// launcher's temporary file, for which the launcher has reserved space before anything is
// computed. The file gets its name when every rank has succeeded: of several files all do
// or none, and complete ones that cannot stay under names that the error tells. A rank's
// I/O is done by goroutines of its own, which send heartbeats: a dead peer is an error
// that names rank, peer and step, never a hang.
//
// Two ranks on one host talk through shared memory, all others by TCP. --transport tcp has
// TCP everywhere, --transport shm refuses anything else. --transport ofi and mpi keep TCP
// for what ranks have to settle, and move faces through package rma; they need cgo and a
// build tag, which loopc run sees to, and without the tag no C file is compiled.
//
// With --trace, each goroutine of a rank records what it does in memory of its own, without
// a lock; a rank writes its part when it ends, also when it fails, and the launcher makes
// one file of the parts. What ranks have done so far goes to the launcher's --metrics once
// a second; packing is estimated from a sample of levels, for a look at the clock costs as
// much.
//
// # Invariants
//
// What cannot be written is refused before anything is computed. Nothing is lost that took
// long to compute: results that cannot have their names stay under others.
package cli
