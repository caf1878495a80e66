// Package vector emits vector kernels: Go assembly for amd64, with AVX2 and with
// AVX-512, that computes a box of one level as the portable kernel does, on the same
// row-major block, with the same bits.
//
// Multiplications and sums are not fused, and stay in the order of the source. A
// division by a constant is two products that round as it does, and min and max are
// Go's: both orders are computed and their bits joined. Integer division, exp and the
// like, int64, and anything else that does not vectorize leave a nest its portable
// kernel; the package comment of the emitted code says why.
//
// The Go side fills a frame: rows and width of the box; for each stream (rows of a value
// at some level, of a given array, of a result) the address of its first cell and the
// bytes from a row to the next; first values of loop indices; and parameters. One call
// computes all rows of a plane.
//
// # Schemes
//
// Contiguous: lanes along the row. It serves nests in which no iteration needs one
// before it in its row, or needs only results of statements further up, which are there
// a statement later and are shifted in registers. Loads are at any address, and a masked
// vector ends the row. Nothing is computed twice, so results may be anywhere.
//
// Wavefront (vectorized wavefront): lane l runs column v − s·l of row l at step v, so
// that all lanes are independent. A dependence (d_a, d_b), rows and columns, is the
// vector of step v − (d_b + s·d_a), shifted by d_a lanes. Flow distances are
// nonnegative, so s = 1 is always enough, and s = 0 if every distance within the level
// has d_b ≥ 1. One or two vectors of lanes advance together; the second continues the
// rows of the first. The columns of the rows that are read are transposed in registers,
// as many steps as there are lanes at a time, from memory into a circular buffer of
// vectors on the stack; results are transposed back. All reads of one value at one level
// share a buffer: another column is another step, another row a shift. Where lanes are
// outside of their rows, rows pass through a small tile, with masks, in the same code.
// Lanes before the first column take the result that is in memory, so that the first
// real column finds what it needs.
//
// Levels (temporal vectorization): lane l runs level p₀ + l, and at step v column
// v − s·l of the same row of all levels. A dependence d is the vector of step
// v − (d_b + s·d_0) of row r − d_o, moved up by d_0 lanes. Memory is touched once for as
// many levels as a vector has lanes, and no row is transposed. The highest level comes
// first in a vector, so that the carry-out is stored without a shuffle. kernel.Temporal
// describes such a kernel, and package halo calls it. Each row stream computes two steps
// at a time; where so many operations wait for one another that the processor would not
// see those of the next stream, streams take single steps in turn, and the instructions
// of two are interleaved.
//
// # Cost
//
// What a step costs is counted from the instructions as written (asm.Cost): shuffles,
// arithmetic, loads, stores and divider; the greatest share of a port, on two modeled
// processors; and the critical path from a result to the one that needs it. Counts
// are in the header of the emitted file, bounds in its package comment. They decide what
// is loaded and what is shifted in registers, how many streams there are, and whether a
// second block is interleaved: if that lowers the greater of both bounds by a tenth. Constants, and expressions that occur more than once, stay
// in registers as far as there are any. A number that several reads add to a value is
// added once, when the value is computed: registers and planes then hold the sum, and
// memory that others read holds the value. Texts whose letters are only compared stay
// bytes. max and min of a reduction have an accumulator in lanes each, and where lanes are
// levels sums of int32 too; masks leave out lanes that are at no iteration, package halo
// leaves out those above the highest level of a slab, and results that are computed again
// change nothing.
//
// A kernel is first written in the ways that need no more registers than there are, and the best of
// these is taken. Only if there is none, values live on the stack (asm.File), so that no body is too
// large and no number of rows too many.
//
// Bodies of hundreds of operations are written in fewer ways, and registers are found
// block by block, so that compiling takes time in proportion to the body.
//
// # Invariants
//
// No memory is touched but cells of iterations and what they read. Rows that do not fill
// the lanes take some before them along, which are computed again with the same bits; a
// single row, and boxes of fewer rows than half of the lanes, are left to the portable
// kernel.
package vector
