package cost

import "loopc/transform/plan"

// Built-in figures of the portable kernel with unroll-and-jam, for nests that nobody has measured: for processors of the 2020s.
const (
	jamPoint     = 0.55e-9 // an iteration of a statement whose levels are in the caches of a core, if nobody knows the kernel's time
	jamOwn       = 1.8e-9  // added to an iteration that waits for the one before, in a row that is computed by itself
	jamRow       = 40e-9   // a row: the columns at its ends, which no group of rows computes, and its first reads
	jamGiven     = 40e-9   // added to a row whose results are all returned: storing the cells at its ends, and touching their pages
	jamStore     = 0.2e-9  // storing one of these results
	jamByte      = 0.1e-9  // a byte that is packed or unpacked, in rows
	jamPiece     = 10e-9   // a contiguous run that is packed or unpacked
	jamCheck     = 400e-9  // a row at the edge of the space: the boxes of exterior cells that it needs
	vectorRow    = 8e-9    // a row, of vectors along it
	vectorLooked = 40e-9   // added to such a row at the edge of the space, which the kernel computes by itself, not in a box of rows
	vectorAcross = 250e-9  // a row, of vectors across rows, which begin and end with idle lanes
	vectorOwn    = 0.4e-9  // added to an iteration in vectors across rows: rows are shifted against one another

	// Added per byte of results if rows are in memory, not in a cache.
	vectorFar       = 0.03e-9
	vectorFarAcross = 0.19e-9
)

// vectorRows is a kernel of vectors along rows, or across rows if shape has Lanes, in storage that is not skewed.
func vectorRows(m *Machine, nest *plan.Nest, shape Kernel) Kernel {
	bytes := 0.0
	for v := range nest.Values {
		bytes += float64(nest.Arrays[nest.Values[v].Array].Size)
	}
	k, near, far := m.Kernel, shape.PointAt(0), vectorFar*bytes
	k.Row, k.Byte, k.Piece, k.Fill, k.Store = vectorRow, jamByte, jamPiece, 5e-9, 0.3e-9
	if shape.Lanes == 0 {
		k.Check += vectorLooked
	} else {
		k.Row, near, far = vectorAcross, near+vectorOwn, vectorFarAcross*bytes
		k.Rows, k.Lanes, k.Across = shape.Rows, shape.Lanes, plan.AcrossRows
	}
	k.Point = []Rate{{384 << 10, near}, {1 << 20, near + far/4}, {2 << 20, near + far/2}, {8 << 20, near + far}}
	return k
}

// unrollAndJam is the portable kernel, which computes shape.Rows rows together.
func unrollAndJam(m *Machine, nest *plan.Nest, shape Kernel) Kernel {
	count := max(1, float64(len(nest.Values)))
	row, point := jamRow, jamPoint*count
	if t := shape.PointAt(0); t > 0 {
		row, point = 2.25*jamRow, t
	}
	for v := range nest.Values {
		if givesAll(nest, v) {
			row, point = row+jamGiven, point+jamStore
		}
	}
	k := m.Kernel
	k.Row, k.Byte, k.Piece, k.Check, k.Fill, k.Store = row, jamByte, jamPiece, jamCheck, 3e-9, 0.3e-9
	if shape.Rows > 1 {
		k.Lone, k.Scalar = 0.4*point, jamOwn*count
		k.Rows, k.Lanes, k.Across = shape.Rows, shape.Rows, plan.AcrossRows
	}
	k.Point = []Rate{{384 << 10, point}, {1 << 20, 1.05 * point}, {2 << 20, 1.15 * point}, {8 << 20, 1.5 * point}}
	return k
}
