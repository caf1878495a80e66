package cost

import (
	"maps"

	"loopc/transform/plan"
)

// Built-in figures of a kernel whose lanes are levels, for nests that nobody has measured: for
// processors of the 2020s with vectors of 256 or 512 bits, in seconds. In one step, a row stream
// computes one vector of lanes. A step takes about the same time whatever the lanes hold.
const (
	stepCached = 2e-9   // a step of a stream whose rows are in the caches of a core
	stepLone   = 3e-9   // added to a step if no other stream hides its latency
	stepMask   = 1e-9   // added to a step if some lanes are masked
	levelRow   = 150e-9 // finding the spans of a stream's row, and calling the kernel
	levelGiven = 1.5e-6 // added to a row whose results are all returned: storing the cells at its ends, and touching their pages
	levelLeft  = 1e-9   // added to an iteration of a level outside slabs
	levelFresh = 0.4e-9 // the first write to a byte of a slot or plane: the system supplies its page
	levelPiece = 8e-9   // a contiguous run of cells that is packed or unpacked
)

// WithLevels returns m with built-in figures for a nest whose kernel computes several levels
// together, one in each lane: levels says how many, and streams how many row streams are
// interleaved. lines says that results are streamed while their row is computed (Kernel.Lines).
// If m was measured or has figures of the nest, or levels is less than 1, it returns m itself.
func (m *Machine) WithLevels(nest *plan.Nest, levels, streams int, lines bool) *Machine {
	if m.Knows(nest) || m.Measured != "" || levels < 1 {
		return m
	}
	out := *m
	out.Kernels = maps.Clone(m.Kernels)
	if out.Kernels == nil {
		out.Kernels = map[string]Kernel{}
	}
	lane := max(1, float64(len(nest.Values))) / float64(levels)
	k := Kernel{
		Tile: 3e-6, Level: 100e-9, Row: 1e-9, Byte: 0.2e-9, Piece: levelPiece, Check: 30e-9, Fill: 3e-9, Store: 0.3e-9,
		Run: levelRow, Mask: stepMask * lane, Scalar: levelLeft, Fresh: levelFresh,
		Point: []Rate{{3 << 19, stepCached * lane}, {3 << 20, 1.75 * stepCached * lane}, {6 << 20, 2.5 * stepCached * lane}, {16 << 20, 4 * stepCached * lane}},
		Busy:  m.Kernel.Busy,
		Rows:  levels * streams, Lanes: levels, Across: plan.AcrossLevels, Lines: lines,
	}
	for v := range nest.Values {
		if givesAll(nest, v) {
			k.Run += levelGiven
		}
	}
	if streams > 1 {
		k.Lone = stepLone * lane
	}
	out.Kernels[nest.Digest] = k
	return &out
}
