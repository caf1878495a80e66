package plan

import (
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

// TestThinTiles asks for thin tiles, one column after the other, of levels that go through
// memory, whose rows need not wait for one another, unless sides or something else were asked
// for that does not go with them.
func TestThinTiles(t *testing.T) {
	for _, c := range []struct {
		what   string
		n      int
		o      Options
		change func(*Nest)
		side   []int // of t, i, j; nil: not thin
	}{
		{"in memory", 256, Options{}, nil, []int{20, 3, 43}},
		{"two CPUs", 256, Options{CPUs: 2}, nil, []int{20, 3, 43}},
		{"in the cache", 100, Options{}, nil, nil},
		{"long rows", 1100, Options{}, nil, nil},
		{"a side is given", 256, Options{Tile: []int{0, 0, 20, 0}}, nil, nil},
		{"along the levels", 256, Options{Map: "t"}, nil, nil},
		{"blocks of columns", 256, Options{Assign: Cluster}, nil, nil},
		{"rows read rows of their level", 256, Options{}, func(n *Nest) {
			n.Values[0].Flow = append([][]int{{0, 0, 1, 0}}, n.Values[0].Flow...)
		}, nil},
		{"rows replace others", 256, Options{}, func(n *Nest) { n.InPlace = true }, nil},
	} {
		n := heat3Nest()
		if c.change != nil {
			c.change(n)
		}
		p, err := New(n, []int{40, c.n}, c.o)
		if err != nil {
			t.Fatalf("%s: %v", c.what, err)
		}
		thin := c.side != nil
		if p.thin != thin || thin && (!slices.Equal(p.Side[:3], c.side) || p.Assign != Cyclic || p.Map != 1 || p.Tiles[3] != 1) {
			t.Errorf("%s: tiles of %v, want %v\n%s", c.what, p.Side, c.side, p)
		}
	}
}

// TestThinColumns asks for as many columns of thin tiles as CPUs that take them in turn end
// together with: the last one of the levels below has less to do than others, and so has the
// first one of those above.
func TestThinColumns(t *testing.T) {
	for _, c := range []struct{ n, columns, chosen int }{{256, 7, 7}, {300, 8, 9}} {
		o := Options{CPUs: 2}
		base, err := New(heat3Nest(), []int{40, c.n}, o)
		if err != nil {
			t.Fatal(err)
		}
		p, _, err := Choose(heat3Nest(), []int{40, c.n}, o, DefaultMachine().WithRows(heat3Nest()), LinkInproc)
		if err != nil {
			t.Fatal(err)
		}
		if base.Tiles[2] != c.columns || p.Tiles[2] != c.chosen || !slices.Equal(p.Side[:2], []int{20, 3}) || !p.turns() {
			t.Errorf("%d: %d columns, then\n%s\nwant %d and %d", c.n, base.Tiles[2], p, c.columns, c.chosen)
		}
	}
}
