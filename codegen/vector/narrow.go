package vector

import (
	"go/constant"
	"slices"

	"loopc/ir"
	"loopc/runtime/kernel"
)

// An integer of 64 bits that is affine, a sum of multiples of indices, parameters and constants, is
// computed in lanes of another type where that gives the same bits:
//
//   - in float64, for lanes of 8 bytes: every partial sum is an integer below 2^53;
//   - in int32, for lanes of 4 bytes: sums stay below 2^31, or only their low 32 bits are wanted.
//
// This relies on bounds. Coordinates have at most as many bits as the parameter of narrowBody says, and
// parameters in lanes of 4 bytes at most 26: if one has more at launch, the portable kernel runs.
// Parameters in lanes of 8 bytes have at most 48 bits (plan.New refuses more). If each reader of a let
// computes the sum itself, nothing reads the let any more, and it is left out.
// For other integers see integer.

// mostParameter bounds all parameters, MostLaneParameter the parameters that lanes of 4 bytes hold.
const (
	mostParameter     = 1 << 48
	MostLaneParameter = kernel.MostLaneParameter
)

// narrowBody rewrites the body of the nest, whose coordinates have the given number of bits.
func (s *Shape) narrowBody(bits int) {
	w := newNarrowing(s, bits)
	n := *s.n
	n.Body = slices.Clone(n.Body)
	for k, stmt := range n.Body {
		if s.live[k] {
			n.Body[k] = ir.With(stmt, w.value(stmt))
			if r, ok := n.Body[k].(*ir.Reduce); ok {
				r.Type = r.Expr.Type()
			}
		}
	}
	if !w.any {
		return
	}
	before := s.readLets()
	s.n, s.live = &n, slices.Clone(s.live)
	t, _ := s.laneInt()
	read := make([]bool, len(n.Body)) // lets that a live statement reads
	for k := len(n.Body) - 1; k >= 0; k-- {
		if before[k] && !read[k] { // no statement reads it any more; lets that none read before are live because they may fail
			s.live[k] = false
		}
		if !s.live[k] {
			continue
		}
		ir.Walk(ir.Value(n.Body[k]), func(e ir.Expr) {
			r, ok := e.(*ir.LocalRef)
			if !ok {
				return
			}
			read[r.Stmt] = true
			if let := n.Body[r.Stmt].(*ir.Let); r.T == t && s.foreign(let.Type) {
				n.Body[r.Stmt] = &ir.Let{Name: let.Name, Type: t, Expr: w.retyped(r.Stmt).e, Span: let.Span}
			}
		})
	}
	for k, stmt := range n.Body {
		n.Body[k] = ir.With(stmt, w.asRead(&n, ir.Value(stmt)))
	}
}

// readLets returns the lets that live statements read.
func (s *Shape) readLets() map[int]bool {
	read := map[int]bool{}
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.LocalRef); ok {
			read[r.Stmt] = true
		}
	})
	return read
}

// value returns the value of a statement, rewritten. A result, or the value of a reduction, of a type that lanes do not
// have gets the type in which lanes hold it.
func (w *narrowing) value(stmt ir.Stmt) ir.Expr {
	e := ir.Value(stmt)
	r, reduces := stmt.(*ir.Reduce)
	_, assigns := stmt.(*ir.Assign)
	if (assigns || reduces && short(r.Type) && w.s.lane == narrowestWidened) && w.s.widens && !w.s.sized && w.s.foreign(e.Type()) && (reduces || !w.onlyHeld(e)) {
		if x := w.integer(e); x != nil {
			w.any = true
			return x.e
		}
	}
	return w.rewrite(e)
}

// asRead converts the values of lets that now have the type of lanes, for readers that expect the
// old type.
func (w *narrowing) asRead(n *ir.Nest, e ir.Expr) ir.Expr {
	if r, ok := e.(*ir.LocalRef); ok {
		if let := n.Body[r.Stmt].(*ir.Let); let.Type != r.T {
			return &ir.Convert{T: r.T, X: &ir.LocalRef{T: let.Type, Stmt: r.Stmt, At: r.At}, At: r.At}
		}
	}
	return ir.Map(e, func(e ir.Expr) ir.Expr { return w.asRead(n, e) })
}

// A narrowing rewrites integers of 64 bits.
type narrowing struct {
	s     *Shape
	index int          // bounds coordinates
	any   bool         // something was rewritten
	lets  map[int]form // of the lets seen so far; nil: one that is not affine
	// integers are lets in the type of lanes; nil: a let that may have another value in that type.
	integers map[int]*integer
	seen     map[ir.Expr]*integer
}

func newNarrowing(s *Shape, bits int) *narrowing {
	return &narrowing{s: s, index: 1 << bits, lets: map[int]form{}, integers: map[int]*integer{}, seen: map[ir.Expr]*integer{}}
}

// A form has a constant, a factor of each loop, and a factor of each parameter. None of these
// numbers is beyond ±large.
type form []int

// large bounds the numbers of forms: they are constants of all types of lanes, and the product of
// two fits into an int.
const large = 1 << 30

// rewrite returns e with its integers of 64 bits in the type of lanes, as far as possible.
func (w *narrowing) rewrite(e ir.Expr) ir.Expr {
	switch x := e.(type) {
	case *ir.Lookup:
		return w.lookup(x)
	case *ir.ConstCell:
		return w.lookup(x)
	case *ir.Convert:
		if w.s.foreign(x.X.Type()) {
			if y := w.converted(x); y != nil {
				w.any = true
				return y
			}
		}
	case *ir.Binary:
		if x.T == ir.Bool && w.s.foreign(x.X.Type()) && !w.onlyHeld(x.X, x.Y) {
			a, b := w.integer(x.X), w.integer(x.Y)
			if a != nil && b != nil {
				w.any = true
				y := *x
				y.X, y.Y = a.e, b.e
				return &y
			}
		}
	}
	if t := e.Type(); short(t) && !w.s.sized && !w.onlyHeld(e) {
		if x := w.integer(e); x != nil && w.s.lane == 4 {
			w.any = true
			return &ir.Convert{T: t, X: x.e}
		}
	}
	return ir.Map(e, w.rewrite)
}

// onlyHeld reports whether lanes of int32 can simply hold the values of all expressions: these have types
// narrower than int32, and nothing is computed with them.
func (w *narrowing) onlyHeld(all ...ir.Expr) bool {
	return w.s.lane == 4 && !slices.ContainsFunc(all, func(e ir.Expr) bool { return !short(e.Type()) || !unchanged(e) })
}

// converted returns the value of a conversion of an integer whose type lanes do not have, computed
// without that type; nil if that is not possible.
func (w *narrowing) converted(e *ir.Convert) ir.Expr {
	t, _ := w.s.laneInt()
	if t == ir.Int32 && e.T == ir.Int32 && e.X.Type() == ir.Int64 {
		if x := w.sum(w.form(e.X), ir.Int32); x != nil { // the sum wraps as the conversion does
			return x
		}
	}
	if w.s.widened(e) != nil || w.onlyHeld(e.X) || e.T.Size() != w.s.lane && !w.s.sized {
		return nil
	}
	x := w.integer(e.X)
	switch {
	case x == nil, t.Float() && e.T.Integer() && (x.lo < int(e.T.Cell().Lo) || x.hi > int(e.T.Cell().Hi)):
		return nil // conversions of floats do not wrap
	case e.T == t:
		return x.e
	}
	return &ir.Convert{T: e.T, X: x.e, At: e.At}
}

// param is the place of a parameter's factor in a form.
func (w *narrowing) param(k int) int { return 1 + w.s.n.Depth() + k }

// form returns e, an integer of 64 bits, as an affine form, or nil.
func (w *narrowing) form(e ir.Expr) form {
	f := make(form, w.param(len(w.s.n.Params)))
	if !w.add(f, e, 1) {
		return nil
	}
	return f
}

// let returns the form of the let at Body[k], or nil. It is found once, however often the let is
// read: lets of lets may stand for exponentially many terms.
func (w *narrowing) let(k int) form {
	f, known := w.lets[k]
	if !known {
		f = w.form(w.s.n.Body[k].(*ir.Let).Expr)
		w.lets[k] = f
	}
	return f
}

// add adds factor·e to the form f. It returns false if e is not affine, or if a number leaves ±large.
func (w *narrowing) add(f form, e ir.Expr, factor int) bool {
	switch e := e.(type) {
	case *ir.Lit:
		c, ok := small(e)
		return ok && plus(&f[0], factor, c)
	case *ir.IterRef:
		return plus(&f[1+e.Iter], factor, 1)
	case *ir.ParamRef:
		return plus(&f[w.param(e.Param)], factor, 1)
	case *ir.LocalRef:
		g := w.let(e.Stmt)
		return g != nil && f.plus(factor, g)
	case *ir.Unary: // -X
		return w.add(f, e.X, -factor)
	case *ir.Binary:
		switch e.Op {
		case ir.Add:
			return w.add(f, e.X, factor) && w.add(f, e.Y, factor)
		case ir.Sub:
			return w.add(f, e.X, factor) && w.add(f, e.Y, -factor)
		case ir.Mul:
			x, y := e.X, e.Y
			if _, ok := small(x); !ok {
				x, y = y, x
			}
			c, ok := small(x)
			return ok && abs(factor*c) <= large && w.add(f, y, factor*c)
		}
	}
	return false
}

// plus adds factor·g to f. It returns false if a number of f leaves ±large.
func (f form) plus(factor int, g form) bool {
	ok := true
	for k, c := range g {
		ok = ok && plus(&f[k], factor, c)
	}
	return ok
}

// plus adds factor·c to a number. It returns false if the number leaves ±large.
func plus(to *int, factor, c int) bool {
	*to += factor * c
	return abs(*to) <= large
}

// small returns the value of an integer constant; false if e is another expression, or the constant is large.
func small(e ir.Expr) (int, bool) {
	lit, ok := e.(*ir.Lit)
	if !ok {
		return 0, false
	}
	c, exact := constant.Int64Val(constant.ToInt(lit.Value))
	return int(c), exact && -large <= c && c <= large
}

// bound returns a bound for the absolute value of f. If lanes hold floats, it also bounds every partial
// sum of f; partial sums of integers may wrap.
func (w *narrowing) bound(f form) int {
	const most = 1 << 62
	t, _ := w.s.laneInt()
	total := abs(f[0])
	add := func(c, greatest int) { // adds |c|·greatest to total, or sets total to most
		if c = abs(c); c > (most-total)/greatest {
			total = most
		} else {
			total += c * greatest
		}
	}
	shift := len(w.s.p.Dims) - w.s.n.Depth()
	coordinates := make([]int, len(w.s.p.Dims))
	for k, c := range f[1:w.param(0)] {
		for x, u := range w.s.l.Unskew[k+shift] {
			if t.Float() {
				add(c*u, w.index)
			}
			coordinates[x] += c * u
		}
	}
	for _, c := range coordinates {
		if t.Integer() {
			add(c, w.index)
		}
	}
	for k, c := range f[w.param(0):] {
		if t.Float() || c == 0 {
			add(c, mostParameter)
			continue
		}
		add(c, MostLaneParameter)
		if !slices.Contains(w.s.Small, k) {
			w.s.Small = append(w.s.Small, k)
		}
	}
	return total
}

func abs(x int) int { return max(x, -x) }

func sign(x int) int { return min(1, max(x, -1)) }

// sum returns f computed in type t, or nil if f is nil. The order is: added terms, the constant,
// subtracted terms, so that no sum of floats is -0.
func (w *narrowing) sum(f form, t ir.Type) ir.Expr {
	if f == nil {
		return nil
	}
	type term struct {
		factor int
		of     ir.Expr
	}
	lit := func(c int) ir.Expr { return &ir.Lit{T: t, Value: constant.MakeInt64(int64(c))} }
	var terms []term
	for k, c := range f[1:w.param(0)] {
		terms = append(terms, term{c, &ir.IterRef{T: t, Iter: k}})
	}
	for k, c := range f[w.param(0):] {
		terms = append(terms, term{c, &ir.ParamRef{T: t, Param: k}})
	}
	terms = slices.DeleteFunc(terms, func(x term) bool { return x.factor == 0 })
	if len(terms) == 0 {
		return lit(f[0])
	}
	if f[0] != 0 {
		terms = append(terms, term{sign(f[0]), lit(abs(f[0]))})
	}
	slices.SortStableFunc(terms, func(a, b term) int { return sign(b.factor) - sign(a.factor) })
	var sum ir.Expr
	if terms[0].factor < 0 {
		sum = lit(0)
	}
	for _, x := range terms {
		op := ir.Add
		if x.factor < 0 {
			op = ir.Sub
		}
		if a := abs(x.factor); a != 1 {
			x.of = &ir.Binary{T: t, Op: ir.Mul, X: lit(a), Y: x.of}
		}
		if sum == nil {
			sum = x.of
		} else {
			sum = &ir.Binary{T: t, Op: op, X: sum, Y: x.of}
		}
	}
	return sum
}
