package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// randomBox returns a box near the iterations of s.
func randomBox(rng *rand.Rand, s *plantest.Sample) (lo, hi []int) {
	n := len(s.Nest.Dims)
	around := make([]int, n)
	if len(s.Points) > 0 {
		around = s.Points[rng.IntN(len(s.Points))]
	}
	for k := range n {
		l := around[k] - rng.IntN(4)
		lo, hi = append(lo, l), append(hi, l+rng.IntN(6))
	}
	return lo, hi
}

// TestSpace compares everything that a Space answers with enumeration.
func TestSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	inside, leaves := 0, 0
	for range 1500 {
		s := plantest.RandomNest(rng)
		space := plan.NewSpace(s.Nest, s.Params)
		n := space.Depth
		for range 3 {
			lo, hi := randomBox(rng, s)
			var in [][]int
			all := true
			plantest.EachPoint(lo, hi, func(p []int) {
				if got := plantest.Contains(space, p); got != s.Inside[plantest.Key(p)] {
					t.Fatalf("%v: Contains(%v) = %t", s.Nest.Space, p, got)
				}
				if s.Inside[plantest.Key(p)] {
					in = append(in, slices.Clone(p))
				} else {
					all = false
				}
			})
			if got := space.BoxInside(lo, hi); got != all {
				t.Errorf("%v: BoxInside(%v, %v) = %t", s.Nest.Space, lo, hi, got)
			}
			if all {
				inside++
			}
			checkShrink(t, space, lo, hi, in)
			checkRow(t, rng, s, space, lo, hi)
			d := make([]int, n)
			for k := range d {
				d[k] = rng.IntN(3)
			}
			stays := space.Leaving(d)
			for _, p := range in {
				if got, want := stays.BoxInside(p, p), s.Inside[plantest.Key(plantest.At(p, 1, d))]; got != want {
					t.Errorf("%v: Leaving(%v).BoxInside(%v) = %t, want %t", s.Nest.Space, d, p, got, want)
				}
			}
			if !stays.BoxInside(lo, hi) {
				leaves++
			}
		}
	}
	if inside < 100 || leaves < 1000 || leaves > 4400 {
		t.Errorf("only %d boxes lay inside, %d of 4500 could be left", inside, leaves)
	}
}

// checkShrink requires that Shrink loses no point of in, the points of the space in a box, and that
// the box does not grow.
func checkShrink(t *testing.T, space *plan.Space, lo, hi []int, in [][]int) {
	t.Helper()
	a, b := slices.Clone(lo), slices.Clone(hi)
	if !space.Shrink(a, b) {
		if len(in) > 0 {
			t.Errorf("Shrink(%v, %v) finds no point, but %v is one", lo, hi, in[0])
		}
		return
	}
	for _, p := range in {
		for k := range p {
			if p[k] < a[k] || p[k] > b[k] {
				t.Fatalf("Shrink(%v, %v) = %v, %v loses %v", lo, hi, a, b, p)
			}
		}
	}
	for k := range a {
		if a[k] < lo[k] || b[k] > hi[k] {
			t.Errorf("Shrink(%v, %v) = %v, %v grows", lo, hi, a, b)
		}
	}
	again, top := slices.Clone(a), slices.Clone(b)
	if len(in) > 0 && !space.Shrink(again, top) {
		t.Errorf("Shrink of its own result %v, %v finds nothing", a, b)
	}
}

// checkRow compares Span, and RowSpan at a distance, with the points of a row.
func checkRow(t *testing.T, rng *rand.Rand, s *plantest.Sample, space *plan.Space, lo, hi []int) {
	t.Helper()
	n := space.Depth
	d := make([]int, n)
	for k := range d {
		d[k] = rng.IntN(5) - 2
	}
	span := func(q []int) (first, last int) {
		first, last = hi[n-1]+1, lo[n-1]-1
		for x := lo[n-1]; x <= hi[n-1]; x++ {
			q[n-1] = x
			if s.Inside[plantest.Key(q)] {
				first, last = min(first, x), max(last, x)
			}
		}
		return first, last
	}
	q := slices.Clone(lo)
	first, last := span(q)
	a, b := space.Span(q, lo[n-1], hi[n-1])
	if !(a > b && first > last) && (a != first || b != last) {
		t.Errorf("%v: Span(%v) = %d..%d, want %d..%d", s.Nest.Space, q, a, b, first, last)
	}
	values, slopes := make([]int, len(space.Ineq)), make([]int, len(space.Ineq))
	space.Row(q, values)
	if x, y := space.RowSpan(values, nil, lo[n-1], hi[n-1]); (x <= y || a <= b) && (x != a || y != b) {
		t.Errorf("%v: RowSpan = %d..%d, Span = %d..%d", s.Nest.Space, x, y, a, b)
	}
	space.Slopes(d, slopes)
	first, last = span(plantest.At(q, 1, d))
	if x, y := space.RowSpan(values, slopes, lo[n-1], hi[n-1]); !(x > y && first > last) && (x != first || y != last) {
		t.Errorf("%v: RowSpan(%v at %v) = %d..%d, want %d..%d", s.Nest.Space, q, d, x, y, first, last)
	}
}

// TestBoundingBox requires that the box of a whole space holds every iteration,
// and is tight where bounds are numbers.
func TestBoundingBox(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	exact := 0
	for range 1000 {
		s := plantest.RandomNest(rng)
		lo, hi, ok := plan.NewSpace(s.Nest, s.Params).Box()
		if !ok && len(s.Points) > 0 {
			t.Fatalf("%v is said to be empty", s.Nest.Space)
		}
		if len(s.Points) == 0 {
			continue
		}
		tight := true
		for k := range lo {
			least, most := s.Points[0][k], s.Points[0][k]
			for _, p := range s.Points {
				least, most = min(least, p[k]), max(most, p[k])
			}
			if least < lo[k] || most > hi[k] {
				t.Errorf("%v: box %v, %v, but dimension %d runs from %d to %d", s.Nest.Space, lo, hi, k, least, most)
			}
			tight = tight && least == lo[k] && most == hi[k]
		}
		if tight {
			exact++
		}
	}
	if exact < 500 {
		t.Errorf("only %d boxes of 1000 are tight", exact)
	}
}

// TestFloorDiv checks the definition: q ≤ a/b < q+1, and the ceiling likewise.
func TestFloorDiv(t *testing.T) {
	for a := -50; a <= 50; a++ {
		for b := 1; b <= 9; b++ {
			if q := plan.FloorDiv(a, b); q*b > a || (q+1)*b <= a {
				t.Errorf("FloorDiv(%d, %d) = %d", a, b, q)
			}
			if q := plan.CeilDiv(a, b); q*b < a || (q-1)*b >= a {
				t.Errorf("CeilDiv(%d, %d) = %d", a, b, q)
			}
		}
	}
}

// TestPoints compares the count of iterations with enumeration: exact for small
// spaces, and close for a sampled triangle.
func TestPoints(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 3))
	for range 500 {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plan.Options{})
		if err != nil {
			continue // a tile longer than the space: other tests see to that
		}
		if got, exact := p.Points(); got != int64(len(s.Points)) || !exact {
			t.Errorf("%v: %d points, exact %t, want %d", s.Nest.Space, got, exact, len(s.Points))
		}
	}
	// 0 ≤ i < 100000, 0 ≤ j ≤ i
	const side = 100_000
	triangle := &plan.Nest{
		Dims: []string{"i", "j"}, Skew: [][]int{{1, 0}, {0, 1}},
		Space: []plan.Affine{{Iters: []int{1}}, {Const: side - 1, Iters: []int{-1}}, {Iters: []int{0, 1}}, {Iters: []int{1, -1}}},
	}
	p, err := plan.New(triangle, nil, plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got, exact := p.Points()
	if want := int64(side) * (side + 1) / 2; exact || got < want-want/1000 || got > want+want/1000 {
		t.Errorf("a triangle of %d points has %d, exact %t", want, got, exact)
	}
}
