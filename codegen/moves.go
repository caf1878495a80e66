package codegen

import "loopc/ir"

// mostMoved is the most operations and operands of a select that is chosen by moves: all of them are evaluated each time.
const mostMoved = 24

// moves reports whether a select is best chosen by conditional moves, one per comparison: its condition joins comparisons by && and
// ||, and both values cost little. Of an if that only copies a variable, Go makes a conditional move (for integers wider than bytes);
// of an if with joined comparisons it makes jumps, which processors predict badly. All parts of the select are then evaluated, so
// none may fail, and no read may need the condition to stay within the bounds of its array.
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

// moved prints a select that is chosen by conditional moves, and returns the variable that has its value.
func (m *emitter) moved(e *ir.Select) string { return m.move(e.Cond, m.variable(e.A), m.variable(e.B)) }

// move prints the choice of variable a if cond holds, and otherwise b, by conditional moves. It returns the variable that has the value.
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
