package vector

import (
	"go/constant"
	"math"
	"math/rand/v2"
	"testing"

	"loopc/ir"
)

// TestInterval computes random expressions of two bytes and small numbers: each value is within the interval.
func TestInterval(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	narrow := 0
	for range 3000 {
		x, y := &ir.Read{T: ir.Int8}, &ir.Read{T: ir.Uint8}
		var a, b int
		var draw func(depth int) (ir.Expr, func() int)
		draw = func(depth int) (ir.Expr, func() int) {
			switch k := rng.IntN(8); {
			case depth == 0 && k < 3:
				return &ir.Convert{X: x, T: ir.Int32}, func() int { return a }
			case depth == 0 && k < 6:
				return &ir.Convert{X: y, T: ir.Int32}, func() int { return b }
			case depth == 0:
				c := 1 + rng.IntN(9)
				return &ir.Lit{Value: constant.MakeInt64(int64(c)), T: ir.Int32}, func() int { return c }
			}
			l, of := draw(depth - 1)
			r, by := draw(depth - 1)
			switch op := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.Quo}[rng.IntN(4)]; op {
			case ir.Quo:
				c := 1 + rng.IntN(9)
				return &ir.Binary{Op: op, X: l, Y: &ir.Lit{Value: constant.MakeInt64(int64(c)), T: ir.Int32}, T: ir.Int32}, func() int { return of() / c }
			case ir.Add:
				return &ir.Binary{Op: op, X: l, Y: r, T: ir.Int32}, func() int { return of() + by() }
			case ir.Sub:
				return &ir.Binary{Op: op, X: l, Y: r, T: ir.Int32}, func() int { return of() - by() }
			default:
				return &ir.Binary{Op: op, X: l, Y: r, T: ir.Int32}, func() int { return int(int32(of() * by())) }
			}
		}
		e, value := draw(1 + rng.IntN(2))
		within := (&Shape{}).interval(e)
		if within.Hi-within.Lo < 1<<20 {
			narrow++
		}
		for a = -128; a < 128; a += 15 {
			for b = 0; b < 256; b += 15 {
				if v := float64(value()); v < within.Lo || v > within.Hi {
					t.Fatalf("%v has the value %g, beyond %v", e, v, within)
				}
			}
		}
	}
	if narrow < 500 {
		t.Errorf("only %d intervals are narrow", narrow)
	}
}

// TestIntervalWraps does the same with cells of int64 of any value, where results wrap.
func TestIntervalWraps(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1 << 62, -1000, -1, 0, 1, 7, 1 << 31, 1<<62 - 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64}
	number := func(c int64) ir.Expr { return &ir.Lit{Value: constant.MakeInt64(c), T: ir.Int64} }
	narrow := 0
	for range 4000 {
		x := &ir.Read{T: ir.Int64}
		var a int64
		var draw func(depth int) (ir.Expr, func() int64)
		draw = func(depth int) (ir.Expr, func() int64) {
			if depth == 0 {
				return x, func() int64 { return a }
			}
			of, value := draw(depth - 1)
			c := 1 + rng.Int64N(9)
			if rng.IntN(4) == 0 {
				c = ends[rng.IntN(len(ends))]
			}
			with := func(op ir.Op) ir.Expr { return &ir.Binary{Op: op, X: of, Y: number(c), T: ir.Int64} }
			switch k := rng.IntN(9); {
			case k == 0:
				return with(ir.Add), func() int64 { return value() + c }
			case k == 1:
				return with(ir.Sub), func() int64 { return value() - c }
			case k == 2:
				return with(ir.Mul), func() int64 { return value() * c }
			case k == 3:
				return with(ir.BitAnd), func() int64 { return value() & c }
			case k == 4:
				return with(ir.BitXor), func() int64 { return value() ^ c }
			case k == 5 && c != 0:
				return with(ir.Rem), func() int64 { return value() % c }
			case k == 6 && c != 0:
				return with(ir.Quo), func() int64 { return value() / c }
			case k == 7:
				return &ir.Call{Fn: ir.Max, Args: []ir.Expr{of, number(c)}, T: ir.Int64}, func() int64 { return max(value(), c) }
			default:
				return &ir.Unary{X: of, T: ir.Int64}, func() int64 { return -value() }
			}
		}
		e, value := draw(1 + rng.IntN(4))
		within := (&Shape{}).interval(e)
		if within.Hi-within.Lo < 1<<40 {
			narrow++
		}
		for _, a = range ends {
			if v := float64(value()); v < within.Lo || v > within.Hi {
				t.Fatalf("%v has the value %g for %d, beyond %v", e, v, a, within)
			}
		}
	}
	if narrow < 500 {
		t.Errorf("only %d intervals are narrow", narrow)
	}
}
