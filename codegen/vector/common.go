package vector

import (
	"fmt"
	"go/constant"
	"slices"

	"loopc/ir"
)

// The body often adds the same number to several reads of a value, as to those of H in
//
//	max(0, H[i-1,j-1] + s, H[i-1,j] - gap, H[i,j-1] - gap)
//
// Then the iteration that computes the value also computes the sum, once. Registers hold the sum,
// and lanes move it up (predictive commoning). Where the body adds another number to a read, or
// none, it now adds the difference; this is exact, because integers wrap. If that other number is a
// constant, or a choice between two constants such as s, the constants change, and no instruction is added.
//
// Memory holds the value itself, for other readers.

// common chooses a number plus[v] for each value v for which that saves operations, and rewrites the
// body: reads of v from earlier iterations now yield v + plus[v].
func (s *Levels) common() {
	s.plus = make([]int32, len(s.shifts))
	for v := range s.plus {
		if !s.inRegisters(v) {
			continue
		}
		before := s.operations(s.n.Body)
		for _, by := range s.addends(v) {
			c := &commoning{s: s, value: v, by: by}
			if body := c.body(); s.operations(body)+1 < before { // 1 is the addition to the value
				n := *s.n
				n.Body = body
				s.plus[v], s.n = by, &n
				break
			}
		}
	}
}

// inRegisters reports whether value v is an int32, and all its reads are in the same row and find it in
// registers: as a result at most one step old, or as a vector that was moved up.
func (s *Levels) inRegisters(v int) bool {
	stmt := s.l.Values[v]
	if !s.live[stmt] || s.n.Arrays[s.p.Values[v].Array].Elem != ir.Int32 || s.lane != 4 {
		return false
	}
	for _, f := range s.flows {
		if f.vector.value == v && (f.row != 0 || f.vector.up == 0 && f.back > 1) {
			return false
		}
	}
	return true
}

// reads returns e as a read of value v from an earlier iteration; nil if e is anything else.
func (s *Levels) reads(e ir.Expr, v int) *ir.Read {
	if r, ok := e.(*ir.Read); ok {
		if f, ok := s.flows[r.ID]; ok && f.vector.value == v {
			return r
		}
	}
	return nil
}

// addends are the numbers that the body adds to reads of value v, the most frequent first.
func (s *Levels) addends(v int) []int32 {
	times := map[int32]int{}
	var all []int32
	s.each(func(e ir.Expr) {
		r, other, sign := s.sum(e, v)
		if lit, ok := other.(*ir.Lit); r != nil && ok {
			by := sign * number(lit)
			if times[by]++; times[by] == 1 {
				all = append(all, by)
			}
		}
	})
	slices.SortStableFunc(all, func(a, b int32) int { return times[b] - times[a] })
	return all
}

// sum takes apart an expression e that adds the expression other to a read r of value v or, with sign
// -1, subtracts other from r. r is nil if e is no such expression.
func (s *Levels) sum(e ir.Expr, v int) (r *ir.Read, other ir.Expr, sign int32) {
	b, ok := e.(*ir.Binary)
	switch {
	case !ok || b.Op != ir.Add && b.Op != ir.Sub:
	case s.reads(b.X, v) != nil && b.Op == ir.Sub:
		return s.reads(b.X, v), b.Y, -1
	case s.reads(b.X, v) != nil:
		return s.reads(b.X, v), b.Y, 1
	case s.reads(b.Y, v) != nil && b.Op == ir.Add:
		return s.reads(b.Y, v), b.X, 1
	}
	return nil, nil, 0
}

// number is the value of an integer constant.
func number(e *ir.Lit) int32 { return int32(literal(e, 4)) }

// operations counts the operations with two operands in the live statements of a body.
func (s *Levels) operations(body []ir.Stmt) (n int) {
	for k, stmt := range body {
		if s.live[k] {
			ir.Walk(ir.Value(stmt), func(e ir.Expr) {
				if _, ok := e.(*ir.Binary); ok {
					n++
				}
			})
		}
	}
	return n
}

// A commoning rewrites the body for one value.
type commoning struct {
	s     *Levels
	value int
	by    int32
	done  []ir.Stmt // rewritten
	used  map[int]int
}

// body returns the rewritten statements: reads yield the value plus the number, so the statements do
// not add the number again.
func (c *commoning) body() []ir.Stmt {
	c.used = map[int]int{}
	c.s.each(func(e ir.Expr) {
		if x, ok := e.(*ir.LocalRef); ok {
			c.used[x.Stmt]++
		}
	})
	c.done = slices.Clone(c.s.n.Body)
	for k, stmt := range c.done {
		if c.s.live[k] {
			c.done[k] = ir.With(stmt, c.rewrite(ir.Value(stmt)))
		}
	}
	return c.done
}

// rewrite rewrites an expression.
func (c *commoning) rewrite(e ir.Expr) ir.Expr {
	if r, other, sign := c.s.sum(e, c.value); r != nil {
		if y := c.add(other, -sign*c.by); y != nil {
			if lit, ok := y.(*ir.Lit); ok && number(lit) == 0 {
				return r
			}
			x := *e.(*ir.Binary)
			x.X, x.Y = r, y
			return &x
		}
	}
	if r, ok := e.(*ir.Read); ok && c.s.reads(r, c.value) != nil {
		return &ir.Binary{T: r.T, Op: ir.Sub, X: r, Y: c.lit(c.by, r.T)}
	}
	return ir.Map(e, c.rewrite)
}

// add returns e with a number added, if e is a constant or selects one of several; else nil.
func (c *commoning) add(e ir.Expr, by int32) ir.Expr {
	switch e := e.(type) {
	case *ir.Lit:
		return c.lit(number(e)+by, e.T)
	case *ir.Select:
		x := *e
		if x.A, x.B = c.add(e.A, by), c.add(e.B, by); x.A != nil && x.B != nil {
			x.Cond = c.rewrite(e.Cond)
			return &x
		}
	case *ir.LocalRef:
		let, ok := c.done[e.Stmt].(*ir.Let)
		if !ok || c.used[e.Stmt] > 1 {
			return nil
		}
		if x := c.add(let.Expr, by); x != nil { // it has been rewritten
			c.done[e.Stmt] = ir.With(let, x)
			return e
		}
	}
	return nil
}

func (c *commoning) lit(by int32, t ir.Type) *ir.Lit {
	return &ir.Lit{T: t, Value: constant.MakeInt64(int64(by))}
}

// Common says which numbers are added once, to the values instead of to their reads.
func (s *Levels) Common() []string {
	var all []string
	for v, by := range s.plus {
		sign := "+"
		if by < 0 {
			sign = "-"
		}
		if by != 0 {
			all = append(all, fmt.Sprintf("%s %s %d computed once, for all that read it", s.n.Arrays[s.p.Values[v].Array].Name, sign, max(int64(by), -int64(by))))
		}
	}
	return all
}
