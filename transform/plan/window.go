package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// A cut says how a run is cut into windows of levels, which run one after the other. Between two windows, only a state exists: for each
// value, its results of the last levels, as many as its longest flow distance along dimension 0.
//
// Space, parameters and overwriting writes are those of the entire run, so that exterior, final and unwritten cells are the same as without
// cuts. Windows have at most Epoch levels, which is what a plan counts on; the last one may reach beyond the space. All windows have the
// same tiles, workers and edges: a window is the window before it, moved. Windows end where multiples of Epoch of the run's levels are done,
// whichever level the run begins after, unless the first one would be shorter than a dependence.
type cut struct {
	Epoch       int   // levels of a window; 0: the run is not cut
	FirstLevels int   // of the first window, at most Epoch
	Windows     int   // number of windows; 1 if the run is not cut
	Levels      int   // levels of all windows
	Done        int   // levels before the first window
	Below       int   // levels right below Lo whose results a state supplies
	Alike       bool  // windows but the first and the last differ only in their place, or there is one
	move        []int // from a level to the next
	// Long is 0, unless the run is long (see longRun): then it is a good number of levels for an epoch, about the extent of a level.
	// Shorter epochs lose time while their pipelines fill, and longer ones leave the caches.
	Long int
}

// cutInto cuts the run as o says: Lo and Hi become those of the first window.
//
// A window is moved by the vector between two iterations that differ by one in the outermost loop only, if all bounds of the space but
// those of dimension 0 move with it. Otherwise it is moved along dimension 0 alone, and the other sides of its box are those of all levels.
func (p *Plan) cutInto(o Options) error {
	p.Windows, p.Alike = 1, true
	if p.Empty || o.Epoch == 0 && o.Done == 0 {
		return nil
	}
	levels := p.Hi[0] - p.Lo[0] + 1
	switch {
	case p.several():
		return fmt.Errorf("the number of a repeat is in the loops or subscripts of %s: it cannot be cut into epochs", cmp.Or(p.Nest.Title, p.Nest.Name))
	case p.Nest.Levelled:
		return fmt.Errorf("a single loop (%s) has one level: it cannot be cut into epochs", p.Nest.Dims[len(p.Nest.Dims)-1])
	case o.Epoch < 0 || o.Done < 0 || o.Done >= levels:
		return fmt.Errorf("epochs of %d levels after the first %d: the run has %d", o.Epoch, o.Done, levels)
	case o.Epoch > 0 && o.Epoch < p.HaloWidth[0]:
		return fmt.Errorf("an epoch of %s is shorter than the longest dependence along %s, which is %d", Plural(o.Epoch, "level"), p.Nest.Dims[0], p.HaloWidth[0])
	}
	p.Below = min(p.HaloWidth[0], o.Done)
	p.Lo[0] += o.Done
	p.Done = o.Done
	p.Levels = levels - o.Done
	if o.Epoch > 0 {
		if p.FirstLevels = o.Epoch - o.Done%o.Epoch; p.FirstLevels < p.HaloWidth[0] {
			p.FirstLevels = o.Epoch
		}
		if p.FirstLevels < p.Levels {
			p.Epoch, p.Windows = o.Epoch, 1+CeilDiv(p.Levels-p.FirstLevels, o.Epoch)
		}
	}
	p.chooseMove()
	p.shrinkLevels()
	if p.Windows > 1 {
		p.Hi[0] = p.Lo[0] + min(p.Epoch, p.Levels) - 1
		if p.Alike {
			p.shrinkLevels()
		}
	}
	p.Alike = p.Alike || p.Windows == 1
	return nil
}

// shrinkLevels shrinks Lo and Hi, but not the range of levels: levels without iterations count, too.
func (p *Plan) shrinkLevels() {
	lo, hi := p.Lo[0], p.Hi[0]
	p.Space.Shrink(p.Lo, p.Hi)
	p.Lo[0], p.Hi[0] = lo, hi
}

// chooseMove chooses the vector from a level to the next, see cutInto.
func (p *Plan) chooseMove() {
	p.move = make([]int, len(p.Lo))
	for x, row := range p.Nest.Skew {
		p.move[x] = row[0] * p.Nest.Skew[0][0]
	}
	p.Alike = p.move[0] == 1
	for _, in := range p.Space.necessary().Ineq {
		slope, other := 0, false
		for x, a := range in.A {
			slope += a * p.move[x]
			other = other || x > 0 && a != 0
		}
		p.Alike = p.Alike && (slope == 0 || !other)
	}
	if !p.Alike {
		clear(p.move)
		p.move[0] = 1
	}
}

// Window returns the plan of the window that begins when the given number of p's levels (after) are computed, and has the given number of
// levels, at most p.Epoch. A shorter window has the tiles, workers and edges of the others. If the run is not cut, the window is p. If
// levels is 0, the window of a run that is cut has the box of the entire run, and tiles that do not cover it.
func (p *Plan) Window(after, levels int) *Plan {
	if p.Windows == 1 {
		return p
	}
	w := *p
	if levels == 0 {
		w.Epoch, w.Windows, w.Alike = 0, 1, true
		w.Lo, w.Hi, _ = p.Space.box()
		return &w
	}
	if after == 0 && levels == p.Epoch {
		return p
	}
	w.Lo, w.Hi, w.Origin = slices.Clone(p.Lo), slices.Clone(p.Hi), slices.Clone(p.Origin)
	for x, by := range p.move {
		w.Lo[x] += by * after
		w.Hi[x] += by * after
		w.Origin[x] += by * after
	}
	w.Hi[0] = w.Lo[0] + min(levels, p.Levels) - 1
	if after > 0 {
		w.Below = p.HaloWidth[0]
	}
	return &w
}

// fewWindows is the number of windows at either end of a run that are examined one by one, if those between them differ only in their
// place.
const fewWindows = 32

// rankBoxes calls f with boxes of the iterations of a rank, one for each window. It leaves out windows whose affine images lie between
// those of other windows, unless a slice of array arr may lie in them; arr is -1 if f does not look at slices.
func (p *Plan) rankBoxes(rank, arr int, f func(mine box)) {
	all := p.Windows <= 2*fewWindows || !p.Alike
	for v := range p.Nest.Values {
		for _, o := range p.Nest.Values[v].Overwrites {
			all = all || o[0] > fewWindows/2*p.Epoch
		}
	}
	if all {
		p.windowBoxes(rank, 0, p.Windows, f)
		return
	}
	first, last := fewWindows, p.Windows-fewWindows
	from, to := p.sliceWindows(arr)
	from, to = max(from, first), min(to, last)
	p.windowBoxes(rank, 0, first, f)
	p.windowBoxes(rank, from, to, f)
	p.windowBoxes(rank, last, p.Windows, f)
}

// windowBoxes calls f with the box of a rank in each of the windows from, from+1, ... before to.
func (p *Plan) windowBoxes(rank, from, to int, f func(mine box)) {
	for k := from; k < to; k++ {
		after, levels := 0, p.FirstLevels
		if k > 0 {
			after, levels = p.FirstLevels+(k-1)*p.Epoch, p.Epoch
		}
		f(p.Window(after, levels).rankBox(rank))
	}
}

// sliceWindows returns a range from..to-1 of windows that contains all that may differ from their neighbors in more than their
// place, because they write cells of the slice of array arr at indices that move with the windows. p is the plan of the first
// window, and the windows are alike. A window is counted with the one behind it, as it begins earlier if the first one is shorter.
func (p *Plan) sliceWindows(arr int) (from, to int) {
	if arr < 0 || p.several() {
		return 0, 0
	}
	from = p.Windows
	for v := range p.Nest.Values {
		if p.Nest.Values[v].Array != arr {
			continue
		}
		first, last, moves := 0, p.Windows-1, false
		for m, at := range p.Nest.Arrays[arr].Slice {
			if at == nil {
				continue
			}
			off, by := p.Nest.Values[v].Cell[m], 0
			off.Const -= at.Eval(p.Params, nil)
			for x, c := range off.Iters {
				by += c * p.move[x] * p.Epoch
			}
			if by == 0 {
				continue // all windows are cut alike
			}
			moves = true
			// The index of window k is least + k*by to most + k*by; the slice is at 0.
			cells := box{p.Lo, p.Hi}.image([]Affine{off}, p.intervals)
			least, most := cells.lo[0], cells.hi[0]
			if by < 0 {
				least, most, by = -most, -least, -by
			}
			first, last = max(first, -FloorDiv(most, by)), min(last, FloorDiv(-least, by))
		}
		if moves && first <= last {
			from, to = min(from, first), max(to, last+2)
		}
	}
	return from, to
}

// State returns two boxes of results of value v, by their corners: has are the results that the rank computes in the last levels of the
// window, needs those that it reads from the levels below the window. A box without corners is empty. at are affine forms that map an
// iteration to its coordinates in these boxes: first the level, then the indices of the inner loops or, if a level is not one iteration of
// the outermost loop, the other coordinates of the plan.
func (p *Plan) State(rank, v int) (has, needs [2][]int, at []Affine) {
	forward, back := p.stateCoordinates()
	for _, row := range forward {
		at = append(at, Affine{Iters: row})
	}
	m := p.Nest.Values[v].Levels() - 1
	mine := p.rankBox(rank)
	if m == 0 || mine.empty() {
		return has, needs, at
	}
	space := p.Space.unskewed(back) // over the coordinates of the state
	between := func(b box, from, to int) (corners [2][]int) {
		var all box
		for level := max(b.lo[0], from); level <= min(b.hi[0], to); level++ {
			one := box{slices.Clone(b.lo), slices.Clone(b.hi)}
			one.lo[0], one.hi[0] = level, level
			if p.Space.Shrink(one.lo, one.hi) {
				all = all.hull(space.in(one.image(at, p.intervals)))
			}
		}
		return [2][]int{all.lo, all.hi}
	}
	has = between(mine, p.Hi[0]-m+1, p.Hi[0])
	if first := mine.within(p.Lo, append([]int{p.Lo[0] + p.HaloWidth[0] - 1}, p.Hi[1:]...)); p.Below > 0 && !first.empty() {
		for x := range first.lo {
			first.lo[x] -= p.HaloWidth[x]
		}
		needs = between(first, p.Lo[0]-m, p.Lo[0]-1)
	}
	return has, needs, at
}

// stateCoordinates returns the matrix from an iteration to its coordinates in a state, see State, and the inverse.
func (p *Plan) stateCoordinates() (forward, back [][]int) {
	t, n := p.Nest.Skew, len(p.Nest.Skew)
	unit := func(x int) []int {
		row := make([]int, n)
		row[x] = 1
		return row
	}
	loops := abs(t[0][0]) == 1 && !slices.ContainsFunc(t[0][1:], func(c int) bool { return c != 0 })
	for x := range n {
		forward = append(forward, unit(x))
		back = append(back, unit(x))
	}
	if !loops {
		return forward, back
	}
	// j = t⁻¹·p; the level is t_0·j.
	forward, back = inverse(t), nil
	for _, row := range t {
		back = append(back, slices.Clone(row))
		back[len(back)-1][0] *= t[0][0]
	}
	for x := range forward[0] {
		forward[0][x] *= t[0][0]
	}
	return forward, back
}

// inverse returns the inverse of a unimodular matrix. It turns m into the identity by subtracting multiples of rows from one another, as
// Euclid's algorithm does. The same operations turn the identity into the inverse.
func inverse(m [][]int) [][]int {
	n := len(m)
	var a [][]int // m, with the identity on its right
	for k, row := range m {
		right := make([]int, n)
		right[k] = 1
		a = append(a, append(slices.Clone(row), right...))
	}
	add := func(to, from, times int) {
		for x := range a[to] {
			a[to][x] += times * a[from][x]
		}
	}
	for k := range n {
		for r := k + 1; r < n; r++ {
			for a[r][k] != 0 {
				add(k, r, -(a[k][k] / a[r][k]))
				a[k], a[r] = a[r], a[k]
			}
		}
		if a[k][k] < 0 {
			add(k, k, -2)
		}
		for r := range k {
			add(r, k, -a[r][k])
		}
	}
	for k := range a {
		a[k] = a[k][n:]
	}
	return a
}
