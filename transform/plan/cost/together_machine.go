package cost

import (
	"maps"

	"loopc/transform/plan"
)

// Built-in figures of a kernel in Go, rows of a level advancing together, for nests that
// nobody has measured: of processors of the 2020s.
const (
	togetherPoint = 0.55e-9 // an iteration of a statement, its levels in the caches of a core
	togetherOwn   = 1.8e-9  // more for one whose row goes by itself and waits for the one before it
	togetherRow   = 40e-9   // a row: the columns that it goes through by itself, and what it reads first
	togetherGiven = 40e-9   // more if its results are all given back: its ends, and their pages
	togetherStore = 0.2e-9  // for each of these
	togetherByte  = 0.1e-9  // a byte that arrives or leaves, in rows
	togetherPiece = 10e-9   // neighboring cells that arrive or leave
)

// WithTogether returns m with built-in figures for a nest of whose levels a kernel in Go
// computes so many rows together, as codegen's Rows says: m itself if it was measured.
func (m *Machine) WithTogether(nest *plan.Nest, rows int) *Machine {
	if m.Knows(nest) || m.Measured != "" || rows < 2 {
		return m
	}
	out := *m
	out.Kernels = maps.Clone(m.Kernels)
	if out.Kernels == nil {
		out.Kernels = map[string]Kernel{}
	}
	count := max(1, float64(len(nest.Values)))
	row, point := togetherRow, togetherPoint*count
	for v := range nest.Values {
		if nest.GivesAll(v) {
			row, point = row+togetherGiven, point+togetherStore
		}
	}
	k := m.Kernel
	k.Row, k.Byte, k.Piece, k.Check, k.Fill, k.Store = row, togetherByte, togetherPiece, 60e-9, 3e-9, 0.3e-9
	k.Lone, k.Scalar = 0.4*point, togetherOwn*count
	k.Rows, k.Lanes, k.Across = rows, rows, plan.AcrossRows
	k.Point = []Rate{{384 << 10, point}, {1 << 20, 1.05 * point}, {2 << 20, 1.15 * point}, {8 << 20, 1.5 * point}}
	out.Kernels[nest.Digest] = k
	return &out
}
