package sched

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"loopc/runtime/halo"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// Numbers of edges between ranks that belong to no nest, if there are any. The edges of the nests come after them.
const (
	moveEdge    = 0 // arrays, from nest to nest
	untilEdge   = 1 // results of reductions, for repeats with an until
	stateEdge   = 2 // states, from window to window
	dueEdge     = 3 // from rank 0: what is due at a cut, see Due
	coupleEdge  = 4 // blocks that code of the caller has changed
	callEdge    = 5 // a barrier around calls of code of the caller
	firstOfNest = 6
)

// A layout holds what follows from a program and its plans alone: which nests hand on which arrays, and which cells of these arrays each
// rank needs and may own in each nest. Every rank computes the same layout. Its size grows with the number of ranks, so the ranks of one
// process share it.
type layout struct {
	whole *plan.Nest
	nests []*Program
	plans []*plan.Plan
	later [][]bool         // by nest and array: a later nest has the array, or the same nest again in a repeat
	need  [][][]redist.Box // by nest, array that is handed on, and rank: the given cells that the rank reads, in any repetition
	have  [][][]redist.Box // likewise, the cells that the rank writes; in place of a nest, shares() stands for the rank's share of all cells
	own   [][][]redist.Box // by array and rank: the cells that the rank may own after any nest; nil: the array is not handed on
	base  []int            // by nest: the number of its first edge
	steps []int            // by nest
	polls bool             // the ranks agree on results of reductions
	// For a program of several nests, and its run:
	several bool
	pauses  bool // the run keeps checkpoints, or has a Coupling
	couples bool // the run has a Coupling
	resumes bool // the run begins with a state
	shared  bool // all ranks are in this process, which has enough memory for all of them

	mu      sync.Mutex
	written map[string][][]redist.Box // see haves
	covered map[[3]int]bool           // see covers
	moves   [][]redist.Move           // see between
}

// newLayout returns the layout of a program and a run that watch observes. The result is useless if ctx has ended.
func newLayout(ctx context.Context, prog *Program, plans []*plan.Plan, watch *Watch) *layout {
	y := &layout{whole: prog.Nest, nests: slices.Clone(prog.Parts()), plans: plans, written: map[string][][]redist.Box{}, covered: map[[3]int]bool{}}
	for k, part := range y.nests {
		y.nests[k] = part.fit(plans[k].Params)
	}
	if y.several = prog.Several(); y.several {
		c := watch.Checkpoints
		y.couples = watch.Couple != nil
		y.pauses = y.couples || c != nil && c.Keep != nil
		y.resumes = c != nil && c.From != nil
	}
	y.order(prog.steps())
	all := make([]int, len(y.nests))
	y.need, y.have = make([][][]redist.Box, len(all)), make([][][]redist.Box, len(all)+1)
	for k := range y.have {
		y.have[k] = make([][]redist.Box, len(y.whole.Arrays))
	}
	for k := range all {
		all[k] = k
		y.need[k] = make([][]redist.Box, len(y.whole.Arrays))
		y.steps = append(y.steps, plans[k].Steps())
	}
	y.own = make([][][]redist.Box, len(y.whole.Arrays))
	for a := range y.own {
		handed := func(k int) bool { return y.later[k][a] && writes(&y.nests[k].Nest.Arrays[a]) }
		coupled := y.couples && y.whole.Arrays[a].Role == plan.InOut
		if !coupled && !slices.ContainsFunc(all, handed) {
			continue
		}
		for k := range all {
			if !y.boxes(ctx, k, a) {
				return y
			}
		}
		writers := all
		if coupled || y.resumes {
			writers = append(slices.Clone(all), y.shares())
			y.have[y.shares()][a] = y.sharesOf(a)
		}
		y.own[a] = y.haves(a, writers)
	}
	y.polls = prog.polls()
	y.number(y.polls || y.pauses)
	return y
}

// order sets later. Each nest of an outermost repeat is later than all nests of the repeat, itself included: the repeat may run it again.
func (y *layout) order(steps []Step) {
	var place []int // by nest
	next := 0
	var walk func(steps []Step, repeated bool)
	walk = func(steps []Step, repeated bool) {
		for _, s := range steps {
			if s.Repeat != nil {
				walk(s.Repeat.Steps, true)
			} else {
				place[s.Nest] = next
			}
			if !repeated {
				next++
			}
		}
	}
	place = make([]int, len(y.nests))
	walk(steps, false)
	repeats := make([]bool, next)
	for k, s := range steps {
		repeats[k] = s.Repeat != nil
	}
	for k := range y.nests {
		later := make([]bool, len(y.whole.Arrays))
		for a := range later {
			for j, other := range y.nests {
				arr := &other.Nest.Arrays[a]
				if (isGiven(arr) || arr.Returned()) && (place[j] > place[k] || place[j] == place[k] && repeats[place[k]]) {
					later[a] = true
				}
			}
		}
		y.later = append(y.later, later)
	}
}

// writes reports whether a nest gives back array a, to a later nest or to the caller.
func writes(a *plan.Array) bool { return a.Role == plan.Out || a.Role == plan.InOut }

// boxes finds the cells of array a, which is handed on, that each rank needs and may own in nest k. It stops when ctx ends, and returns
// false, because there may be very many ranks.
func (y *layout) boxes(ctx context.Context, k, a int) bool {
	p := y.plans[k]
	need, have := make([]redist.Box, p.Ranks), make([]redist.Box, p.Ranks)
	arr := &y.nests[k].Nest.Arrays[a]
	for r := range p.Ranks {
		if ctx.Err() != nil {
			return false
		}
		if isGiven(arr) {
			need[r] = givenBox(p, r, a)
		}
		if writes(arr) {
			if lo, hi, ok := p.ResultBox(r, a); ok {
				have[r] = redist.Between(lo, hi)
			}
		}
	}
	y.need[k][a], y.have[k][a] = need, have
	return true
}

// givenBox is plan.Plan.GivenBox.
func givenBox(p *plan.Plan, rank, a int) (b redist.Box) {
	if lo, hi, ok := p.GivenBox(rank, a); ok {
		b = redist.Between(lo, hi)
	}
	return b
}

// needs returns, for every rank, the given cells of array a that it reads in a run of nest k by plan p.
func (y *layout) needs(p *plan.Plan, k, a int) []redist.Box {
	if p.Nest.Numbers == nil {
		return y.need[k][a]
	}
	var all []redist.Box
	for r := range p.Ranks {
		all = append(all, givenBox(p, r, a))
	}
	return all
}

// number assigns the numbers of the nests' edges. polled says that ranks agree on what comes next.
func (y *layout) number(polled bool) {
	next := 0
	if y.handsOn() || polled || y.passesStates() {
		next = firstOfNest
	}
	for k := range y.nests {
		y.base = append(y.base, next)
		if k == len(y.nests)-1 {
			break
		}
		most := 0
		for _, e := range y.plans[k].Edges() {
			if e.Remote() {
				most = max(most, e.ID+1)
			}
		}
		next += most
	}
}

// handsOn reports whether any array is handed on.
func (y *layout) handsOn() bool {
	return slices.ContainsFunc(y.own, func(own [][]redist.Box) bool { return own != nil })
}

// last reports whether no nest has array a after nest k.
func (y *layout) last(k, a int) bool { return !y.later[k][a] }

// final reports whether the caller gets the results of nest k as the result of array a. If several nests have an array, its result may be a
// slice of their results; this case is not final.
func (y *layout) final(k, a int) bool {
	arr, whole := &y.nests[k].Nest.Arrays[a], &y.whole.Arrays[a]
	return arr.Returned() && whole.Returned() && y.last(k, a) && (arr.Slice == nil) == (whole.Slice == nil)
}

// anyFinal reports whether final holds for some nest.
func (y *layout) anyFinal(a int) bool {
	for k := range y.nests {
		if y.final(k, a) {
			return true
		}
	}
	return false
}

// haves returns, for every rank, the boxes of array a's cells that it may own: the cells that the given nests write.
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

// capacity is the length of the longest message from one rank to another between two nests.
func (y *layout) capacity(from, to int) int {
	longest := 0
	for a, own := range y.own {
		for k := range y.nests {
			if own == nil {
				break
			}
			m := redist.Move{Size: y.whole.Arrays[a].Size, Need: y.need[k][a], Have: own}
			longest = max(longest, m.Capacity(from, to))
		}
		if y.couples && y.whole.Arrays[a].Role == plan.InOut {
			m := redist.Move{Size: y.whole.Arrays[a].Size, Need: y.have[y.shares()][a], Have: own}
			longest = max(longest, m.Capacity(from, to))
		}
	}
	return longest
}

// covers reports whether nest k, with plan p, writes every cell of array a that nest e writes; if e is y.shares(), every cell.
func (y *layout) covers(p *plan.Plan, k, e, a int) bool {
	if p.Nest.Numbers != nil || e < len(y.nests) && y.nests[e].Nest.Numbers != nil {
		return false // the cells may be others in each repetition
	}
	if k == e {
		return true
	}
	y.mu.Lock()
	defer y.mu.Unlock()
	key := [3]int{k, e, a}
	if known, ok := y.covered[key]; ok {
		return known
	}
	all := !slices.ContainsFunc(y.have[e][a], func(b redist.Box) bool { return len(without(b, writtenOf(p, a, b))) > 0 })
	y.covered[key] = all
	return all
}

// Peers returns the ranks with which a rank exchanges messages, in ascending order, in a run that watch observes.
func Peers(prog *Program, plans []*plan.Plan, rank int, watch Watch) []int {
	if prog.written() {
		return beside(rank, plans[0].Ranks)
	}
	return tilePeers(prog, plans, rank, watch)
}

// tilePeers does what Peers does, for a run in tiles.
func tilePeers(prog *Program, plans []*plan.Plan, rank int, watch Watch) []int {
	peers := []int{}
	for _, p := range plans {
		for _, e := range p.EdgesOf(rank) {
			if e.Remote() {
				peers = append(peers, e.Rank[0]+e.Rank[1]-rank) // the other end
			}
		}
	}
	y := newLayout(context.Background(), prog, plans, &watch)
	polls := y.polls || watch.keeps() && (y.passesStates() || y.several) // between rank 0 and all others
	coupled := watch.Couple != nil && y.passesStates() && !y.several     // between any two
	if y.handsOn() || polls || y.passesStates() {
		for r := range plans[0].Ranks {
			if r != rank && (coupled || polls && (r == 0 || rank == 0) || y.passes(rank, r) || y.passes(r, rank)) {
				peers = append(peers, r)
			}
		}
	}
	slices.Sort(peers)
	return slices.Compact(peers)
}

// keeps reports whether states of the run are kept.
func (w *Watch) keeps() bool { return w.Checkpoints != nil && w.Checkpoints.Keep != nil }

// passes reports whether a rank may send cells to another one between nests, or between windows.
func (y *layout) passes(from, to int) bool {
	return y.capacity(from, to) > 0 || y.stateCapacity(from, to) > 0
}

// A written describes cells of an array that a nest writes: the cells of a box for which all forms are at least 0.
type written struct {
	box   redist.Box
	forms []plan.Affine // with a coefficient for each dimension
}

// writtenOf returns the cells of array a within b that the nest of p writes. Values that write neighboring boxes, such as the components
// of a vector, are one entry.
func writtenOf(p *plan.Plan, a int, b redist.Box) (all []written) {
	for v := range p.Nest.Values {
		if p.Nest.Values[v].Array != a || p.Empty || b.Empty() {
			continue
		}
		w := writtenBy(p, v, b)
		apart := func(o written) bool { return len(o.forms)+len(w.forms) == 0 && o.box.Meet(w.box).Empty() }
		joins := func(o written) bool { return apart(o) && o.box.Hull(w.box).Cells() == o.box.Cells()+w.box.Cells() }
		if k := slices.IndexFunc(all, joins); k >= 0 {
			all[k].box = all[k].box.Hull(w.box)
		} else if !w.box.Empty() {
			all = append(all, w)
		}
	}
	return all
}

// writtenBy returns the cells of b that value v writes; their box may be empty.
func writtenBy(p *plan.Plan, v int, b redist.Box) written {
	w := written{box: redist.Between(slices.Clone(b.Lo), slices.Clone(b.Hi))}
	for _, in := range p.Nest.Values[v].Written {
		f, dim, dims := plan.Affine{Const: in.Eval(p.Params, nil), Iters: append(slices.Clone(in.Iters), make([]int, len(b.Lo)-len(in.Iters))...)}, 0, 0
		highest := f.Const
		for m, c := range f.Iters {
			if highest += max(c*b.Lo[m], c*b.Hi[m]); c != 0 {
				dim, dims = m, dims+1 // the last dimension on which f depends, and how many there are
			}
		}
		if highest < 0 {
			return written{}
		} else if dims > 1 {
			w.forms = append(w.forms, f)
		} else if dims == 1 {
			w.box.Lo[dim], w.box.Hi[dim] = halo.AtLeast(f.Const, f.Iters[dim], w.box.Lo[dim], w.box.Hi[dim])
		}
	}
	return written{w.box.Meet(b), w.forms}
}

// span returns the first and the last cell, along the last dimension, in the row through cell; the last entry of cell is ignored.
// a > b if there is none.
func (w *written) span(cell []int) (a, b int) {
	last := len(cell) - 1
	a, b = w.box.Row()
	for m := range last {
		if cell[m] < w.box.Lo[m] || cell[m] > w.box.Hi[m] {
			return 1, 0
		}
	}
	for _, f := range w.forms {
		a, b = halo.AtLeast(f.Eval(nil, cell)-f.Iters[last]*cell[last], f.Iters[last], a, b)
	}
	return a, b
}
