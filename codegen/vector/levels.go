package vector

import (
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Levels is a kernel with lanes across levels: lane l of a vector has level
// p_0 + l and runs column v - s·l of the row at step v. A dependence d is the
// vector of step v - (d_b + s·d_0) of row r - d_o, moved up by d_0 lanes; since
// flow distances are nonnegative, s = 1 makes lanes independent, and s = 0 does
// if every d with d_o = 0 and d_0 ≥ 1 has d_b ≥ 1. (The vector wavefront with
// levels as lanes; what calls it, and its frame, is kernel.Temporal.)
//
// A vector that was moved up is kept, and not moved again by each that reads it:
// S^k, moved by k lanes, is S^(k-1) moved by one, with the cell of the level k
// below the slab in lane 0.
type Levels struct {
	*Shape
	most   int                // levels that the longest distance spans
	flows  map[int]levelFlow  // by read
	givens map[int]int        // by read: of given
	given  []kernel.LaneGiven // those that the body reads
	index  []kernel.LaneIndex // per Indices
	rows   [][]int            // distances of rows, the row itself first
	shifts []int              // per value: the most lanes by which it is moved up
	plus   []int32            // per value: what is added to what is read of it: see common
	bytes  map[int]bool       // of given: compared as bytes, where that can be
	times  map[levelFlow]int  // reads of each flow
	asks   map[int]int        // reads of each given sequence
}

// A levelFlow is where the value of a read is: the vector of a value, moved up by
// some lanes, of the row at distance rows[row], some steps back.
type levelFlow struct {
	vector levelVector
	row    int
	back   int
}

// A levelVector is the vector of a value's results, moved up by some lanes.
type levelVector struct{ value, up int }

// farthestStep bounds how many steps before its own an iteration reads: rows of
// lanes have that much room before their first column.
const farthestStep = 64

// AnalyzeLevels returns the kernel of a nest with lanes across levels, or nil and
// why there is none. live tells of the statements that something comes of.
func AnalyzeLevels(n *ir.Nest, l *ir.Lowered, p *plan.Nest, live []bool) (s *Levels, why string) {
	defer refusal(&why)
	x := &Levels{
		Shape: &Shape{n: n, l: l, p: p, live: live, last: len(p.Dims) - 1},
		flows: map[int]levelFlow{}, givens: map[int]int{},
		rows: [][]int{make([]int, max(0, len(p.Dims)-2))}, shifts: make([]int, len(l.Values)),
	}
	x.analyze()
	return x, ""
}

func (s *Levels) analyze() {
	s.reductions(false)
	if s.p.Levelled {
		refuse("there is one level only")
	}
	s.types(29) // halo has slabs of such coordinates alone
	for v, stmt := range s.l.Values {
		if s.live[stmt] && len(s.p.Values[v].Fallbacks) > 0 {
			refuse("what precedes %s differs by region", s.p.Values[v].Name)
		}
	}
	s.each(func(e ir.Expr) {
		r, ok := e.(*ir.Read)
		if !ok || s.l.Reads[r.ID].From != ir.FromBlock {
			return
		}
		if d := s.l.Reads[r.ID].Dist; s.inSlab(d) && d[s.last] < 1 {
			s.skew = 1
		}
	})
	s.each(s.leaf)
	for _, f := range s.flows {
		if f.back > farthestStep {
			refuse("a dependence spans %d steps", f.back)
		}
	}
	s.times = map[levelFlow]int{}
	for _, f := range s.flows {
		s.times[f]++
	}
	s.asks = map[int]int{}
	for _, k := range s.givens {
		s.asks[k]++
	}
	s.common()
	s.compareBytes()
}

// inSlab reports whether a distance leads to the same row of the slab.
func (s *Levels) inSlab(d ir.Vec) bool {
	for _, x := range d[1:s.last] {
		if x != 0 {
			return false
		}
	}
	return true
}

// leaf notes where the value of a leaf of the body is.
func (s *Levels) leaf(e ir.Expr) {
	switch e := e.(type) {
	case *ir.IterRef:
		if s.indexOf(e.Iter) >= 0 {
			return
		}
		row := s.l.Unskew[e.Iter+len(s.p.Dims)-s.n.Depth()]
		s.Indices = append(s.Indices, Index{Loop: e.Iter, ByRow: row[0], ByColumn: row[s.last]})
		s.index = append(s.index, kernel.LaneIndex{At: plan.Affine{Iters: slices.Clone(row)}})
	case *ir.ParamRef:
		if use := (ParamUse{e.Param, e.T}); !slices.Contains(s.Params, use) {
			s.Params = append(s.Params, use)
		}
	case *ir.Convert:
		if r := s.widened(e); r != nil {
			s.givens[r.ID] = s.givenAt(r, e.T)
		}
	case *ir.Read:
		switch from := s.l.Reads[e.ID]; from.From {
		case ir.FromBlock:
			s.flow(e, from)
		case ir.FromInitial:
			if _, widened := s.givens[e.ID]; !widened {
				s.givens[e.ID] = s.givenAt(e, e.T)
			}
		}
	}
}

// flow notes a read of the result of an earlier iteration.
func (s *Levels) flow(e *ir.Read, from ir.ReadFrom) {
	d := from.Dist
	row := slices.IndexFunc(s.rows, func(r []int) bool { return slices.Equal(r, d[1:s.last]) })
	if row < 0 {
		row = len(s.rows)
		s.rows = append(s.rows, slices.Clone(d[1:s.last]))
	}
	s.flows[e.ID] = levelFlow{levelVector{from.Value, d[0]}, row, d[s.last] + s.skew*d[0]}
	s.shifts[from.Value] = max(s.shifts[from.Value], d[0])
	s.most = max(s.most, d[0])
}

// givenAt returns which of the given sequences a read is of, as cells of type t.
//
// With e_b and e_0 the cells by which a subscript moves along the row and from a
// level to the next, a lane's cell is that of the lane below it moved by
// e_0 - s·e_b.
func (s *Levels) givenAt(r *ir.Read, t ir.Type) int {
	a := s.n.Arrays[r.Array]
	if a.Role != ir.In && a.Role != ir.InOut {
		refuse("%s is read where its init supplies it", a.Name)
	}
	along := s.along(r.Subs)
	if along < 0 {
		refuse("cells of %s that a row reads are not neighbors", a.Name)
	}
	if t == ir.Uint8 {
		t = ir.Int32
	}
	if t.Size() != s.lane {
		refuse("%s values are wider or narrower than the results", t)
	}
	g := kernel.LaneGiven{Array: r.Array, Elem: t.String()}
	back, still := true, true // a lane reads the cell before that of the lane below; all the same cell
	for m, sub := range r.Subs {
		x := plan.Affine{Const: sub.Const, Params: slices.Clone(sub.Params)}
		for d := range s.p.Dims {
			x.Iters = append(x.Iters, s.Coefficient(sub, d))
		}
		g.Subs = append(g.Subs, x)
		lane := x.Iters[0] - s.skew*x.Iters[s.last]
		still = still && lane == 0
		if m == len(r.Subs)-1 {
			back = back && lane == -1
		} else {
			back = back && lane == 0
		}
	}
	switch {
	case still:
		g.Kind, g.Step = kernel.Same, along
	case along == 0:
		g.Kind = kernel.Fixed
	case back:
		g.Kind = kernel.Window
	default:
		g.Kind = kernel.Laced
	}
	same := func(x kernel.LaneGiven) bool {
		return x.Array == g.Array && x.Elem == g.Elem && slices.EqualFunc(x.Subs, g.Subs, func(a, b plan.Affine) bool {
			return a.Const == b.Const && slices.Equal(a.Params, b.Params) && slices.Equal(a.Iters, b.Iters)
		})
	}
	if k := slices.IndexFunc(s.given, same); k >= 0 {
		return k
	}
	s.given = append(s.given, g)
	return len(s.given) - 1
}

// A levelLayout says what is kept where, for one instruction set.
type levelLayout struct {
	kernel.Temporal
	levelForm
	at      map[levelVector]levelPlace
	inserts map[levelVector]int // places in Inserts
	vectors []heldVector        // see held
	backs   map[heldVector]int
}

// A levelForm says how the vectors of rows are kept.
type levelForm struct {
	depth   int  // steps back to which results of the row itself are held in registers
	moved   int  // the same of results that were moved up
	inPlace bool // a row takes the place of the one farthest before it
}

// holds reports whether what a flow reads of the row itself is held in registers.
func (m levelForm) holds(f levelFlow) bool {
	if f.vector.up > 0 {
		return f.back <= m.moved
	}
	return f.back <= m.depth
}

// mostBack is how many steps back vectors of a row whose place is taken may be read:
// as many are held in registers.
const mostBack = 3

// replaced returns the one of rows that may lie where the row itself goes, 0 if
// none may: that of which the outermost coordinate alone differs, by the most there
// is. Another row with that coordinate would have been written over already.
func (s *Levels) replaced() int {
	out, most := 0, 0
	for k, d := range s.rows {
		switch {
		case len(d) == 0 || d[0] < most || d[0] == 0:
		case d[0] > most:
			out, most = k, d[0]
		default:
			return 0 // two rows, unless a farther one comes
		}
	}
	for k, d := range s.rows {
		for x, e := range d {
			if k == out && x > 0 && e != 0 || k != out && x == 0 && e == most {
				return 0
			}
		}
	}
	for _, f := range s.flows {
		if f.row == out && f.back > mostBack {
			return 0
		}
	}
	return out
}

// A levelPlace is the vector of a cell, of a ring row or of the row that is not
// kept.
type levelPlace struct {
	ring bool
	at   int
}

// layout assigns places to vectors. What rows to come read is in the ring. A
// stored value that is not has a place in the row that is not kept, and so has
// what is read further back in the row than registers hold. A vector that was
// moved up needs none for being held in registers: it is moved again when a call
// begins. But with s = 0 the cell that was moved into its lowest lane may have
// been overwritten by then.
func (s *Levels) layout(isa asm.ISA, form levelForm) *levelLayout {
	y := &levelLayout{levelForm: form, at: map[levelVector]levelPlace{}, inserts: map[levelVector]int{}}
	if form.inPlace {
		y.InPlace = s.replaced()
	}
	y.Count, y.Size, y.Skew, y.Chains = isa.Bytes()/s.lane, s.lane, s.skew, 1
	y.Rows, y.Given, y.Indices, y.Reduces = s.rows, slices.Clone(s.given), s.index, len(s.n.Reduces())
	for k := range y.Given {
		if s.inBytes(isa, k) {
			y.Given[k].Elem = ir.Uint8.String()
		}
	}
	for _, use := range s.Params {
		y.Params = append(y.Params, kernel.LaneParam{Param: use.Param, Elem: use.Type.String()})
	}
	rings, rereads := map[levelVector]bool{}, map[levelVector]bool{}
	for f := range s.times {
		rings[f.vector] = rings[f.vector] || f.row > 0
		rereads[f.vector] = rereads[f.vector] || (!form.holds(f) || s.skew == 0) && f.row == 0
	}
	for v := range s.shifts {
		for k := range s.shifts[v] + 1 {
			x := levelVector{v, k}
			ring, now := rings[x], k == 0 && !s.l.Dead[v] || k > 0 && rereads[x]
			switch {
			case ring:
				y.at[x] = levelPlace{true, y.Ring}
				y.Ring++
			case now && s.live[s.l.Values[v]]:
				y.at[x] = levelPlace{false, y.Now}
				y.Now++
			}
			if k > 0 {
				y.inserts[x] = len(y.Inserts)
				y.Inserts = append(y.Inserts, kernel.LanePlane{Value: v, Level: k})
				y.Outs = append(y.Outs, kernel.LanePlane{Value: v, Level: k})
			}
		}
		value := kernel.LaneValue{At: -1}
		if p, ok := y.at[levelVector{v, 0}]; ok {
			value = kernel.LaneValue{InRing: p.ring, At: p.at, Fill: p.at}
			if p.ring {
				value.Fill = y.Now
				y.Now++
			}
		}
		value.Plus = int(s.plus[v])
		y.Values = append(y.Values, value)
	}
	// Chains that compute rows of one slab take the places of rows.
	y.Tops = isa == asm.AVX512 && y.InPlace > 0 && len(y.Outs) > 0
	y.vectors, y.backs = s.held(y)
	return y
}

// A heldVector is a vector that is held in registers: of the row itself, or of the
// one whose place it takes.
type heldVector struct {
	levelVector
	replaced bool
}

// held are the vectors that are held in registers from step to step, and how many
// steps back, in a fixed order. A vector of the row whose place is taken is among
// them, with 0, if it is read at the same step only.
func (s *Levels) held(y *levelLayout) (vectors []heldVector, backs map[heldVector]int) {
	backs = map[heldVector]int{}
	for f := range s.times {
		if y.InPlace > 0 && f.row == y.InPlace {
			x := heldVector{f.vector, true}
			backs[x] = max(backs[x], f.back)
		}
		if f.row == 0 && y.holds(f) {
			x := heldVector{f.vector, false}
			backs[x] = max(backs[x], f.back)
		}
	}
	for v := range s.shifts {
		for k := range s.shifts[v] + 1 {
			for _, replaced := range []bool{false, true} {
				x := heldVector{levelVector{v, k}, replaced}
				if _, some := backs[x]; some {
					vectors = append(vectors, x)
				}
			}
		}
	}
	return vectors, backs
}

// deadStores reports whether there is something to gain from steps that do not store what is
// in the row that is not kept: no later step reads it there, all is held in registers.
func (s *Levels) deadStores(y *levelLayout) bool {
	for _, f := range s.flows {
		if f.row == 0 && !y.holds(f) && !y.at[f.vector].ring {
			return false
		}
	}
	for _, p := range y.at {
		if !p.ring {
			return true
		}
	}
	return false
}

// Place returns where a cell that y describes has the vector of a value, moved up
// by some lanes.
func (s *Levels) Place(y *kernel.Temporal, value, up int) (kernel.LaneValue, bool) {
	for _, isa := range asm.ISAs() {
		for _, form := range forms {
			z := s.layout(isa, form)
			if z.Count == y.Count && z.Ring == y.Ring && z.Now == y.Now && z.InPlace == y.InPlace {
				p, ok := z.at[levelVector{value, up}]
				return kernel.LaneValue{InRing: p.ring, At: p.at}, ok
			}
		}
	}
	panic("BUG: vector: no such layout")
}

// GivenOf returns which of the given sequences a read is of.
func (s *Levels) GivenOf(read int) (k int, ok bool) {
	k, ok = s.givens[read]
	return k, ok
}

// Affine reports whether the description of s has affine forms.
func (s *Levels) Affine() bool { return len(s.given)+len(s.index) > 0 }
