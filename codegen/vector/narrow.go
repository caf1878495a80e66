package vector

import (
	"go/constant"
	"slices"

	"loopc/ir"
)

// Integers of 64 bits that indices, parameters and constants add up to are computed in the lanes of
// narrower types where that gives the same bits:
//
//   - in float64, for lanes of 8 bytes: every partial sum is an integer below 2^53;
//   - in int32, for lanes of 4 bytes: sums stay below 2^31, or only their low 32 bits are wanted.
//
// Coordinates have bits bits at most (kernels leave others to the portable one), parameters 48
// (plan.New refuses others). A let that is read in that way alone is then dead.

// mostParameter bounds parameters.
const mostParameter = 1 << 48

// narrow rewrites the body of the nest, whose coordinates have so many bits.
func (s *Shape) narrow(bits int) {
	w := &narrowing{s: s, index: 1 << bits}
	n := *s.n
	n.Body = slices.Clone(n.Body)
	for k, stmt := range n.Body {
		if s.live[k] {
			n.Body[k] = with(stmt, w.rewrite(ir.Value(stmt)))
		}
	}
	if !w.any {
		return
	}
	s.n, s.live = &n, slices.Clone(s.live)
	for k := len(n.Body) - 1; k >= 0; k-- {
		if let, ok := n.Body[k].(*ir.Let); ok && s.live[k] && w.form(let.Expr) != nil && !s.uses(k) {
			s.live[k] = false
		}
	}
}

// uses reports whether a live statement reads the let at Body[let].
func (s *Shape) uses(let int) bool {
	found := false
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.LocalRef); ok && r.Stmt == let {
			found = true
		}
	})
	return found
}

// A narrowing rewrites integers of 64 bits.
type narrowing struct {
	s     *Shape
	index int  // bounds coordinates
	any   bool // something was rewritten
}

// A form is Const + Σ Iters[k]·loop k + Σ Params[k]·parameter k.
type form struct {
	constant      int
	iters, params []int
}

// rewrite returns e with integers of 64 bits in the type of lanes, as far as that can be.
func (w *narrowing) rewrite(e ir.Expr) ir.Expr {
	switch x := e.(type) {
	case *ir.Convert:
		if x.X.Type() == ir.Int64 {
			if y := w.converted(x); y != nil {
				w.any = true
				return y
			}
		}
	case *ir.Binary:
		if x.T == ir.Bool && x.X.Type() == ir.Int64 {
			a, b := w.exact(x.X), w.exact(x.Y)
			if a != nil && b != nil {
				w.any = true
				y := *x
				y.X, y.Y = a, b
				return &y
			}
		}
	}
	return mapped(e, w.rewrite)
}

// converted returns a conversion of an integer of 64 bits without it, or nil.
func (w *narrowing) converted(e *ir.Convert) ir.Expr {
	switch {
	case w.s.lane == 8 && e.T == ir.Float64:
		return w.exact(e.X)
	case w.s.lane == 4 && e.T == ir.Int32:
		return w.sum(w.form(e.X), ir.Int32) // which wraps as the conversion does
	case w.s.lane == 4 && e.T == ir.Float32:
		if x := w.exact(e.X); x != nil {
			return &ir.Convert{T: ir.Float32, X: x, At: e.At}
		}
	}
	return nil
}

// exact returns e in the type of lanes whose numbers hold its value, or nil.
func (w *narrowing) exact(e ir.Expr) ir.Expr {
	t, most := ir.Float64, 1<<53
	if w.s.lane == 4 {
		t, most = ir.Int32, 1<<31-1
	}
	f := w.form(e)
	if f == nil || w.bound(f) > most {
		return nil
	}
	return w.sum(f, t)
}

// form returns e as an affine form, or nil.
func (w *narrowing) form(e ir.Expr) *form {
	f := &form{iters: make([]int, w.s.n.Depth()), params: make([]int, len(w.s.n.Params))}
	if e.Type() != ir.Int64 || !w.add(f, e, 1) {
		return nil
	}
	return f
}

// add adds times e to a form; false if e is not affine, or has large coefficients.
func (w *narrowing) add(f *form, e ir.Expr, times int) bool {
	const large = 1 << 24
	if times > large || times < -large {
		return false
	}
	switch e := e.(type) {
	case *ir.Lit:
		c, ok := small(e)
		f.constant += times * c
		return ok
	case *ir.IterRef:
		f.iters[e.Iter] += times
		return true
	case *ir.ParamRef:
		f.params[e.Param] += times
		return true
	case *ir.LocalRef:
		let, ok := w.s.n.Body[e.Stmt].(*ir.Let)
		return ok && let.Expr.Type() == ir.Int64 && w.add(f, let.Expr, times)
	case *ir.Unary:
		return e.Op == ir.Neg && w.add(f, e.X, -times)
	case *ir.Binary:
		switch e.Op {
		case ir.Add:
			return w.add(f, e.X, times) && w.add(f, e.Y, times)
		case ir.Sub:
			return w.add(f, e.X, times) && w.add(f, e.Y, -times)
		case ir.Mul:
			if c, ok := small(e.X); ok {
				return w.add(f, e.Y, times*c)
			}
			if c, ok := small(e.Y); ok {
				return w.add(f, e.X, times*c)
			}
		}
	}
	return false
}

// small returns the value of an integer constant that is not large.
func small(e ir.Expr) (int, bool) {
	lit, ok := e.(*ir.Lit)
	if !ok || !lit.T.Integer() {
		return 0, false
	}
	c, exact := constant.Int64Val(constant.ToInt(lit.Value))
	return int(c), exact && -1<<24 <= c && c <= 1<<24
}

// bound is no less than any partial sum of f; it is large where it cannot be told.
func (w *narrowing) bound(f *form) int {
	total := abs(f.constant)
	shift := len(w.s.p.Dims) - w.s.n.Depth()
	for k, c := range f.iters {
		reach := 0 // of loop k, in coordinates
		for _, u := range w.s.l.Unskew[k+shift] {
			reach += abs(u)
		}
		if c = abs(c) * reach; c > 1<<26 {
			return 1 << 62
		}
		total += c * w.index
	}
	for _, c := range f.params {
		if c = abs(c); c > 1<<8 {
			return 1 << 62
		}
		total += c * mostParameter
	}
	return total
}

func abs(x int) int { return max(x, -x) }

// sum returns f computed in type t, or nil for nil. It begins with a term that is added, or a
// constant, so that no sum of floats is -0.
func (w *narrowing) sum(f *form, t ir.Type) ir.Expr {
	if f == nil {
		return nil
	}
	lit := func(c int) ir.Expr { return &ir.Lit{T: t, Value: constant.MakeInt64(int64(c))} }
	var sum ir.Expr
	add := func(c int, of ir.Expr) {
		op := ir.Add
		if c < 0 {
			op = ir.Sub
		}
		if a := abs(c); a != 1 {
			of = &ir.Binary{T: t, Op: ir.Mul, X: lit(a), Y: of}
		}
		switch {
		case sum != nil:
			sum = &ir.Binary{T: t, Op: op, X: sum, Y: of}
		case c > 0:
			sum = of
		default:
			sum = &ir.Binary{T: t, Op: op, X: lit(0), Y: of}
		}
	}
	for _, added := range []bool{true, false} {
		for k, c := range f.iters {
			if c != 0 && c > 0 == added {
				add(c, &ir.IterRef{T: t, Iter: k})
			}
		}
		for k, c := range f.params {
			if c != 0 && c > 0 == added {
				add(c, &ir.ParamRef{T: t, Param: k})
			}
		}
		if c := f.constant; c > 0 && added || c < 0 && !added && sum != nil {
			if sum == nil {
				sum = lit(c)
			} else {
				sum = &ir.Binary{T: t, Op: map[bool]ir.Op{true: ir.Add, false: ir.Sub}[added], X: sum, Y: lit(abs(c))}
			}
		}
	}
	if sum == nil {
		sum = lit(f.constant)
	}
	return sum
}

// mapped returns e with f of each of its operands, in a copy.
func mapped(e ir.Expr, f func(ir.Expr) ir.Expr) ir.Expr {
	all := func(args []ir.Expr) (out []ir.Expr) {
		for _, a := range args {
			out = append(out, f(a))
		}
		return out
	}
	switch e := e.(type) {
	case *ir.Convert:
		x := *e
		x.X = f(e.X)
		return &x
	case *ir.Unary:
		x := *e
		x.X = f(e.X)
		return &x
	case *ir.Binary:
		x := *e
		x.X, x.Y = f(e.X), f(e.Y)
		return &x
	case *ir.Call:
		x := *e
		x.Args = all(e.Args)
		return &x
	case *ir.ExternCall:
		x := *e
		x.Args = all(e.Args)
		return &x
	case *ir.Select:
		x := *e
		x.Cond, x.A, x.B = f(e.Cond), f(e.A), f(e.B)
		return &x
	}
	return e
}
