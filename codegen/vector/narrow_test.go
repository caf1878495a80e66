package vector

import (
	"go/constant"
	"math"
	"math/rand/v2"
	"testing"

	"loopc/ir"
	"loopc/transform/plan"
)

// TestNarrow computes random integers of 64 bits as they are and in the types of lanes: the bits
// are the same wherever a form is given, at the ends of what coordinates and parameters may be too.
func TestNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(64, 32))
	seen := map[ir.Type]int{}
	for range 20000 {
		depth := 1 + rng.IntN(3)
		n := &ir.Nest{Loops: make([]ir.Loop, depth), Params: make([]ir.Param, 2)}
		dims := make([]string, depth)
		unskew := make([][]int, depth)
		for k := range unskew {
			unskew[k] = make([]int, depth)
			unskew[k][k] = 1
			for j := range k {
				unskew[k][j] = rng.IntN(3) - 1
			}
		}
		bits := 26 + 3*rng.IntN(2)
		s := &Shape{n: n, l: &ir.Lowered{Unskew: unskew}, p: &plan.Nest{Dims: dims}, lane: 4 + 4*rng.IntN(2)}
		w := &narrowing{s: s, index: 1 << bits}
		e := randomAffine(rng, depth, 3)
		to := []ir.Type{ir.Float64, ir.Float32, ir.Int32}[rng.IntN(3)]
		got := w.converted(&ir.Convert{T: to, X: e})
		if got == nil {
			continue
		}
		seen[to]++
		for range 5 {
			iters, params := make([]int64, depth), []int64{rng.Int64N(1 << 20), (1 << 48) * (2*rng.Int64N(2) - 1)}
			coordinates := make([]int64, depth)
			for k := range coordinates {
				coordinates[k] = []int64{0, 1, -1, 1 << bits, -1 << bits, rng.Int64N(1000)}[rng.IntN(6)]
			}
			for k, row := range unskew {
				for j, c := range row {
					iters[k] += int64(c) * coordinates[j]
				}
			}
			x := &integers{iters, params}
			want := x.value(e)
			var a, b uint64
			switch to {
			case ir.Float64:
				a, b = math.Float64bits(float64(want)), math.Float64bits(x.float(got))
			case ir.Float32:
				a, b = uint64(math.Float32bits(float32(want))), uint64(math.Float32bits(float32(x.wrapped(got.(*ir.Convert).X))))
			default:
				a, b = uint64(uint32(want)), uint64(uint32(x.wrapped(got)))
			}
			if a != b {
				t.Fatalf("%s of %d: bits %x, want %x (loops %v, parameters %v)", to, want, b, a, iters, params)
			}
		}
	}
	for _, to := range []ir.Type{ir.Float64, ir.Float32, ir.Int32} {
		if seen[to] < 1000 {
			t.Errorf("only %d forms in %s", seen[to], to)
		}
	}
}

// randomAffine returns an integer of 64 bits.
func randomAffine(rng *rand.Rand, depth, deep int) ir.Expr {
	lit := func() ir.Expr { return &ir.Lit{T: ir.Int64, Value: constant.MakeInt64(rng.Int64N(9) - 4)} }
	switch k := rng.IntN(8); {
	case deep == 0 || k == 0:
		return &ir.IterRef{T: ir.Int64, Iter: rng.IntN(depth)}
	case k == 1:
		return lit()
	case k == 2:
		return &ir.ParamRef{T: ir.Int64, Param: rng.IntN(2)}
	case k == 3:
		return &ir.Unary{T: ir.Int64, Op: ir.Neg, X: randomAffine(rng, depth, deep-1)}
	case k == 4:
		return &ir.Binary{T: ir.Int64, Op: ir.Mul, X: lit(), Y: randomAffine(rng, depth, deep-1)}
	}
	return &ir.Binary{T: ir.Int64, Op: []ir.Op{ir.Add, ir.Sub}[rng.IntN(2)], X: randomAffine(rng, depth, deep-1), Y: randomAffine(rng, depth, deep-1)}
}

// integers are values of loops and parameters.
type integers struct{ iters, params []int64 }

// value computes e in 64 bits.
func (x *integers) value(e ir.Expr) int64 {
	switch e := e.(type) {
	case *ir.Lit:
		v, _ := constant.Int64Val(e.Value)
		return v
	case *ir.IterRef:
		return x.iters[e.Iter]
	case *ir.ParamRef:
		return x.params[e.Param]
	case *ir.Unary:
		return -x.value(e.X)
	case *ir.Binary:
		a, b := x.value(e.X), x.value(e.Y)
		switch e.Op {
		case ir.Add:
			return a + b
		case ir.Sub:
			return a - b
		}
		return a * b
	}
	panic("no integer")
}

// wrapped computes e in 32 bits.
func (x *integers) wrapped(e ir.Expr) int32 {
	if e, ok := e.(*ir.Binary); ok {
		a, b := x.wrapped(e.X), x.wrapped(e.Y)
		switch e.Op {
		case ir.Add:
			return a + b
		case ir.Sub:
			return a - b
		}
		return a * b
	}
	return int32(x.value(e))
}

// float computes e in float64.
func (x *integers) float(e ir.Expr) float64 {
	if e, ok := e.(*ir.Binary); ok {
		a, b := x.float(e.X), x.float(e.Y)
		switch e.Op {
		case ir.Add:
			return a + b
		case ir.Sub:
			return a - b
		}
		return float64(a * b)
	}
	return float64(x.value(e))
}
