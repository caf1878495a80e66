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

// TestWholeLevels runs random nests in skewed storage, on one rank and several CPUs, and
// requires every cell that a direct evaluation computes: nothing is overwritten before it is
// read, exterior locations have their content in time, and strips of a level leave nothing out.
func TestWholeLevels(t *testing.T) {
	// One row or a few: cells have up to eight bytes.
	defer halo.NarrowStrips(100)()
	rng := rand.New(rand.NewPCG(7, 41))
	ran, several, boxes, stripped, parted, layered, cut := 0, 0, 0, 0, 0, 0, 0
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
		if fallbacks || s.nest.HaloWidth()[0] == 0 {
			continue
		}
		s.nest.Whole = true
		o := randomOptions(rng, s.nest)
		o.Ranks, o.Grid, o.CPUs, o.Mesh = 1, nil, 1+rng.IntN(3), nil
		if tried%4 == 1 && rng.IntN(3) > 0 {
			o.Tile = nil // entire rows
		}
		if tried%16 >= 8 {
			o.Epoch = s.nest.HaloWidth()[0] + tried/16%4
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
		if p.Windows > 1 {
			cut++
		}
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
	if several < ran/5 || boxes < ran/10 || boxes > ran*9/10 || stripped < ran/10 || parted < ran/10 || layered < ran/20 || cut < ran/5 {
		t.Errorf("of %d runs %d had several tiles and CPUs, %d were of boxes, %d went strip by strip, %d with parts of rows, %d by layers, %d in windows: that proves little", ran, several, boxes, stripped, parted, layered, cut)
	}
}

// countStrips returns s as a program that counts boxes. later counts the boxes that are not the
// first strip (or, with layers, block of planes) of their level and tile. In a nest of three
// loops, where the kernel gets parts of rows, the first part may be the columns before a line;
// uneven counts other parts, except the last, that are not entire lines. In nests over other
// spaces than boxes it counts nothing, because levels may go row by row.
func (s *sample) countStrips(p *plan.Plan, layers bool, later, uneven *atomic.Int64) *sched.Program {
	prog := s.program()
	along, first, unit := len(p.Side)-2, 1, 1
	if along < 2 {
		_, _, line := p.WholeLayout(make([]int, len(p.Side)), make([]int, len(p.Side)))
		along, unit = along+1, line
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
		if layers { // the kernel gets blocks of planes
			k.Prefetch = func(*kernel.Prefetcher) {}
		} else if first > 1 { // the kernel gets parts of rows
			k.Copies = true
		}
		return k
	})
	return prog
}

// A stripCounter is a kernel that reports where each box begins and ends.
type stripCounter struct {
	kernel.Loops
	begins func(lo, hi []int)
}

// Box implements kernel.Loops.
func (k stripCounter) Box(lo, hi []int) {
	k.begins(lo, hi)
	k.Loops.Box(lo, hi)
}
