package vector

import (
	"go/constant"
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
