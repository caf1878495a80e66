package sched

import (
	"slices"

	"loopc/runtime/array"
)

// spares are the views of nests that are run again, whose memory the next run takes over:
// to ask the system for it each time would take longer than a small nest.
type spares struct {
	gave    map[[2]int]array.View   // by nest and array: what the last run has read
	results map[[2]int][]array.View // and what runs have written
	keeps   map[int]bool            // by nest: see again
	kept    int64                   // bytes that these need
}

// mostSpared is how much memory the nests that all ranks of a process keep while others run need
// together at most, which may need it themselves. One nest has a quarter of that at most, so that
// the first does not take what many small ones gain more by.
const mostSpared = 64 << 20

// again reports whether the memory of nest k is kept for when it is run again.
func (s *stepper) again(k int) bool {
	if s.within == 0 {
		return false
	}
	if s.spares.keeps == nil {
		s.spares.keeps = map[int]bool{}
	}
	keeps, known := s.spares.keeps[k]
	if !known {
		keeps = len(s.plans) == 1 || s.spared(s.plans[k].Memory(s.rank).Total())
		s.spares.keeps[k] = keeps
	}
	return keeps
}

// spared reports whether so much memory may be kept beside what already is.
func (s *stepper) spared(need int64) bool {
	most := int64(mostSpared)
	if s.layout.fits { // all ranks are of this process
		most /= int64(max(1, s.plans[0].Ranks))
	}
	if need > most/4 || need > most-s.spares.kept {
		return false
	}
	s.spares.kept += need
	return true
}

// drop gives up what is kept for nests that are not run again, once the outermost repeat has
// ended: those behind it may need that memory.
func (s *stepper) drop() {
	s.spares = spares{}
	s.crew.pools = nil
	for k := range s.fields {
		clear(s.fields[k].kept)
	}
}

// given returns a view of zeros for what nest k reads of array a: the one of its last run,
// if that has the same cells.
func (s *spares) given(k, a int, elem string, lo, hi []int) (array.View, error) {
	key := [2]int{k, a}
	v, ok := s.gave[key]
	delete(s.gave, key)
	if ok && slices.Equal(v.Lo, lo) && slices.Equal(v.Hi, hi) {
		clear(v.Data)
		return v, nil
	}
	return array.Make(elem, lo, hi)
}

// read says that nobody needs what nest k reads of array a when it has run.
func (s *spares) read(k, a int, v *array.View) {
	if s.gave == nil {
		s.gave = map[[2]int]array.View{}
	}
	s.gave[[2]int{k, a}] = *v
}

// result returns a view of zeros, of which none is marked, for what nest k writes of array
// a: one of an earlier run, unless this rank still owns cells of that.
func (s *stepper) result(k, a int, elem string, lo, hi []int) (array.View, error) {
	key := [2]int{k, a}
	for _, v := range s.spares.results[key] {
		if slices.Equal(v.Lo, lo) && slices.Equal(v.Hi, hi) && !s.owns(a, &v) {
			clear(v.Data)
			clear(v.Written)
			return v, nil
		}
	}
	v, err := array.Make(elem, lo, hi)
	if err != nil {
		return v, err
	}
	v.TrackWritten()
	if s.again(k) {
		if s.spares.results == nil {
			s.spares.results = map[[2]int][]array.View{}
		}
		s.spares.results[key] = append(s.spares.results[key], v)
	}
	return v, nil
}

// owns reports whether what this rank has of array a lies in the memory of v.
func (s *stepper) owns(a int, v *array.View) bool {
	same := func(w *array.View) bool {
		return w != nil && len(w.Data) > 0 && len(v.Data) > 0 && &w.Data[0] == &v.Data[0]
	}
	return same(s.slices[a]) || slices.ContainsFunc(s.fields[a].owned, same)
}
