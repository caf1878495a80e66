package kernel

import (
	"math"
	"math/rand/v2"
	"testing"

	"loopc/runtime/arith"
	"loopc/runtime/array"
)

// TestPlaces compares Places with a search through all iterations in their order. The lanes of a call collect as kernels do.
func TestPlaces(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 8))
	zero, inf := math.Copysign(0, -1), math.Inf(1)
	kinds := map[string]int{}
	for range 3000 {
		elem := []string{"int32", "float32", "float64"}[rng.IntN(3)]
		least := rng.IntN(2) == 0
		values := []float64{math.NaN(), -inf, zero, 0, 3, inf}
		if elem == "int32" {
			values = []float64{math.MinInt32, -1, 0, 1, math.MaxInt32}
		}
		from := rng.IntN(len(values))
		values = values[from : from+1+rng.IntN(len(values)-from)]
		switch elem {
		case "int32":
			placesOf[int32, int32](t, rng, elem, least, values)
		case "float32":
			placesOf[float32, int32](t, rng, elem, least, values)
		case "float64":
			placesOf[float64, float64](t, rng, elem, least, values)
		}
		kinds[elem]++
		if len(values) == 1 && (values[0] == map[bool]float64{false: math.Inf(-1), true: inf}[least] || values[0] == map[bool]float64{false: math.MinInt32, true: math.MaxInt32}[least]) {
			kinds["only the lowest"]++
		}
	}
	if kinds["only the lowest"] < 100 || len(kinds) < 4 {
		t.Errorf("the cases are %v", kinds)
	}
}

func placesOf[E int32 | float32 | float64, N int32 | float64](t *testing.T, rng *rand.Rand, elem string, least bool, values []float64) {
	var reduced []Reduced
	for _, e := range []string{elem, "int64", "int64"} {
		v, err := array.Make(e, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		reduced = append(reduced, Reduced{Value: v})
	}
	first, back := rng.IntN(2), rng.IntN(2) == 0
	g := PlaceGroup{Least: least, Loops: []int{first, 1 - first}, Backward: []bool{back, back}, Index: []int{first, 1 - first}}
	best := &array.Cells[E](reduced[0].Value)[0]
	_, none := g.lowest(reduced)
	reduced[0].Value.SetCell(0, none)
	reduced[1].Place, reduced[2].Place = arith.NewPlace(least), arith.NewPlace(least)
	p := NewPlaces(reduced, 0, 3, []PlaceGroup{g})
	frame := make([]int, 5)

	m, n, lanes := 1+rng.IntN(4), 1+rng.IntN(9), 1+rng.IntN(4)
	sign := 1
	if back {
		sign = -1
	}
	wanted, at, found := *best, [2]int{}, false
	cells := make([]E, m*n)
	for k := range cells {
		x := E(values[rng.IntN(len(values))])
		cells[k] = x
		if y := better(least, wanted, x); !found || !same(y, wanted) {
			wanted, at, found = y, [2]int{sign * (k / n), sign * (k % n)}, true
		}
	}
	for _, i := range rng.Perm(m) { // boxes of one row each, in any order
		frame[3], frame[4] = sign*i, 0
		p.Call(func(f *int) {
			if *f != Address(p.lanes[0], 0) {
				t.Fatal("the frame has not the address of the lanes")
			}
			vector := func(k int) []byte { return p.lanes[0][k*PlaceVector : (k+1)*PlaceVector] }
			for j := range n {
				l := j % lanes
				into := &array.Cast[E](vector(0))[l]
				if y := better(least, *into, cells[i*n+j]); !same(y, *into) {
					*into = y
					for k, loop := range g.Loops {
						array.Cast[N](vector(1 + k))[l] = N([]int{sign * i, sign * j}[loop])
					}
				}
			}
		}, frame)
	}
	if !same(*best, wanted) {
		t.Fatalf("the result of %v is %v, want %v", cells, *best, wanted)
	}
	for k, loop := range g.Loops {
		if got := reduced[1+k].Place.Result(); got != int64(at[loop]) {
			t.Fatalf("the place of %v (least: %v) in %v, %d in a row, is %d along loop %d, want %v", wanted, least, cells, n, got, loop, at)
		}
	}
}

func same[E int32 | float32 | float64](x, y E) bool {
	return x != x && y != y || x == y && math.Signbit(float64(x)) == math.Signbit(float64(y))
}

func better[E int32 | float32 | float64](least bool, x, y E) E {
	if least {
		return min(x, y)
	}
	return max(x, y)
}
