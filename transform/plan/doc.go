// Package plan decides by number what can only be known at launch: the process grid,
// the sides of the tiles, which worker runs which column of tiles, what the faces are
// and who sends them to whom. The compiler explains with it, and every emitted program
// links it: there is one implementation of each decision.
//
// In comes a Nest, which is what the compiler proved and emits as a literal, with
// values for its parameters and Options. Out comes a Plan. All coordinates are skewed
// ones, p = T·j, in which every flow dependence is nonnegative. The notation is that of
// package ir; a dimension is counted from 0, outermost first, and dimension 0 is also
// called the level.
//
// # What is decided
//
// One emitted program serves every parameter value, rank count, CPU count, grid and
// tile side. New has a rule for everything that the options leave open: the longest
// dimension to map along; the grid and mesh with the least time for computation and
// faces; sides such that the live levels fit the cache and the pipeline fills quickly.
// A plan that the rules make is never refused: sides that nobody gave are made longer.
//
// Choose starts there and tries what else there is, by predicted time. A closed form
// prunes ([P1] eq. (1), with the real latency in place of a step), and Simulate
// executes the best few plans, tile by tile, by the rules of the executor, on a Machine: figures that loopc
// calibrate measured, or built-in ones. Of plans that take about as long the simpler
// one wins. What a rank needs of memory counts as well (Plan.Memory): above 1.2 times
// its share of what any run needs, in proportion. Where plans of this very run were
// raced (Trial), the fastest wins, whatever is predicted, unless options exclude it.
// ChooseUpTo takes fewer CPUs than there are if these are predicted to take no longer.
// Advice says when workers are predicted to compute for too small a part of the time.
//
// Planning ends with its context, and its time does not grow with parameters: steps and
// volumes have closed forms or are bounded, and a search has an effort that is counted,
// not timed, so that it always finds the same plan. Ranks get options that leave
// nothing open (Plan.Options). Subscript and supply checks that the compiler could not
// prove for all parameters are conditions on the parameters, which are checked here.
//
// What a tile costs its CPU is counted as package halo does the work: row by row, for
// a kernel whose lanes are levels step by step, and, where the iterations of a level
// are a box, by the boxes that are filled, of which some are looked at. A factor
// corrects that by what tiles of about the same sides took when they were measured.
//
// Where nobody measured the nest, kernels have built-in figures of their own: those
// whose lanes are levels (Machine.WithLevels), those whose levels are kept whole
// (WithRows), and the portable one where rows advance together (WithTogether: what a
// row costs at its beginning and as it is given back). Whole rows are tried then, and,
// in a space that is skewed by time over far more levels than it is wide, tiles of
// some levels that are as wide as these.
//
// # Whole levels
//
// Where levels are kept whole (KeepsWhole, package halo), tiles have whole rows, levels
// that fill two thirds of the second cache of the machine (Options.Cache), and about as
// many levels as the sides between are long. Where levels are planes of rows in any
// order (Nest.AnyRowFirst), Choose also tries thin tiles (2.5-D blocking): some planes,
// one column of tiles after the other along the longest outer dimension. Predictions
// decide, which count what a tile moves in from memory and out. CPUs share a dimension
// between and take its columns cyclically, if levels move or rows are long; else they
// follow one another along the levels. Choose also tries columns whose tiles follow one
// another in time.
//
// # Who needs what from whom
//
// Tiles along the mapping dimension form a column, and a column belongs to one worker,
// a CPU of a rank. A worker may have several columns: a block of neighboring ones, of
// which it runs one tile each in turn (cluster), or one in each round of the ranks,
// which it runs one after the other (cyclic, mirror). Where the CPUs of a rank take
// columns cyclically, the first and the last may be narrower (Plan.Origin): the second
// CPU can then begin earlier, and the last one ends earlier.
//
// Results leave a column in directions: 0/1 vectors without the mapping dimension.
// There is one edge per column and direction, so corners travel directly. Along the
// mapping dimension a column carries on its own last cells, corners that arrived
// included, so that a face is sent once. Sender and receiver compute alike, from the
// plan, whether tile k has a face in a direction and how long it is; empty faces are
// not sent. A message is one face, or with vertical grouping those of a tile's
// sub-tiles (Stream says which).
//
// Slots are credits. An edge has as many as messages are sent and not yet consumed by
// the steps of the plan, and three at least, because a face holds its slot while it is
// packed, while it travels, and while it is read in place; two are enough for progress,
// but lose half of the overlap. Within a rank an edge has no more slots than messages.
//
// # Invariants
//
// CheckOrder proves that whatever a tile waits for lies in an earlier step.
// CheckCredits executes the graph. The package uses the standard library only, and
// never depends on the time of day, the order of maps or the number of processors.
//
// # Source
//
// The papers [P1], [P2] and [P3] of DIVERGENCE.md, which also says where this package
// departs from them. Closed forms of theirs stand in code of their own, and tests
// compare them with enumeration.
package plan
