package vector

import (
	"fmt"

	"loopc/codegen/asm"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/kernel"
)

// Lanes gather the cells that lookups find. A subscript is clamped to the bounds of its array, so that no lane reads
// beyond them: lanes that have no iteration, or whose condition does not hold, have any subscripts. The bits in which a
// subscript and the clamped one differ are collected where the lane has an iteration that needs the cell; if some are
// left at the end, the caller computes the rows again without vectors, which reports the iteration.

// latencyLookup is the latency of a gather, and of the subscripts' tests.
const latencyLookup = 20 + asm.LatencyMulInt

// A looker writes lookups: table returns the address of the first cell of a table, and wrong is called with lanes of
// the results' size that are not 0 where a subscript is wrong.
type looker struct {
	table func(array int) asm.Reg
	wrong func(bits asm.Reg)
	under *truth // a condition without which no cell is needed; nil: it always is
}

// mayMiss reports whether e has a cell with a subscript that may be beyond the bounds of its array.
func mayMiss(e ir.Expr) (may bool) {
	ir.Walk(e, func(x ir.Expr) {
		switch x := x.(type) {
		case *ir.Lookup:
			may = true
		case *ir.ConstCell:
			may = may || !x.Inside
		}
	})
	return may
}

// Checks reports whether live statements have such a cell: then kernels tell whether a subscript was wrong.
func (s *Shape) Checks() bool {
	at, _ := s.LooksUp()
	return at != ""
}

// looksUp reports whether e has a lookup.
func looksUp(e ir.Expr) (found bool) {
	ir.Walk(e, func(x ir.Expr) {
		_, is := x.(*ir.Lookup)
		found = found || is
	})
	return found
}

// LooksUp returns the place in the source of the first cell whose subscripts are checked, "" if there is none. again says that no
// subscript, and no condition for such a cell, depends on results or on arrays that results may overwrite.
func (s *Shape) LooksUp() (at string, again bool) {
	again = true
	checked := func(subs []ir.Expr, span diag.Span) {
		if at == "" {
			at = fmt.Sprintf("%s:%d:%d", s.n.File, span.Line, span.Col)
		}
		for _, sub := range subs {
			again = again && s.fixed(sub)
		}
	}
	s.each(func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Lookup:
			checked(e.Subs, e.At)
		case *ir.ConstCell:
			if !e.Inside {
				checked(e.Subs, e.At)
			}
		case *ir.Select:
			again = again && (!mayMiss(e.A) && !mayMiss(e.B) || s.fixed(e.Cond))
		case *ir.Binary:
			again = again && (e.Op != ir.And && e.Op != ir.Or || !mayMiss(e.Y) || s.fixed(e.X))
		}
	})
	return at, again && at != ""
}

// fixed reports whether the value of e depends neither on results nor on arrays that results may overwrite.
func (s *Shape) fixed(e ir.Expr) bool {
	fixed := true
	ir.WalkLets(s.n.Body, e, func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok {
			fixed = fixed && s.l.Reads[r.ID].From == ir.FromInitial && s.n.Arrays[r.Array].Role == ir.In
		}
	})
	return fixed
}

// checkLookup refuses a lookup that lanes cannot do.
func (s *Shape) checkLookup(e *ir.Lookup) {
	if s.lane < kernel.LoadedBytes {
		refuseAt(e.At, "", "cells of %s are looked up where lanes have %d bytes", s.n.Arrays[e.Array].Name, s.lane)
	}
	t, _ := s.laneInt()
	for _, sub := range e.Subs {
		if sub.Type() != t {
			refuseAt(sub.Span(), s.aroundEnds(e.Array), "a subscript of %s may have more than 31 bits, or is no sum or product", s.n.Arrays[e.Array].Name)
		}
	}
}

// foundAs returns the lookup whose cells e converts to the type of lanes, if the cells have another size than all lanes.
func (s *Shape) foundAs(e *ir.Convert) *ir.Lookup {
	if l, ok := e.X.(*ir.Lookup); ok && !s.sized && s.lane == 8 && e.T == ir.Float64 && (l.T.Integer() && l.T.Size() <= 4 || l.T == ir.Float32) {
		return l
	}
	return nil
}

// useTable notes what lanes need of the array of a lookup.
func (s *Shape) useTable(e *ir.Lookup) {
	t, _ := s.laneInt()
	s.useParam(ParamUse{Param: e.Array, Type: ir.Int64, Part: kernel.TableCells})
	if e.T.Size() < kernel.LoadedBytes {
		s.useParam(ParamUse{Param: e.Array, Type: ir.Int32, Part: kernel.TableLast})
	}
	for d := range e.Subs {
		if !s.beginsAtZero(e.Array, d) {
			s.useParam(ParamUse{Param: e.Array, Type: t, Part: kernel.TableLeast, Dim: d})
		}
		s.useParam(ParamUse{Param: e.Array, Type: t, Part: kernel.TableMost, Dim: d})
		if d != s.rowDim(e.Array) {
			s.useParam(ParamUse{Param: e.Array, Type: ir.Int32, Part: kernel.TableStride, Dim: d})
		}
	}
}

// beginsAtZero reports whether the lowest index of a dimension is 0, whatever the parameters.
func (s *Shape) beginsAtZero(array, dim int) bool {
	return s.n.Arrays[array].Lo[dim].Equal(ir.Affine{})
}

// Tables are the arrays whose cells live statements look up.
func (s *Shape) Tables() (all []int) {
	for _, use := range s.Params {
		if use.Part == kernel.TableCells {
			all = append(all, use.Param)
		}
	}
	return all
}

// where returns a body for e, an operand that is needed only in lanes for which c is holds.
func (b *body) where(c truth, holds bool, e ir.Expr) *body {
	if !mayMiss(e) {
		return b
	}
	x := *b
	if !holds {
		c.lanes = b.In(c.size, false).Not(c.lanes)
	}
	if b.under != nil {
		size := max(c.size, b.under.size)
		c = truth{b.In(size, false).Logic(asm.And, b.resized(c, size), b.resized(*b.under, size)), size}
	}
	x.under = &c
	return &x
}

// found returns the cells of a lookup as float64, in lanes of 8 bytes.
func (b *body) found(e *ir.Lookup) asm.Operand {
	if e.T.Float() {
		return b.FromFloats(b.lookup(e))
	}
	return b.FromIndex(b.lookup(e))
}

// lookup writes a lookup.
func (b *body) lookup(e *ir.Lookup) asm.Reg {
	if b.follows != nil {
		if cells := b.follows(e); cells != nil {
			return b.as(e.T).Load(cells)
		}
	}
	t, _ := b.s.laneInt()
	in, index := b.as(t), b.In(4, false)
	var at, wrong asm.Reg
	for d, sub := range e.Subs {
		part := func(t ir.Type, part kernel.TablePart) asm.Operand {
			return b.param(ParamUse{Param: e.Array, Type: t, Part: part, Dim: d})
		}
		x := b.above(e, d, in.Load(b.expr(sub)))
		clamped := in.clamped(t, x, part(t, kernel.TableMost))
		bits := in.Bits(asm.Xor, x, clamped)
		if wrong != 0 {
			bits = in.Bits(asm.Or, wrong, bits)
		}
		wrong = bits
		place := in.place(t, clamped)
		if d != b.s.rowDim(e.Array) {
			place = index.Binary(asm.Mul, false, place, part(ir.Int32, kernel.TableStride))
		}
		if at != 0 {
			place = index.Binary(asm.Add, false, at, place)
		}
		at = place
	}
	b.collect(in, wrong)
	return b.narrowed(e, b.cells(e, at))
}

// collect remembers wrong, lanes of body in that are not 0 where a subscript is wrong. It leaves out lanes whose cell is not needed.
func (b *body) collect(in *body, wrong asm.Reg) {
	if b.under != nil {
		wrong = in.Choose(b.resized(*b.under, in.LaneSize()), wrong, in.Splat(0))
	}
	if widest := b.In(b.s.lane, false); in.LaneSize() < b.s.lane {
		wrong = widest.Widen(wrong, in.LaneSize(), false)
	}
	b.wrong(wrong)
}

// narrowed returns the cells of a lookup in lanes of their size, if the body has such lanes.
func (b *body) narrowed(e *ir.Lookup, cells asm.Reg) asm.Reg {
	if b.s.sizeOf(e.T) < kernel.LoadedBytes {
		return b.Narrow(cells, kernel.LoadedBytes)
	}
	return cells
}

// clamped returns x, of type t, if it is from 0 to most; else one of these numbers.
func (b *body) clamped(t ir.Type, x asm.Reg, most asm.Operand) asm.Reg {
	switch t {
	case ir.Int32: // as numbers without a sign, those below 0 are greater than any index
		return b.In(4, true).Least(asm.Min, false, x, most)
	case ir.Float64: // never NaN
		return b.Extreme(asm.Max, b.Extreme(asm.Min, x, most), b.Splat(0))
	}
	return b.Least(asm.Max, false, b.Least(asm.Min, false, x, most), b.Splat(0))
}

// above returns by how much subscript x of dimension d of a lookup is above the lowest index.
func (b *body) above(e *ir.Lookup, d int, x asm.Reg) asm.Reg {
	if b.s.beginsAtZero(e.Array, d) {
		return x
	}
	t, _ := b.s.laneInt()
	return b.as(t).Binary(asm.Sub, t.Float(), x, b.param(ParamUse{Param: e.Array, Type: t, Part: kernel.TableLeast, Dim: d}))
}

// place returns a clamped subscript as int32.
func (b *body) place(t ir.Type, x asm.Reg) asm.Reg {
	switch t {
	case ir.Float64:
		return b.Whole(x)
	case ir.Int64:
		return b.In(4, false).Narrow(x, 8)
	}
	return x
}

// table returns the address of a table's first cell.
func (f *function) table(array int) asm.Reg {
	for k, use := range f.s.Params {
		if use.Part == kernel.TableCells && use.Param == array {
			r := f.General()
			f.Copy(f.Word(f.paramAt(k)), r)
			return r
		}
	}
	panic("BUG: vector: an unknown table")
}

// checks reports whether subscripts of lookups are checked.
func (f *function) checks() bool { return f.s.Checks() }

// noneWrong returns a vector for lanes with a wrong subscript; none if nothing is looked up.
func (f *function) noneWrong() asm.Reg {
	if !f.checks() {
		return 0
	}
	r := f.Vec()
	f.Zero(r, false)
	return r
}

// tellWrong stores the lanes with a wrong subscript.
func (f *function) tellWrong(lanes asm.Reg) {
	if f.checks() {
		f.Move(lanes, f.Word(f.s.FrameWrong()))
	}
}
