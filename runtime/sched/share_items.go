package sched

import (
	"cmp"
	"math"
	"slices"
	"sync/atomic"

	"loopc/transform/plan"
)

// The items of a batch do not depend on one another. Where the loops run as they are written, each CPU takes the next item
// and computes it alone, with parameters, memory and reductions of its own. Items with the most iterations come first.

// leastShared is the least predicted time, in seconds, of a program whose items CPUs share.
const leastShared = 20e-6

// sharedNests says of each nest of steps whether it runs as an item of a batch. inBatch says that the steps are those of a batch.
func sharedNests(steps []Step, inBatch bool) map[int]bool {
	all := map[int]bool{}
	for _, s := range steps {
		if s.Repeat == nil {
			all[s.Nest] = inBatch
			continue
		}
		for k, shared := range sharedNests(s.Repeat.Steps, inBatch || s.Repeat.Batch) {
			all[k] = shared
		}
	}
	return all
}

// sharesItems reports whether CPUs share the items of a batch. The last item must have the last results of reductions:
// a repeat that runs nothing would leave those of another item.
func (s *sequence) sharesItems(r *Repeat) bool {
	return s.prog.cpus > 1 && s.prog.weighed.Loops > leastShared && !s.leavesResults(r.Steps, false)
}

// leavesResults reports whether steps have a nest with reductions that perhaps does not run. perhaps says that the steps themselves may not
// run.
func (s *sequence) leavesResults(steps []Step, perhaps bool) bool {
	return slices.ContainsFunc(steps, func(x Step) bool {
		if x.Repeat == nil {
			return perhaps && len(s.nests[x.Nest].Reduced) > 0
		}
		return s.leavesResults(x.Repeat.Steps, perhaps || x.Repeat.Item == nil)
	})
}

// An itemSize is an item of a batch and its number of iterations.
type itemSize struct {
	number int
	points int64
}

// atOnce is about how many iterations of small items a CPU takes at once.
const atOnce = 1 << 12

// A sharing is a batch whose items CPUs share, with the helpers that run the items. The helpers are kept, so that only the
// first run allocates memory.
type sharing struct {
	step    Step
	last    int          // the number of the last item
	items   []itemSize   // in the order in which CPUs take them
	each    int          // how many items a CPU takes at once
	next    atomic.Int64 // how many items CPUs have taken
	helpers []*sequence  // by CPU
	work    []func()     // by CPU: takes items
	errs    []itemError  // by CPU
	failed  atomic.Int64 // the lowest item that has failed; CPUs take no higher one
	runs    []int        // sequence.runs before the batch
}

// An itemError is why an item failed.
type itemError struct {
	number int // math.MinInt: the run was to end
	err    error
}

// shareItems runs a batch, for the items lo..hi, on several CPUs.
func (s *sequence) shareItems(step Step, lo, hi int) error {
	if err := s.between(); err != nil {
		return err
	}
	r, at, own := step.Repeat, s.given+step.Repeat.Index, &s.sharing
	own.step, own.last, own.items, own.runs = step, hi, own.items[:0], append(own.runs[:0], s.runs...)
	all, points, same := int64(0), int64(0), s.sameItems(r.Steps, at)
	if n := int64(hi - lo + 1); same {
		points = s.count(r.Steps, n) / n
	}
	for t := lo; t <= hi; t++ {
		if s.params[at] = t; !same {
			points = s.count(r.Steps, 1)
		}
		own.items, all = append(own.items, itemSize{t, points}), all+points
	}
	cpus := min(s.prog.cpus, len(own.items))
	own.each = int(max(1, min(int64(len(own.items)/(8*cpus)), atOnce*int64(len(own.items))/max(1, all))))
	slices.SortStableFunc(own.items, func(x, y itemSize) int { return cmp.Compare(y.points, x.points) })
	counts := r.Sequential == nil // nest by nest, the helpers count runs and points themselves
	if counts {
		copy(s.runs, own.runs)
		all = 0
	}
	for k := len(own.helpers); k < cpus; k++ {
		h, err := s.helper()
		if err != nil {
			return err
		}
		own.helpers, own.errs, own.work = append(own.helpers, h), append(own.errs, itemError{}), append(own.work, func() { s.takeItems(k) })
	}
	own.next.Store(0)
	own.failed.Store(math.MaxInt64)
	for k, h := range own.helpers[:cpus] {
		h.ctx, h.all, h.done, own.errs[k] = s.ctx, 1, 0, itemError{number: math.MaxInt}
		if counts { // with all = 1, a helper counts no points
			h.all = s.all
		}
		clear(h.runs)
		copy(h.params, s.params)
		h.take(s)
	}
	s.crew.share(own.work[:cpus])
	for _, h := range own.helpers[:cpus] {
		all += h.done
		for k, n := range h.runs {
			s.runs[k] += n
		}
	}
	s.done, s.told = s.done+all, s.told+all // the CPUs have told it
	s.repeats[r.Index] = len(own.items)
	return slices.MinFunc(own.errs[:cpus], func(x, y itemError) int { return cmp.Compare(x.number, y.number) }).err
}

// sameItems reports whether all items of a batch have the same number of iterations: nothing of its steps depends on parameter
// number, that of the batch.
func (s *sequence) sameItems(steps []Step, number int) bool {
	depends := func(f plan.Affine) bool { return number < len(f.Params) && f.Params[number] != 0 }
	return !slices.ContainsFunc(steps, func(x Step) bool {
		if r := x.Repeat; r != nil {
			return r.Item != nil || slices.ContainsFunc(r.Lo, depends) || slices.ContainsFunc(r.Hi, depends) || !s.sameItems(r.Steps, number)
		}
		n := &s.sizes[x.Nest]
		return n.p != nil && (n.space == nil || slices.ContainsFunc(n.p.Nest.Space, depends))
	})
}

// takeItems runs items on CPU k, the next ones that no CPU has taken, until there are none.
func (s *sequence) takeItems(k int) {
	own := &s.sharing
	for {
		to := int(own.next.Add(int64(own.each)))
		from := to - own.each
		if from >= len(own.items) {
			return
		}
		for items := own.items[from:min(to, len(own.items))]; len(items) > 0; {
			n := 1 // how many of the items have successive numbers
			for n < len(items) && items[n].number == items[n-1].number+1 {
				n++
			}
			s.takeRange(k, items[:n])
			items = items[n:]
		}
	}
}

// takeRange runs items that follow one another on CPU k.
func (s *sequence) takeRange(k int, items []itemSize) {
	own, h, from, to := &s.sharing, s.sharing.helpers[k], items[0].number, items[len(items)-1].number
	if int64(from) > own.failed.Load() {
		return
	}
	before := h.done
	if err := h.itemRange(own.step, from, to); err != nil {
		s.failItem(k, h.params[h.given+own.step.Repeat.Index], err)
		return
	}
	if s.progress != nil {
		points := h.done - before
		if own.step.Repeat.Sequential != nil {
			points = 0
			for _, x := range items {
				points += x.points
			}
		}
		s.progress.Add(points)
	}
	if to == own.last {
		s.take(h) // only this CPU has the last item
	}
}

// failItem notes that an item has failed on CPU k. The items before it go on: the caller learns of the first one that fails, as from one CPU.
func (s *sequence) failItem(k, number int, err error) {
	own := &s.sharing
	if s.ctx != nil && s.ctx.Err() != nil {
		number = math.MinInt
	}
	if number < own.errs[k].number {
		own.errs[k] = itemError{number, err}
	}
	for {
		old := own.failed.Load()
		if int64(number) >= old || own.failed.CompareAndSwap(old, int64(number)) {
			return
		}
	}
}

// itemRange runs the items from..to of the batch step.
func (s *sequence) itemRange(step Step, from, to int) (err error) {
	defer func() { err = recovered(s.prog, recover(), err) }()
	if step.Repeat.Sequential != nil {
		return s.repeat(step, from, to)
	}
	return s.repetitions(step, from, to)
}

// helper returns a sequence that runs items of s on another CPU.
//
// Errors: an array whose memory cannot be allocated.
func (s *sequence) helper() (*sequence, error) {
	h := &sequence{prog: s.prog, counts: s.counts, given: s.given, params: slices.Clone(s.params), fields: s.fields, items: s.items, ofProgram: s.ofProgram, arrays: slices.Clone(s.arrays), sizes: s.sizes, all: 1}
	for k := range h.arrays {
		if s.prog.Nest.Arrays[k].Item > 0 {
			v, err := h.array(k)
			if err != nil {
				return nil, err
			}
			h.arrays[k] = v
		}
	}
	h.repeats, h.runs = make([]int, len(s.repeats)), make([]int, len(s.runs))
	for k, part := range s.prog.Parts() {
		h.nests = append(h.nests, h.bind(k, part))
		var r *inArrays
		if s.inArrays[k] != nil {
			alone := *s.plans[k]
			alone.CPUs = 1
			r = newInArrays(part, &alone, s.prog.typical[k], h.params, h.nests[k])
		}
		h.inArrays = append(h.inArrays, r)
	}
	h.repeatable()
	return h, nil
}

// take copies the results of reductions and the numbers of repetitions from another sequence.
func (s *sequence) take(other *sequence) {
	copy(s.repeats, other.repeats)
	for k := range s.nests {
		for i := range s.nests[k].Reduced {
			copy(s.nests[k].Reduced[i].Value.Data, other.nests[k].Reduced[i].Value.Data)
		}
	}
}
