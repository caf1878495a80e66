package cost

import (
	"maps"
	"math"
	"slices"

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

	// For kernels whose time per iteration is known (Kernel.Point): see Fittest.
	pacedRow   = 220e-9 // a stream's row, without given arrays
	pacedCheck = 25e-9  // a row that is examined
	pacedFill  = 12e-9  // an exterior cell
	pacedStore = 0.4e-9 // a result that is stored
)

// Fittest returns the index of the kernel that takes the least time for a run of the nest on one CPU, by built-in figures. Kernels have
// what With needs, and are for storage that is not skewed. If lanes are levels, Run is the time that the given arrays of a row take. The
// first kernel is the best for large parameters, so another one must take clearly less time.
func Fittest(nest *plan.Nest, params []int, kernels []Kernel) int {
	const clearly, fewTiles, fewRows, wide = 0.75, 1 << 6, 8, 48
	p, err := plan.New(nest, params, plan.Options{Ranks: 1, CPUs: 1})
	if err != nil || p.Empty || p.KeepsWhole() {
		return 0
	}
	// A tile that is as large as what a search chooses for one CPU.
	sides := slices.Clone(p.Side)
	for x := 1; x < len(sides)-1; x++ {
		sides[x] = max(sides[x], min(p.Hi[x]-p.Lo[x]+1, wide))
	}
	if p.Long > 0 { // a search cuts long runs likewise
		sides[0] = min(sides[0], p.Long)
	}
	if larger, err := plan.New(nest, params, plan.Options{Ranks: 1, CPUs: 1, Tile: sides, Epoch: p.Long}); err == nil && !larger.KeepsWhole() {
		p = larger
	}
	best, least := 0, math.Inf(1)
	for i, k := range kernels {
		run := NewPredictor(p)
		run.Most, run.Rows = fewTiles, fewRows
		time := run.Predict(DefaultMachine().With(nest, k), LinkInproc).Seconds
		if i == 0 {
			time *= clearly
		}
		if time < least {
			best, least = i, time
		}
	}
	return best
}

// With returns m with built-in figures for the kernel of a nest. k describes that kernel by Rows, Lanes, Across and Lines, and by Point if
// the time per iteration in the first cache is known. There are figures for time slabs, for the portable kernel, for vectors across rows
// (Lanes is their number), and for vectors along rows. With returns m itself if m was measured. Unless the kernel has vectors along rows
// and storage is skewed, With also returns m itself if m has figures of the nest, or if there are none for k.
func (m *Machine) With(nest *plan.Nest, k Kernel) *Machine {
	skewed := nest.Whole && k.Across == plan.AlongRow
	if m.Measured != "" || !skewed && (m.Knows(nest) || !k.hasFigures()) {
		return m
	}
	out := *m
	if out.Kernels = maps.Clone(m.Kernels); out.Kernels == nil {
		out.Kernels = map[string]Kernel{}
	}
	switch {
	case k.Across == plan.AcrossLevels:
		out.Kernels[nest.Digest] = acrossLevels(m, nest, k)
	case k.Across == plan.AcrossRows && k.Lanes > 0, !nest.Whole && k.Across == plan.AlongRow:
		out.Kernels[nest.Digest] = vectorRows(m, nest, k)
	case k.Across == plan.AcrossRows:
		out.Kernels[nest.Digest] = unrollAndJam(m, nest, k)
	default:
		for _, key := range []string{wholeKey, compressedKey} {
			bytes := 0.0
			for v := range nest.Values {
				bytes += rowsMoved(nest, v, nest.InPlace || key == compressedKey) * float64(nest.Arrays[nest.Values[v].Array].Size)
			}
			out.Kernels[nest.Digest+key] = alongRows(m, k.PointAt(0), bytes)
		}
	}
	return &out
}

// hasFigures reports whether there are built-in figures for a kernel in storage that is not skewed.
func (k *Kernel) hasFigures() bool {
	switch k.Across {
	case plan.AcrossLevels:
		return k.Rows > 0
	case plan.AcrossRows:
		return k.Rows > 1 || len(k.Point) > 0
	}
	return len(k.Point) > 0
}

// acrossLevels is a kernel of the given Rows, Lanes and Lines whose lanes are levels.
func acrossLevels(m *Machine, nest *plan.Nest, shape Kernel) Kernel {
	count, chains := shape.Lanes, shape.Rows/shape.Lanes
	lane := max(1, float64(len(nest.Values))) / float64(count)
	k := Kernel{
		Tile: 3e-6, Level: 100e-9, Row: 1e-9, Byte: 0.2e-9, Piece: levelPiece, Check: 30e-9, Fill: 3e-9, Store: 0.3e-9,
		Run: levelRow, Mask: stepMask * lane, Scalar: levelLeft, Fresh: levelFresh,
		Point:      []Rate{{3 << 19, stepCached * lane}, {3 << 20, 1.75 * stepCached * lane}, {6 << 20, 2.5 * stepCached * lane}, {16 << 20, 4 * stepCached * lane}},
		Contention: m.Kernel.Contention,
		Rows:       shape.Rows, Lanes: count, Across: plan.AcrossLevels, Lines: shape.Lines,
	}
	if t := shape.PointAt(0); t > 0 {
		far := stepCached * lane
		k.Run, k.Check, k.Fill, k.Store = pacedRow+shape.Run, pacedCheck, pacedFill, pacedStore
		k.Point = []Rate{{3 << 19, t}, {3 << 20, t + 0.75*far}, {6 << 20, t + 1.5*far}, {16 << 20, t + 3*far}}
	} else {
		for v := range nest.Values {
			if givesAll(nest, v) {
				k.Run += levelGiven
			}
		}
	}
	if chains > 1 {
		k.Lone = stepLone * lane
	}
	return k
}
