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
	for range 60000 {
		r := randomNarrowing(rng)
		e := r.affine(3)
		to := []ir.Type{ir.Float64, ir.Float32, ir.Int32}[rng.IntN(3)]
		got := r.w.converted(&ir.Convert{T: to, X: e})
		if got == nil {
			continue
		}
		if lane := to.Size(); r.w.s.lane != lane || got.Type() != to {
			t.Fatalf("%s in lanes of %d bytes has become %s", to, r.w.s.lane, got.Type())
		}
		seen[to]++
		for range 5 {
			x := r.integers()
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
				t.Fatalf("%s of %d: bits %x, want %x (loops %v, parameters %v)", to, want, b, a, x.iters, x.params)
			}
		}
	}
	for _, to := range []ir.Type{ir.Float64, ir.Float32, ir.Int32} {
		if seen[to] < 3000 {
			t.Errorf("only %d forms in %s", seen[to], to)
		}
	}
}

// A randomInts writes random integers of 64 bits for a narrowing.
type randomInts struct {
	rng    *rand.Rand
	w      *narrowing
	bits   int     // of coordinates
	unskew [][]int // rows of the plan's dimensions, of which the last ones are loops
}

// randomNarrowing makes a narrowing of a nest of random depth and skew, whose plan may have a
// dimension more.
func randomNarrowing(rng *rand.Rand) *randomInts {
	r := &randomInts{rng: rng, bits: 26 + 3*rng.IntN(2)}
	depth := 1 + rng.IntN(3)
	dims := depth + rng.IntN(2)
	for k := range dims {
		row := make([]int, dims)
		row[k] = 1
		for j := range k {
			row[j] = rng.IntN(3) - 1
		}
		r.unskew = append(r.unskew, row)
	}
	n := &ir.Nest{Loops: make([]ir.Loop, depth), Params: make([]ir.Param, 2)}
	s := &Shape{n: n, l: &ir.Lowered{Unskew: r.unskew}, p: &plan.Nest{Dims: make([]string, dims)}, lane: 4 + 4*rng.IntN(2)}
	r.w = newNarrowing(s, r.bits)
	for range 2 {
		n.Body = append(n.Body, &ir.Let{Type: ir.Int64, Expr: r.affine(2)})
	}
	return r
}

// lit returns a constant: most are small, others about where forms end, or sums wrap.
func (r *randomInts) lit() ir.Expr {
	c := r.rng.Int64N(9) - 4
	switch r.rng.IntN(8) {
	case 0:
		c = int64(1)<<r.rng.IntN(63) + r.rng.Int64N(3) - 1
	case 1, 2:
		c = r.rng.Int64N(64)
	}
	c *= 2*r.rng.Int64N(2) - 1
	return &ir.Lit{T: ir.Int64, Value: constant.MakeInt64(c)}
}

// affine returns an integer of 64 bits.
func (r *randomInts) affine(deep int) ir.Expr {
	n := r.w.s.n
	switch k := r.rng.IntN(9); {
	case deep == 0 || k == 0:
		return &ir.IterRef{T: ir.Int64, Iter: r.rng.IntN(n.Depth())}
	case k == 1:
		return r.lit()
	case k == 2:
		return &ir.ParamRef{T: ir.Int64, Param: r.rng.IntN(2)}
	case k == 3:
		return &ir.Unary{T: ir.Int64, Op: ir.Neg, X: r.affine(deep - 1)}
	case k == 4:
		x, y := r.lit(), r.affine(deep-1)
		if r.rng.IntN(2) == 0 {
			x, y = y, x
		}
		return &ir.Binary{T: ir.Int64, Op: []ir.Op{ir.Mul, ir.Mul, ir.Mul, ir.Quo}[r.rng.IntN(4)], X: x, Y: y}
	case k == 5 && len(n.Body) > 0:
		return &ir.LocalRef{T: ir.Int64, Stmt: r.rng.IntN(len(n.Body))}
	}
	return &ir.Binary{T: ir.Int64, Op: []ir.Op{ir.Add, ir.Sub}[r.rng.IntN(2)], X: r.affine(deep - 1), Y: r.affine(deep - 1)}
}

// integers returns values of loops and parameters, among them the largest and the least.
func (r *randomInts) integers() *integers {
	x := &integers{w: r.w, body: r.w.s.n.Body, params: []int64{r.rng.Int64N(1 << 20), 1<<48 - r.rng.Int64N(2)}}
	for k := range x.params {
		if r.w.s.lane == 4 {
			x.params[k] = min(x.params[k], MostLaneParameter)
		}
		x.params[k] *= 2*r.rng.Int64N(2) - 1
	}
	coordinates := make([]int64, len(r.unskew))
	for k := range coordinates {
		coordinates[k] = []int64{0, 1, -1, 1 << r.bits, -1 << r.bits, r.rng.Int64N(1000)}[r.rng.IntN(6)]
	}
	shift := len(r.unskew) - r.w.s.n.Depth()
	for _, row := range r.unskew[shift:] {
		at := int64(0)
		for j, c := range row {
			at += int64(c) * coordinates[j]
		}
		x.iters = append(x.iters, at)
	}
	return x
}

// integers are values of loops and parameters.
type integers struct {
	w             *narrowing
	body          []ir.Stmt
	iters, params []int64
}

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
	case *ir.LocalRef:
		return x.value(x.body[e.Stmt].(*ir.Let).Expr)
	case *ir.Unary:
		return -x.value(e.X)
	case *ir.Binary:
		a, b := x.value(e.X), x.value(e.Y)
		switch e.Op {
		case ir.Add:
			return a + b
		case ir.Sub:
			return a - b
		case ir.Quo:
			if b == 0 {
				return 0
			}
			return a / b
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
		case ir.Quo:
			return a / b
		}
		return a * b
	}
	if r, ok := e.(*ir.LocalRef); ok {
		return x.wrapped(x.w.retyped(r.Stmt).e)
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
		case ir.Quo:
			return a / b
		}
		return float64(a * b)
	}
	switch e := e.(type) {
	case *ir.LocalRef:
		return x.float(x.w.retyped(e.Stmt).e)
	case *ir.Call:
		return math.Floor(x.float(e.Args[0]))
	case *ir.Select:
		if cond := e.Cond.(*ir.Binary); x.float(cond.X) < x.float(cond.Y) {
			return x.float(e.A)
		}
		return x.float(e.B)
	}
	return float64(x.value(e))
}
