package lattice

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// TestFloor checks the division against exact rationals.
func TestFloor(t *testing.T) {
	for a := int64(-20); a <= 20; a++ {
		for b := int64(1); b <= 7; b++ {
			exact := float64(a) / float64(b)
			if got, want := FloorDiv(a, b), int64(math.Floor(exact)); got != want {
				t.Errorf("FloorDiv(%d, %d) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// TestMulAdd checks the arithmetic near the ends of int64 against big integers.
func TestMulAdd(t *testing.T) {
	edges := []int64{0, 1, -1, 2, -2, 3, 1 << 31, -1 << 31, 1 << 32, math.MaxInt64, math.MinInt64, math.MaxInt64 - 1, math.MinInt64 + 1}
	for _, a := range edges {
		for _, b := range edges {
			for _, c := range edges {
				for _, d := range edges {
					x := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
					y := new(big.Int).Mul(big.NewInt(c), big.NewInt(d))
					sum := new(big.Int).Add(x, y)
					got, ok := mulAdd(a, b, c, d)
					if fits := x.IsInt64() && y.IsInt64() && sum.IsInt64(); ok != fits || fits && got != sum.Int64() {
						t.Fatalf("mulAdd(%d, %d, %d, %d) = %d, %v; exactly %v", a, b, c, d, got, ok, sum)
					}
				}
			}
		}
	}
}

// box is the half side of the cube in which brute force looks for points; random
// systems are confined to it.
const box = 5

// randomSystem returns a system of three columns within the box.
func randomSystem(rng *rand.Rand) *System {
	s := New(3)
	for k := range 3 {
		lower, upper := make(Row, 4), make(Row, 4)
		lower[k], lower[3] = 1, box
		upper[k], upper[3] = -1, box
		s.Add(lower)
		s.Add(upper)
	}
	for range rng.IntN(6) {
		r := make(Row, 4)
		for k := range 3 {
			r[k] = int64(rng.IntN(7) - 3)
		}
		r[3] = int64(rng.IntN(15) - 9)
		if rng.IntN(4) == 0 {
			s.AddZero(r)
		} else {
			s.Add(r)
		}
	}
	return s
}

// points returns the integer points of s in the box.
func points(s *System) [][]int64 {
	var all [][]int64
	for x := int64(-box); x <= box; x++ {
		for y := int64(-box); y <= box; y++ {
			for z := int64(-box); z <= box; z++ {
				p := []int64{x, y, z}
				if !s.never && !slices.ContainsFunc(s.rows, func(r Row) bool { return value(r, p) < 0 }) {
					all = append(all, p)
				}
			}
		}
	}
	return all
}

// value returns r at a point.
func value(r Row, p []int64) int64 {
	v := r[len(p)]
	for k, x := range p {
		v += r[k] * x
	}
	return v
}

// TestSystemByBruteForce checks every answer about small systems against the list of their points:
// proofs must be right, a projection said to be exact must be exact, and most empty systems must be
// proven empty.
func TestSystemByBruteForce(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	empty, proven, exactProjections, implied := 0, 0, 0, 0
	for range 4000 {
		s := randomSystem(rng)
		all := points(s)
		if len(all) == 0 {
			empty++
		}
		if s.Empty() {
			if proven++; len(all) > 0 {
				t.Fatalf("%v: said to be empty, has %v", s, all[0])
			}
		}
		projection, exact := s.Project(func(k int) bool { return k < 2 })
		if exact {
			exactProjections++
		}
		for x := int64(-box); x <= box; x++ {
			for y := int64(-box); y <= box; y++ {
				above := slices.ContainsFunc(all, func(p []int64) bool { return p[0] == x && p[1] == y })
				in := !projection.never && !slices.ContainsFunc(projection.rows, func(r Row) bool { return value(r, []int64{x, y, 0}) < 0 })
				if above && !in || exact && in && !above {
					t.Fatalf("%v: (%d, %d) in the projection: %v, in truth: %v, exact: %v", s, x, y, in, above, exact)
				}
			}
		}
		if m := s.Minimal(); len(points(m)) != len(all) || len(m.rows) > len(s.rows) {
			t.Fatalf("%v: minimal form %v has %d points of %d", s, m, len(points(m)), len(all))
		}
		lo, hi, hasLo, hasHi := s.Bounds(2)
		for _, p := range all {
			if hasLo && p[2] < lo || hasHi && p[2] > hi {
				t.Fatalf("%v: bounds %d..%d leave out %v", s, lo, hi, p)
			}
		}
		r := Row{int64(rng.IntN(5) - 2), int64(rng.IntN(5) - 2), int64(rng.IntN(5) - 2), int64(rng.IntN(9))}
		if s.Implies(r) {
			implied++
			for _, p := range all {
				if value(r, p) < 0 {
					t.Fatalf("%v: said to imply %v, which fails at %v", s, r, p)
				}
			}
		}
	}
	t.Logf("of %d empty systems %d were proven so; %d projections were exact; %d rows implied", empty, proven, exactProjections, implied)
	if proven < empty*8/10 || empty < 500 || exactProjections < 1000 || implied < 1000 {
		t.Error("too few for the test to prove much")
	}
}

// TestTightening checks that constants are rounded to the integers: 2x ≥ 1 and
// 2x ≤ 1 has the solution 1/2 only.
func TestTightening(t *testing.T) {
	s := New(1)
	s.Add(Row{2, -1})
	s.Add(Row{-2, 1})
	if !s.Never() {
		t.Errorf("2x = 1 has an integer solution: %v", s)
	}
}

// TestOverflowIsNoProof checks that combinations of rows that overflow int64 prove nothing:
// the system has the point (0, 0), so that Empty must return false.
func TestOverflowIsNoProof(t *testing.T) {
	const huge = 1<<62 + 1
	s := New(2)
	s.Add(Row{huge, -huge + 1, 0})
	s.Add(Row{-huge, huge - 1, 7})
	s.Add(Row{1, 1, 5})
	if s.Empty() {
		t.Errorf("%v has the point (0, 0), but was proven empty", s)
	}
	if _, exact := s.Project(func(k int) bool { return k == 0 }); exact {
		t.Error("a projection that dropped a row was called exact")
	}
}

// TestManyRows: elimination would make far more rows of this system than maxRows. Empty must
// nevertheless return within seconds, and find no proof, because the system has a point.
func TestManyRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	s := New(16)
	for range 60 {
		r := make(Row, 17)
		for k := range 16 {
			r[k] = int64(rng.IntN(19) - 9)
		}
		r[16] = int64(rng.IntN(50)) // the origin is a point
		s.Add(r)
	}
	start := time.Now()
	if s.Empty() {
		t.Error("a system with a point was proven empty")
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}
