package plan

// An Access is a read of an array that the caller supplies: in iteration p (skewed), the body reads cell Subs(p). Reads of results, or of
// initial content in their place, are in Values and not listed here.
type Access struct {
	Array int
	Subs  []Affine
	// Whole says that the cell may be any cell of the array.
	Whole bool `json:",omitempty"`
}

// An InitAccess is a read of an in array by the init expression of array Of: cell x of Of reads cell Subs(x).
type InitAccess struct {
	Of    int
	Array int
	Subs  []Affine
	// Whole says that the cell may be any cell of the array.
	Whole bool `json:",omitempty"`
}

// A box is a set of integer points between two corners, both inclusive. A box without corners holds none.
type box struct{ lo, hi []int }

func (b box) empty() bool { return b.lo == nil }

// hull returns the least box that contains both.
func (b box) hull(o box) box {
	switch {
	case b.empty():
		return o
	case o.empty():
		return b
	}
	out := box{make([]int, len(b.lo)), make([]int, len(b.lo))}
	for k := range b.lo {
		out.lo[k], out.hi[k] = min(b.lo[k], o.lo[k]), max(b.hi[k], o.hi[k])
	}
	return out
}

// holds reports whether b contains o.
func (b box) holds(o box) bool {
	if b.empty() || o.empty() {
		return o.empty()
	}
	for k := range b.lo {
		if o.lo[k] < b.lo[k] || o.hi[k] > b.hi[k] {
			return false
		}
	}
	return true
}

// within returns the intersection of b and lo..hi.
func (b box) within(lo, hi []int) box {
	if b.empty() {
		return b
	}
	out := box{make([]int, len(b.lo)), make([]int, len(b.lo))}
	for k := range b.lo {
		out.lo[k], out.hi[k] = max(b.lo[k], lo[k]), min(b.hi[k], hi[k])
		if out.lo[k] > out.hi[k] {
			return box{}
		}
	}
	return out
}

// image returns the least box that contains the values of the forms at the points of b, for all values of the parameters.
func (b box) image(forms []Affine, params []interval) box {
	if b.empty() {
		return b
	}
	out := box{make([]int, len(forms)), make([]int, len(forms))}
	for m := range forms {
		least, most := forms[m].values(params)
		for k, c := range forms[m].Iters {
			least += min(c*b.lo[k], c*b.hi[k])
			most += max(c*b.lo[k], c*b.hi[k])
		}
		out.lo[m], out.hi[m] = least, most
	}
	return out
}

// in returns a box of the points of b that lie in the space and satisfy the further inequalities, as small as Shrink can make it.
func (s *Space) in(b box, further ...inequality) box {
	if b.empty() {
		return b
	}
	all := &Space{Depth: s.Depth, Ineq: append(s.Ineq[:len(s.Ineq):len(s.Ineq)], further...)}
	out := box{append([]int(nil), b.lo...), append([]int(nil), b.hi...)}
	if !all.Shrink(out.lo, out.hi) {
		return box{}
	}
	return out
}

// exits returns inequalities. For every point p of the space in the box such that p+d is not in the space, p satisfies at least one of
// them. Inequalities that hold nowhere in the box are left out.
func (s *Space) exits(d []int, of box) []inequality {
	var out []inequality
	for i := range s.Ineq {
		in := &s.Ineq[i]
		slope := 0
		for k, c := range in.A {
			slope += c * d[k]
		}
		if slope >= 0 {
			continue // if p satisfies it, so does p+d
		}
		least := in.C + slope
		for k, c := range in.A {
			least += min(c*of.lo[k], c*of.hi[k])
		}
		if least >= 0 {
			continue
		}
		// The opposite of the inequality at p+d: c + a·(p+d) ≤ -1.
		not := inequality{C: -in.C - slope - 1, A: make([]int, len(in.A))}
		for k, c := range in.A {
			not.A[k] = -c
		}
		out = append(out, not)
	}
	return out
}

// rankBox returns a box that contains the iterations of a rank.
func (p *Plan) rankBox(rank int) box {
	if p.Empty || rank < 0 {
		return box{}
	}
	n := len(p.Side)
	b := box{make([]int, n), make([]int, n)}
	for k := n - 1; k >= 0; k-- {
		b.lo[k], b.hi[k] = p.Lo[k], p.Hi[k]
		if k == p.Map {
			continue
		}
		first, last := p.rankTiles(k, rank%p.Grid[k])
		rank /= p.Grid[k]
		b.lo[k] = max(p.Lo[k], p.Origin[k]+first*p.Side[k])
		b.hi[k] = min(p.Hi[k], p.Origin[k]+(last+1)*p.Side[k]-1)
		if b.lo[k] > b.hi[k] {
			return box{}
		}
	}
	if rank > 0 {
		return box{} // beyond the grid: idle
	}
	return p.Space.in(b)
}

// bounds returns the declared bounds of a.
func (p *Plan) bounds(a *Array) (lo, hi []int) {
	for k := range a.Lo {
		lo = append(lo, a.Lo[k].Eval(p.Params, nil))
		hi = append(hi, a.Hi[k].Eval(p.Params, nil))
	}
	return lo, hi
}

// GivenBox returns a box of array arr, which the caller supplies, that has every cell that the rank reads; ok is false if it reads none. If
// accesses are not listed, the box is the entire array.
func (p *Plan) GivenBox(rank, arr int) (lo, hi []int, ok bool) {
	var all box
	p.rankBoxes(rank, -1, func(mine box) { all = all.hull(p.givenBox(mine, arr)) })
	return all.lo, all.hi, !all.empty()
}

// givenBox does what GivenBox does, for the iterations in mine.
func (p *Plan) givenBox(mine box, arr int) box {
	if mine.empty() {
		return box{}
	}
	a := &p.Nest.Arrays[arr]
	lo, hi := p.bounds(a)
	var all box
	if !p.Nest.Listed {
		all = box{lo, hi}
	}
	for _, r := range p.Nest.Reads {
		if r.Array == arr && r.Whole {
			all = box{lo, hi}
		} else if r.Array == arr {
			all = all.hull(p.read(a, mine.image(r.Subs, p.intervals)))
		}
	}
	for v := range p.Nest.Values {
		val := &p.Nest.Values[v]
		if val.Array == arr && a.Initial == Given {
			all = all.hull(p.initialBox(mine, val))
		}
		for _, r := range p.Nest.InitReads {
			if r.Of == val.Array && r.Array == arr && r.Whole {
				all = box{lo, hi}
			} else if r.Of == val.Array && r.Array == arr {
				all = all.hull(p.initialBox(mine, val).image(r.Subs, p.intervals))
			}
		}
	}
	return all.within(lo, hi)
}

// initialBox returns a box of the cells of a value whose initial content a rank needs: those of exterior locations that iterations in mine
// read.
func (p *Plan) initialBox(mine box, val *Value) box {
	var at, reach box // exterior locations; all locations that are read
	for _, d := range val.Need {
		back := make([]int, len(d))
		for k := range d {
			back[k] = -d[k]
		}
		from := mine.shifted(back)
		reach = reach.hull(from)
		if at.holds(from) {
			continue
		}
		if p.several() { // what is exterior in one run may be an iteration of another one
			at = at.hull(from)
			continue
		}
		for _, not := range p.Space.exits(back, mine) {
			at = at.hull(p.Space.in(mine, not).shifted(back))
		}
	}
	if at.empty() {
		return at
	}
	// A row is filled from the first to the last location that is read, so the content of locations between may be needed, too.
	last := len(at.lo) - 1
	at = box{append([]int(nil), at.lo...), append([]int(nil), at.hi...)}
	at.lo[last], at.hi[last] = reach.lo[last], reach.hi[last]
	return p.read(&p.Nest.Arrays[val.Array], at.image(val.Cell, p.intervals))
}

// shifted returns b moved by d.
func (b box) shifted(d []int) box {
	if b.empty() {
		return b
	}
	out := box{make([]int, len(d)), make([]int, len(d))}
	for k := range d {
		out.lo[k], out.hi[k] = b.lo[k]+d[k], b.hi[k]+d[k]
	}
	return out
}

// ResultBox returns a box of the returned part of array arr that contains every cell that the
// rank writes, without the dimensions that a slice drops; ok is false if the rank writes none.
func (p *Plan) ResultBox(rank, arr int) (lo, hi []int, ok bool) {
	var all box
	p.rankBoxes(rank, arr, func(mine box) { all = all.hull(p.resultBox(mine, arr)) })
	return all.lo, all.hi, !all.empty()
}

// resultBox does what ResultBox does, for the iterations in mine.
func (p *Plan) resultBox(mine box, arr int) box {
	a := &p.Nest.Arrays[arr]
	var all box
	for v := range p.Nest.Values {
		if p.Nest.Values[v].Array == arr {
			all = all.hull(p.finalBox(mine, &p.Nest.Values[v]).image(p.Nest.Values[v].Cell, p.intervals))
		}
	}
	all = all.within(p.bounds(a))
	if all.empty() {
		return box{}
	}
	lo, hi := []int{}, []int{}
	for m := range a.Lo {
		if a.Slice == nil || a.Slice[m] == nil {
			lo, hi = append(lo, all.lo[m]), append(hi, all.hi[m])
		}
	}
	return box{lo, hi}
}

// finalBox returns a box of the iterations in mine whose results of a value are returned: those in the slice that no write overwrites.
func (p *Plan) finalBox(mine box, val *Value) box {
	if p.several() { // an iteration may be the last one in some run
		return mine
	}
	var on []inequality
	for m, at := range p.Nest.Arrays[val.Array].Slice {
		if at == nil {
			continue
		}
		// Cell[m](p) = at, as two inequalities.
		off := val.Cell[m].Eval(p.Params, nil) - at.Eval(p.Params, nil)
		up, down := inequality{off, make([]int, len(p.Side))}, inequality{-off, make([]int, len(p.Side))}
		for k, c := range val.Cell[m].Iters {
			up.A[k], down.A[k] = c, -c
		}
		on = append(on, up, down)
	}
	b := p.Space.in(mine, on...)
	for _, o := range val.Overwrites {
		if b.empty() {
			return b
		}
		var last box
		for _, not := range p.Space.exits(o, b) {
			last = last.hull(p.Space.in(b, append(on[:len(on):len(on)], not)...))
		}
		b = last
	}
	return b
}
