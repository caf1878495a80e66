package codegen

import "loopc/ir"

// mostMoved is the most operations and operands that a choice by moves evaluates.
const mostMoved = 24

// moves reports whether a select is best chosen by conditional moves: its condition joins others, and both values cost little. Go has
// such moves for integers wider than bytes, and makes them of an if that only sets a variable to another one, but not where conditions
// are joined: there it jumps, and the processor guesses. All is evaluated then, so nothing may fail, or need the condition to be within
// the bounds.
func moves(e *ir.Select) bool {
	c, ok := e.Cond.(*ir.Binary)
	if !ok || c.Op != ir.And && c.Op != ir.Or || !e.T.Integer() || e.T.Size() < 2 || ir.MayFail(e) {
		return false
	}
	reads, guards, n := false, false, 0
	ir.Walk(e.Cond, func(x ir.Expr) {
		switch x.(type) {
		case *ir.LocalRef, *ir.IterRef, *ir.ParamRef:
			guards = true
		}
	})
	plain := true
	ir.Walk(e, func(x ir.Expr) {
		n++
		switch x := x.(type) {
		case *ir.Read:
			reads = true
		case *ir.ConstCell, *ir.ExternCall:
			plain = false
		case *ir.Call:
			plain = plain && x.T.Integer()
		}
	})
	return plain && n <= mostMoved && !(reads && guards)
}

// moved prints a select that is chosen by conditional moves, and returns the variable that has it.
func (m *emitter) moved(e *ir.Select) string { return m.move(e.Cond, m.variable(e.A), m.variable(e.B)) }

// move prints the choice between two variables by conditional moves, and returns the variable that has it.
func (m *emitter) move(cond ir.Expr, a, b string) string {
	if c, ok := cond.(*ir.Binary); ok && c.Op == ir.And {
		return m.move(c.X, m.move(c.Y, a, b), b)
	} else if ok && c.Op == ir.Or {
		return m.move(c.X, a, m.move(c.Y, a, b))
	}
	holds := m.operand(cond, 0, false)
	name := m.r.names.name("chosen")
	m.p.linef("%s := %s", name, b)
	m.p.linef("if %s {\n%s = %s\n}", holds, name, a)
	return name
}

// variable returns a variable, perhaps a new one, with the value of e.
func (m *emitter) variable(e ir.Expr) string {
	if l, ok := e.(*ir.LocalRef); ok {
		return m.r.local(l.Stmt)
	}
	name := m.r.names.name("value")
	m.define(name, e)
	return name
}
