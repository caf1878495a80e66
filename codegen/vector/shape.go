package vector

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/transform/plan"
)

// A Scheme says along what lanes lie.
type Scheme int

// The schemes.
const (
	Contiguous Scheme = iota // along the row
	Wavefront                // across rows, skewed
)

// String returns the name of the scheme.
func (s Scheme) String() string { return [...]string{"contiguous", "wavefront"}[s] }

// A Memory says where the rows of a stream are.
type Memory int

// Live: the block of live levels of a value. Given: an array as the caller gave
// it. Result: a returned array.
const (
	Live Memory = iota
	Given
	Result
)

// A Stream is a sequence of rows in memory, one for each row of a box. The caller sets the address of its
// cell at the first iteration of the box, and the bytes from a row to the next.
type Stream struct {
	Memory Memory
	Value  int    // Live: of the plan
	Dist   ir.Vec // Live: how far before the iteration the cell is, per dimension of the plan
	Array  int    // Given and Result
	Subs   []ir.Affine
	Elem   ir.Type
	// Along is the number of cells from an iteration to the next along the row: 0, 1, or -1 if
	// the loop runs against the order of the array; Strided if only the caller knows the number.
	Along int
	// By is the number of cells from an iteration to the next of a Strided stream, if the declared bounds say it; else 0. The
	// caller's number may be another one.
	By int

	written bool
	changes bool    // in entire arrays: iterations of the row write cells of the array that is read
	as      ir.Type // front: the type in which lanes hold the cells, if they convert these
	// For streams that are read, in the wavefront scheme:
	history int // steps before this one at which a vector is needed
	shift   int // most lanes by which a vector is shifted
	// Reads begin at column first of a row and end at column width-1+beyond. The cell at the
	// stream's address is column 0.
	first, beyond int
	// self is the value whose results at the same level form this stream; -1 for any other
	// stream.
	self int
}

// Strided is Stream.Along if a row reads every n-th cell, as in a column of an array. Lanes then pick single cells:
// see Shape.FrameStride.
const Strided = 2

// An access says where a read finds its value.
type access struct {
	stream int
	back   int // columns before the iteration (Contiguous), steps before this one (Wavefront)
	lanes  int // by which the value is shifted (Wavefront)
}

// A Shape is what a vector kernel computes, independent of the instruction set.
type Shape struct {
	Scheme  Scheme
	Streams []Stream
	// Indices are the loops whose value the body uses; Params the parameters
	// with the type in which it uses them.
	Indices []Index
	Params  []ParamUse
	Outer   []ir.Expr // see OuterValue
	// Small are parameters that the kernel takes to be no greater than MostLaneParameter.
	Small []int

	Ends []End

	n      *ir.Nest
	l      *ir.Lowered
	p      *plan.Nest
	live   []bool // statements
	last   int    // dimension of the row
	lane   int    // bytes of a lane, or of the widest one
	sized  bool   // values have lanes of their own size
	entire bool   // it computes in entire arrays, in the order of the loops: see AnalyzeFront and AnalyzeRows
	front  bool   // see AnalyzeFront
	down   bool   // lanes of a row are in the opposite order: that of memory, if rows run from the last cell to the first
	widens bool   // lanes hold results of narrower integer types, widened
	// integers is the type in which integers of other types are held; Invalid: that of lanes.
	integers ir.Type
	skew     int // s
	reads    map[int]access
	endOf    map[int]int // by stream: its place in Ends
	// beyondEnds are, by read that lanes take beyond the bounds, the most cells: see End.
	beyondEnds map[int][2]int
	// store[v] is the stream of value v's block, and back[v] the stream of the returned array that
	// gets the result at once; -1 if there is none.
	store, back []int
	collected   map[int]*collected // by value
	jam         int                // rows of entire arrays that may be computed together
	most        int                // lanes of a vector along these rows
	facts       facts
	sharing     bool // divisions by the same number are computed together: see Shared
	// entry, if not nil, is the time from the last step's results to the value of a read.
	entry func(*ir.Read) float64
	// waits is the place of a read that prevents lanes along the row: see Waits.
	waits diag.Span
}

// An Index is a loop whose value the body uses. At row r and column c of a box, counted from its
// first iteration, the value is ByRow·r + ByColumn·c more than at that iteration.
type Index struct {
	Loop            int
	ByRow, ByColumn int
}

// indexOf is the place of a loop in Indices, or -1.
func (s *Shape) indexOf(loop int) int {
	return slices.IndexFunc(s.Indices, func(x Index) bool { return x.Loop == loop })
}

// Analyze returns the vector kernel of a nest; or nil, and why there is none. live says which
// statements are live.
func Analyze(n *ir.Nest, l *ir.Lowered, p *plan.Nest, live []bool) (s *Shape, why Refusal) {
	defer refusal(&why)
	return analyze(n, l, p, live), Refusal{}
}

func analyze(n *ir.Nest, l *ir.Lowered, p *plan.Nest, live []bool) *Shape {
	s := &Shape{n: n, l: l, p: p, live: live, last: len(p.Dims) - 1, reads: map[int]access{}}
	s.reductions(false)
	for k := range l.Reads {
		if live[n.ReadStmt[k]] && !l.Abreast(n, k) {
			s.Scheme, s.waits = Wavefront, n.Reads[k].At
		}
	}
	if s.Scheme == Wavefront {
		s.refusePlaces()
	}
	s.outerValues()
	s.types(26) // bits of a coordinate; the emitted Box leaves larger ones to the portable kernel
	s.oneRow()  // after what no other order of iterations would mend
	s.leaves()
	for v, stmt := range l.Values {
		s.store, s.back = append(s.store, -1), append(s.back, -1)
		if !live[stmt] {
			continue
		}
		w := n.Body[stmt].(*ir.Assign)
		if !l.Dead[v] {
			s.store[v] = s.stream(Stream{Memory: Live, Value: v, Dist: make(ir.Vec, s.last+1), Elem: n.Arrays[w.Array].Elem, Along: 1, written: true, self: v})
		}
		if p.Values[v].Direct {
			along, ok := s.along(w.Subs, len(w.Subs)-1)
			if !ok || along == 0 {
				refuseAt(w.Span, s.reordered(), "results are not given back in rows")
			}
			s.back[v] = s.stream(Stream{Memory: Result, Array: w.Array, Subs: w.Subs, Elem: n.Arrays[w.Array].Elem, Along: along, written: true, self: -1})
		}
	}
	if s.Scheme == Wavefront {
		s.skewed()
	} else {
		s.inRows()
		s.findEnds()
	}
	if len(s.Streams) == 0 {
		refuse("nothing that it computes is given back")
	}
	fewRows(len(s.Streams))
	return s
}

// oneRow refuses vectors across rows if a level has one row. It comes before refusals whose cure is another type, which would
// give such a nest nothing.
func (s *Shape) oneRow() {
	if s.Scheme == Wavefront && !s.widens && s.last < 2 {
		refuseAt(s.waits, "", "an iteration needs the one before it in its row, and a level has one row only")
	}
}

// mostRows bounds the rows of a kernel: pointers to rows without a register are on the stack, and the
// time to allocate registers grows with the square of their number.
const mostRows = 128

func fewRows(rows int) {
	if rows > mostRows {
		refuse("it needs %d rows at a time, more than %d", rows, mostRows)
	}
}

// stream returns the position of a stream equal to x in Streams, and adds x if there is none.
func (s *Shape) stream(x Stream) int {
	for k := range s.Streams {
		y := &s.Streams[k]
		if x.Memory == y.Memory && x.Value == y.Value && x.Array == y.Array && slices.Equal(x.Dist, y.Dist) && x.written == y.written && x.as == y.as && sameSubs(x.Subs, y.Subs) {
			return k
		}
	}
	s.Streams = append(s.Streams, x)
	return len(s.Streams) - 1
}

func sameSubs(a, b []ir.Affine) bool {
	return slices.EqualFunc(a, b, func(x, y ir.Affine) bool {
		return x.Const == y.Const && slices.Equal(x.Params, y.Params) && slices.Equal(x.Iters, y.Iters)
	})
}

// Coefficient returns the change of subscript a per iteration along dimension x of the plan.
func (s *Shape) Coefficient(a ir.Affine, x int) int {
	shift := len(s.p.Dims) - s.n.Depth()
	c := 0
	for k := range a.Iters {
		c += a.Iters[k] * s.l.Unskew[k+shift][x]
	}
	return c
}

// along returns the cells, 0, 1 or -1, by which subscripts move along the row. Cells are neighbors
// along dimension row of the array. It is not ok if the subscripts move otherwise.
func (s *Shape) along(subs []ir.Affine, row int) (cells int, ok bool) {
	for m, sub := range subs {
		c := s.Coefficient(sub, s.last)
		if m != row && c != 0 || abs(c) > 1 {
			return 0, false
		}
		cells += c
	}
	return cells, true
}

// rowDim is the dimension along which the given cells of an array are neighbors.
func (s *Shape) rowDim(array int) int {
	return len(s.n.Arrays[array].Lo) - 1 - s.p.Arrays[array].RowDim
}

// each calls f for every expression of the live statements.
func (s *Shape) each(f func(ir.Expr)) {
	for k, stmt := range s.n.Body {
		if !s.live[k] {
			continue
		}
		ir.Walk(ir.Value(stmt), f)
	}
}

// eachRead calls f for every read of the live statements that is not of a result of the same iteration.
func (s *Shape) eachRead(f func(r *ir.Read, from ir.ReadFrom)) {
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok && s.l.Reads[r.ID].From != ir.FromLocal {
			f(r, s.l.Reads[r.ID])
		}
	})
}

// leaves notes which loops and parameters the body uses, and refuses reads that do not go along rows
// of their arrays.
func (s *Shape) leaves() {
	shift := len(s.p.Dims) - s.n.Depth()
	s.each(func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.IterRef:
			if s.indexOf(e.Iter) < 0 {
				row := s.l.Unskew[e.Iter+shift]
				s.Indices = append(s.Indices, Index{e.Iter, row[s.last-1], row[s.last]})
			}
		case *ir.ParamRef, *ir.FloatRef, *ir.Lookup:
			s.useInput(e)
		case *ir.Read:
			if s.l.Reads[e.ID].From == ir.FromInitial {
				s.readsRow(e)
			}
		}
	})
}

// readsGiven refuses a read of an array that is not given.
func (s *Shape) readsGiven(e *ir.Read) {
	if a := s.n.Arrays[e.Array]; a.Role != ir.In && a.Role != ir.InOut {
		refuseAt(e.At, "", "%s is read where its init supplies it", a.Name)
	}
}

// readsRow refuses a read unless its array is given and a row of iterations reads neighbors.
func (s *Shape) readsRow(e *ir.Read) {
	if !s.entire {
		s.readsGiven(e)
	}
	if _, ok := s.along(e.Subs, s.rowDim(e.Array)); !ok && !s.picks() {
		refuseAt(e.At, s.reordered(), "cells of %s that a row reads are not neighbors", s.n.Arrays[e.Array].Name)
	}
}

// picks reports whether lanes may pick single cells: in kernels with lanes along rows.
func (s *Shape) picks() bool { return s.Scheme == Contiguous && !s.front }

// inRows assigns streams to reads for the contiguous scheme: one for each row of a value or of an
// array. Reads of the row that is being computed have a stream of their own.
func (s *Shape) inRows() {
	s.eachRead(func(r *ir.Read, from ir.ReadFrom) {
		if from.From == ir.FromInitial {
			s.reads[r.ID] = s.given(r)
			return
		}
		dist := slices.Clone(from.Dist)
		back := dist[s.last]
		dist[s.last] = 0
		if dist.Sign() == 0 {
			s.reads[r.ID] = access{stream: s.store[from.Value], back: back}
			return
		}
		s.reads[r.ID] = access{stream: s.stream(Stream{Memory: Live, Value: from.Value, Dist: dist, Elem: r.T, Along: 1, self: -1}), back: back}
	})
}

// given returns the access of a read of a given array. Reads share a stream if they differ only along
// the row.
func (s *Shape) given(r *ir.Read) access {
	x, back := s.givenAccess(r)
	return access{stream: s.stream(x), back: back}
}

// givenAccess returns the stream of a read of a given array, and how many columns before the iteration its cell is.
func (s *Shape) givenAccess(r *ir.Read) (x Stream, back int) {
	subs := slices.Clone(r.Subs)
	along, ok := s.along(subs, s.rowDim(r.Array))
	if !ok {
		along = Strided
	} else if along != 0 {
		last := &subs[s.rowDim(r.Array)]
		back, last.Const = -along*last.Const, 0
	}
	x = Stream{Memory: Given, Array: r.Array, Subs: subs, Elem: r.T, Along: along, self: -1}
	if along == Strided {
		x.By = s.apart(r)
	}
	return x, back
}

// apart returns the number of cells between those that a row reads, if the declared bounds of the array say it; else 0.
func (s *Shape) apart(r *ir.Read) (by int) {
	a, row := &s.n.Arrays[r.Array], s.rowDim(r.Array)
	order := []int{row} // dimensions, the one with neighbors first
	for m := len(r.Subs) - 1; m >= 0; m-- {
		if m != row {
			order = append(order, m)
		}
	}
	cells := 1 // from a cell to the next along the dimension; 0: not known
	for _, m := range order {
		c := s.Coefficient(r.Subs[m], s.last)
		if c != 0 && cells == 0 {
			return 0
		}
		by += c * cells
		if lo, hi := a.Lo[m], a.Hi[m]; len(lo.Params)+len(hi.Params) == 0 {
			cells *= hi.Const - lo.Const + 1
		} else {
			cells = 0
		}
	}
	return by
}
