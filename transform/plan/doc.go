// Package plan decides by number what can only be known at launch: the process grid,
// the sides of the tiles, which worker runs which column of tiles, what the faces are
// and who sends them to whom. The compiler explains with it, and every emitted program
// links it: there is one implementation of each decision.
//
// In comes a Nest, which is what the compiler proved and emits as a literal, with
// values for its parameters and Options. Out comes a Plan, a value that nothing changes.
// All coordinates are skewed ones, p = T·j, in which every flow dependence is nonnegative.
// The notation is that of package ir; a dimension is counted from 0, outermost first, and
// dimension 0 is also called the level.
//
// Below this package, region finds the exterior cells that a tile fills, cost says what a
// plan takes on a machine, and search chooses a plan by that.
//
// # What is decided
//
// One emitted program serves every parameter value, rank count, CPU count, grid and
// tile side. New has a rule for everything that the options leave open: the longest
// dimension to map along; the grid and mesh with the least time for computation and
// faces; sides such that the live levels fit the cache and the pipeline fills quickly.
// A plan that the rules make is never refused: sides that nobody gave are made longer.
//
// Planning ends with its context, and its time does not grow with parameters: steps and
// volumes have closed forms or are bounded. Ranks get options that leave nothing open
// (Plan.Options). Subscript and supply checks that the compiler could not prove for all
// parameters are conditions on the parameters, which are checked here.
//
// # Whole levels
//
// Where levels are kept whole (KeepsWhole, package halo), tiles have whole rows, levels
// that fill two thirds of the second cache of the machine (Options.Cache), and about as
// many levels as the sides between are long. CPUs share a dimension between and take its
// columns cyclically, if levels move or rows are long; else they follow one another along
// the levels.
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
// departs from them. Their closed forms are in package paper, and tests compare them
// with enumeration.
package plan
