package vector

import (
	"go/constant"
	"go/token"
	"slices"

	"loopc/codegen/asm"
	"loopc/ir"
)

// formOf returns the function that writes a call of one of the language's functions in lanes, and
// the latency of the call; nil if the function has no vector form.
func formOf(e *ir.Call) (write func(*body, *ir.Call) asm.Operand, latency float64) {
	switch e.Fn {
	case ir.Min, ir.Max:
		if e.T.Float() {
			return (*body).extreme, asm.LatencyMinMax * float64(len(e.Args)-1)
		}
		return (*body).extreme, asm.LatencyLogic * float64(len(e.Args)-1)
	case ir.Abs:
		if e.T.Float() {
			return (*body).clearSign, asm.LatencyLogic
		}
		return ofOne((*asm.Machine).Abs), 0
	case ir.Sqrt:
		return ofOne((*asm.Machine).Sqrt), asm.LatencySqrt
	case ir.Floor:
		return ofOne((*asm.Machine).Floor), asm.LatencyFloor
	case ir.Ceil:
		return ofOne((*asm.Machine).Ceil), asm.LatencyFloor
	case ir.Trunc:
		return ofOne((*asm.Machine).Trunc), asm.LatencyFloor
	case ir.Pow:
		if isSquare(e) {
			return func(b *body, e *ir.Call) asm.Operand {
				x := b.Load(b.expr(e.Args[0]))
				return b.Binary(asm.Mul, true, x, x)
			}, asm.LatencyFloat
		}
	case ir.Round:
		return (*body).nearest, asm.LatencyFloor + asm.LatencyFloat + 2*asm.LatencyLogic
	case ir.Exp:
		return inFloat64((*body).exp), latencyExp
	case ir.Log:
		return inFloat64((*body).log), latencyLog
	}
	return nil, 0
}

// ofOne returns the function that writes a call with one argument by one method of the machine.
func ofOne(write func(*asm.Machine, asm.Operand) asm.Reg) func(*body, *ir.Call) asm.Operand {
	return func(b *body, e *ir.Call) asm.Operand { return write(b.Machine, b.expr(e.Args[0])) }
}

// isSquare reports whether a power is x·x, with the same bits.
func isSquare(e *ir.Call) bool {
	lit, ok := e.Args[1].(*ir.Lit)
	return ok && constant.Compare(lit.Value, token.EQL, constant.MakeInt64(2))
}

// clearSign writes the absolute value of floats.
func (b *body) clearSign(e *ir.Call) asm.Operand {
	return b.Bits(asm.And, b.expr(e.Args[0]), b.Splat(b.SignBit()-1))
}

// nearest writes the nearest integer, of two the one away from zero: the greatest number below 1/2,
// with the sign of x, is added, and the fraction is cut off.
func (b *body) nearest(e *ir.Call) asm.Operand {
	almost := uint64(0x3fdfffffffffffff)
	if b.LaneSize() == 4 {
		almost = 0x3effffff
	}
	x := b.Load(b.expr(e.Args[0]))
	signed := b.Bits(asm.Or, b.Bits(asm.And, x, b.Splat(b.SignBit())), b.Splat(almost))
	return b.Trunc(b.Binary(asm.Add, true, x, signed))
}

var extremes = map[ir.Func]asm.Op{ir.Min: asm.Min, ir.Max: asm.Max}

// extreme writes the least or the greatest of the arguments. A constant is not the first one, because pair can save instructions.
func (b *body) extreme(e *ir.Call) asm.Operand {
	all := slices.Clone(b.s.byDelay(e, b.ISA(), b.delays).of)
	if b.notZero(all[0]) {
		all[0], all[1] = all[1], all[0]
	}
	x := b.expr(all[0])
	for _, a := range all[1:] {
		x = b.pair(e, x, a)
	}
	return x
}

// pair returns the min or max of x, the result of earlier arguments, and a. If a is a constant
// other than zero, one instruction is enough. The instruction returns its second operand if one is
// NaN, so the constant must be its first.
func (b *body) pair(e *ir.Call, x asm.Operand, a ir.Expr) asm.Operand {
	if e.T.Float() && b.notZero(a) {
		return b.Extreme(extremes[e.Fn], b.Load(b.expr(a)), x)
	}
	return b.Least(extremes[e.Fn], e.T.Float(), x, b.expr(a))
}

// notZero reports whether e is a constant that does not round to zero.
func (b *body) notZero(e ir.Expr) bool {
	lit, ok := e.(*ir.Lit)
	return ok && literal(lit, b.LaneSize())&^b.SignBit() != 0
}
