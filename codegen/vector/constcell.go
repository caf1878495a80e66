package vector

import (
	"go/constant"

	"loopc/codegen/asm"
	"loopc/ir"
)

// A cell of a constant array is chosen among its values, of which lanes need no memory: the position of the cell is compared with those
// where the value is another one than at the position before, or with those that do not have the most frequent value.

// mostChoices is how many comparisons a cell of a constant array takes at most: gathers are faster than more of them.
const mostChoices = 40

// A choice is a comparison of a position, and the value where it holds.
type choice struct {
	at    int
	value constant.Value
}

// choicesOf returns the value that a cell of a has unless a comparison of its position holds, and the comparisons, of which the last
// one that holds counts. equal says that they are with ==; else with >=.
func choicesOf(a *ir.ConstArray) (otherwise constant.Value, all []choice, equal bool) {
	times, most := map[string]int{}, 0
	for k, v := range a.Values {
		if k > 0 && a.Values[k-1].ExactString() != v.ExactString() {
			all = append(all, choice{k, v})
		}
		times[v.ExactString()]++
		if n := times[v.ExactString()]; n > most {
			most, otherwise = n, v
		}
	}
	if len(a.Values)-most >= len(all) {
		return a.Values[0], all, false
	}
	all = nil
	for k, v := range a.Values {
		if v.ExactString() != otherwise.ExactString() {
			all = append(all, choice{k, v})
		}
	}
	return otherwise, all, true
}

// checkConstCell refuses a cell of a constant array that lanes cannot choose.
func (s *Shape) checkConstCell(e *ir.ConstCell) {
	t, _ := s.laneInt()
	if _, all, _ := choicesOf(e.Of); len(all) > mostChoices {
		refuseAt(e.At, "", "%s, a constant array, has more than %d changes of value, and a subscript is no constant", e.Of.Name, mostChoices)
	}
	for d, sub := range e.Subs {
		if in := sub.Type(); in != t {
			refuseAt(sub.Span(), "", "a subscript of %s may have more than 31 bits, or is no sum or product", e.Of.Name)
		}
		if t.Size() < 4 && (len(e.Subs) > 1 || int64(e.Of.Lo[d]) < t.Cell().Lo || int64(e.Of.Hi[d]) > t.Cell().Hi) {
			refuseAt(e.At, "", "cells of %s are looked up where lanes have %d bytes", e.Of.Name, s.lane)
		}
	}
}

// latencyConstCell is the latency of a cell of a.
func latencyConstCell(a *ir.ConstArray) float64 {
	_, all, _ := choicesOf(a)
	return asm.LatencyMulInt*float64(len(a.Lo)-1) + asm.LatencyLogic + asm.LatencyBlend*float64(len(all))
}

// computed writes a cell with computed subscripts.
func (b *body) computed(e ir.Expr) asm.Operand {
	if cell, ok := e.(*ir.ConstCell); ok {
		return b.constCell(cell)
	}
	return b.lookup(e.(*ir.Lookup))
}

// constCell writes a cell of a constant array.
func (b *body) constCell(e *ir.ConstCell) asm.Operand {
	t, _ := b.s.laneInt()
	in, of := b.as(t), e.Of
	var subs []asm.Reg
	var wrong asm.Reg
	for d, sub := range e.Subs {
		x := in.Load(b.expr(sub))
		subs = append(subs, x)
		for side, bound := range []int{of.Lo[d], of.Hi[d]} {
			if e.Inside {
				continue
			}
			test := []asm.Test{asm.Lt, asm.Gt}[side]
			beyond := in.Compare(test, t.Float(), x, in.number(t, bound))
			bits := in.Choose(beyond, in.Load(in.Splat(in.AllOnes())), in.Splat(0))
			if wrong != 0 {
				bits = in.Bits(asm.Or, wrong, bits)
			}
			wrong = bits
		}
	}
	if wrong != 0 {
		b.collect(in, wrong)
	}
	at, first := subs[0], of.Lo[0]
	if len(subs) > 1 {
		first = 0
	}
	for d := range subs {
		if len(subs) == 1 {
			break
		}
		x := in.Binary(asm.Sub, t.Float(), subs[d], in.number(t, of.Lo[d]))
		if d > 0 {
			x = in.Binary(asm.Add, t.Float(), in.Binary(asm.Mul, t.Float(), at, in.number(t, of.Hi[d]-of.Lo[d]+1)), x)
		}
		at = x
	}
	out := b.as(e.T)
	value := func(v constant.Value) asm.Operand {
		return out.Splat(literal(&ir.Lit{T: e.T, Value: v}, out.LaneSize()))
	}
	otherwise, all, equal := choicesOf(of)
	test := map[bool]asm.Test{true: asm.Eq, false: asm.Ge}[equal]
	cell := value(otherwise)
	for _, c := range all {
		holds := truth{in.Compare(test, t.Float(), at, in.number(t, first+c.at)), in.LaneSize()}
		cell = out.Choose(b.resized(holds, out.LaneSize()), out.Load(value(c.value)), cell)
	}
	return cell
}

// number is an integer constant in lanes of type t.
func (b *body) number(t ir.Type, c int) asm.Mem {
	return b.Splat(literal(&ir.Lit{T: t, Value: constant.MakeInt64(int64(c))}, b.LaneSize()))
}
