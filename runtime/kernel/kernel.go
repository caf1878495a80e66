// Package kernel is the interface between the loops that are emitted for a nest and the runtime
// that runs tiles with them: what a kernel is called with, and what it can do, as data.
//
// A nest has several versions of its kernel: one in Go, which runs everywhere, and others
// for instruction sets. All give the same bits. A Version describes one; a Kernel is a
// version that one worker uses. The package knows nothing of tiles, messages or schedules: the
// rooms halo and sched do. Emitted programs register versions; codegen/vector writes the assembly
// that a Temporal describes.
package kernel

import (
	"time"

	"loopc/transform/plan"
)

// Loops are the loops of a nest, over the live levels of one worker.
type Loops interface {
	// Bind tells the loops which block they work on next.
	Bind(b *Block)
	// Box computes the iterations lo..hi, both ends inclusive, of one level
	// (lo[0] = hi[0]), in lexicographic order. All lie in the iteration space.
	Box(lo, hi []int)
	// Init writes the initial content of n cells of an array: those from cell on
	// along dimension dim (-1: the same cell n times), to every stride-th cell of
	// dst, from offset at on. It may change cell.
	Init(arr int, cell []int, dim, n int, dst []byte, at, stride int)
}

// A Kernel is a version of the loops for one worker. Functions that are nil are not there.
type Kernel struct {
	Loops
	// Begin tells the loops which is the first level with iterations, and returns whether they will
	// read the level below it in given arrays, of which it is a copy, instead of the block.
	Begin func(level int) bool
	// Prefetch is for loops that may take the rows of a level in any order, and take the
	// rows at one place of a few planes one after the other: see plan.FewPlanes. Before the rows
	// at each place they step the prefetcher.
	Prefetch func(*Prefetcher)
	// Idle is for loops that do not compute, but let time pass: so many iterations were
	// asked for of a tile that began then.
	Idle func(points int, began time.Time)

	Traits
}

// Traits are what the loops can do, whatever the parameters.
type Traits struct {
	// Rows of a box, or levels of a tile, as Across says, are computed Rows at a time, and the rest
	// of them Lanes at a time: the time of a tile depends on it. Rows 0: their number does not
	// matter. See cost.Kernel.
	Rows, Lanes, Across int
	// Copies is set if the loops take no longer than copying rows from one cache to another: they may
	// get parts of rows.
	Copies bool
	// Temporal describes functions that compute several levels at a time; nil: there are none.
	Temporal *Temporal
}

// Along which coordinate of a tile lanes are neighbors: Traits.Across.
const (
	AcrossRows   = plan.AcrossRows   // the last but one
	AcrossLevels = plan.AcrossLevels // the first
	AlongRow     = plan.AlongRow     // the last
)

// A Version is the code of a nest's kernel for processors with certain instructions.
type Version struct {
	Name   string      // Portable, or the instruction set
	Usable func() bool // whether this processor has the instructions; nil: every one has
	// New returns the kernel for one worker of a run with the given parameters and arrays. If it
	// gives the kernel no traits, these are those of the version.
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

// Wrap returns a version whose kernels are what wrap makes of those of v.
func (v Version) Wrap(wrap func(Kernel) Kernel) Version {
	inner := v
	v.New = func(params []int, fields Fields) Kernel { return wrap(inner.Kernel(params, fields)) }
	return v
}

// InGo returns the version that runs everywhere; rows is Traits.Rows, and Lanes.
func InGo(loops func(params []int, fields Fields) Loops, rows int) Version {
	return Version{
		Name:   Portable,
		New:    func(params []int, fields Fields) Kernel { return Kernel{Loops: loops(params, fields)} },
		Traits: Traits{Rows: rows, Lanes: rows},
	}
}
