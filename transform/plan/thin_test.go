package plan

import (
	"math"
	"slices"
	"testing"
)

// heat3Nest is diffusion in a cube of N·N·N cells, otherwise like heatNest.
func heat3Nest() *Nest {
	need := [][]int{{1, 0, 1, 1}, {1, 1, 0, 1}, {1, 1, 1, 0}, {1, 1, 1, 1}, {1, 1, 1, 2}, {1, 1, 2, 1}, {1, 2, 1, 1}}
	n := &Nest{
		Name:   "heat3",
		Params: []string{"T", "N"},
		Dims:   []string{"t", "i", "j", "k"},
		Skew:   [][]int{{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 0, 1, 0}, {1, 0, 0, 1}},
		Space:  []Affine{{Const: -1, Iters: []int{1}}, {Params: []int{1}, Iters: []int{-1}}},
		Arrays: []Array{{Name: "u", Elem: "float64", Size: 8, Lo: []Affine{{}}, Hi: []Affine{{Params: []int{1}}}, Initial: Computed, InitIgnores: []int{0}}},
		Values: []Value{{Name: "u", Flow: need, Need: need, Cell: []Affine{{Iters: []int{1}}}}},
		Whole:  true,
		Listed: true,
		Digest: "heat3",
	}
	for x := 1; x < 4; x++ {
		up, down := []int{-1, 0, 0, 0}, []int{1, 0, 0, 0}
		up[x], down[x] = 1, -1
		n.Space = append(n.Space, Affine{Const: -1, Iters: up}, Affine{Params: []int{0, 1}, Iters: down})
		n.Arrays[0].Lo = append(n.Arrays[0].Lo, Affine{})
		n.Arrays[0].Hi = append(n.Arrays[0].Hi, Affine{Const: 1, Params: []int{0, 1}})
		n.Values[0].Cell = append(n.Values[0].Cell, Affine{Iters: up})
	}
	return n
}

// cuboidNest is heat3Nest in a box of X·Y·Z cells of size bytes each.
func cuboidNest(size int) *Nest {
	n := heat3Nest()
	n.Params = []string{"T", "X", "Y", "Z"}
	n.Arrays[0].Size, n.Arrays[0].Elem = size, map[int]string{4: "float32", 8: "float64"}[size]
	for x := range 3 {
		of := make([]int, 4)
		of[x+1] = 1
		n.Space[2*x+3].Params = of
		n.Arrays[0].Hi[x+1].Params = of
	}
	return n
}

// TestThinTiles asks for thin tiles, one column after the other along the outermost dimension
// of a level, of levels that go through memory, whichever of its extents is the longest; and for
// others where rows wait for one another, or sides or something else were asked for that does
// not go with them.
func TestThinTiles(t *testing.T) {
	for _, c := range []struct {
		what   string
		size   int
		params []int
		o      Options
		change func(*Nest)
		side   []int // of t, i, j; nil: not thin
	}{
		{"a cube", 8, []int{40, 256, 256, 256}, Options{}, nil, []int{20, 3, 59}},
		{"j is longer", 8, []int{40, 256, 257, 256}, Options{}, nil, []int{20, 3, 60}},
		{"j is longest", 8, []int{40, 100, 800, 200}, Options{}, nil, []int{20, 4, 70}},
		{"i is longest", 8, []int{40, 800, 100, 200}, Options{}, nil, []int{20, 4, 70}},
		{"long rows", 8, []int{40, 128, 129, 1000}, Options{}, nil, []int{20, 3, 11}},
		{"small cells", 4, []int{40, 256, 257, 256}, Options{}, nil, []int{20, 7, 60}},
		{"more levels than they are long", 8, []int{20000, 40, 100, 100}, Options{}, nil, nil},
		{"two CPUs", 8, []int{40, 256, 257, 256}, Options{CPUs: 2}, nil, []int{20, 3, 33}},
		{"two CPUs that would not end together", 8, []int{40, 300, 300, 300}, Options{CPUs: 2}, nil, []int{14, 3, 38}},
		{"along j", 8, []int{40, 256, 256, 256}, Options{Map: "j"}, nil, []int{20, 59, 3}},
		{"too many levels to be compressed", 8, []int{100, 256, 256, 256}, Options{}, nil, []int{25, 3, 45}},
		{"a side is given", 8, []int{40, 256, 256, 256}, Options{Tile: []int{0, 0, 20, 0}}, nil, nil},
		{"along the levels", 8, []int{40, 256, 256, 256}, Options{Map: "t"}, nil, nil},
		{"blocks of columns", 8, []int{40, 256, 256, 256}, Options{Assign: Cluster}, nil, nil},
		{"rows read rows of their level", 8, []int{40, 256, 256, 256}, Options{}, func(n *Nest) {
			n.Values[0].Flow = append([][]int{{0, 0, 1, 0}}, n.Values[0].Flow...)
		}, nil},
		{"rows replace others", 8, []int{40, 256, 256, 256}, Options{}, func(n *Nest) { n.InPlace = true }, nil},
	} {
		n := cuboidNest(c.size)
		if c.change != nil {
			c.change(n)
		}
		p, _, err := Choose(n, c.params, c.o, DefaultMachine().WithRows(n), LinkInproc)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		along := 1
		if c.o.Map == "j" {
			along = 2
		}
		thin := p.Assign == Cyclic && p.Map == along && p.Side[along] < FewPlanes
		if want := c.side != nil; thin != want || want && (!slices.Equal(p.Side[:3], c.side) || p.Tiles[3] != 1) {
			t.Errorf("%s: tiles of %v, want %v\n%s", c.what, p.Side, c.side, p)
		}
	}
}

// TestTurns compares how long CPUs that take turns need with counts by hand.
func TestTurns(t *testing.T) {
	var square, skewed []reach
	for level := range 4 {
		square = append(square, reach{0, 11})
		skewed = append(skewed, reach{level, level + 11})
	}
	for _, c := range []struct {
		what         string
		levels       []reach
		height, wide int
		cpus         int
		want         float64
	}{
		{"alone", skewed, 2, 4, 1, 1},
		{"two each", square, 4, 3, 2, 1},
		{"two and one", square, 4, 4, 2, 4.0 / 3},
		// The one with a column less of some levels has one more of the next.
		{"two and one of all levels", square, 2, 4, 2, 4.0 / 3},
		// 7 8 8 1 below, 3 8 8 5 above: 15 and 9, then 3 + 8 behind them, and 8 + 5.
		{"skewed", skewed, 2, 4, 2, 28.0 / 24},
		{"nothing to do", []reach{{0, -1}}, 2, 4, 2, 1},
	} {
		if got := turnsTake(c.levels, c.height, c.wide, c.cpus); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%s: %g times as long, want %g", c.what, got, c.want)
		}
	}
}

// TestMoved compares what tiles move through memory with counts by hand.
func TestMoved(t *testing.T) {
	n := cuboidNest(8)
	const cell, all = 8.0, 1 << 40
	for _, c := range []struct {
		what   string
		levels int // of the run: many are not compressed
		o      Options
		cache  int
		want   float64
	}{
		// A tile of 20 levels goes through 23 x 63 rows; the next one finds all but 3 x 63.
		{"planes in turn", 400, Options{Tile: []int{20, 3, 43, 0}, Assign: Cyclic}, 64 << 20, 2 * 2 * cell * 3 * 63 / (20 * 3 * 43)},
		{"rows in turn", 400, Options{Tile: []int{20, 3, 43, 0}, Assign: Cluster}, 64 << 20, 2 * 2 * cell * 43 * 23 / (20 * 3 * 43)},
		{"levels in turn", 400, Options{Tile: []int{20, 40, 60, 0}, Assign: Cyclic, Map: "t"}, 64 << 20, 2 * 2 * cell * (60*80 - 40*60) / (20 * 40 * 60)},
		{"nothing stays", 400, Options{Tile: []int{20, 3, 43, 0}, Assign: Cyclic}, 1 << 20, 2 * 2 * cell * 23 * 63 / (20 * 3 * 43)},
		{"all stays", 400, Options{Tile: []int{20, 3, 43, 0}, Assign: Cyclic}, all, 0},
		// Through 43 x 83 rows, of a single level.
		{"compressed", 40, Options{Tile: []int{20, 3, 43, 0}, Assign: Cyclic}, 64 << 20, 2 * cell * 3 * 83 / (20 * 3 * 43)},
		{"nothing of compressed ones stays", 40, Options{Tile: []int{20, 3, 43, 0}, Assign: Cyclic}, 1 << 20, 2 * cell * 43 * 83 / (20 * 3 * 43)},
	} {
		p, err := New(n, []int{c.levels, 256, 256, 256}, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if p.Compressed() != (c.levels == 40) {
			t.Errorf("%s: compressed is %v", c.what, p.Compressed())
		}
		if got := p.moved(c.cache); math.Abs(got/c.want-1) > 1e-9 && got != c.want {
			t.Errorf("%s: an iteration moves %g bytes, want %g", c.what, got, c.want)
		}
	}
}
