package array_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"loopc/runtime/array"
)

// tracked returns a view of n cells that remembers which are written.
func tracked(t *testing.T, n int) array.View {
	t.Helper()
	v, err := array.Make("uint8", []int{0}, []int{n - 1})
	if err != nil {
		t.Fatal(err)
	}
	v.TrackWritten()
	return v
}

// TestWritten compares marks and runs of marks with a naive set.
func TestWritten(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for range 2000 {
		n := 1 + rng.IntN(300)
		v := tracked(t, n)
		set := make([]bool, n)
		for range rng.IntN(6) {
			stride := []int{1, 1, 2, 7, -1, -3}[rng.IntN(6)]
			at := rng.IntN(n)
			count := 0
			for x := at; x >= 0 && x < n && (count < 5 || rng.IntN(40) > 0); x += stride {
				set[x] = true
				count++
			}
			v.MarkWritten(at, count, stride)
		}
		lo := rng.IntN(n + 1)
		hi := lo + rng.IntN(n-lo+1)
		got, last := make([]bool, n), -2
		if err := v.WrittenRuns(lo, hi, func(begin, end int) error {
			if begin <= last || begin >= end || begin < lo || end > hi {
				t.Fatalf("run %d..%d after one that ends at %d, within %d..%d", begin, end, last, lo, hi)
			}
			for x := begin; x < end; x++ {
				got[x] = true
			}
			last = end
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for x := lo; x < hi; x++ {
			if got[x] != set[x] {
				t.Fatalf("cell %d of %d: written %t, said to be %t", x, n, set[x], got[x])
			}
		}
	}
}

// TestWrittenTogether has several goroutines mark neighboring cells at once, as
// the workers of a rank do: no mark may be lost.
func TestWrittenTogether(t *testing.T) {
	const workers, cells = 4, 1 << 17
	for range 10 {
		v := tracked(t, cells)
		var all sync.WaitGroup
		for w := range workers {
			all.Go(func() {
				for x := w; x < cells; x += 2 * workers {
					v.MarkWritten(x, 1, 1)
					v.MarkWritten(x+workers, 1, workers)
				}
			})
		}
		all.Wait()
		runs := 0
		if err := v.WrittenRuns(0, v.Cells(), func(begin, end int) error {
			runs++
			if begin != 0 || end != cells {
				t.Fatalf("cells %d up to %d are marked, not all %d", begin, end, cells)
			}
			return nil
		}); err != nil || runs != 1 {
			t.Fatalf("%d runs, %v", runs, err)
		}
	}
}

// TestWrittenRunsStops requires that an error ends the walk and comes back.
func TestWrittenRunsStops(t *testing.T) {
	v := tracked(t, 100)
	v.MarkWritten(0, 10, 10)
	full := errors.New("disk full")
	calls := 0
	if err := v.WrittenRuns(0, v.Cells(), func(int, int) error { calls++; return full }); err != full || calls != 1 {
		t.Errorf("%d calls, %v", calls, err)
	}
	// Nobody wants to know: marking costs nothing and breaks nothing.
	v.Written = nil
	v.MarkWritten(5, 3, 1)
}
