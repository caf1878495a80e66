package vector

import (
	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/runtime/kernel"
)

// The cells that the lanes of a row look up often follow one another: those of a[i,max(j-s[i],0)] do unless j < s[i].
// Such a vector is loaded at once; the others are gathered, behind the function's end.

// leastWrap is the least modulus and divisor for which vectors rarely have the lanes of several quotients.
const leastWrap = 16

// runOf returns 1 or -1 if the cell that a lane looks up usually follows, or precedes, that of the lane before, so that
// the kernel looks for such runs; else 0.
func (s *Shape) runOf(e *ir.Lookup) int {
	if s.Scheme != Contiguous {
		return 0
	}
	run := 0
	for d, sub := range e.Subs {
		by, ok := s.usualGrowth(sub)
		switch {
		case !ok:
			return 0
		case d == s.rowDim(e.Array):
			run = by
		case by != 0:
			return 0
		}
	}
	if run != 1 && run != -1 {
		return 0
	}
	return run * s.lanesAlong()
}

// usualGrowth returns by how much an integer usually grows from an iteration to the next along a row. It may grow by another
// number where a clamp begins or ends, a remainder wraps or a condition changes.
func (s *Shape) usualGrowth(e ir.Expr) (by int, ok bool) {
	if s.facts.growths == nil {
		s.facts.growths = map[ir.Expr]growth{}
	}
	of, seen := s.facts.growths[e]
	if !seen {
		of.by, of.ok = s.findUsualGrowth(e)
		s.facts.growths[e] = of
	}
	return of.by, of.ok
}

// findUsualGrowth computes what usualGrowth remembers.
func (s *Shape) findUsualGrowth(e ir.Expr) (by int, ok bool) {
	if s.fixedInRow(e, nil) {
		return 0, true
	}
	switch e := e.(type) {
	case *ir.IterRef:
		return s.Indices[s.indexOf(e.Iter)].ByColumn, true
	case *ir.LocalRef:
		return s.usualGrowth(ir.Value(s.n.Body[e.Stmt]))
	case *ir.Convert:
		return s.usualGrowth(e.X)
	case *ir.Select:
		return s.eitherGrowth(e.A, e.B)
	case *ir.Call:
		if e.Fn != ir.Min && e.Fn != ir.Max {
			return 0, false
		}
		return s.eitherGrowth(e.Args...)
	case *ir.Binary:
		return s.usualGrowthOf(e)
	}
	return 0, false
}

// usualGrowthOf is usualGrowth of an operation.
func (s *Shape) usualGrowthOf(e *ir.Binary) (by int, ok bool) {
	right, number := small(e.Y)
	wraps := number && right >= leastWrap
	switch {
	case e.Op == ir.Quo && wraps:
		_, ok = s.usualGrowth(e.X)
		return 0, ok
	case e.Op == ir.Rem && (!number || wraps), e.Op == ir.BitAnd && wraps && right&(right+1) == 0:
		return s.usualGrowth(e.X)
	}
	return linearGrowth(e, s.usualGrowth)
}

// eitherGrowth returns the growth of an integer that is one of all: all that grow along a row must grow alike.
func (s *Shape) eitherGrowth(all ...ir.Expr) (by int, ok bool) {
	for _, e := range all {
		x, grows := s.usualGrowth(e)
		if !grows || x != 0 && by != 0 && x != by {
			return 0, false
		}
		if x != 0 {
			by = x
		}
	}
	return by, true
}

// cells returns the cells of a lookup, in lanes of their size or, if they are narrower, of 4 bytes. at has the number of
// each cell in the table.
func (b *body) cells(e *ir.Lookup, at asm.Reg) asm.Reg {
	size, base := e.T.Size(), b.table(e.Array)
	index, m := b.In(4, false), b.In(max(size, kernel.LoadedBytes), false)
	gather := func() asm.Reg {
		if size >= kernel.LoadedBytes {
			return m.Gather(base, at)
		}
		last := b.param(ParamUse{Param: e.Array, Type: ir.Int32, Part: kernel.TableLast})
		return index.GatherNarrow(base, at, last, size, unsigned(e.T))
	}
	by := b.s.runOf(e)
	if by == 0 {
		return gather()
	}
	apart, back := b.NewLabel("apart"), b.NewLabel("found")
	r := m.Vec()
	run := asm.Mem{Base: base, Index: index.FirstOfRun(at, by, apart), Scale: size}
	if by < 0 {
		run.Disp = -size * (b.Lanes() - 1)
	}
	cells := b.following(e, run)
	if by < 0 {
		cells = m.Reverse(cells)
	}
	m.Move(cells, r)
	b.Label(back)
	b.Later(func() {
		b.Label(apart)
		m.Move(gather(), r)
		b.Jump(back)
	})
	return r
}

// following loads the cells of a lookup that follow one another in memory, in lanes of their size or of 4 bytes.
func (b *body) following(e *ir.Lookup, at asm.Mem) asm.Reg {
	size := e.T.Size()
	if size < kernel.LoadedBytes {
		return b.In(4, false).Widen(at, size, unsigned(e.T))
	}
	return b.In(size, false).Load(at)
}
