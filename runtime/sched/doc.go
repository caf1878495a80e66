// Package sched runs plans: it has the executors, one per worker, that wait for the
// faces of a tile, compute it, and send its results on.
//
// In come a Program, its plan, a transport and functions for the blocks of its arrays.
// Out come the arrays given back, reductions, and a summary of what every rank did.
//
// # One nest
//
// Overlapped, a worker posts the faces of a tile and goes on to the next one while the
// transport sends them. Blocking, it waits until its faces are in the neighbors'
// memory. Buffered, for comparison, it waits until the system has taken them.
//
// There is no barrier. A tile waits for the faces that it needs and for slots to pack
// its own into, and for nothing else. That is weaker than the steps of [P1], and keeps
// the order that they prove sufficient. Edges between columns of one rank are rings in
// memory; edges between ranks are the transport's.
//
// # Several nests
//
// A file of several nests is an ir.Program: every nest is compiled as if it were alone,
// with all arrays in the role that they have in it. An array that is live out of a nest
// is in or inout there (its init is a nest of its own); one that a single nest has stays
// as declared. Each nest has a plan of its own, from options that are for all nests
// they fit (plan.ForEach) and from its schedule. Between nests, package redist moves
// what ranks need; cells that nobody has written come from the caller, each rank asking
// for its own.
//
// Edges are opened once and serve every repetition, and so do the goroutines of
// workers, their threads and their memory: to begin anew takes longer than a small
// nest. Ranks of one process share what they know of all ranks. A repeat ends when
// rank 0 has put a reduction together and told the others.
//
// # Reductions
//
// A reduction is one more statement at the end of the body, whose values go nowhere but
// into an accumulator: of a row while it is computed, then of the worker, of its rank,
// and of all ranks, where parts come with the ranks' summaries. max, min and sums of
// integers do not depend on the order. A sum of floats is kept exactly (arith.Sum) and
// rounded at the very end.
//
// # Invariants
//
// Results have the bits of the sequential loops, whatever the plan. An executor that
// fails names rank, peer and step; a canceled context ends every wait.
package sched
