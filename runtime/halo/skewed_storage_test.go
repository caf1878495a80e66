package halo_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestWholeLevels keeps the levels of random nests whole, on one rank and several CPUs,
// and requires every cell that a direct evaluation computes: nothing is overwritten
// before it is read, locations outside the space have their content in time, and strips
// of a level leave nothing out.
func TestWholeLevels(t *testing.T) {
	// A row or a few: their cells have up to eight bytes.
	defer halo.NarrowStrips(100)()
	rng := rand.New(rand.NewPCG(7, 41))
	ran, several, boxes, stripped, parted, layered := 0, 0, 0, 0, 0, 0
	for tried := 0; ran < 120; tried++ {
		if tried > 20000 {
			t.Fatalf("of %d random nests only %d keep their levels whole", tried, ran)
		}
		var s *sample
		switch tried % 4 {
		case 0: // four loops: strips along the dimension before the rows
			s = randomPlainNest(rng, []int{4, 4, 9, 6})
			for more := 0; tried%8 == 0 && !s.nest.AnyRowFirst() && more < 50; more++ { // or layers of planes
				s = randomPlainNest(rng, []int{4, 4, 9, 6})
			}
		case 1: // three: strips along the rows
			s = randomPlainNest(rng, []int{4, 5, 60})
		default:
			s = randomNest(rng)
		}
		if len(s.points) == 0 || len(s.points) > 4000 {
			continue
		}
		fallbacks := false
		for v := range s.nest.Values {
			fallbacks = fallbacks || len(s.nest.Values[v].Fallbacks) > 0
		}
		if fallbacks || s.nest.Margin()[0] == 0 {
			continue
		}
		s.nest.Whole = true
		o := randomOptions(rng, s.nest)
		o.Ranks, o.Grid, o.CPUs, o.Mesh = 1, nil, 1+rng.IntN(3), nil
		if tried%4 == 1 && rng.IntN(3) > 0 {
			o.Tile = nil // whole rows
		}
		p, err := plan.New(s.nest, s.params, o)
		if err != nil {
			continue
		}
		if !p.KeepsWhole() {
			t.Fatalf("%s does not keep its levels whole", p)
		}
		layers := tried%8 == 0 && s.nest.AnyRowFirst()
		var later atomic.Int64
		var uneven atomic.Int64
		if _, err := s.runAs(t.Context(), s.countStrips(p, layers, &later, &uneven), p, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		if n := uneven.Load(); n > 0 {
			t.Fatalf("%s: %d parts of rows begin at a line and do not end at one", p, n)
		}
		ran++
		switch {
		case later.Load() > 0 && layers:
			layered++
		case later.Load() > 0 && len(p.Side) > 3:
			stripped++
		case later.Load() > 0:
			parted++
		}
		tiles := 1
		for _, u := range p.Tiles {
			tiles *= u
		}
		if tiles > 4 && o.CPUs > 1 {
			several++
		}
		if p.Space.BoxInside(p.Lo, p.Hi) {
			boxes++
		}
	}
	if several < ran/5 || boxes < ran/10 || boxes > ran*9/10 || stripped < ran/10 || parted < ran/10 || layered < ran/20 {
		t.Errorf("of %d runs %d had several tiles and CPUs, %d were of boxes, %d went strip by strip, %d with parts of rows, %d by layers: that proves little", ran, several, boxes, stripped, parted, layered)
	}
}

// countStrips returns s as a program that adds to later how many boxes it computes that
// are not the first strip, or layer if it asks for layers, of their level of a tile; of three loops, with a kernel that
// gets parts of rows, of which the first may be what lies before a line. It adds to uneven
// those parts, neither the first nor the last, that are not whole lines. Of nests that are
// not boxes it counts none: their levels may go row by row.
func (s *sample) countStrips(p *plan.Plan, layers bool, later, uneven *atomic.Int64) *sched.Program {
	prog := s.program()
	along, first, unit := len(p.Side)-2, 1, 1
	if along < 2 {
		along, unit = along+1, p.LineCells()
		first = 2 * unit
	}
	if layers {
		along--
	}
	if !layers && along < 2 || !p.Space.BoxInside(p.Lo, p.Hi) {
		return prog
	}
	prog.Kernel = prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
		k.Loops = stripCounter{k.Loops, func(lo, hi []int) {
			from := (lo[along] - p.Lo[along]) % p.Side[along]
			to := (hi[along] - p.Lo[along]) % p.Side[along]
			if from >= first {
				later.Add(1)
			}
			if from > 0 && to < p.Side[along]-1 && hi[along] < p.Hi[along] && (to-from+1)%unit != 0 {
				uneven.Add(1)
			}
		}}
		if layers { // it gets layers of planes
			k.Prefetch = func(*kernel.Prefetcher) {}
		} else if first > 1 { // it gets parts of rows
			k.Copies = true
		}
		return k
	})
	return prog
}

// A stripCounter is a kernel that tells where each box begins, and where it ends.
type stripCounter struct {
	kernel.Loops
	begins func(lo, hi []int)
}

// Box implements kernel.Loops.
func (k stripCounter) Box(lo, hi []int) {
	k.begins(lo, hi)
	k.Loops.Box(lo, hi)
}
