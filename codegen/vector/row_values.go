package vector

import (
	"loopc/codegen/asm"
	"loopc/ir"
)

// What depends on outer loops, parameters, constants and cells that the whole row reads has one value for a row. With
// AVX-512, whose registers suffice, some of these values are computed before the row.

// mostRowValues is how many values of a row stay in registers.
const mostRowValues = 10

// rowValues writes the values of a row: the first ones of the body, at most the given number. A read of a let among them
// is such a value, too.
func (c *alongRow) rowValues(most int) map[ir.Expr]asm.Reg {
	if !c.MovesLanes() {
		return nil
	}
	all, b := map[ir.Expr]asm.Reg{}, c.ofRowOnly()
	lets := b.lets
	var find func(e ir.Expr)
	find = func(e ir.Expr) {
		if _, known := c.patterns[e]; known || len(all) == most {
			return
		}
		if len(ir.Operands(e)) > 0 && e.Type() != ir.Bool && c.s.fixedInRow(e, lets) {
			all[e] = b.as(e.Type()).Load(b.expr(e))
			return
		}
		for _, x := range ir.Operands(e) {
			find(x)
		}
	}
	for k, stmt := range c.s.n.Body {
		if c.s.live[k] {
			e := ir.Value(stmt)
			find(e)
			if _, ok := stmt.(*ir.Let); ok && all[e] != 0 {
				lets[k] = all[e]
			}
		}
	}
	return all
}

// ofRowOnly returns a body for expressions that are computed before the vectors of a row, with the indices of its first one.
func (c *alongRow) ofRowOnly() *body {
	return &body{Machine: c.Machine, s: c.s, read: c.read, param: c.param,
		once: func(e ir.Expr) string {
			if leaf(e) {
				return ""
			}
			return c.s.nameOf(e)
		},
		index: func(loop int) asm.Reg { return c.index[c.s.indexOf(loop)] },
		lets:  map[int]asm.Operand{}, shared: map[string]asm.Operand{}}
}

// fixedInRow reports whether e has one value for a row, if the given lets have.
func (s *Shape) fixedInRow(e ir.Expr, lets map[int]asm.Operand) bool {
	switch e := e.(type) {
	case *ir.IterRef:
		return s.Indices[s.indexOf(e.Iter)].ByColumn == 0
	case *ir.LocalRef:
		return lets[e.Stmt] != nil
	case *ir.Read:
		a, ok := s.reads[e.ID]
		return ok && s.Streams[a.stream].Along == 0 && !s.Streams[a.stream].written
	case *ir.Lit, *ir.ParamRef, *ir.FloatRef:
	case *ir.Convert, *ir.Unary, *ir.Binary, *ir.Call, *ir.Select:
		for _, x := range ir.Operands(e) {
			if !s.fixedInRow(x, lets) {
				return false
			}
		}
	default:
		return false
	}
	return true
}

// mostFixed is how many cells that a whole row reads stay in registers.
const mostFixed = 6

// loadFixed loads cells that all iterations of a row read, at most the given number of them, for the statements of a shape.
func (c *alongRow) loadFixed(most int, of *Shape) {
	c.fixed = map[int]asm.Reg{}
	for k := range c.s.Streams {
		if x := &c.s.Streams[k]; x.Along == 0 && !x.written && len(of.readsOf(k)) > 0 && len(c.fixed) < most {
			c.fixed[k] = c.of(x.Elem).Broadcast(asm.Mem{Base: c.pointers[k]})
		}
	}
}
