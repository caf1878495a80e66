package plan_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestRefusals has every way in which parameters and options can be wrong.
func TestRefusals(t *testing.T) {
	far := [][]int{{1, 0}, {0, 3}}
	checked := plantest.BoxNest(plantest.Units(2), "i", "j")
	checked.Checks = []plan.Check{
		{Fails: []plan.Affine{{Const: 3, Params: []int{-1}}, {Params: []int{0, 1}}}, Message: "a.loop:1:1: A[0] is read and not supplied"},
	}
	steep := plantest.BoxNest(plantest.Units(2), "i", "j")
	steep.Space[1].Params = []int{5, 0}
	sum := plantest.BoxNest(plantest.Units(2), "i", "j")
	sum.Space[1].Params = []int{1, 1}
	sum.Space[1].Const = 1 << 47
	returned := plantest.BoxNest(plantest.Units(2), "i", "j")
	returned.Arrays[0].Role = plan.Out
	for _, c := range []struct {
		name   string
		nest   *plan.Nest
		params []int
		o      plan.Options
		want   string // "": accepted
	}{
		{"accepted", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{10, 10}, plan.Options{Ranks: 2, CPUs: 2, Tile: []int{2, 2}, Grid: []int{1, 2}, Mesh: []int{1, 2}, Map: "i"}, ""},
		{"few parameters", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{10}, plan.Options{}, "sample takes 2 parameters, got 1"},
		{"out of range", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{10, math.MaxInt}, plan.Options{}, "parameter Nj = 9223372036854775807 is out of range (at most 2^48 either way)"},
		{"far below", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{math.MinInt, 1}, plan.Options{}, "parameter Ni = -9223372036854775808 is out of range (at most 2^48 either way)"},
		{"too large for a product", steep, []int{1 << 47, 1}, plan.Options{}, "parameter Ni = 140737488355328 is too large for this nest"},
		{"too large together", sum, []int{1 << 48, 1 << 48}, plan.Options{}, "the parameters are too large for this nest"},
		{"overflow of bytes", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{1 << 40, 1 << 40}, plan.Options{}, "array A is too large: its size in bytes overflows (Ni = 1099511627776, Nj = 1099511627776)"},
		{"negative extent, nobody sees it", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{4, -3}, plan.Options{}, ""},
		{"negative extent", returned, []int{4, -3}, plan.Options{}, "array A has the negative extent -3 along dimension 2 (Ni = 4, Nj = -3)"},
		{"check fails", checked, []int{3, 1}, plan.Options{}, "a.loop:1:1: A[0] is read and not supplied (Ni = 3, Nj = 1)"},
		{"check holds in part", checked, []int{4, 1}, plan.Options{}, ""},
		{"tile count", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Tile: []int{1}}, "tile has 1 entry, but the nest has 2 loops (i, j)"},
		{"grid count", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Grid: []int{1, 1, 1}}, "grid has 3 entries, but the nest has 2 loops (i, j)"},
		{"mesh count", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Mesh: []int{2}}, "cpus has 1 entry, but the nest has 2 loops (i, j)"},
		{"negative ranks", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Ranks: -3}, "-3 ranks: at least one is needed"},
		{"negative CPUs", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{CPUs: -1}, "-1 CPUs: at least one is needed"},
		{"negative tile", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Tile: []int{1, -1}}, "tile: -1 is negative"},
		{"mesh and CPUs", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Mesh: []int{1, 2}, CPUs: 1}, "the CPU mesh 1x2 has 2 CPUs, not 1"},
		{"mesh and more CPUs", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Mesh: []int{1, 2}, CPUs: 3}, ""},
		{"map", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Map: "k"}, "map k: no such loop; the loops are i, j"},
		{"map across ranks", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Map: "i", Grid: []int{2, 1}, Ranks: 2}, "map i: the loop that tiles are mapped along belongs to one worker, it cannot have 2 ranks"},
		{"nothing to map", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Grid: []int{2, 2}}, "a grid or CPU mesh must leave one loop whole, to map along"},
		{"grid, ranks, no loop left", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Grid: []int{3, 2}, Ranks: 4}, "the grid 3x2 needs 6 ranks, there are 4; a grid or CPU mesh must leave one loop whole, to map along"},
		{"grid and ranks", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{9, 9}, plan.Options{Grid: []int{1, 4}, Ranks: 3}, "the grid 1x4 needs 4 ranks, there are 3"},
		{"short tile", plantest.BoxNest(far, "i", "j"), []int{9, 9}, plan.Options{Tile: []int{2, 2}}, "tile side 2 along j is less than the dependence distance 3"},
		{"short tile, but only one", plantest.BoxNest(far, "i", "j"), []int{9, 2}, plan.Options{Tile: []int{2, 2}}, ""},
		{"columns", plantest.BoxNest(plantest.Units(2), "i", "j"), []int{1 << 22, 1 << 21}, plan.Options{Tile: []int{1, 1}, Map: "i"}, "2097152 columns of tiles are too many for one run, 2^20 at most; make the tile sides larger: 1 along j"},
	} {
		_, err := plan.New(c.nest, c.params, c.o)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || err.Error() != c.want):
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
	// Sizes whose products overflow, with no array to refuse them first.
	bare := plantest.BoxNest(plantest.Units(2), "i", "j")
	bare.Arrays[0].Lo, bare.Arrays[0].Hi = nil, nil
	if _, err := plan.New(bare, []int{1 << 47, 1 << 47}, plan.Options{Tile: []int{1, 1}}); err == nil || !strings.HasSuffix(err.Error(), "columns of tiles are too many for one run, 2^20 at most; make the tile sides larger: 1 along j") {
		t.Errorf("2^94 tiles: %v", err)
	}
	deep := plantest.BoxNest(plantest.Units(3), "i", "j", "k")
	deep.Arrays[0].Lo, deep.Arrays[0].Hi = nil, nil
	if _, err := plan.New(deep, []int{4, 1 << 45, 1 << 45}, plan.Options{Tile: []int{4, 1 << 45, 1 << 45}}); err == nil || !strings.Contains(err.Error(), "iterations is too large") {
		t.Errorf("a tile of 2^92 iterations: %v", err)
	}
}

// TestSet checks that Set takes what Flags and String write, and refuses other words and sizes.
func TestSet(t *testing.T) {
	for _, o := range []plan.Options{
		{},
		{Ranks: 4, CPUs: 2, Tile: []int{0, 16, 3}, Grid: []int{4, 1, 1}, Map: "-i+t", Group: plan.Vertical, Sub: 3, Assign: plan.Mirror, Comm: plan.Blocking},
		{Mesh: []int{2, 1}, First: []int{0, 8}, Group: plan.Hyperplane, Assign: plan.Retile, Comm: plan.Overlap},
		{Assign: plan.Cluster, Comm: plan.Buffered}, {Assign: plan.Cyclic},
	} {
		var got plan.Options
		flags := o.Flags()
		for k := 0; k < len(flags); k++ {
			switch name := strings.TrimLeft(flags[k], "-"); {
			case strings.HasPrefix(name, "map="):
				got.Map = name[4:]
				continue
			case name == "n":
				fmt.Sscan(flags[k+1], &got.Ranks)
			case name == "sub":
				fmt.Sscan(flags[k+1], &got.Sub)
			default:
				if err := got.Set(name, flags[k+1]); err != nil {
					t.Errorf("--%s %s: %v", name, flags[k+1], err)
				}
			}
			k++
		}
		if !reflect.DeepEqual(got, o) {
			t.Errorf("%v are the flags of %+v, not %+v", flags, got, o)
		}
	}
	for _, by := range []plan.Shape{plan.ShapeModel, plan.ShapeCommunication, plan.ShapeScheduling} {
		var o plan.Options
		if err := o.Set("shape", by.String()); err != nil || o.Shape != by {
			t.Errorf("--shape %s: %v, %v", by, o.Shape, err)
		}
	}
	var assigns []string
	for _, a := range plan.Assign(plan.Any).All() {
		assigns = append(assigns, a.String())
	}
	last := len(assigns) - 1
	for _, c := range [][3]string{
		{"comm", "both", `no such communication scheme: "both"; overlap, blocking or buffered`},
		{"assign", "any", `no such assignment: "any"; ` + strings.Join(assigns[:last], ", ") + " or " + assigns[last]},
		{"shape", "square", `no such shape: "square"; model, communication or scheduling`},
		{"group", "flat", `no such grouping: "flat"; hyperplane or vertical`},
		{"cpus", "0", "not a number of CPUs"}, {"cpus", "1x", `"" is not a size: sizes are integers with x between, as in 16x32`},
		{"tile", "4x-1", `"-1" is not a size: sizes are integers with x between, as in 16x32`},
	} {
		var o plan.Options
		if err := o.Set(c[0], c[1]); err == nil || err.Error() != c[2] {
			t.Errorf("--%s %s: %v, want %s", c[0], c[1], err, c[2])
		}
	}
	if o := (plan.Options{Grid: []int{3, 0}}); !o.ShareCPUs(8) || o.CPUs != 2 || o.ShareCPUs(9) {
		t.Errorf("each of 3 ranks has %d of 8 CPUs", o.CPUs)
	}
}

// TestShapes has plans whose numbers follow from the options.
func TestShapes(t *testing.T) {
	for _, c := range []struct {
		name                           string
		params                         []int
		o                              plan.Options
		mapped                         int
		side, tiles, grid, mesh, block []int
		warnings                       []string
	}{
		{"given throughout", []int{10, 9}, plan.Options{Ranks: 2, CPUs: 2, Tile: []int{4, 2}, Map: "i"},
			0, []int{4, 2}, []int{3, 5}, []int{1, 2}, []int{1, 2}, []int{1, 2}, nil},
		{"one point", []int{1, 1}, plan.Options{},
			0, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}, nil},
		{"more ranks than tiles", []int{8, 3}, plan.Options{Ranks: 8, Map: "i", Tile: []int{2, 1}},
			0, []int{2, 1}, []int{4, 3}, []int{1, 3}, []int{1, 1}, []int{1, 1}, []string{"3 columns of tiles on 8 ranks: 5 ranks stay idle"}},
		{"more CPUs than columns", []int{8, 1}, plan.Options{CPUs: 4, Map: "i", Tile: []int{2, 1}},
			0, []int{2, 1}, []int{4, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []string{"1 column of tiles: each rank uses 1 of its 4 CPUs"}},
		{"a grid alone", []int{8, 8}, plan.Options{Grid: []int{0, 4}, Tile: []int{8, 2}},
			0, []int{8, 2}, []int{1, 4}, []int{1, 4}, []int{1, 1}, []int{1, 1}, nil},
		{"a grid alone decides the map", []int{8, 8}, plan.Options{Grid: []int{2, 0}, Tile: []int{2, 4}},
			1, []int{2, 4}, []int{4, 2}, []int{2, 1}, []int{1, 1}, []int{2, 1}, nil},
		{"a grid too large", []int{8, 2}, plan.Options{Grid: []int{1, 3}, Tile: []int{8, 1}},
			0, []int{8, 1}, []int{1, 2}, []int{1, 3}, []int{1, 1}, []int{1, 1}, []string{"2 columns of tiles on 3 ranks: 1 rank stays idle"}},
		{"the longest is mapped", []int{8, 64}, plan.Options{Tile: []int{8, 64}},
			1, []int{8, 64}, []int{1, 1}, []int{1, 1}, []int{1, 1}, []int{1, 1}, nil},
	} {
		p, err := plan.New(plantest.BoxNest(plantest.Units(2), "i", "j"), c.params, c.o)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if p.Map != c.mapped || !slices.Equal(p.Side, c.side) || !slices.Equal(p.Tiles, c.tiles) || !slices.Equal(p.Grid, c.grid) ||
			!slices.Equal(p.Mesh, c.mesh) || !slices.Equal(p.Block, c.block) || !slices.Equal(p.Warnings, c.warnings) {
			t.Errorf("%s:\ngot  map %d, sides %v, tiles %v, grid %v, mesh %v, block %v, %q\nwant map %d, sides %v, tiles %v, grid %v, mesh %v, block %v, %q",
				c.name, p.Map, p.Side, p.Tiles, p.Grid, p.Mesh, p.Block, p.Warnings, c.mapped, c.side, c.tiles, c.grid, c.mesh, c.block, c.warnings)
		}
	}
}

// TestLevelled checks a single loop, which options know as one.
func TestLevelled(t *testing.T) {
	nest := plantest.BoxNest([][]int{{0, 1}}, "level", "i")
	nest.Levelled = true
	p, err := plan.New(nest, []int{1, 20}, plan.Options{Tile: []int{5}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(p.Side, []int{1, 5}) || p.Map != 1 {
		t.Errorf("sides %v, map %d", p.Side, p.Map)
	}
	if _, err := plan.New(nest, []int{1, 20}, plan.Options{Tile: []int{1, 5}}); err == nil || err.Error() != "tile has 2 entries, but the nest has 1 loop (i)" {
		t.Errorf("two sides for one loop: %v", err)
	}
	if _, err := plan.New(nest, []int{1, 20}, plan.Options{Map: "level"}); err == nil {
		t.Error("mapped along a loop that is not the user's")
	}
}

// TestDigest requires that plans which differ in a decision have different
// digests, and equal ones equal digests.
func TestDigest(t *testing.T) {
	digests := map[string]plan.Options{}
	nest := plantest.BoxNest(plantest.Units(2), "i", "j")
	for _, o := range []plan.Options{
		{Tile: []int{4, 4}, Map: "i"}, {Tile: []int{4, 5}, Map: "i"}, {Tile: []int{4, 4}, Map: "j"}, {Tile: []int{4, 4}, Map: "i", Ranks: 2},
		{Tile: []int{4, 4}, Map: "i", CPUs: 2}, {Tile: []int{4, 4}, Map: "i", Comm: plan.Blocking},
	} {
		p, err := plan.New(nest, []int{20, 20}, o)
		if err != nil {
			t.Fatal(err)
		}
		if other, ok := digests[p.Digest()]; ok {
			t.Errorf("%+v and %+v have the same digest", o, other)
		}
		digests[p.Digest()] = o
		again, err := plan.New(nest, []int{20, 20}, o)
		if err != nil || again.Digest() != p.Digest() {
			t.Errorf("%+v has two digests", o)
		}
	}
}
