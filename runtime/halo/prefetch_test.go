package halo_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// An aheadCounter is a kernel that steps its prefetcher, as emitted kernels do.
type aheadCounter struct {
	stripCounter
	t          *testing.T
	p          *plan.Plan
	prefetcher *kernel.Prefetcher
	block      *kernel.Block
	steps      int // of the tile
	asked      *int
}

// Bind implements kernel.Loops.
func (k *aheadCounter) Bind(b *kernel.Block) {
	if full := k.p.Side[0] * k.p.Side[2]; k.prefetcher != nil && k.steps >= full && k.prefetcher.Left() > 0 {
		k.t.Errorf("%s: %d lines are left after %d steps", k.p, k.prefetcher.Left(), k.steps)
	}
	k.block, k.steps = b, 0
	k.stripCounter.Bind(b)
}

// Box implements kernel.Loops.
func (k *aheadCounter) Box(lo, hi []int) {
	if k.prefetcher != nil {
		if !k.prefetcher.Within(k.block) {
			k.t.Errorf("%s: memory outside of the block is asked for", k.p)
		}
		before := k.prefetcher.Left()
		for range hi[2] - lo[2] + 1 {
			k.prefetcher.Step()
			k.steps++
		}
		*k.asked += before - k.prefetcher.Left()
	}
	k.stripCounter.Box(lo, hi)
}

// TestAhead prefetches in tiles of few planes, and requires that nothing is left to prefetch
// when a tile is done, and that all prefetched memory belongs to the block.
func TestAhead(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	ran, asked := 0, 0
	for tried := 0; ran < 30; tried++ {
		if tried > 5000 {
			t.Fatalf("only %d nests go ahead", ran)
		}
		s := randomPlainNest(rng, []int{4, 9, 9, 6})
		if len(s.points) == 0 || len(s.points) > 4000 || !s.nest.AnyRowFirst() || s.nest.HaloWidth()[0] == 0 {
			continue
		}
		if slices.ContainsFunc(s.nest.Values, func(v plan.Value) bool { return len(v.Fallbacks) > 0 }) {
			continue
		}
		s.nest.Whole = true
		p, err := plan.New(s.nest, s.params, plan.Options{Tile: []int{2, 3, 4, 0}, Map: s.nest.Dims[1+rng.IntN(2)], Assign: plan.Cyclic})
		if err != nil {
			continue
		}
		prog := s.program()
		prog.Kernel = prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
			counter := &aheadCounter{stripCounter: stripCounter{k.Loops, func(_, _ []int) {}}, t: t, p: p, asked: &asked}
			return kernel.Kernel{Loops: counter, Prefetch: func(ahead *kernel.Prefetcher) { counter.prefetcher = ahead }}
		})
		if _, err := s.runAs(t.Context(), prog, p, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		ran++
	}
	if asked < 100*ran {
		t.Errorf("%d lines were asked for in %d runs: that proves little", asked, ran)
	}
}
