package plantest

import (
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
)

// A Tiled is a random nest under a random plan, with the tile of each iteration
// by the definition ⌊(p - Lo) / Side⌋.
type Tiled struct {
	*Sample
	Plan *plan.Plan
	Tile map[string][]int // the tile of an iteration, by the iteration's Key
}

// RandomPlans calls f with about count random nests under random plans that
// have iterations.
func RandomPlans(t *testing.T, seed uint64, count int, f func(rng *rand.Rand, s Tiled)) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 77))
	refused, ran := 0, 0
	for range count {
		s := RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, RandomOptions(rng, s.Nest))
		if err != nil {
			refused++
			continue
		}
		if len(s.Points) == 0 {
			continue
		}
		ran++
		x := Tiled{Sample: s, Plan: p, Tile: map[string][]int{}}
		for _, q := range s.Points {
			tile := make([]int, len(q))
			for k := range q {
				tile[k] = plan.FloorDiv(q[k]-p.Origin[k], p.Side[k])
			}
			x.Tile[Key(q)] = tile
		}
		f(rng, x)
	}
	if ran < count/3 {
		t.Errorf("only %d plans of %d ran, %d were refused", ran, count, refused)
	}
}

// Sends is the length of the face of tile k of the column at from, for a column
// whose active tiles are first..last.
func Sends(p *plan.Plan, from []int, k int, dir *plan.Direction, first, last int, lo, hi []int) (bytes int, ok bool) {
	if k >= first && k <= last {
		bytes = p.FaceBytes(from, k, dir, lo, hi)
	}
	return bytes, bytes > 0
}

// References, as in the documents of the papers:
//
//	[P1]  pipelined SMP scheduling with memory-mapped network cards
//	[P2]  a fixed number of SMP nodes
//
// Tiles here are single iterations, so that a space of u_1 × u_2 points is one
// of as many tiles.

// TilePlan returns a plan of a rectangular space of u tiles of one iteration
// each, with unit dependences.
func TilePlan(t *testing.T, u, grid, mesh []int, along int, comm plan.Comm) *plan.Plan {
	t.Helper()
	names := []string{"i", "j", "k"}[:len(u)]
	side := make([]int, len(u))
	for k := range side {
		side[k] = 1
	}
	p, err := plan.New(BoxNest(Units(len(u)), names...), u, plan.Options{Tile: side, Grid: grid, Mesh: mesh, Map: names[along], Comm: comm})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// EachShape calls f with rectangular tile spaces of two and three dimensions,
// and CPU meshes of nodes.
func EachShape(f func(u, mesh []int)) {
	for _, mesh := range [][]int{{1, 1}, {1, 2}, {1, 3}} {
		for u2 := 1; u2 <= 8; u2++ {
			f([]int{12, u2}, mesh)
		}
	}
	for _, mesh := range [][]int{{1, 1, 1}, {1, 2, 2}, {1, 3, 1}} {
		for u2 := 1; u2 <= 6; u2++ {
			for u3 := 1; u3 <= 4; u3++ {
				f([]int{9, u2, u3}, mesh)
			}
		}
	}
}
