package plan_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestEdgesOf requires of random plans that a rank finds the edges that Edges has for it, and
// its peers, from its own columns.
func TestEdgesOf(t *testing.T) {
	rng := rand.New(rand.NewPCG(28, 3))
	remote, within := 0, 0
	for plans := 0; plans < 2000; {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil {
			continue
		}
		plans++
		all := p.Edges()
		for rank := range p.Ranks {
			var want []plan.EdgeOf
			for _, e := range all {
				if e.Rank[0] != rank && e.Rank[1] != rank {
					continue
				}
				want = append(want, e)
				if e.Remote() {
					remote++
				} else {
					within++
				}
			}
			if got := p.EdgesOf(rank); !slices.Equal(got, want) {
				t.Fatalf("rank %d has the edges\n%v, not\n%v\n%s", rank, got, want, p)
			}
		}
	}
	if remote < 1000 || within < 1000 {
		t.Errorf("%d edges between ranks, %d within one: too few to tell anything", remote, within)
	}
}
