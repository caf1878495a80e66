package cost

import (
	"maps"

	"loopc/transform/plan"
)

// Built-in figures of a kernel whose lanes are levels, for nests that nobody has
// measured: of processors with vectors of 256 or 512 bits of the 2020s. A step of a
// chain takes about as long whatever the lanes are.
const (
	stepCached = 2e-9   // a step of a chain, its rows in the caches of a core
	stepLone   = 3e-9   // more if no other chain hides its latency
	stepMask   = 1e-9   // more if some lanes take no part
	levelRow   = 150e-9 // finding out what a row of a chain has, and calling the kernel
	levelGiven = 1.5e-6 // more for a row whose results are all given back: its ends, and their pages
	levelLeft  = 1e-9   // more for an iteration of a level that is computed by itself
	levelFresh = 0.4e-9 // a byte of a slot, with its page
	levelPiece = 8e-9   // cells of a lane that arrive or leave
)

// WithLevels returns m with built-in figures for a nest whose kernel computes so
// many lanes, each a level, and so many chains of them together, and, with lines,
// streams results meanwhile: m itself if it was measured, for its figures are not
// built in.
func (m *Machine) WithLevels(nest *plan.Nest, count, chains int, lines bool) *Machine {
	if m.Knows(nest) || m.Measured != "" || count < 1 {
		return m
	}
	out := *m
	out.Kernels = maps.Clone(m.Kernels)
	if out.Kernels == nil {
		out.Kernels = map[string]Kernel{}
	}
	lane := max(1, float64(len(nest.Values))) / float64(count)
	k := Kernel{
		Tile: 3e-6, Level: 100e-9, Row: 1e-9, Byte: 0.2e-9, Piece: levelPiece, Check: 30e-9, Fill: 3e-9, Store: 0.3e-9,
		Run: levelRow, Mask: stepMask * lane, Scalar: levelLeft, Fresh: levelFresh,
		Point: []Rate{{3 << 19, stepCached * lane}, {3 << 20, 1.75 * stepCached * lane}, {6 << 20, 2.5 * stepCached * lane}, {16 << 20, 4 * stepCached * lane}},
		Busy:  m.Kernel.Busy,
		Rows:  count * chains, Lanes: count, Across: plan.AcrossLevels, Lines: lines,
	}
	for v := range nest.Values {
		if nest.GivesAll(v) {
			k.Run += levelGiven
		}
	}
	if chains > 1 {
		k.Lone = stepLone * lane
	}
	out.Kernels[nest.Digest] = k
	return &out
}
