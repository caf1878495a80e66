// Package plan decides at launch what depends on numbers: the process grid, the sides of the tiles, the worker of each column of tiles, the
// faces, and who sends them to whom. The compiler uses it to explain, and every emitted program links it, so that each decision has one
// implementation.
//
// It takes a Nest, which the compiler has proved and emits as a literal, values of its parameters, and Options. It returns a Plan, which is
// immutable. All coordinates are skewed, p = T·j, so that every flow dependence is nonnegative. The notation is that of package ir.
// Dimensions are counted from 0, outermost first; dimension 0 is also called the level.
//
// Below this package, walk lists the operations of a tile, with the exterior cells that it
// fills, cost prices a plan on a machine, and search chooses the plan with the lowest price.
//
// # What is decided
//
// One emitted program serves every parameter value, rank count, CPU count, grid and tile side. New has a rule for everything that the
// options leave open: it maps along the longest dimension, chooses the grid and mesh with the least time for computation and faces, and
// sides such that the live levels fit the cache and the pipeline fills quickly. The rules never make a plan that is refused: sides that the
// options leave open become longer if necessary.
//
// Planning ends when its context ends, and its time does not grow with the parameters: steps and volumes have closed forms or are bounded.
// Ranks get options that leave nothing open (Plan.Options). A check that the compiler could not prove for all parameters, such as that
// subscripts stay within bounds, is a condition on the parameters, which is tested here.
//
// # Skewed storage
//
// In skewed storage (KeepsWhole, package halo), tiles have entire rows and a limited number of levels. Their middle sides are so long that
// the live levels fill two thirds of the machine's second cache (Options.Cache). CPUs share one of the middle dimensions and take its
// columns cyclically, or share the rows if these are long; otherwise CPUs follow one another along the levels.
//
// # Windows
//
// Options.Epoch cuts a run into windows of levels, each a plan of its own (Window) with the tiles, workers and edges of the first, moved.
// Between two windows only a state exists: the results of the last levels that later ones read (State). Space, parameters and what
// overwrites what are those of the entire run, so that the results have the same bits.
//
// # Who needs what from whom
//
// Tiles along the mapping dimension form a column. A column belongs to one worker, a CPU of a rank. A worker may have several columns. With
// cluster, these are a block of neighboring columns, and the worker runs one tile of each in turn. With cyclic and mirror, the worker has
// one column in each round of the ranks, and completes it before its next one. If the CPUs of one rank take columns cyclically, the first
// and the last column may be narrower than the others (Plan.Origin), so that the second CPU begins earlier and the last one ends earlier.
//
// Results leave a column in directions: 0/1 vectors that are 0 along the mapping dimension. There is one edge per column and direction, so
// corners travel directly. Along the mapping dimension a column carries its own last cells and the corners that arrived, so that each face
// is sent once. Sender and receiver both compute from the plan whether tile k has a face in a direction, and how long it is; empty faces
// are not sent. A message is one face or, with vertical grouping, the faces of a tile's sub-tiles (Stream says which).
//
// Slots are credits. An edge has as many slots as it has messages that are sent and not yet consumed, if tiles run in the steps of the
// plan. It has at least three slots: a face holds its slot while it is packed, while it travels, and while it is read in place. Two slots
// are enough for progress, but lose half of the overlap. Within a rank an edge has no more slots than messages.
//
// # Invariants
//
// checkOrder proves that everything that a tile waits for lies in earlier steps. checkCredits executes the graph of credits. The package
// uses the standard library only. It never depends on the time of day, the order of maps or the number of processors.
//
// # Source
//
// The papers [P1], [P2] and [P3] of DIVERGENCE.md, which also lists where this package departs
// from them. Their closed forms are in package paper; tests compare them with enumeration.
package plan
