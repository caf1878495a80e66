package halo_test

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// randomOptions returns options, some of which may not fit the nest.
func randomOptions(rng *rand.Rand, nest *plan.Nest) plan.Options {
	n := len(nest.Dims)
	o := plan.Options{Ranks: 1 + rng.IntN(4), CPUs: 1 + rng.IntN(3), Comm: plan.Comm(rng.IntN(3)), Group: plan.Group(rng.IntN(3)), Assign: plan.Assign(rng.IntN(5)), Map: nest.Dims[rng.IntN(n)]}
	if rng.IntN(4) > 0 {
		margin := nest.HaloWidth()
		for k := range n {
			o.Tile = append(o.Tile, max(1, margin[k])+rng.IntN(4))
		}
	}
	if !nest.Whole && o.Group != plan.Vertical && rng.IntN(6) == 0 { // CPUs take tiles in turn, of which the first is narrower
		along := rng.IntN(n)
		x := (along + 1 + rng.IntN(n-1)) % n
		o = plan.Options{Ranks: 1, Comm: o.Comm, Assign: plan.Cyclic, Map: nest.Dims[along], Tile: make([]int, n), Mesh: slices.Repeat([]int{1}, n), First: make([]int, n)}
		o.Mesh[x] = 2
		o.First[x] = max(1, nest.HaloWidth()[x]) + rng.IntN(3)
		o.Tile[x] = o.First[x] + 1 + rng.IntN(3)
	}
	return o
}

// fields makes the given and the returned arrays of a run of s. An inout array is its own
// result.
func (s *sample) fields(track bool) kernel.Fields {
	f := sched.NewFields(s.nest)
	for a := range s.nest.Arrays {
		arr := &s.nest.Arrays[a]
		if !arr.Returned() {
			continue
		}
		v := viewOf(s.nest, s.params, a)
		if arr.Role == plan.InOut {
			copy(v.Data, s.given.Given[a].Data)
			f.Given[a] = v
		}
		if track {
			v.TrackWritten()
		}
		f.Result[a] = v
	}
	return f
}

// A failer receives the errors of check: a test, or a collector.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// check compares the results of a run with the direct evaluation, cell by cell.
func (s *sample) check(t failer, p *plan.Plan, f kernel.Fields) (cells, computed int) {
	t.Helper()
	for a := range s.nest.Arrays {
		arr := &s.nest.Arrays[a]
		if !arr.Returned() {
			continue
		}
		view := &f.Result[a]
		cell := make([]int, len(arr.Lo))
		var rec func(m int)
		rec = func(m int) {
			if m == len(cell) {
				want, wrote := s.finals[a][key(cell)]
				if !wrote {
					want = s.initial(a, cell)
				}
				var at []int
				for m := range cell {
					if arr.Slice == nil || arr.Slice[m] == nil {
						at = append(at, cell[m])
					}
				}
				cells++
				if wrote {
					computed++
				}
				o := view.Offset(at)
				if got := load(view.Data, o, arr.Size); got != want {
					t.Fatalf("%s\n%+v\n%s at %v is %x, want %x (written: %t)", p, s.nest, arr.Name, cell, got, want, wrote)
				}
				if view.Written != nil {
					// An inout array keeps its content in cells that no iteration writes.
					if marked := view.Written[o>>6]>>(o&63)&1 == 1; marked != (wrote || arr.Role != plan.InOut) {
						t.Fatalf("%s\n%s at %v: written %t, marked %t", p, arr.Name, cell, wrote, marked)
					}
				}
				return
			}
			if arr.Slice != nil && arr.Slice[m] != nil {
				cell[m] = arr.Slice[m].Eval(s.params, nil)
				rec(m + 1)
				return
			}
			for cell[m] = arr.Lo[m].Eval(s.params, nil); cell[m] <= arr.Hi[m].Eval(s.params, nil); cell[m]++ {
				rec(m + 1)
			}
		}
		rec(0)
	}
	return cells, computed
}

// TestRandomNests runs random nests under random plans, and compares every returned cell with a
// direct evaluation.
func TestRandomNests(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	runs, cells, computed, fallbacks, after, direct, faces := 0, 0, 0, 0, 0, 0, 0
	count := 100
	if testing.Short() {
		count = 30
	}
	for range count {
		s := randomNest(rng)
		if len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		for range 4 {
			p, err := plan.New(s.nest, s.params, randomOptions(rng, s.nest))
			if err != nil {
				continue
			}
			f := s.fields(rng.IntN(2) == 0)
			sum, err := sched.RunPlans(t.Context(), s.program(), []*plan.Plan{p}, f, sched.Watch{}, inproc.Mesh)
			if err != nil {
				t.Fatalf("%s: %v", p, err)
			}
			if sum.Points != int64(len(s.points)) {
				t.Fatalf("%s: %d iterations ran, there are %d", p, sum.Points, len(s.points))
			}
			if m, b, _ := cost.Volume(p); sum.Messages != m || sum.Bytes != b {
				t.Fatalf("%s: %d messages with %d bytes were sent; the plan says %d, %d", p, sum.Messages, sum.Bytes, m, b)
			}
			c, w := s.check(t, p, f)
			cells, computed, faces = cells+c, computed+w, faces+int(sum.Messages)
			runs++
			if _, _, level := s.nest.Late(); level {
				after++
			}
			for _, v := range s.nest.Values {
				fallbacks += len(v.Fallbacks)
				if v.Direct {
					direct++
				}
			}
		}
	}
	if runs < 3*count || cells < 500*count || computed < 50*count || fallbacks < runs/4 || after < runs/20 || direct < runs/10 || faces < 3*runs {
		t.Errorf("only %d runs, %d cells, %d of them computed, %d fallbacks, %d runs that fill cells after levels, %d direct values, %d faces", runs, cells, computed, fallbacks, after, direct, faces)
	}
}

// TestFillsAfter runs random nests some of whose exterior cells hold results, which are filled after the level's
// iterations, and compares every returned cell with a direct evaluation. It requires that levels that are boxes are
// computed in one box each, whatever lies around them.
func TestFillsAfter(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 32))
	ran, boxed, later := 0, 0, 0
	for tried := 0; ran < 150; tried++ {
		if tried > 30000 {
			t.Fatalf("only %d of %d random nests fill cells after levels", ran, tried)
		}
		s := randomLaterNest(rng, tried%2 == 0)
		if _, _, after := s.nest.Late(); !after || len(s.points) == 0 || len(s.points) > 5000 {
			continue
		}
		p, err := plan.New(s.nest, s.params, randomOptions(rng, s.nest))
		if err != nil || p.Empty {
			continue
		}
		ran++
		var boxes atomic.Int64
		prog := s.program()
		prog.Kernel = prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
			return kernel.Kernel{Loops: stripCounter{k.Loops, func(_, _ []int) { boxes.Add(1) }}}
		})
		if _, err := s.runAs(t.Context(), prog, p, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		for _, v := range s.nest.Values {
			if slices.ContainsFunc(v.Fallbacks, func(f plan.Source) bool { return slices.Compare(f.Dist, make([]int, len(f.Dist))) < 0 }) {
				later++
			}
		}
		if p.Space.BoxInside(p.Lo, p.Hi) {
			boxed++
			want := int64(p.Hi[0] - p.Lo[0] + 1)
			for _, tiles := range p.Tiles[1:] {
				want *= int64(tiles)
			}
			if got := boxes.Load(); got != want {
				t.Fatalf("%s: %d boxes are computed, of %d levels of tiles", p, got, want)
			}
		}
	}
	if boxed < 30 || later < 10 {
		t.Errorf("of %d nests only %d are boxes, and %d hold results that are computed later in the level", ran, boxed, later)
	}
}

// TestFaceTooLong requires that a face is not laid in a slot that is too short.
func TestFaceTooLong(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	tried := 0
	for range 200 {
		s := randomNest(rng)
		p, err := plan.New(s.nest, s.params, randomOptions(rng, s.nest))
		if err != nil || p.Empty {
			continue
		}
		n := len(p.Side)
		lo, hi, from := make([]int, n), make([]int, n), make([]int, n)
		dirs := p.Directions()
		for _, e := range p.Edges() {
			p.ColumnAt(e.From, from)
			dir := &dirs[e.Dir]
			want := p.FaceBytes(from, 0, dir, lo, hi)
			if want == 0 {
				continue
			}
			tried++
			face := halo.NewFace(p, dir)
			if got, err := face.Lay(p, slices.Clone(from), 0, make([]byte, p.MessageCapacity(dir, false))); err != nil || got != want {
				t.Fatalf("Lay = %d, %v, want %d", got, err, want)
			}
			if _, err := face.Lay(p, from, 0, make([]byte, want-1)); err == nil {
				t.Fatalf("a face of %d bytes lies in a slot of %d", want, want-1)
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d faces", tried)
	}
}
