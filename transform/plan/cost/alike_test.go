package cost

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestAlike compares the content of tiles that is taken from others, which the space crosses likewise, with their own: of random
// nests, and of nests of few points and many levels, most tiles of which are alike.
func TestAlike(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 11))
	known, looks := alike(t, rng, 3000, func() (*plan.Nest, []int, plan.Options) {
		s := plantest.RandomNest(rng)
		o := plantest.RandomOptions(rng, s.Nest)
		for k := range o.Tile {
			if rng.IntN(2) == 0 {
				o.Tile[k] = 1 + rng.IntN(60)
			}
		}
		return s.Nest, s.Params, o
	})
	if known < looks+300 {
		t.Errorf("of %d kinds of tiles of random nests, %d were looked at", known, looks)
	}
	known, looks = alike(t, rng, 300, func() (n *plan.Nest, params []int, o plan.Options) {
		few := 1 + rng.IntN(9)
		switch rng.IntN(3) {
		case 0:
			n, params = plantest.SweepNest(), []int{100 + rng.IntN(400), few}
		case 1:
			n, params = plantest.CuboidNest(8), []int{100 + rng.IntN(200), few, 1 + rng.IntN(3), 1 + rng.IntN(3)}
		default:
			n, params = plantest.HeatNest(), []int{100 + rng.IntN(400), few}
		}
		o = plan.Options{Ranks: 1, CPUs: 1 + rng.IntN(2), Map: n.Dims[0]}
		o.Tile = []int{4 + rng.IntN(20)}
		for range n.Dims[1:] {
			o.Tile = append(o.Tile, max(0, 2-rng.IntN(6))*(1+rng.IntN(60))) // usually 0: a single tile
		}
		return n, params, o
	})
	if known < looks+4000 {
		t.Errorf("of %d kinds of tiles of long nests, %d were looked at", known, looks)
	}
}

// alike counts the kinds of tiles of random plans of so many nests, and those that were looked at.
func alike(t *testing.T, rng *rand.Rand, nests int, nest func() (*plan.Nest, []int, plan.Options)) (known, looks int) {
	for range nests {
		n, params, o := nest()
		p, err := plan.New(n, params, o)
		if err != nil || p.Empty || p.Columns()*p.Tiles[p.Map] > 3000 {
			continue
		}
		l := []lanes{{}, {vector: 4, all: 8, across: plan.AcrossLevels}, {vector: 4, all: 8, across: plan.AcrossRows}}[rng.IntN(3)]
		c, col := newContents(p, l, nil, 0), make([]int, len(p.Tiles))
		for at := range p.Columns() {
			p.ColumnAt(at, col)
			for k := range p.Tiles[p.Map] {
				before := len(c.known)
				what := c.at(col, k)
				if len(c.known) == before {
					continue
				}
				own := newContents(p, l, nil, 0)
				own.kind(col, k)
				if own := own.look(col, k); !reflect.DeepEqual(own, what) {
					t.Fatalf("tile %d of column %v holds %+v, and is said to hold %+v\n%s", k, col, own, what, p)
				}
			}
		}
		known, looks = known+len(c.known), looks+c.looks
	}
	return known, looks
}

// TestLongRunsLook: the number of tiles that a simulation looks at does not grow with the number of levels, each of which moves.
func TestLongRunsLook(t *testing.T) {
	for tile, nest := range map[int]*plan.Nest{0: plantest.HeatNest(), 128: plantest.HeatNest()} {
		var looks []int
		for _, levels := range []int{5000, 10000} {
			p, err := plan.New(nest, []int{levels, 20}, plan.Options{Ranks: 1, CPUs: 1, Tile: []int{64, tile, tile}})
			if err != nil {
				t.Fatal(err)
			}
			r := NewPredictor(p)
			r.Predict(DefaultMachine(), LinkInproc)
			kinds, _ := r.Looked()
			looks = append(looks, kinds)
		}
		if looks[0] == 0 || looks[1] > looks[0]+1 || looks[0] > 20 {
			t.Errorf("side %d: a simulation looks at %d tiles, and at %d of twice as many", tile, looks[0], looks[1])
		}
	}
}
