package arith

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// exactSum returns the sum of finite xs rounded once to float64 and to float32,
// by rational arithmetic.
func exactSum(xs []float64) (float64, float32) {
	sum, x := new(big.Rat), new(big.Rat)
	for _, f := range xs {
		sum.Add(sum, x.SetFloat64(f))
	}
	f64, _ := sum.Float64()
	f32, _ := sum.Float32()
	return f64, f32
}

// addend returns a random finite float64 whose kind goes with k.
func addend(rng *rand.Rand, k int) float64 {
	switch k % 6 {
	case 0: // any bits
		for {
			if x := math.Float64frombits(rng.Uint64()); !math.IsInf(x, 0) && !math.IsNaN(x) {
				return x
			}
		}
	case 1: // subnormals and their neighbors
		return math.Float64frombits(rng.Uint64N(1<<54)) * float64(1-2*rng.IntN(2))
	case 2: // float32s, subnormal ones included
		return float64(math.Float32frombits(rng.Uint32N(0x7f800000))) * float64(1-2*rng.IntN(2))
	case 3: // much cancels, and halves lie in the middle of two floats
		return math.Ldexp(float64(rng.IntN(9)-4), rng.IntN(60)-80)
	case 4: // the greatest
		return math.MaxFloat64 * float64(1-2*rng.IntN(2))
	}
	return rng.NormFloat64()
}

// TestSumIsExact compares sums of random addends, of one kind and mixed, in any
// order and in parts, with rational arithmetic.
func TestSumIsExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	zero, infinite, subnormal := 0, 0, 0
	for trial := range 3000 {
		xs := make([]float64, rng.IntN(12))
		for k := range xs {
			kind := trial % 7
			if kind == 6 {
				kind = rng.IntN(6)
			}
			xs[k] = addend(rng, kind)
			if k > 0 && rng.IntN(3) == 0 {
				xs[k] = -xs[rng.IntN(k)]
			}
		}
		want, want32 := exactSum(xs)
		var all Sum
		parts := make([]Sum, 1+rng.IntN(3))
		for _, x := range xs {
			all.Add(x)
			parts[rng.IntN(len(parts))].Add(x)
		}
		var merged Sum
		for k := range parts {
			b, err := parts[k].MarshalBinary()
			if err != nil {
				t.Fatal(err)
			}
			var read Sum
			if err := read.UnmarshalBinary(b); err != nil {
				t.Fatal(err)
			}
			merged.Merge(&read)
		}
		for _, s := range []*Sum{&all, &merged} {
			if got := s.Float64(); math.Float64bits(got) != math.Float64bits(want) {
				t.Fatalf("the sum of %v is %v, want %v", xs, got, want)
			}
			if got := s.Float32(); math.Float32bits(got) != math.Float32bits(want32) {
				t.Fatalf("the float32 sum of %v is %v, want %v", xs, got, want32)
			}
		}
		switch {
		case want == 0 && len(xs) > 0:
			zero++
		case math.IsInf(want, 0):
			infinite++
		case math.Abs(want) < 0x1p-1022:
			subnormal++
		}
	}
	if zero < 20 || infinite < 20 || subnormal < 20 {
		t.Errorf("only %d sums are zero, %d infinite and %d subnormal: the test proves little", zero, infinite, subnormal)
	}
}

// TestSumOfMany adds more than a limb takes without carries, at its worst: equal
// signs, and all bits set.
func TestSumOfMany(t *testing.T) {
	for _, x := range []float64{math.Nextafter(2, 1), -math.Nextafter(1, 0), math.MaxFloat64, 5e-324, math.Nextafter(0x1p-990, 1)} {
		for shift := range 3 {
			x := math.Ldexp(x, -shift*11)
			const n = 100_003
			var s Sum
			for range n {
				s.Add(x)
			}
			exact := new(big.Rat).SetFloat64(x)
			want, _ := exact.Mul(exact, big.NewRat(n, 1)).Float64()
			if got := s.Float64(); got != want {
				t.Errorf("%d times %v is %v, want %v", n, x, got, want)
			}
		}
	}
}

// TestSumRounds checks halves between two floats of either type.
func TestSumRounds(t *testing.T) {
	for _, c := range []struct {
		xs     []float64
		want   float64
		want32 float32
	}{
		{nil, 0, 0},
		{[]float64{math.Copysign(0, -1)}, 0, 0},
		{[]float64{1, -1}, 0, 0},
		{[]float64{1, 0x1p-53}, 1, 1},
		{[]float64{1, 0x1p-53, 0x1p-1074}, 1 + 0x1p-52, 1},
		{[]float64{1 + 0x1p-52, 0x1p-53}, 1 + 0x1p-51, 1},
		{[]float64{1, 0x1p-24}, 1 + 0x1p-24, 1},
		{[]float64{1, 0x1p-24, 0x1p-1074}, 1 + 0x1p-24, 1 + 0x1p-23}, // not by way of float64
		{[]float64{-1, -0x1p-24, -0x1p-1074}, -1 - 0x1p-24, -1 - 0x1p-23},
		{[]float64{math.MaxFloat64, 0x1p970}, math.Inf(1), float32(math.Inf(1))},
		{[]float64{math.MaxFloat64, 0x1p969}, math.MaxFloat64, float32(math.Inf(1))},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64, float32(math.Inf(1))},
		{[]float64{0x1p-150}, 0x1p-150, 0},
		{[]float64{0x1p-150, 0x1p-1074}, 0x1p-150, 0x1p-149},
		{[]float64{math.MaxFloat32, 0x1p103}, math.MaxFloat32 + 0x1p103, float32(math.Inf(1))},
		{[]float64{math.MaxFloat32, 0x1p102}, math.MaxFloat32 + 0x1p102, math.MaxFloat32},
	} {
		var s Sum
		for _, x := range c.xs {
			s.Add(x)
		}
		if got := s.Float64(); math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("the sum of %v is %v, want %v", c.xs, got, c.want)
		}
		if got := s.Float32(); math.Float32bits(got) != math.Float32bits(c.want32) {
			t.Errorf("the float32 sum of %v is %v, want %v", c.xs, got, c.want32)
		}
	}
}

// TestSumOfSpecials checks addends that are not finite.
func TestSumOfSpecials(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		xs   []float64
		want float64
	}{
		{[]float64{inf, 1, -math.MaxFloat64}, inf},
		{[]float64{1, -inf, -inf}, -inf},
		{[]float64{inf, 3, -inf}, nan},
		{[]float64{nan, 3}, nan},
		{[]float64{inf, nan}, nan},
	} {
		var s, half Sum
		for k, x := range c.xs {
			if k%2 == 0 {
				s.Add(x)
			} else {
				half.Add(x)
			}
		}
		s.Merge(&half)
		if got := s.Float64(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("the sum of %v is %v, want %v", c.xs, got, c.want)
		}
		if got := float64(s.Float32()); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("the float32 sum of %v is %v, want %v", c.xs, got, c.want)
		}
	}
}

func TestSumUnmarshalRefuses(t *testing.T) {
	var s Sum
	good, err := s.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	tooLarge := append([]byte(nil), good...)
	tooLarge[1+7] = 1
	signs := append([]byte(nil), good...)
	signs[0] = 8
	for _, b := range [][]byte{nil, good[1:], tooLarge, signs} {
		if s.UnmarshalBinary(b) == nil {
			t.Errorf("%d bytes are taken for a sum", len(b))
		}
	}
}

// BenchmarkSum measures Add: addends of like size, as in a residual, and of any.
func BenchmarkSum(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	alike, mixed := make([]float64, 4096), make([]float64, 4096)
	for k := range alike {
		alike[k], mixed[k] = rng.NormFloat64(), addend(rng, 0)
	}
	for _, c := range []struct {
		name string
		xs   []float64
	}{{"alike", alike}, {"mixed", mixed}} {
		b.Run(c.name, func(b *testing.B) {
			var s Sum
			for b.Loop() {
				for _, x := range c.xs {
					s.Add(x)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(c.xs)), "ns/addend")
			if s.Float64() == 1 {
				b.Log("unlikely")
			}
		})
	}
}

// TestSumOfLanes adds as kernels do, see Lanes, and compares with a Sum of the same addends. Lists grow, and sums are read and
// cleared on the way.
func TestSumOfLanes(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	listed := 0
	for trial := range 300 {
		var s, want Sum
		for range 1 + rng.IntN(40) {
			n := rng.IntN(200)
			s.Lanes(max(n, rng.IntN(300)))
			if s.Room() < n {
				t.Fatalf("room for %d addends, want %d", s.Room(), n)
			}
			end := lanesList
			for range n {
				x := addend(rng, trial)
				want.Add(x)
				at := LanesFirst + rng.IntN(lanesPairs)*LanesPair + rng.IntN(8)
				high, low := &s.lanes[at], &s.lanes[at+LanesPair/2]
				sum := *high + x
				b := sum - *high
				left := (*high - (sum - b)) + (x - b)
				if last := *low + left; last-*low == left && last-(last-*low) == *low {
					*high, *low = sum, last
					continue
				}
				s.lanes[end] = x
				end, listed = end+1, listed+1
			}
			*s.next() += (end - lanesList) * wordBytes
			s.Listed()
			switch rng.IntN(4) {
			case 0:
				var other Sum
				other.Merge(&s)
				s.Clear()
				s.Merge(&other)
			case 1:
				if got, x := s.Float64(), want.Float64(); got != x && got == got {
					t.Fatalf("the sum in lanes is %v, want %v", got, x)
				}
			}
		}
		if got, x := s.Float32(), want.Float32(); got != x {
			t.Fatalf("the sum in lanes is %v, want %v", got, x)
		}
		if s.Clear(); s.Float64() != 0 {
			t.Fatal("a cleared sum is not 0")
		}
	}
	if listed < 1000 {
		t.Errorf("only %d addends were in lists", listed)
	}
}
