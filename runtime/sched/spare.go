package sched

import (
	"slices"

	"loopc/runtime/array"
	"loopc/transform/plan/cost"
)

// spares are the views of nests that run again. The next run of a nest reuses their memory,
// because new memory from the system takes longer than running a small nest.
type spares struct {
	gave    map[[2]int]array.View   // by nest and array: a view that the last run has read
	results map[[2]int][]array.View // by nest and array: views that runs have written
	ordered map[[2]int][]byte       // by nest and array: memory of a copy in the order of rows
	keeps   map[int]bool            // by nest: whether its views are kept, see again
	bytes   int64                   // size of all views that are kept
}

// mostSpared bounds the memory that the ranks of a process keep for nests that are not running,
// because the running nest may need it. One nest keeps at most a quarter, so that the first
// nest leaves some for small nests, which gain more.
const mostSpared = 64 << 20

// again reports whether the memory of nest k is kept for its next run.
func (r *Rank) again(k int) bool {
	if r.within == 0 {
		return false
	}
	if r.spares.keeps == nil {
		r.spares.keeps = map[int]bool{}
	}
	keeps, known := r.spares.keeps[k]
	if !known {
		keeps = len(r.plans) == 1 || r.spared(cost.MemoryOf(r.plans[k], r.rank).Total())
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

// result returns an unmarked view of the cells of array a that nest k writes. It reuses the view of
// an earlier run, unless this rank still owns cells in that view. Only marked cells count, so the
// old content does no harm.
func (r *Rank) result(k, a int, elem string, lo, hi []int) (array.View, error) {
	key := [2]int{k, a}
	for _, v := range r.spares.results[key] {
		if slices.Equal(v.Lo, lo) && slices.Equal(v.Hi, hi) && !r.owns(a, &v) {
			clear(v.Written)
			return v, nil
		}
	}
	v, err := r.pool().Make(elem, lo, hi)
	if err != nil {
		return v, err
	}
	v.TrackWritten()
	if r.again(k) {
		if r.spares.results == nil {
			r.spares.results = map[[2]int][]array.View{}
		}
		r.spares.results[key] = append(r.spares.results[key], v)
	}
	return v, nil
}

// owns reports whether this rank owns cells of array a in the memory of v.
func (r *Rank) owns(a int, v *array.View) bool {
	same := func(w *array.View) bool {
		return w != nil && len(w.Data) > 0 && len(v.Data) > 0 && &w.Data[0] == &v.Data[0]
	}
	return same(r.slices[a]) || slices.ContainsFunc(r.fields[a].owned, same)
}
