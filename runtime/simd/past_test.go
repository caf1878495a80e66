package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// TestCopy copies rows of all lengths, to all places of a line, into a small array and into a
// large one, and requires that nothing else changes.
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
				Copy(to[at:at+n], from[:n], all)
				Copied(to)
				if !slices.Equal(to, want) {
					t.Fatalf("%d cells to %d of an array of %d: not what copy does", n, at, all)
				}
			}
		}
	}
}

// TestStreamedRows copies rows of all lengths to all places of a line, in a small and in a large
// array, while they are computed in pieces. It requires the result of copy, and that entire
// lines of a large array are not left to the end.
func TestStreamedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	testStreamedRows(t, rng, func() int32 { return rng.Int32() | 1 })
	testStreamedRows(t, rng, func() float64 { return 1 + rng.Float64() })
}

func testStreamedRows[T int32 | float64](t *testing.T, rng *rand.Rand, random func() T) {
	const most, rows = 600, 3
	line := streamLine / int(unsafe.Sizeof(*new(T)))
	cells, to, want := make([]T, rows*most), make([]T, rows*(most+40)), make([]T, rows*(most+40))
	var out StreamedRows[T] // groups follow one another
	for n := 1; n < most; n += 7 {
		for at := range 18 {
			for _, all := range []int{most, 1 << 30} {
				for i := range to {
					to[i], want[i] = 0, 0
				}
				row := func(r int, of []T) []T { return of[r*(most+39)+at:][:n] } // each at another place of a line
				for r := range rows {
					for i := range n {
						cells[r*most+i] = 0
					}
					out.Begin(r, row(r, to), cells[r*most:][:n], all)
				}
				for done := 0; done < n; {
					before := done
					done = min(n, done+1+rng.IntN(3*line))
					for r := range rows {
						for i := before; i < done; i++ {
							cells[r*most+i] = random()
						}
					}
					out.Upto(done)
				}
				for r := range rows {
					if some := n - 3*line; past && all == 1<<30 && n >= 128 && slices.Contains(row(r, to)[line:max(line, some)], 0) {
						t.Fatalf("row %d of %d cells: not all lines have gone before its end", r, n)
					}
					out.End(r, all)
					copy(row(r, want), cells[r*most:][:n])
				}
				Copied(to)
				if !slices.Equal(to, want) {
					t.Fatalf("%d cells to %d of an array of %d: not what copy does", n, at, all)
				}
			}
		}
	}
}

// TestFetchLines prefetches lines of memory, and lines beyond it, and requires that nothing
// changes.
func TestFetchLines(t *testing.T) {
	b := make([]byte, 4096)
	for i := range b {
		b[i] = byte(i * 7)
	}
	want := slices.Clone(b)
	for _, lines := range []int{1, 2, 64, 1 << 16} {
		FetchLines(unsafe.Pointer(&b[5]), lines)
	}
	if !slices.Equal(b, want) {
		t.Error("memory that was asked for has changed")
	}
}
