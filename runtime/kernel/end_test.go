package kernel_test

import (
	"math/rand/v2"
	"testing"

	"loopc/runtime/boundary"
	"loopc/runtime/kernel"
)

// TestEnds checks the words of random rows: each iteration's reads beyond the bounds, by the words, and by the boundary itself.
func TestEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	beyond := 0
	for range 2000 {
		kinds := boundary.All()
		e := kernel.End{Along: 1 - 2*rng.IntN(2), Lo: rng.IntN(9) - 4, Size: 1 << rng.IntN(4), Width: 1 + rng.IntN(12), Before: rng.IntN(4), Reach: rng.IntN(4)}
		e.Ends = boundary.Ends{kinds[rng.IntN(len(kinds))], kinds[rng.IntN(len(kinds))]}
		e.Hi, e.First = e.Lo+e.Width+3, e.Lo+rng.IntN(4)
		if e.Along < 0 {
			e.First = e.Hi - rng.IntN(4)
		}
		words := make([]int, 2+e.Before+e.Reach)
		few := e.Words(words)
		aside := e
		aside.First += aside.Along * (aside.Width + 3) // reads are before the cells that count, which are beyond the bounds
		if n := aside.Words(make([]int, 2+aside.Before)); n != 0 {
			t.Fatalf("%+v: the last %d iterations read beyond the bounds behind the row, where no read is", aside, n)
		}
		for c := range e.Width {
			for by := -e.Before; by <= e.Reach; by++ {
				at := e.First + e.Along*(c+by)
				want := (e.Ends.Cell(at, e.Lo, e.Hi) - e.First) * e.Size
				got := e.Along * (c + by) * e.Size
				switch before, after := -(c+by)-words[0], c+by-(e.Width-1)-words[1]; {
				case before > 0:
					got = words[1+before]
					beyond++
				case after > 0:
					got = words[1+e.Before+after]
					beyond++
					if c < e.Width-few {
						t.Fatalf("%+v: iteration %d of %d reads beyond the bounds, but not the last %d", e, c, e.Width, few)
					}
				}
				if got != want {
					t.Fatalf("%+v: iteration %d reads the cell at %d for %d, not at %d", e, c, got, by, want)
				}
			}
		}
	}
	if beyond < 1000 {
		t.Errorf("only %d reads were beyond the bounds", beyond)
	}
}
