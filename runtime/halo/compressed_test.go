package halo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/walk"
)

// randomLevels returns a nest of four loops over a box that is skewed by its levels. One or two
// values are read at random distances one level back; their arrays are returned with all
// levels, with one level, or in place.
func randomLevels(rng *rand.Rand) *sample {
	most := []int{4, 6, 6, 3}
	if rng.IntN(3) == 0 {
		most = []int{4, 4, 4, 16} // short along the other dimensions, so the compressed shift costs little
	}
	b := newNestBuilder(rng, nil, most)
	b.plain = true
	b.nest = &plan.Nest{Name: "random", Params: []string{"M"}, Digest: "random", Whole: true}
	b.params[0] = 1 + rng.IntN(3)
	back, forth := make([]int, b.n), make([]int, b.n)
	b.space()
	b.nest.Space = nil
	for x := 1; x < b.n; x++ {
		back[x], forth[x] = rng.IntN(5)/2, rng.IntN(5)/2
		switch rng.IntN(12) { // sometimes all in one direction
		case 0:
			forth[x] = -min(1, back[x])
		case 1:
			back[x] = -min(1, forth[x])
		}
		b.skew[x][0] = max(0, forth[x])
		b.unskew[x][0] = -b.skew[x][0]
	}
	for _, f := range b.loops {
		b.nest.Space = append(b.nest.Space, b.skewed(f))
	}
	b.enumerate()
	values := 1 + rng.IntN(3)/2
	for v := range values {
		val := plan.Value{Name: fmt.Sprint("v", v)}
		for range 2 + rng.IntN(5) {
			d := slices.Clone([]int{1, 0, 0, 0})
			for x := 1; x < b.n; x++ {
				d[x] = b.skew[x][0] - forth[x] + rng.IntN(back[x]+forth[x]+1)
			}
			val.Flow = append(val.Flow, d)
			if rng.IntN(6) > 0 {
				val.Need = append(val.Need, d)
			}
		}
		val.Flow, val.Need = distinct(val.Flow), distinct(val.Need)
		b.nest.Values = append(b.nest.Values, val)
	}
	for v := range values {
		b.array(v)
	}
	b.steady = rng.IntN(5) > 0
	for a := range b.nest.Arrays {
		b.ignoreLevels(a)
	}
	b.give()
	b.evaluate()
	return b.sample
}

// ignoreLevels makes the initial content of array a the same at all levels, if the sample is
// steady.
func (b *nestBuilder) ignoreLevels(a int) {
	if arr := &b.nest.Arrays[a]; b.steady && arr.Initial == plan.Computed {
		for _, val := range b.nest.Values {
			for m, f := range val.Cell {
				if val.Array == a && len(val.Cell) == b.n && f.Iters[0] != 0 && f.Iters[1] == 0 && f.Iters[2] == 0 && f.Iters[3] == 0 {
					arr.InitIgnores = []int{m}
				}
			}
		}
	}
}

// TestCompressedLevels runs random nests in a compressed grid, on several CPUs, in strips and
// in blocks of planes, and requires every cell that a direct evaluation computes.
func TestCompressedLevels(t *testing.T) {
	defer halo.NarrowStrips(100)()
	rng := rand.New(rand.NewPCG(19, 2))
	ran, several, stripped, layered, copying, copied, windows := 0, 0, 0, 0, 0, 0, 0
	for tried := 0; ran < 50; tried++ {
		if tried > 3000 {
			t.Fatalf("levels of only %d of %d random nests are compressed", ran, tried)
		}
		s := randomLevels(rng)
		o := plan.Options{CompressFrom: 1, CPUs: 1 + rng.IntN(3), Map: s.nest.Dims[rng.IntN(3)], Assign: []plan.Assign{plan.Any, plan.Cluster, plan.Cyclic}[rng.IntN(3)]}
		for x, m := range s.nest.HaloWidth() {
			o.Tile = append(o.Tile, []int{max(1, m) + rng.IntN(3), 0}[min(1, x/3)])
		}
		p, err := plan.New(s.nest, s.params, o)
		if err != nil || !p.Compressed() || len(s.points) > 4000 {
			continue
		}
		ran++
		layers := rng.IntN(2) == 0
		var boxes atomic.Int64
		prog := s.program()
		prog.Kernel = prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
			k.Loops = stripCounter{k.Loops, func(_, _ []int) { boxes.Add(1) }}
			if layers {
				k.Prefetch = func(*kernel.Prefetcher) {}
			}
			return k
		})
		if _, err := s.runAs(t.Context(), prog, p, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		o.Epoch = 1 + tried%2
		if cut, err := plan.New(s.nest, s.params, o); err == nil && cut.Windows > 1 && cut.Compressed() {
			windows++
			if _, err := s.runAs(t.Context(), s.program(), cut, inproc.Mesh); err != nil {
				t.Fatal(err)
			}
		}
		levels, copies := tileLevels(p)
		if copied += copies; copies > 0 {
			copying++
		}
		switch more := boxes.Load() > levels; {
		case more && layers:
			layered++
		case more:
			stripped++
		}
		if p.Columns() > 2 && o.CPUs > 1 {
			several++
		}
	}
	if several < ran/4 || stripped < ran/10 || layered < ran/10 || copying < ran/5 || windows < ran/4 {
		t.Errorf("of %d runs %d had several columns and CPUs, %d went strip by strip, %d by layers, %d copy %d boxes, %d in windows: that proves little", ran, several, stripped, layered, copying, copied, windows)
	}
}

// tileLevels returns the number of levels in which tiles have iterations, and of boxes that are
// copied.
func tileLevels(p *plan.Plan) (all int64, copied int) {
	n := len(p.Side)
	e := walk.NewLevels(p).Edge
	at, first, last, lo, hi := make([]int, n), make([]int, n), make([]int, n), make([]int, n), make([]int, n)
	for c := range p.Columns() {
		p.ColumnAt(c, at)
		for k := range p.Tiles[p.Map] {
			p.TileBox(at, k, first, last)
			e.Tile(first, last)
			for level := first[0]; level <= last[0]; level++ {
				copy(lo, first)
				copy(hi, last)
				if some, _ := e.Own(level, lo, hi); some {
					all++
				}
				if out, ok := e.Exterior(level); ok {
					copied += out.Copied
				}
			}
		}
	}
	return all, copied
}
