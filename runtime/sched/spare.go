package sched

import (
	"math"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// spares are the views of nests that run again. The next run of a nest reuses their memory,
// because new memory from the system takes longer than running a small nest.
type spares struct {
	gave    map[[2]int]array.View // by nest and array: a view that the last run has read
	results []spareResult         // views that runs have written
	ordered map[[2]int][]byte     // by nest and array: memory of a copy in the order of rows
	keeps   map[int]bool          // by nest: what keepsMemory has returned
	bytes   int64                 // size of all views that are kept
}

// A spareResult is a view that a run has written. A run of any nest may write it, when no rank owns a cell in it and no nest reads it.
type spareResult struct {
	array.View
	stays bool // it is kept while nobody uses it
}

// mostSpared bounds the memory that the ranks of a process keep for nests that are not running, because the running nest may need it. One
// nest keeps at most a quarter, so that the first nest leaves some for small nests, which gain more.
const mostSpared = 64 << 20

// keepsMemory reports whether the memory of nest k is kept for its next run.
func (r *Rank) keepsMemory(k int) bool {
	if r.within == 0 {
		return false
	}
	if r.spares.keeps == nil {
		r.spares.keeps = map[int]bool{}
	}
	keeps, known := r.spares.keeps[k]
	if !known {
		keeps = len(r.plans) == 1 || r.spared(cost.MemoryOf(r.plans[k], r.rank, math.MaxInt64).Total())
		r.spares.keeps[k] = keeps
	}
	return keeps
}

// spared reports whether need more bytes may be kept, and counts them if so.
func (r *Rank) spared(need int64) bool {
	most := int64(mostSpared)
	if r.layout.shared { // all ranks are in this process, and share the bound
		most /= int64(max(1, r.plans[0].Ranks))
	}
	if need > most/4 || need > most-r.spares.bytes {
		return false
	}
	r.spares.bytes += need
	return true
}

// drop releases the memory of nests that do not run again. It is called when the outermost
// repeat has ended, because later nests may need the memory.
func (r *Rank) drop() {
	r.spares = spares{}
	r.crew.pools = nil
	for k := range r.fields {
		r.fields[k].asked = nil
	}
}

// pool returns the memory for views of arrays; nil if the store may hold such views after Deliver.
func (r *Rank) pool() *array.Pool {
	if r.store.Whole.Result == nil && r.store.Pool == nil {
		return nil
	}
	return r.crew.memory
}

// given returns a view of the cells of array a that nest k reads, for the caller to fill. It reuses
// the view of the nest's last run if that has the same cells: cells that are not filled are not read.
func (s *spares) given(pool *array.Pool, k, a int, elem string, lo, hi []int) (array.View, error) {
	key := [2]int{k, a}
	v, ok := s.gave[key]
	delete(s.gave, key)
	if ok && slices.Equal(v.Lo, lo) && slices.Equal(v.Hi, hi) {
		return v, nil
	}
	return pool.Make(elem, lo, hi)
}

// read records that nest k has run, so that its view of array a can be reused.
func (s *spares) read(k, a int, v *array.View) {
	if s.gave == nil {
		s.gave = map[[2]int]array.View{}
	}
	s.gave[[2]int{k, a}] = *v
}

// result returns an unmarked view of the cells lo..hi, which nest k writes while it reads fields. It reuses the view of an earlier run if
// nobody needs it. Only marked cells count, so the old content does no harm.
func (r *Rank) result(k int, elem string, lo, hi []int, fields kernel.Fields) (array.View, error) {
	for _, v := range r.spares.results {
		if v.Elem == elem && slices.Equal(v.Lo, lo) && slices.Equal(v.Hi, hi) && !r.inUse(&v.View, fields) {
			clear(v.Written)
			return v.View, nil
		}
	}
	v, err := r.pool().Make(elem, lo, hi)
	if err != nil {
		return v, err
	}
	v.TrackWritten()
	if r.within > 0 {
		r.spares.results = append(r.spares.results, spareResult{v, r.keepsMemory(k) && r.plans[k].Nest.Numbers == nil})
	}
	return v, nil
}

// inUse reports whether this rank owns cells in the memory of v, or fields have this memory.
func (r *Rank) inUse(v *array.View, fields kernel.Fields) bool {
	same := func(w array.View) bool {
		return len(w.Data) > 0 && len(v.Data) > 0 && &w.Data[0] == &v.Data[0]
	}
	for a := range r.fields {
		if w := r.slices[a]; w != nil && same(*w) || slices.ContainsFunc(r.fields[a].owned, func(w *array.View) bool { return same(*w) }) {
			return true
		}
	}
	return slices.ContainsFunc(fields.Given, same) || slices.ContainsFunc(fields.Result, same)
}

// dropUnused releases the views of results that nobody uses, but for those that stay: the nest that is about to run may need the memory.
func (s *spares) dropUnused(r *Rank, fields kernel.Fields) {
	s.results = slices.DeleteFunc(s.results, func(v spareResult) bool { return !v.stays && !r.inUse(&v.View, fields) })
}

// handsOver reports whether a nest with plan p may read results where an earlier nest has left them: on
// one rank, if states between nests are not wanted, and all runs of the nest have the same cells.
func (r *Rank) handsOver(p *plan.Plan) bool {
	return p.Ranks == 1 && !r.layout.pauses && p.Nest.Numbers == nil
}

// left returns the index of the owned view of array a that a nest reads in place: of the views with all cells that the nest needs, the one
// with the most marked cells. It returns -1 if no view has all of them.
func (r *Rank) left(p *plan.Plan, a int, need redist.Box) int {
	best, most := -1, 0
	if !r.handsOver(p) || need.Empty() {
		return best
	}
	for k, v := range r.fields[a].owned {
		if redist.Of(v).Meet(need).Cells() == need.Cells() && v.Marked() > most {
			best, most = k, v.Marked()
		}
	}
	return best
}

// nearlyAll returns the box of all cells of an array if lo..hi has most of them, and lo..hi otherwise. With a result
// view of all cells, a later nest may read the array in place.
func nearlyAll(arr *plan.Array, params []int, lo, hi []int) (first, last []int) {
	low, extent, err := arr.Extent(params)
	if err != nil || arr.Slice != nil {
		return lo, hi
	}
	all, boxed := 1.0, 1.0
	for m := range lo {
		all *= float64(extent[m])
		boxed *= float64(hi[m] - lo[m] + 1)
	}
	if boxed < 0.75*all {
		return lo, hi
	}
	return low, top(low, extent)
}
