// Package halo is the memory of a column of tiles: a block of live levels with ghost cells, the faces that are packed into and unpacked
// from messages, the cells carried from one tile to the next, and the exterior cells. The package also runs a tile on this memory.
//
// Locations are skewed iteration vectors p, as in package plan: location p of a value's block
// holds the result of iteration p. Coordinate 0 is the level.
//
// # A tile runs level by level
//
// A block holds one tile plus a halo below it. For each value, it holds as many levels as the longest flow distance along the level needs:
// two for a Jacobi or Gauss-Seidel sweep. For each level of a tile
//
//   - ghost cells are copied from the slots of the faces that arrived, and from the cells
//     that the previous tile carried over;
//   - exterior cells are filled with the content that the array has there; after the rows, if some of
//     that content is computed by them;
//   - the emitted kernel computes the rows;
//   - cells that neighbors need are packed straight into the slots of their edges;
//   - final results are copied to the views of the arrays that the run returns.
//
// A tile that is short along the mapping dimension and spans many levels is temporal blocking: its levels stay in the cache.
//
// A kernel is Box(lo, hi): the iterations of a box of one level, all inside the space. It takes positions and strides from the block, and
// knows nothing of bounds, ghost cells and edges. Only the block, the kernel and this package know the layout of a block.
//
// # Skewed storage
//
// One block serves all columns (plan.KeepsWhole) if the lanes of the kernel lie along rows, exterior cells have their initial content
// (Nest.Whole) and the plan has one rank. Location p overwrites location p − c. The offset c (plan.Plan.StorageOffset) is at least the
// longest flow distance, plus one level along dimension 0: a Jacobi sweep alternates between two arrays, as a programmer would write it. A
// nest that works in place (Nest.InPlace) needs no additional level, so a Gauss-Seidel sweep has one array. All readers of the overwritten
// location are at or before p in every coordinate, so it is enough that tiles run in componentwise order: edges are signals along each
// dimension and carry no cells, and there are no ghost cells to copy. Tiles without iterations run only where this order needs them.
//
// The tile that contains an exterior cell fills it, unless the cell that it overwrites already has the same content.
//
// Large levels that read only the level before are stored in a compressed grid [wittmann10] if this saves a quarter of the memory or more:
// one array, in which each level is shifted against the one before by the longest flow distance, along every dimension but that of rows. In
// a compressed grid, exterior cells are filled after the level is computed, and copied from the level below where the content has not
// changed.
//
// A level is computed in strips that fit the first cache. Strips divide the dimension before the rows; if that is the dimension of the
// planes, they divide the rows. Thin tiles (2.5-D blocking) pass the rows at one place of several planes to the kernel in one call, and
// prefetch what the next tile will read, a few lines at a time. A kernel whose first level would read copies of a given array reads the
// array itself.
//
// # Temporal vectorization
//
// A kernel whose lanes are levels computes a time slab, row after row: a slab has as many levels as a vector has lanes. kernel.Temporal
// describes the kernel: its circular buffer of rows, the values that enter the lowest lane (carry-in) and leave the highest (carry-out),
// and its frame. Box computes the levels that are too few to fill the lanes.
//
// Up to four row streams are interleaved step by step. They compute either
//
//   - rows of one slab, each some steps behind the row above, whose results it reads from the
//     first cache; or
//   - rows of successive slabs, each one row behind the slab below: if the planes between
//     slabs do not fit a cache, or a level has only one loop.
//
// If a face needs the last columns of complete rows, enough steps lie between the rows that no row overwrites the last columns of the row
// above. The first slab of a tile reads initial content from the given array itself, if its rows are contiguous there. In the last slab the
// highest lanes may be idle; then the highest active lane writes the planes, under a tail mask. Steps in which all lanes are active do not
// store values that only faces, results and the next call would read later.
//
// # Faces within a rank
//
// A face within a rank is read while it is packed (EarlySender, EarlyReceiver). Its slot is posted before the tile is computed, and a
// counter tells how many rows of which levels are packed. The receiving tile follows row by row if its slabs have the same levels as the
// sender's, else level by level. A receiver that has to wait waits for somewhat more than it needs, so that it waits less often. It polls
// for a bounded time and yields the CPU while it polls: workers that parked and woke each other would trade CPUs.
//
// # Streaming stores
//
// Results are copied from the block when a group of rows is complete, so that entire cache lines can bypass the caches (streaming stores)
// if the array is larger than they are. The portable kernel stores complete lines while it computes the group, so that memory drains them
// meanwhile. Results of a time slab must be transposed first: when the row is complete or, if a vector is a cache line, between steps of
// the kernel, two adjacent lines of a row at a time. Streaming stores occupy the buffers that loads from beyond the first cache need, so
// the kernel must find its own vectors in the first cache. Therefore rows of one slab lag no more than the unstored vectors require, and
// vectors that nobody reads later overwrite others of the same row [note streaming-stores].
//
// # Windows
//
// If a run is cut into windows of levels (plan.Plan.Window), a tile copies the results of the levels below its window from a state, into
// its ghost cells, and the results of the last levels to the next state. It fills exterior cells of the levels below, as any tile does
// whose block is empty; states have none. In skewed storage, one worker copies the state into the block before the first tile, and out of
// it after the last one.
//
// # Invariants
//
// A tile allocates nothing. A tile does what package walk says: the executor and the cost model count with walk.Counts, and a test compares
// the two. The only cells touched are those of iterations, and those that iterations read.
//
// References:
//
//	[wittmann10]  Wittmann, Hager, Treibig and Wellein. Leveraging shared caches
//	              for parallel temporal blocking of stencil codes on multicore
//	              processors and clusters. Parallel Processing Letters 20(4), 2010.
package halo
