// Package kernel is the interface between the emitted loops of a nest and the runtime that runs
// tiles with them: how a kernel is called, and what it can do, as data.
//
// A nest has several versions of its kernel: one in Go, which runs everywhere, and others for instruction sets. All give the same bits. A
// Version describes a version; a Kernel is the version as one worker uses it. Emitted programs register versions; codegen/vector writes the
// assembly that a Temporal describes. The package knows nothing of tiles, messages or schedules: packages halo and sched do.
package kernel

import (
	"slices"
	"time"

	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Loops are the loops of a nest over the live levels of one worker.
type Loops interface {
	// Bind tells the loops which block they work on next.
	Bind(b *Block)
	// Box computes the iterations lo..hi, both ends inclusive, of one level (lo[0] = hi[0]), in lexicographic order. All lie in the iteration
	// space.
	Box(lo, hi []int)
	// Init writes the initial content of n cells of array arr to dst, at every stride-th position from at on, downwards if stride is negative.
	// cell has the indices of the first cell, and the others follow along dimension dim; if dim is -1, all n are the first cell. Init may
	// change these indices.
	Init(arr int, cell []int, dim, n int, dst []byte, at, stride int)
}

// A Kernel is a version of the loops for one worker. A nil function means that the loops do not offer it.
type Kernel struct {
	Loops
	// Begin tells the loops the first level with iterations. In the block, the levels below are
	// copies of given arrays: Begin returns true if the loops will read the given arrays instead.
	Begin func(level int) bool
	// With tells loops on entire arrays the parameters, in which only the numbers of repeats, the last ones, have changed. nil: the loops do
	// not depend on these numbers.
	With func(params []int)
	// Row computes a row of entire arrays. The loops as they are written put the addresses of the row's first cells into the
	// frame: see Repetitions.
	Row func(frame *int)
	// Levels says that boxes of two-dimensional loops on entire arrays may have several levels: their rows, one of each level, are computed
	// in order. lo[1] and hi[1] are those of the first row; each further row is shifted as Slopes says.
	Levels bool
	// Prefetch is for loops that may compute the rows of a level in any order, and that compute the rows at one place of several planes one
	// after the other: see plan.FewPlanes. These loops step the prefetcher before the rows at each place.
	Prefetch func(*Prefetcher)
	// Idle is for loops that compute nothing and let time pass instead: it is called with the iterations of a tile, and the time at which
	// it began.
	Idle func(points int, began time.Time)

	Traits
}

// Traits are what the loops can do. They do not depend on parameters.
type Traits struct {
	// The loops compute Rows rows of a box at a time, or levels of a tile if Across says so, and the remaining ones Lanes at a time: the
	// time of a tile depends on these numbers. Rows 0: the number of rows does not matter. See cost.Kernel.
	Rows, Lanes, Across int
	// Cycles is about the number of processor cycles that Loops.Box takes for an iteration, if the cells are in the first cache. 0: not known.
	Cycles float64
	// Copies says that the loops take no longer than copying rows between caches: parts of rows do not slow them down.
	Copies bool
	// Temporal describes functions that compute several levels at a time; nil: the loops have none.
	Temporal *Temporal
	// Front describes functions that compute in entire arrays instead of tiles; nil: the loops have none.
	Front *Front
}

// The coordinate of a tile along which lanes are neighbors: Traits.Across.
const (
	AcrossRows   = plan.AcrossRows   // the last but one
	AcrossLevels = plan.AcrossLevels // the first
	AlongRow     = plan.AlongRow     // the last
)

// A Version is the code of a nest's kernel for processors with certain instructions.
type Version struct {
	Name   string      // Portable, or the instruction set
	Usable func() bool // whether this processor has the instructions; nil: it always has
	// New returns the kernel for one worker of a run with the given parameters and arrays. A kernel without traits gets those of the version.
	New func(params []int, fields Fields) Kernel

	Traits
}

// Portable is the name of the version that runs everywhere, in Go.
const Portable = "portable"

// Kernel returns the version's kernel for one worker.
func (v *Version) Kernel(params []int, fields Fields) Kernel {
	k := v.New(params, fields)
	if k.Traits == (Traits{}) {
		k.Traits = v.Traits
	}
	return k
}

// AsFastAs reports whether v, with shorter vectors, takes no more cycles than wide in any scheme, as where a divider limits both. It is
// false if the cycles are not known.
func (v *Version) AsFastAs(wide *Version) bool {
	pairs := [][2]float64{{v.Cycles, wide.Cycles}}
	if v.Front != nil && wide.Front != nil {
		pairs = append(pairs, [2]float64{v.Front.Cycles, wide.Front.Cycles})
	}
	if v.Temporal != nil && wide.Temporal != nil {
		pairs = append(pairs, [2]float64{v.Temporal.Cycles, wide.Temporal.Cycles})
	}
	same := (v.Front == nil) == (wide.Front == nil) && (v.Temporal == nil) == (wide.Temporal == nil)
	return same && v.Cycles > 0 && !simd.WideDivider() && !slices.ContainsFunc(pairs, func(p [2]float64) bool { return p[0] > p[1] })
}

// Wrap returns a version whose kernels are those of v, each passed through wrap.
func (v Version) Wrap(wrap func(Kernel) Kernel) Version {
	inner := v
	v.New = func(params []int, fields Fields) Kernel { return wrap(inner.Kernel(params, fields)) }
	return v
}

// Paced returns v with the given Traits.Cycles.
func (v Version) Paced(cycles float64) Version {
	v.Cycles = cycles
	return v
}

// InGo returns the version that runs everywhere. rows is its Traits.Rows and Lanes.
func InGo(loops func(params []int, fields Fields) Loops, rows int) Version {
	return Version{
		Name:   Portable,
		New:    func(params []int, fields Fields) Kernel { return Kernel{Loops: loops(params, fields)} },
		Traits: Traits{Rows: rows, Lanes: rows},
	}
}
