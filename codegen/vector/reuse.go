package vector

import (
	"cmp"
	"math"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// If a statement reads several neighbors in a row, as u[i,j-1], u[i,j] and u[i,j+1], the row is
// loaded several times, and only one of these vectors can lie within a cache line. A load across
// two lines takes as long as two loads. If the unit for shuffles has time left, register reuse by
// shifts replaces such loads: a read's vector is composed of the foremost read's last two vectors. The same replaces
// a load that would wait for a store of the vector before: see loadsBeforeStores.

// A reuse says which reads of a stream take values that another read has loaded.
type reuse struct {
	home  int   // the foremost read, which is loaded
	backs []int // the reads whose vectors are moved in registers
}

// has reports whether the read at back columns before the iteration takes part: it is composed from
// registers, or it is the load that fills them.
func (x *reuse) has(back int) bool {
	return x != nil && (back == x.home || slices.Contains(x.backs, back))
}

// eachAccess calls f for each read of a stream by a live statement.
func (s *Shape) eachAccess(f func(r *ir.Read, a access)) {
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok {
			if a, ok := s.reads[r.ID]; ok {
				f(r, a)
			}
		}
	})
}

// readsOf returns the accesses that read a stream.
func (s *Shape) readsOf(k int) (all []access) {
	s.eachAccess(func(_ *ir.Read, a access) {
		if a.stream == k {
			all = append(all, a)
		}
	})
	return all
}

// backs returns how far back each stream is read, ascending.
func (s *Shape) backs() [][]int {
	all := make([][]int, len(s.Streams))
	s.eachAccess(func(_ *ir.Read, a access) { all[a.stream] = append(all[a.stream], a.back) })
	for k := range all {
		slices.Sort(all[k])
		all[k] = slices.Compact(all[k])
	}
	return all
}

// A candidate is a read that could be reused.
type candidate struct{ stream, home, back, order int }

// reusable returns the reads that can be reused, the best candidates first: within each stream, those
// farthest from the middle read, whose vectors most likely begin at a line. With AVX2, only a read that waits is
// reusable, because a reuse takes three instructions, more than a load.
func (f *function) reusable() (all []candidate) {
	if f.LaneSize() < 4 || f.s.down {
		return nil
	}
	for k, backs := range f.s.backs() {
		x := &f.s.Streams[k]
		_, ends := f.s.endOf[k]
		if ends || x.written || x.changes || x.Along != 1 || size(x.Elem) != f.LaneSize() || len(backs) < 2 {
			continue
		}
		home, last := backs[0], backs[len(backs)-1]
		if last-home >= f.Lanes() {
			continue
		}
		rest := backs[1:]
		slices.SortStableFunc(rest, func(a, b int) int {
			return -cmp.Compare(max(2*a-home-last, home+last-2*a), max(2*b-home-last, home+last-2*b))
		})
		for order, back := range rest {
			if f.MovesLanes() || f.s.waitsAt(k, back) {
				all = append(all, candidate{k, home, back, order})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.order, b.order) })
	return all
}

// waitsAt reports whether a read of stream k that is back columns before the iteration waits for a store.
func (s *Shape) waitsAt(k, back int) (waits bool) {
	s.eachAccess(func(r *ir.Read, a access) {
		waits = waits || a.stream == k && a.back == back && s.readsStored(r)
	})
	return waits
}

// reuses returns, by stream, the reuse of the best candidates, at most the given number of them.
func (f *function) reuses(most int) map[int]*reuse {
	all := map[int]*reuse{}
	for _, x := range f.reusable()[:most] {
		if all[x.stream] == nil {
			all[x.stream] = &reuse{home: x.home}
		}
		all[x.stream].backs = append(all[x.stream].backs, x.back)
	}
	return all
}

// across estimates how many loads of a step lie in two lines. Of the neighbors that are loaded from a
// stream, all but one do; with short vectors, half of these. If anywhere is set, all do that are loaded from arrays of the
// caller, whose rows begin anywhere in a line.
func (f *function) across(reuses map[int]*reuse, anywhere bool) float64 {
	n := 0
	for k, backs := range f.s.backs() {
		x := &f.s.Streams[k]
		if x.Along != 1 || x.written && x.Memory == Live {
			continue
		}
		loaded := len(backs)
		if reuses[k] != nil {
			loaded -= len(reuses[k].backs)
		}
		if !anywhere || f.s.internal(k) {
			loaded--
		}
		n += max(0, loaded) * size(x.Elem)
	}
	return float64(n*f.Lanes()) / lineBytes
}

// internal reports whether stream k is of an internal array, whose rows begin where their stores are within lines.
func (s *Shape) internal(k int) bool {
	x := &s.Streams[k]
	return x.Memory == Live && s.n.Arrays[s.p.Values[x.Value].Array].Role == ir.Internal
}

// lineBytes is the size of a cache line.
const lineBytes = 64

// reusedLanes returns the lanes of a read of a stream that is reused.
func (c *alongRow) reusedLanes(a access) asm.Reg {
	x := c.reuses[a.stream]
	if c.current[a.stream] == 0 {
		at := c.cell(a.stream, x.home)
		if c.tails {
			c.current[a.stream] = c.LoadMasked(at, c.mask(c.Machine, 1, 0))
		} else {
			c.current[a.stream] = c.Load(at)
		}
	}
	if a.back == x.home {
		return c.current[a.stream]
	}
	return c.shifted(a.stream, a.back-x.home)
}

// mostTried is about how many reads are written to try numbers of reused reads; each trial writes all.
const mostTried = 4096

// mostReused returns how many reads are reused: the number for which a step is shortest, by the
// sum of the ports' bounds on both modeled processors [note vector-constants], and of what loads wait for stores. Of many numbers, only
// some are tried. None are if steps are computed in two halves.
func (s *Shape) mostReused(isa asm.ISA) int {
	best, least := 0, math.Inf(1)
	all := len(s.trial(isa).reusable())
	if s.long() {
		all = 0
	}
	for most := 0; most <= all; most += 1 + all*all/mostTried {
		f := s.trial(isa)
		f.contiguous(1, most, false, 0)
		if f.halved { // which takes registers, and the time that shifts would take
			return 0
		}
		f.cost.Across = f.across(f.reuses(most), true)
		if c := f.result(0, 1).Cost.Ports.Sum() + f.waits*float64(len(asm.Bound{})); c <= least {
			best, least = most, c
		}
	}
	return best
}
