// Package halo is the memory of a column of tiles, and what happens to it when a tile
// is computed: a block of live levels with ghost cells, the faces that are packed into
// and unpacked from messages, what is carried from a tile to the next, and the cells
// outside the iteration space.
//
// Locations are skewed iteration vectors p, as in package plan: location p of a
// value's block holds the result of iteration p. Coordinate 0 is the level.
//
// # A tile runs level by level
//
// A block keeps, for each value, as many levels as its longest flow distance along
// the level needs (two for a Jacobi or Gauss-Seidel sweep), for one tile plus a halo
// below it. For each level of a tile
//
//   - ghost cells are copied out of the slots of the faces that arrived, and out of
//     what the tile before carried over;
//   - exterior cells, outside the iteration space, are filled with what the cells of
//     the array contain there;
//   - the emitted kernel computes the rows;
//   - what neighbors need is packed straight into the slots of their edges;
//   - final results go to the views of the arrays given back.
//
// A tile that is thin along the mapping dimension and long in time is thereby
// temporal blocking: its levels stay in the cache.
//
// A kernel is Box(lo, hi): the iterations of a box of one level, all inside the space.
// It gets positions and strides from the block. Bounds, ghost cells and edges are not
// its business. The layout of a block is known to the block, the kernel and this
// package alone.
//
// # Whole levels: skewed storage
//
// Where lanes lie along rows, exterior cells have their initial content (Nest.Whole)
// and the plan has one rank, one block serves all columns (plan.KeepsWhole). Location
// p takes the place of p − c, where the offset c is the longest flow distance, and
// there is one level more. A Jacobi sweep then alternates between two arrays, as by
// hand; a nest that works in place (Nest.InPlace) has the one level of its cells.
// Every reader of what is overwritten lies at or before it in every coordinate, so
// tiles in componentwise order are enough: edges are signals along each dimension,
// without cells, and there are no ghost cells to copy. Tiles farther from the space
// than the order needs are not run.
//
// The tile that contains an exterior cell fills it, and does not fill it again where
// the same cell had the same content an offset ago.
//
// Large levels, each of which needs only the one before, lie in a compressed grid
// [wittmann10] where that takes three quarters of the memory or less: one array, in
// which each level lies beside the one before by the longest flow distance, along
// every dimension but that of rows. In a compressed grid, exterior cells are filled
// after the level is computed, and copied from the level below where the content has
// not changed.
//
// A level is computed in strips that the first cache holds: along the dimension before
// the rows if there is one between, else along the rows, unless the divider bounds
// them anyway. Thin tiles (2.5-D blocking) compute the rows at one place of a few
// planes in one call of the kernel, and prefetch a few lines at a time what the next
// tile will read. A kernel whose first level reads copies of a given array reads the
// array itself.
//
// # Temporal vectorization
//
// A kernel whose lanes are levels computes a time slab: as many levels as a vector has
// lanes, row after row. kernel.Temporal describes it: what is kept in a circular
// buffer of rows, what enters the lowest lane (the carry-in) and leaves the highest
// (the carry-out), and in what frame. What does not fill the lanes is left to Box.
//
// Up to four row streams are interleaved step by step: rows of one slab, each some
// steps behind the one above it, whose results it reads while they are in the first
// cache; or, where the planes between slabs are too large for a cache or there are not
// two loops within a level, slabs a row apart. Where the last columns of rows are
// needed when they are complete, for a face, streams lag so many steps that each
// leaves those of the one above it. The first slab of a tile reads initial content
// where it was given, if its rows lie there as in a plane. In the last slab, which may
// have idle lanes, the highest lane that takes part writes the planes, under a tail
// mask. Full steps store nothing that only faces, results and the next call read
// later.
//
// # Faces within a rank
//
// A face is handed over while it is packed (EarlySender, EarlyReceiver): its slot is posted
// before the tile is computed, a counter says how many rows of which levels are packed,
// and the tile that receives it follows, row by row of a slab where both have the same
// levels, else level by level. It waits for a little more than it needs, so that it
// waits less often, and polls meanwhile for a bounded time while it lets other threads
// have the CPU: workers that park and wake one another swap their CPUs.
//
// # Results that leave past the caches
//
// Results that are given back are copied from the block when a group of rows is
// complete, so that whole cache lines can go past the caches (streaming stores) if the
// array is larger than they are. In the portable kernel whole lines leave while the
// group is computed, so that memory takes them up meanwhile. Results of a time slab
// are a transposition away from their rows. They are transposed and stored when the
// row is complete, or, where vectors are lines, between steps of the kernel, two lines
// of a row beside one another. That works as long as the kernel finds its own vectors
// in the first cache, since streaming stores hold the buffers through which anything
// else could be loaded: so rows of one slab lag no more than what waits to be stored
// needs, and vectors of a row that nobody reads later take the place of others of the
// same row [note streaming-stores].
//
// # Invariants
//
// A tile allocates nothing. What the planner counts as the cost of a tile is what
// this package does (packages plan and halo ask the same functions which boxes are
// filled). No cell is touched but those of iterations and what they read.
//
// References:
//
//	[wittmann10]  Wittmann, Hager, Treibig and Wellein. Leveraging shared caches
//	              for parallel temporal blocking of stencil codes on multicore
//	              processors and clusters. Parallel Processing Letters 20(4), 2010.
package halo
