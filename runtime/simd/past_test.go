package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestCopy copies rows of all lengths, to all places of a line, into a small array
// and into a large one, and requires that nothing beside them changes.
func TestCopy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	testCopy(t, func() int32 { return rng.Int32() })
	testCopy(t, func() float64 { return rng.Float64() })
}

func testCopy[T int32 | float64](t *testing.T, random func() T) {
	const most = 600
	from, to, want := make([]T, most), make([]T, most+40), make([]T, most+40)
	for n := range most {
		for i := range from {
			from[i] = random()
		}
		for at := range 18 {
			for _, all := range []int{most, 1 << 30} {
				for i := range to {
					to[i] = random()
				}
				copy(want, to)
				copy(want[at:], from[:n])
				Coming(to[at:at+n], all)
				Copy(to[at:at+n], from[:n], all)
				Copied(to)
				if !slices.Equal(to, want) {
					t.Fatalf("%d cells to %d of an array of %d: not what copy does", n, at, all)
				}
			}
		}
	}
}
