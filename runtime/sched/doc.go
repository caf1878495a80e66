// Package sched runs plans: it has the executors, one per worker, that wait for the faces of a tile, compute it, and send its results on.
//
// It takes a Program, its plan, a transport, and functions for the blocks of its arrays. It
// returns the results, the reductions, and a summary of what every rank did.
//
// # One nest
//
// With overlap, a worker posts the faces of a tile and continues with the next tile while the transport sends them. With blocking, it waits
// until its faces are in the neighbors' memory; with buffered, for comparison, until the system has taken them.
//
// There is no barrier. A tile waits only for the faces that it needs, and for slots to pack its own faces into. That is weaker than the
// steps of [P1], but keeps the order that [P1] proves sufficient. Edges between columns of one rank are rings in memory; edges between
// ranks belong to the transport.
//
// # Several nests
//
// A file of several nests is an ir.Program. Every nest is compiled as if it were alone, with its own declarations of its arrays: an array
// that several nests use is in or inout for each of them, and its init is a nest of its own; an array of one nest stays as declared. Each
// nest has a plan of its own, made from its schedule and from those common options that fit it (plan.ForEach). Between nests, package
// redist moves the cells that ranks need. Cells that nobody has written come from the caller: each rank asks for its own.
//
// Edges are opened once and serve every repetition; so do the workers' goroutines, threads and memory, because setting them up takes longer
// than running a small nest. The ranks of one process share a layout, which says what each rank needs and owns. A repeat with an until ends
// after rank 0 has combined a reduction and told the other ranks.
//
// Where the loops of a batch run as they are written, each CPU takes one item after another, and has copies of its own of the arrays that
// only items use. If there are several ranks, each has a range of items (see division).
//
// # Reductions
//
// A reduction is one more statement at the end of the body. Its values are not stored but accumulated: in each row, then in the worker, in
// the rank, and over all ranks, when the ranks' summaries are merged. max, min and sums of integers do not depend on the order. A sum of
// floats is kept exactly (arith.Sum) and rounded once, at the end.
//
// # Invariants
//
// Results have the bits of the sequential loops, whatever the plan. An error of an executor
// names rank, peer and step. Canceling the context ends every wait.
package sched
