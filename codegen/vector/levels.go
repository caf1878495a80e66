package vector

import (
	"slices"

	"loopc/ir"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// Levels is a kernel with lanes across levels, the vectorized wavefront with levels as lanes:
// at step v, lane l computes level p_0 + l, column v - s·l of row r. A dependence d, by d_0 levels,
// d_r rows and d_b columns, reads the vector of step v - (d_b + s·d_0) of row r - d_r, moved up by
// d_0 lanes. Flow distances are nonnegative, so s = 1 makes lanes independent, and s = 0 does so if
// every d with d_r = 0 and d_0 ≥ 1 has d_b ≥ 1. kernel.Temporal describes the frame.
//
// A vector that was moved up stays in a register, so that reads do not move it again. The vector
// moved by k lanes is the vector moved by k-1 lanes, moved by one more; lane 0 gets the cell of the
// level that is k below the slab.
type Levels struct {
	*Shape
	most   int                // levels spanned by the longest distance
	flows  map[int]levelFlow  // by read
	givens map[int]int        // by read: index in given
	given  []kernel.LaneGiven // the given sequences that the body reads
	index  []kernel.LoopIndex // per Indices
	rows   [][]int            // distances of rows, the row itself first
	shifts []int              // per value: the most lanes by which reads move it up
	plus   []int32            // per value: the number added to it for readers, see common
	bytes  map[int]bool       // of given: may be compared as bytes
	times  map[levelFlow]int  // number of reads of each flow
	asks   map[int]int        // number of reads of each given sequence
}

// A levelFlow says where a read finds its value: in a vector, moved up by some lanes, that the row
// at distance rows[row] computed some steps back.
type levelFlow struct {
	vector levelVector
	row    int
	back   int
}

// A levelVector is the vector of a value's results, moved up by some lanes.
type levelVector struct{ value, up int }

// farthestStep bounds how many steps back an iteration reads: rows of lanes have room for so many
// vectors before their first column.
const farthestStep = 64

// AnalyzeLevels returns the kernel of a nest with lanes across levels; or nil, and why there is
// none. live says which statements are live.
func AnalyzeLevels(n *ir.Nest, l *ir.Lowered, p *plan.Nest, live []bool) (s *Levels, why Refusal) {
	defer refusal(&why)
	x := &Levels{
		Shape: &Shape{n: n, l: l, p: p, live: live, last: len(p.Dims) - 1, widens: true},
		flows: map[int]levelFlow{}, givens: map[int]int{},
		rows: [][]int{make([]int, max(0, len(p.Dims)-2))}, shifts: make([]int, len(l.Values)),
	}
	x.analyze()
	return x, Refusal{}
}

func (s *Levels) analyze() {
	s.reductions(true) // lanes are levels
	if s.p.Levelled {
		refuse("there is one level only")
	}
	if s.last > 1 {
		s.refusePlaces()
	}
	s.Scheme = Wavefront
	s.readsInside()
	s.types(28) // bits of a coordinate; package halo uses time slabs only where coordinates are at most 2^27
	for v, stmt := range s.l.Values {
		if s.live[stmt] && len(s.p.Values[v].Fallbacks) > 0 {
			refuse("what precedes %s differs by region", s.p.Values[v].Name)
		}
	}
	s.skew = s.p.LaneSkew()
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
	fewRows(len(s.given) + len(s.p.Values))
}

// leaf records where the value of a leaf of the body is.
func (s *Levels) leaf(e ir.Expr) {
	switch e := e.(type) {
	case *ir.IterRef:
		if s.indexOf(e.Iter) >= 0 {
			return
		}
		row := s.l.Unskew[e.Iter+len(s.p.Dims)-s.n.Depth()]
		s.Indices = append(s.Indices, Index{Loop: e.Iter, ByRow: row[0], ByColumn: row[s.last]})
		s.index = append(s.index, kernel.LoopIndex{At: plan.Affine{Iters: slices.Clone(row)}})
	case *ir.ParamRef, *ir.FloatRef, *ir.Lookup:
		s.useInput(e)
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

// flow records a read of the result of an earlier iteration.
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

// givenAt returns the index of the given sequence that r reads, as cells of type t.
//
// Let e_b be the cells by which a subscript moves from a column to the next, and e_0 those from a
// level to the next. Then a lane reads the cell that lies e_0 - s·e_b after the cell of the lane below.
func (s *Levels) givenAt(r *ir.Read, t ir.Type) int {
	s.readsGiven(r)
	if short(t) {
		t = ir.Int32
	}
	if t.Size() != s.lane {
		refuseAt(r.At, s.declared(r), "%s values are wider or narrower than the results", t)
	}
	g := kernel.LaneGiven{Array: r.Array, Elem: t.String()}
	for _, sub := range r.Subs {
		x := plan.Affine{Const: sub.Const, Params: slices.Clone(sub.Params)}
		for d := range s.p.Dims {
			x.Iters = append(x.Iters, s.Coefficient(sub, d))
		}
		g.Subs = append(g.Subs, x)
	}
	g.Kind, g.Step = s.laneKind(r, g.Subs)
	g.Guarded = s.beyond(r)
	same := func(x kernel.LaneGiven) bool {
		return x.Array == g.Array && x.Elem == g.Elem && slices.EqualFunc(x.Subs, g.Subs, func(a, b plan.Affine) bool {
			return a.Const == b.Const && slices.Equal(a.Params, b.Params) && slices.Equal(a.Iters, b.Iters)
		})
	}
	if k := slices.IndexFunc(s.given, same); k >= 0 {
		s.given[k].Guarded = s.given[k].Guarded || g.Guarded
		return k
	}
	s.given = append(s.given, g)
	return len(s.given) - 1
}

// laneKind returns the kind of the sequence of cells that a read with these subscripts has; subs are
// over the dimensions of the plan. step is the number of cells from a step to the next of a Same.
func (s *Levels) laneKind(r *ir.Read, subs []plan.Affine) (kind kernel.LaneKind, step int) {
	along, inRow := s.along(r.Subs, s.rowDim(r.Array))
	back, still := true, true // each lane reads the cell before that of the lane below; all lanes read the same cell
	for m, x := range subs {
		lane := x.Iters[0] - s.skew*x.Iters[s.last]
		still = still && lane == 0
		if m == s.rowDim(r.Array) {
			lane += along
		}
		back = back && lane == 0
	}
	switch {
	case inRow && still:
		return kernel.Same, abs(along)
	case inRow && along == 0:
		return kernel.Fixed, 0
	case inRow && back:
		return kernel.Window, 0
	}
	return kernel.Interleaved, 0
}

// GivenOf returns the index of the given sequence that a read reads.
func (s *Levels) GivenOf(read int) (k int, ok bool) {
	k, ok = s.givens[read]
	return k, ok
}
