package vector

import (
	"go/constant"
	"maps"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// Other vectors of a row compute subscripts, as int32 or wider. The straight part does not, and its values are often narrower: then
// its vectors have as many lanes as registers hold of its own values.

// own returns the shape of what the straight part computes, and notes the lets that it does not need: subscripts use them.
func (p *straight) own() *Shape {
	s, n := *p.s, *p.s.n
	s.n, s.live, s.facts = &n, slices.Clone(s.live), facts{}
	n.Body = slices.Clone(n.Body)
	p.unread = map[int]bool{}
	read := map[int]bool{}
	for k, stmt := range slices.Backward(n.Body) {
		n.Body[k] = ir.With(stmt, p.plain(ir.Value(stmt)))
		if _, let := stmt.(*ir.Let); s.live[k] && let && !read[k] && !looksUp(ir.Value(stmt)) {
			p.unread[k], s.live[k] = true, false
		}
		if s.live[k] {
			ir.Walk(ir.Value(n.Body[k]), func(e ir.Expr) {
				if r, ok := e.(*ir.LocalRef); ok {
					read[r.Stmt] = true
				}
			})
		}
	}
	return &s
}

// plain returns e as the straight part computes it, with constants for the cells that it looks up.
func (p *straight) plain(e ir.Expr) ir.Expr {
	if x := p.operands[e]; x != nil {
		return p.plain(x)
	}
	if l, ok := e.(*ir.Lookup); ok && slices.Contains(p.runs, l) {
		return &ir.Lit{T: l.T, Value: constant.MakeInt64(0)}
	}
	return ir.Map(e, p.plain)
}

// ownSize returns the size of the widest value of the straight part, whose shape is own; 0 if it needs what lanes of other vectors hold.
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

// fullLanes sets full to the state of vectors of the straight part that have more lanes than others, if there are any.
func (c *alongRow) fullLanes() {
	c.full = nil
	own := c.straight.own()
	if own.spacedOut() || len(c.before)+len(c.reuses)+len(c.strided) > 0 {
		return
	}
	size := ownSize(own)
	if size == 0 || size >= own.lane {
		return
	}
	s := *own
	if s.lane = size; !s.computes() {
		return
	}
	s.n = c.s.n // with its own lookups
	f, x := *c.function, *c
	f.Machine, f.s = c.Filled(size), &s
	x.function = &f
	x.values, x.patterns, x.divide, x.index = nil, nil, nil, nil
	x.current, x.masks = maps.Clone(c.current), nil
	x.loadFixed(int(c.keeps*mostFixed), own)
	x.last = c.General()
	c.Copy(c.last, x.last)
	c.SubFrom(asm.Int(unrollShort*(x.Lanes()-c.Lanes())), x.last)
	c.full = &x
}

// straightSteps writes the loop over the straight part of a row by the vectors of x, which goes on at begin, and at end if fewer
// iterations are left than it computes at a time: as many vectors of c as it returns.
func (c *alongRow) straightSteps(x *alongRow, begin, end asm.Label) (vectors int) {
	c.JumpIf(c.left, asm.Lt, asm.Int(unrollShort*x.Lanes()), end)
	c.JumpIf(c.x, asm.Lt, c.from, end)
	c.JumpIf(c.x, asm.Gt, x.last, end)
	x.isStraight = true
	for range unrollShort {
		x.step()
		x.passed++
	}
	x.isStraight, x.passed = false, 0
	vectors = unrollShort * x.Lanes() / c.Lanes()
	c.moveIndices(vectors)
	c.advance(vectors)
	c.Jump(begin)
	return vectors
}
