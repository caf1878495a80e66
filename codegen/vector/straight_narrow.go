package vector

import (
	"go/constant"
	"slices"

	"loopc/ir"
)

// Other vectors of a row compute subscripts, as int32 or wider. The straight part does not, and its values are often narrower: then
// its vectors have as many lanes as registers hold of its own values.

// own returns the shape of what is computed where clamps and selects are decided, and notes the lets that it does not need, and
// whether it needs the index of a loop.
func (p *straight) own(d *decided) *Shape {
	if d.operands == nil {
		return nil
	}
	s, n := *p.s, *p.s.n
	s.n, s.live, s.facts = &n, slices.Clone(s.live), facts{}
	n.Body = slices.Clone(n.Body)
	d.unread = map[int]bool{}
	read := map[int]bool{}
	for k, stmt := range slices.Backward(n.Body) {
		n.Body[k] = ir.With(stmt, p.plain(d, ir.Value(stmt)))
		if _, let := stmt.(*ir.Let); s.live[k] && let && !read[k] && !looksUp(ir.Value(stmt)) {
			d.unread[k], s.live[k] = true, false
		}
		if s.live[k] {
			ir.Walk(ir.Value(n.Body[k]), func(e ir.Expr) {
				switch e := e.(type) {
				case *ir.LocalRef:
					read[e.Stmt] = true
				case *ir.IterRef:
					d.indices = true
				}
			})
		}
	}
	return &s
}

// plain returns e as it is where clamps and selects are decided, with constants for the cells that the straight part looks up.
func (p *straight) plain(d *decided, e ir.Expr) ir.Expr {
	if x := d.operands[e]; x != nil {
		return p.plain(d, x)
	}
	if l, ok := e.(*ir.Lookup); ok && slices.Contains(p.runs, l) {
		return &ir.Lit{T: l.T, Value: constant.MakeInt64(0)}
	}
	return ir.Map(e, func(x ir.Expr) ir.Expr { return p.plain(d, x) })
}

// ownSize returns the size of the widest value of the part whose shape is own; 0 if it needs what lanes of other vectors hold.
func ownSize(own *Shape) (size int) {
	other := len(own.n.Reduces())+len(own.collected)+len(own.Outer) > 0
	own.each(func(e ir.Expr) {
		switch e.(type) {
		case *ir.IterRef, *ir.ParamRef, *ir.FloatRef, *ir.Lookup:
			other = true
		}
		if t := e.Type(); t != ir.Bool {
			size = max(size, t.Size())
		}
	})
	for k := range own.Streams {
		if x := &own.Streams[k]; x.written || x.Along != 0 {
			size = max(size, x.Elem.Size())
		}
	}
	if other {
		return 0
	}
	return size
}

// computes reports whether lanes of the size of s can compute its body.
func (s *Shape) computes() (ok bool) {
	var why Refusal
	func() {
		defer refusal(&why)
		s.checkAll()
	}()
	return why.Why == ""
}
