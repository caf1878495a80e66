package sched

import (
	"context"
	"fmt"
	"sync"

	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// A layout holds the cells of each array that each rank needs and may have in each nest
// of a program, and what follows from that. Every rank computes the same layout. Its
// size grows with the number of ranks, so the ranks of one process share it.
type layout struct {
	whole *plan.Nest
	nests []*Program
	plans []*plan.Plan
	need  [][][]redist.Box // by nest, array and rank: what is read of what is given
	have  [][][]redist.Box // and what is written
	own   [][][]redist.Box // by array and rank: what it may have of any nest
	base  []int            // by nest, the number of its first edge
	steps []int            // by nest
	fits  bool             // the memory that all ranks need is there, which is checked once for those of a process

	mu      sync.Mutex
	written map[string][][]redist.Box // see haves
	covered map[[3]int]bool           // see covers
}

// newLayout returns the layout of a program of any number of nests. The result is
// useless if ctx has ended.
func newLayout(ctx context.Context, prog *Program, plans []*plan.Plan) *layout {
	nests, _ := prog.stepList()
	y := &layout{whole: prog.Nest, nests: nests, plans: plans, written: map[string][][]redist.Box{}, covered: map[[3]int]bool{}}
	ranks, arrays := plans[0].Ranks, len(prog.Nest.Arrays)
	next := firstOfNest
	for k := range nests {
		y.base, y.steps = append(y.base, next), append(y.steps, plans[k].Steps())
		most := 0
		for _, e := range plans[k].Edges() {
			if e.Remote() {
				most = max(most, e.ID+1)
			}
		}
		next += most
		need, have := make([][]redist.Box, arrays), make([][]redist.Box, arrays)
		for a := range arrays {
			need[a], have[a] = make([]redist.Box, ranks), make([]redist.Box, ranks)
			arr := &nests[k].Nest.Arrays[a]
			for r := range ranks {
				if ctx.Err() != nil {
					return y
				}
				if arr.Role == plan.In || arr.Role == plan.InOut {
					if lo, hi, ok := plans[k].GivenBox(r, a); ok {
						need[a][r] = redist.Box{Lo: lo, Hi: hi}
					}
				}
				if arr.Role == plan.Out || arr.Role == plan.InOut {
					if lo, hi, ok := plans[k].ResultBox(r, a); ok {
						have[a][r] = redist.Box{Lo: lo, Hi: hi}
					}
				}
			}
		}
		y.need, y.have = append(y.need, need), append(y.have, have)
	}
	for a := range arrays {
		all := make([]int, len(nests))
		for k := range all {
			all[k] = k
		}
		y.own = append(y.own, y.haves(a, all))
	}
	return y
}

// haves returns, for every rank, boxes of the cells of array a that it may have: those
// that some nests have written.
func (y *layout) haves(a int, writers []int) [][]redist.Box {
	y.mu.Lock()
	defer y.mu.Unlock()
	key := fmt.Sprint(a, writers)
	if all, ok := y.written[key]; ok {
		return all
	}
	all := make([][]redist.Box, y.plans[0].Ranks)
	for _, k := range writers {
		for r, b := range y.have[k][a] {
			if !b.Empty() {
				all[r] = append(all[r], b)
			}
		}
	}
	y.written[key] = all
	return all
}

// capacity is the length of the longest message that goes from one rank to
// another between two nests.
func (y *layout) capacity(from, to int) int {
	longest := 0
	for a := range y.own {
		for k := range y.nests {
			m := redist.Move{Size: y.whole.Arrays[a].Size, Need: y.need[k][a], Have: y.own[a]}
			longest = max(longest, m.Capacity(from, to))
		}
	}
	return longest
}

// covers reports whether nest k, with plan p, writes every cell of array a that nest e
// writes, as far as a comparison row by row can tell.
func (y *layout) covers(p *plan.Plan, k, e, a int) bool {
	if k == e {
		return true
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	key := [3]int{k, e, a}
	known, ok := y.covered[key]
	if ok {
		return known
	}
	all := true
	for _, b := range y.have[e][a] {
		lo, hi := b.Row()
		b.Rows(func(cell []int) bool {
			row := false
			for v := range p.Nest.Values {
				if p.Nest.Values[v].Array == a && !row {
					from, to := p.WrittenSpan(v, cell, lo, hi)
					row = from == lo && to == hi
				}
			}
			all = all && row
			return all
		})
	}
	y.covered[key] = all
	return all
}
