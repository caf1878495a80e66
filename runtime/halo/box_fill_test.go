package halo_test

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestLevelBoxes runs random nests over boxes, in tiles with blocks of their own. It requires
// correct cells; that the kernel gets the iterations of a level in one box, even if cells
// around them are exterior; and that exterior cells are not filled row by row, but along lines
// in columns.
func TestLevelBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 3))
	ran, filled := 0, 0
	var columns atomic.Int64
	for tried := 0; ran < 150; tried++ {
		if tried > 20000 {
			t.Fatalf("only %d random nests are boxes without fallbacks", ran)
		}
		s := randomPlainNest(rng, []int{5, 7, 12}[:2+rng.IntN(2)])
		fallbacks := false
		for v := range s.nest.Values {
			fallbacks = fallbacks || len(s.nest.Values[v].Fallbacks) > 0
		}
		if len(s.points) == 0 || fallbacks {
			continue
		}
		p, err := plan.New(s.nest, s.params, randomOptions(rng, s.nest))
		if err != nil || !p.Space.BoxInside(p.Lo, p.Hi) {
			continue
		}
		want := int64(p.Hi[0] - p.Lo[0] + 1)
		for _, tiles := range p.Tiles[1:] {
			want *= int64(tiles)
		}
		var boxes atomic.Int64
		prog := s.program()
		prog.Kernel = prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
			strips := stripCounter{k.Loops, func(_, _ []int) { boxes.Add(1) }}
			return kernel.Kernel{Loops: columnCounter{strips, &columns}}
		})
		if _, err := s.runAs(t.Context(), prog, p, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		if got := boxes.Load(); got != want {
			t.Fatalf("%s: %d boxes are computed, of %d levels of tiles", p, got, want)
		}
		ran++
		if slices.ContainsFunc(s.nest.Values, func(v plan.Value) bool { return len(v.Need) > 0 }) {
			filled++
		}
	}
	if filled < 50 || columns.Load() < 50 {
		t.Errorf("of %d nests only %d read cells outside the space, which are filled by %d columns", ran, filled, columns.Load())
	}
}

// A columnCounter is a kernel that counts the lines across rows for which it is asked for
// initial content.
type columnCounter struct {
	kernel.Loops
	columns *atomic.Int64
}

// Init implements kernel.Loops.
func (k columnCounter) Init(arr int, cell []int, dim, n int, dst []byte, at, stride int) {
	if stride > 1 && n > 1 {
		k.columns.Add(1)
	}
	k.Loops.Init(arr, cell, dim, n, dst, at, stride)
}
