package cost

import "loopc/transform/plan"

// Built-in figures of the portable kernel with unroll-and-jam, for nests that nobody has
// measured: for processors of the 2020s.
const (
	togetherPoint = 0.55e-9 // an iteration of a statement whose levels are in the caches of a core
	togetherOwn   = 1.8e-9  // added to an iteration that waits for the one before, in a row that is computed by itself
	togetherRow   = 40e-9   // a row: columns that it computes by itself, and its first reads
	togetherGiven = 40e-9   // added to a row whose results are all returned: storing the cells at its ends, and touching their pages
	togetherStore = 0.2e-9  // storing one of these results
	togetherByte  = 0.1e-9  // a byte that is packed or unpacked, in rows
	togetherPiece = 10e-9   // a contiguous run that is packed or unpacked
)

// together is the portable kernel that computes the given number of rows together.
func together(m *Machine, nest *plan.Nest, rows int) Kernel {
	count := max(1, float64(len(nest.Values)))
	row, point := togetherRow, togetherPoint*count
	for v := range nest.Values {
		if givesAll(nest, v) {
			row, point = row+togetherGiven, point+togetherStore
		}
	}
	k := m.Kernel
	k.Row, k.Byte, k.Piece, k.Check, k.Fill, k.Store = row, togetherByte, togetherPiece, 60e-9, 3e-9, 0.3e-9
	k.Lone, k.Scalar = 0.4*point, togetherOwn*count
	k.Rows, k.Lanes, k.Across = rows, rows, plan.AcrossRows
	k.Point = []Rate{{384 << 10, point}, {1 << 20, 1.05 * point}, {2 << 20, 1.15 * point}, {8 << 20, 1.5 * point}}
	return k
}
