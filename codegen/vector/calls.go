package vector

import (
	"go/constant"
	"go/token"
	"math"
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
	order := b.s.byDelay(e, b.ISA(), b.delays)
	all := slices.Clone(order.of)
	if isConstant(all[0]) {
		all[0], all[1] = all[1], all[0]
	}
	if b.MovesLanes() && testsNumbers(e) {
		return b.extremeNumber(extremes[e.Fn], all, math.IsInf(order.delays[len(all)-1], -1))
	}
	x := b.expr(all[0])
	for _, a := range all[1:] {
		x = b.pair(e, x, a)
	}
	return x
}

// extremeNumber writes the least or the greatest of arguments as if none were NaN, tests two of them for NaN at once, and puts NaN in at
// the end. Only if no argument waits for the results of the step before, the last instruction may wait for the tests.
func (b *body) extremeNumber(op asm.Op, all []ir.Expr, early bool) asm.Operand {
	var x, untested asm.Operand
	var numbers asm.Reg
	for k, a := range all {
		y := b.expr(a)
		if k == 0 || !b.isNumber(a) { // more than one instruction reads it
			y = b.Load(y)
		}
		switch {
		case b.isNumber(a):
		case untested == nil:
			untested = y
		default:
			numbers, untested = b.Numbers(numbers, untested, y), nil
		}
		switch {
		case k == 0:
			x = y
			continue
		case k == len(all)-1 && untested != nil:
			numbers = b.Numbers(numbers, untested, untested)
		}
		if early && k == len(all)-1 && numbers != 0 {
			return b.LeastNumberWithin(numbers, op, x, y)
		}
		x = b.LeastNumber(op, x, y)
	}
	if numbers == 0 {
		return x
	}
	return b.Choose(numbers, x, b.HeldOrMemory(b.Splat(b.AllOnes())))
}

// testsNumbers reports whether vectors of AVX-512 test arguments of a min or max for NaN. If all but one are constants, none is tested.
func testsNumbers(e *ir.Call) bool {
	constants := 0
	for _, a := range e.Args {
		if isConstant(a) {
			constants++
		}
	}
	return e.T.Float() && constants < len(e.Args)-1
}

// testsNumbers reports whether a call of the body does, in lanes of the size of its widest values.
func (s *Shape) testsNumbers() (tests bool) {
	s.each(func(e ir.Expr) {
		c, ok := e.(*ir.Call)
		tests = tests || ok && (c.Fn == ir.Min || c.Fn == ir.Max) && s.sizeOf(c.T) == s.lane && testsNumbers(c)
	})
	return tests
}

// pair returns the min or max of x, the result of earlier arguments, and a. If a is a constant, the instruction for the extreme is right
// but for the sign of zeros: it returns its second operand if one is NaN or both are zeros, so the constant must be its first. The min of 0
// and -0 then is right, too, and a max of 0 and anything has no sign.
func (b *body) pair(e *ir.Call, x asm.Operand, a ir.Expr) asm.Operand {
	if !e.T.Float() || !isConstant(a) {
		return b.Least(extremes[e.Fn], e.T.Float(), x, b.expr(a))
	}
	r := b.Extreme(extremes[e.Fn], b.Load(b.expr(a)), x)
	if e.Fn == ir.Max && literal(a.(*ir.Lit), b.LaneSize()) == 0 {
		return b.Bits(asm.And, r, b.Splat(b.SignBit()-1))
	}
	return r
}

// isConstant reports whether e is a constant other than -0.
func isConstant(e ir.Expr) bool {
	lit, ok := e.(*ir.Lit)
	return ok && (!lit.T.Float() || literal(lit, lit.T.Size()) != 1<<(8*lit.T.Size()-1))
}

// isNumber reports whether e, a float, is certainly not NaN.
func (b *body) isNumber(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Lit, *ir.ParamRef, *ir.IterRef:
		return true
	case *ir.FloatRef:
		return e.Float < len(b.s.n.Floats) // others are values of outer loops
	case *ir.Convert:
		return !e.X.Type().Float()
	}
	return false
}
