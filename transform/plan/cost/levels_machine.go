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

// With returns m with built-in figures for the kernel of a nest, of which k has only Rows, Lanes,
// Across and Lines. There are figures for time slabs, for the portable kernel that computes several
// rows together, and for vectors along rows in skewed storage. With returns m itself if m was
// measured or, unless the lanes lie along rows, has figures of the nest.
func (m *Machine) With(nest *plan.Nest, k Kernel) *Machine {
	switch {
	case m.Measured != "":
		return m
	case k.Across == plan.AlongRow:
		if !nest.Whole {
			return m
		}
	case m.Knows(nest) || k.Rows < 1 || k.Across == plan.AcrossRows && k.Rows < 2:
		return m
	}
	out := *m
	if out.Kernels = maps.Clone(m.Kernels); out.Kernels == nil {
		out.Kernels = map[string]Kernel{}
	}
	switch k.Across {
	case plan.AcrossLevels:
		out.Kernels[nest.Digest] = acrossLevels(m, nest, k)
	case plan.AcrossRows:
		out.Kernels[nest.Digest] = together(m, nest, k.Rows)
	default:
		for _, key := range []string{wholeKey, compressedKey} {
			bytes := 0.0
			for v := range nest.Values {
				bytes += rowsMoved(nest, v, nest.InPlace || key == compressedKey) * float64(nest.Arrays[nest.Values[v].Array].Size)
			}
			out.Kernels[nest.Digest+key] = alongRows(m, bytes)
		}
	}
	return &out
}

// acrossLevels is a kernel of the given Rows, Lanes and Lines whose lanes are levels.
func acrossLevels(m *Machine, nest *plan.Nest, shape Kernel) Kernel {
	count, chains := shape.Lanes, shape.Rows/shape.Lanes
	lane := max(1, float64(len(nest.Values))) / float64(count)
	k := Kernel{
		Tile: 3e-6, Level: 100e-9, Row: 1e-9, Byte: 0.2e-9, Piece: levelPiece, Check: 30e-9, Fill: 3e-9, Store: 0.3e-9,
		Run: levelRow, Mask: stepMask * lane, Scalar: levelLeft, Fresh: levelFresh,
		Point: []Rate{{3 << 19, stepCached * lane}, {3 << 20, 1.75 * stepCached * lane}, {6 << 20, 2.5 * stepCached * lane}, {16 << 20, 4 * stepCached * lane}},
		Busy:  m.Kernel.Busy,
		Rows:  shape.Rows, Lanes: count, Across: plan.AcrossLevels, Lines: shape.Lines,
	}
	for v := range nest.Values {
		if givesAll(nest, v) {
			k.Run += levelGiven
		}
	}
	if chains > 1 {
		k.Lone = stepLone * lane
	}
	return k
}
