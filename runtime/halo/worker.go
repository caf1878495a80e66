package halo

import (
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// A Worker computes the tiles of one worker's columns. It belongs to one goroutine. Its parts
// share the tile at hand; each has scratch memory of its own, so that a tile allocates nothing.
type Worker struct {
	*tile
	pool   *array.Pool // of blocks; nil: they are allocated anew
	blocks blocks
	border border
	copied copyTimes
	fill   *filler
	back   *results
	slabs  temporal       // nil: levels are computed one by one
	whole  *skewedStorage // nil: the storage is not skewed
	states *states        // nil: the run is not cut into windows
	q      []int          // scratch of Column
}

// A tile describes the tile at hand, and its nest, for all parts of a worker. The column sets it
// when it begins a tile; the other parts only read it.
type tile struct {
	plan   *plan.Plan
	kernel kernel.Kernel
	fields kernel.Fields

	arrays      *arrays
	walk        *walk.Levels // what the tile does if its levels are computed one by one
	first, last []int        // the tile's box, without ghost cells
	lo, hi      []int        // the box of its iterations, if it has any
	counts      *walk.Counts // counts of what tiles do; nil: nobody counts
}

// Count makes the worker add to the given counts what its tiles do from now on, except for calls of the kernel.
func (w *Worker) Count(to *walk.Counts) { w.counts = to }

// arrays map locations of values to cells of the nest's arrays.
type arrays struct {
	cells       [][]form // per value: the cell that it writes
	least, most [][]int  // bounds of each array
	rank        int      // the greatest number of dimensions
}

func newTile(p *plan.Plan, kernel kernel.Kernel, fields kernel.Fields) *tile {
	w := walk.NewLevels(p)
	t := &tile{plan: p, kernel: kernel, fields: fields, arrays: new(arrays), walk: w, first: w.First, last: w.Last, lo: w.Lo, hi: w.Hi}
	for _, a := range p.Nest.Arrays {
		var least, most []int
		for m := range a.Lo {
			least, most = append(least, a.Lo[m].Eval(p.Params, nil)), append(most, a.Hi[m].Eval(p.Params, nil))
		}
		t.arrays.least, t.arrays.most = append(t.arrays.least, least), append(t.arrays.most, most)
		t.arrays.rank = max(t.arrays.rank, len(a.Lo))
	}
	for v := range p.Nest.Values {
		t.arrays.cells = append(t.arrays.cells, formsOf(p, p.Nest.Values[v].Cell))
	}
	return t
}

// NewWorker prepares a worker of p that computes with kernel. beside is another worker of the same rank, if there is one: in skewed
// storage, all workers share a block. Blocks and other large memory come from pool, which may be nil.
func NewWorker(p *plan.Plan, kernel kernel.Kernel, fields kernel.Fields, beside *Worker, pool *array.Pool) *Worker {
	n := len(p.Side)
	t := newTile(p, kernel, fields)
	w := &Worker{tile: t, pool: pool, border: newBorder(p), fill: newFiller(t), back: newResults(t),
		q: make([]int, n)}
	switch {
	case p.KeepsWhole() && beside != nil:
		w.blocks.shared = beside.blocks.shared
	case p.KeepsWhole() || p.OneBlock():
		w.blocks.shared = newBlock(p, pool)
	}
	if p.KeepsWhole() {
		w.whole = newSkewedStorage(w)
	} else {
		w.slabs = newTemporal(w)
	}
	return w
}

// Again brings the worker to the state before its first tile, for another run on the same arrays, whose content may differ.
func (w *Worker) Again() { w.copied = copyTimes{} }
