// Package vector emits vector kernels: Go assembly for amd64, with AVX2 and with AVX-512. They
// compute the same bits as the portable kernel, on the same row-major block.
//
// Products and sums are not fused and stay in the order of the source. A division by a constant
// is two products that round in the same way. min and max are Go's: both orders are computed
// and their bits joined. Functions of outer loops alone are computed in Go, see OuterValue. A nest
// keeps its portable kernel if it divides integers by what is not a constant, has products of int64,
// functions like sin, or anything else that does not vectorize; the package comment of the emitted
// code says why.
//
// The Go code fills a frame: rows and width of the box; for each stream (rows of a value at
// some level, of a given array, of a result) the address of its first cell and the bytes from a
// row to the next; first values of loop indices; and parameters. One call computes all rows of
// a plane.
//
// # Schemes
//
// Contiguous: lanes along the row. No iteration may need an earlier one of its row, except results
// of statements further up: these are complete vectors when they are read, and are shifted in
// registers. Loads are at any address, and a masked vector ends the row. Nothing is computed twice,
// so results may be stored anywhere. The first and the last vector of a row take the cells that boundaries
// give beyond the ends: see End.
//
// Where results are in entire arrays in the order of the loops (AnalyzeRows), rows follow one another as they are written, and
// lanes have the order of memory, so that a row may run backward without reversing vectors. All iterations of a row may collect
// in one cell: see collected. An iteration may need an earlier one of its row that is at least as many iterations before as a
// vector has lanes: its result is loaded.
//
// Wavefront (vectorized wavefront): at step v, lane l computes column v − s·l of row l, so that
// all lanes are independent. A dependence (d_a, d_b), in rows and columns, reads the vector of
// step v − (d_b + s·d_a), shifted by d_a lanes. Flow distances are nonnegative, so s = 1 is
// always enough, and s = 0 if every distance within the level has d_b ≥ 1. One or two vectors
// of lanes are interleaved; the second continues the rows of the first. The columns of the rows
// that are read are transposed in registers, as many steps as there are lanes at a time, from
// memory into a circular buffer of vectors on the stack; results are transposed back. All reads
// of one value at one level share a buffer: another column is another step, another row a
// shift. At the ends of rows, and where there are fewer rows than lanes, the cells of the rows
// are copied with masks to or from scratch memory on the stack, which is transposed in place
// of the block. Lanes before the first column load the result from memory, so that the first real
// column finds what it needs.
//
// Front: the wavefront in entire arrays, or in strips of rows of internal ones, in the order of the loops: see AnalyzeFront.
// A skew of more than one lets rows read results of columns further on. Rows have the same columns or, in triangles, trapezoids and bands,
// columns that move by the same numbers from each row to the next: lanes begin and end so many steps apart (slopes.go). Cells narrower than lanes are widened where
// rows are copied. At the ends of rows, all cells around the rows are loaded that are in
// the memory of their array: lanes outside their row compute what nobody reads.
//
// Levels (temporal vectorization): at step v, lane l computes level p₀ + l, column v − s·l of
// row r, the same row in all levels. A dependence by d_0 levels, d_r rows (all coordinates
// between) and d_b columns reads the vector of step v − (d_b + s·d_0) of row r − d_r, moved up by
// d_0 lanes. Memory is read and written once per time slab, which has one
// level per lane, and no row is transposed. The highest level comes first in a vector, so
// that the carry-out is stored without a shuffle. kernel.Temporal describes such a kernel, and
// package halo calls it. Each row stream computes two steps at a time. If many operations
// wait for one another, the processor cannot look ahead to the next stream; then streams take
// single steps in turn, and the instructions of two streams are interleaved.
//
// Lanes hold integers narrower than lanes as int32 or float64; values wrap as in their own type. If results
// are held so, kernel.LaneValue.Elem has the type of the lanes, and package halo converts the cells.
//
// Cells with computed subscripts are gathered, see lookup. The kernel remembers in which lanes a subscript was beyond
// the bounds of its array; the caller then computes the rows again in Go, which reports the iteration. Where clamps and
// conditions that move along a row leave no choice, lanes load the cells instead, and test nothing; beyond such conditions they look
// up nothing: see straight.
//
// Rows of given arrays are interleaved for Levels anew in each slab. If that takes longer than it
// saves over Wavefront, package codegen leaves Levels out.
//
// A loop along a row may run against the order of an array in memory, as a backward loop does. The
// block has the order of iterations, so cells are reversed between array and block: Contiguous
// reverses lanes, Wavefront assigns the transposed columns to steps in reverse order, and for
// Levels package halo copies rows reversed before it interleaves them.
//
// # Cost
//
// The cost of a step is counted from the instructions as written (asm.Cost): shuffles,
// arithmetic, loads, stores and divider; the load of the busiest port, on two modeled
// processors; and the critical path from a result to the next result that needs it. Counts are in
// the header of the emitted file, bounds in its package comment. They decide which reads are
// loaded and which are shifted in registers, how many streams there are, and whether a second
// block is interleaved: it must lower the greater of both bounds by a tenth. Constants, and
// expressions that occur more than once, stay in registers as far as registers suffice. If the
// body adds the same number to several reads of a value, the number is added once, when the value
// is computed: registers and planes then hold the sum, and memory, for other readers, the value.
// Texts whose letters are only compared stay bytes. Each max and min of a reduction has an
// accumulator per lane, and so do sums of int32 if lanes are levels. Masks leave out lanes without
// an iteration, and package halo leaves out lanes above the highest level of a slab. A result that
// is computed twice changes no max or min. Of three or more floats whose max or min is computed, those that wait for results of
// earlier iterations come last.
//
// A kernel is written in several ways, and the best for which registers suffice is kept. If
// registers suffice for none, values live on the stack (asm.File), so that no body is too large
// and no number of rows too great.
//
// Bodies of hundreds of operations are written in fewer ways, and liveness is computed block by
// block, so that the time of compiling is proportional to the body.
//
// # Invariants
//
// Kernels touch only cells that iterations write or read, but for loads of Front. Rows that do
// not fill the lanes are computed together with some rows before them, which get the same bits
// again. The portable kernel computes single rows, and boxes with fewer rows than half of the
// lanes.
package vector
