package halo

import (
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A Worker holds what the columns of one worker share. It belongs to one
// goroutine.
type Worker struct {
	unpacking, packing sampler

	plan   *plan.Plan
	kernel kernel.Kernel
	fields kernel.Fields
	pool   *array.Pool   // of the memory of blocks; nil: it is allocated anew
	shared *kernel.Block // of all columns, see plan.OneBlock
	// What columns carry from tile to tile, per value: that of the last column made,
	// or, if they run one after the other, of all.
	carried [][]byte
	reach   []int // of value v's flow along the mapping dimension

	// Scratch, so that a tile allocates nothing.
	q, r, lo, hi, first, last []int
	from                      []int // see refill
	cell                      []int
	row                       []int       // values of the inequalities on a row
	readers                   [][]readers // per value
	cells                     [][]form    // per value: the cell that it writes
	when                      [][][]form  // per value and fallback: where it counts
	needLo, needHi            []int       // per value: see Column.need
	readFrom, readTo          []int       // bounds of the iterations that a tile fills locations for
	least, most               [][]int     // bounds of the arrays
	fallbacks                 bool        // some value has any
	late                      []bool      // per value: some fallback is computed after its location: see inTurn
	past                      bool        // results that are put go past the caches
	turn                      int         // iterations of a row that do not need one another; 0: none waits
	rows                      rowBatch
	slabs                     slabber      // nil: levels are computed one by one
	whole                     *wholeLevels // nil: tiles have blocks of their own
	edge                      *levelEdge   // of these; nil: what is outside is looked at row by row
}

// NewWorker prepares a worker of p that computes with kernel. beside is another one
// of the same rank, nil if there is none yet: where levels are kept whole, all use one
// block. Blocks, and what else takes much memory, are in the pool, which may be nil.
func NewWorker(p *plan.Plan, kernel kernel.Kernel, fields kernel.Fields, beside *Worker, pool *array.Pool) *Worker {
	n := len(p.Side)
	w := &Worker{plan: p, kernel: kernel, fields: fields, pool: pool}
	for _, s := range []*[]int{&w.q, &w.r, &w.lo, &w.hi, &w.first, &w.last, &w.from, &w.rows.lo, &w.rows.hi} {
		*s = make([]int, n)
	}
	switch {
	case p.KeepsWhole() && beside != nil:
		w.shared = beside.shared
	case p.KeepsWhole() || p.OneBlock():
		w.shared = newBlock(p, pool)
	}
	for _, a := range p.Nest.Arrays {
		if len(a.Lo) > len(w.cell) {
			w.cell = make([]int, len(a.Lo))
		}
	}
	w.row = make([]int, p.Space.Inequalities())
	w.needLo, w.needHi = make([]int, len(p.Nest.Values)), make([]int, len(p.Nest.Values))
	for _, a := range p.Nest.Arrays {
		var least, most []int
		for m := range a.Lo {
			least, most = append(least, a.Lo[m].Eval(p.Params, nil)), append(most, a.Hi[m].Eval(p.Params, nil))
		}
		w.least, w.most = append(w.least, least), append(w.most, most)
	}
	for v := range p.Nest.Values {
		reach := 0
		for _, d := range p.Nest.Values[v].Flow {
			reach = max(reach, d[p.Map])
		}
		w.reach = append(w.reach, reach)
		w.fallbacks = w.fallbacks || len(p.Nest.Values[v].Fallbacks) > 0
		w.late = append(w.late, slices.ContainsFunc(p.Nest.Values[v].Fallbacks, func(s plan.Source) bool {
			return slices.Compare(s.Dist, make([]int, n)) < 0
		}))
		w.readers = append(w.readers, readersOf(p, p.Nest.Values[v].Need))
		w.cells = append(w.cells, formsOf(p, p.Nest.Values[v].Cell))
		var when [][]form
		for _, s := range p.Nest.Values[v].Fallbacks {
			when = append(when, formsOf(p, s.When))
		}
		w.when = append(w.when, when)
	}
	if slices.Contains(w.late, true) {
		w.turn = turnOf(p)
	}
	w.rows.spans = make([][2]int, 0, plan.RaggedMost)
	w.rows.waits = slices.ContainsFunc(p.Nest.Distances(), func(d []int) bool { return n > 2 && slices.Max(d[:n-1]) == 0 })
	w.readFrom, w.readTo = w.first, w.last
	if p.KeepsWhole() {
		w.whole, w.readFrom, w.readTo = newWholeLevels(w), p.Lo, p.Hi
	} else {
		w.slabs, w.edge = newSlabber(w), newLevelEdge(w)
	}
	return w
}
