package halo_test

import (
	"math/rand/v2"
	"testing"

	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
)

// TestWholeLevels keeps the levels of random nests whole, on one rank and several CPUs,
// and requires every cell that a direct evaluation computes: nothing is overwritten
// before it is read, and locations outside the space have their content in time.
func TestWholeLevels(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 41))
	ran, several, boxes := 0, 0, 0
	for tried := 0; ran < 120; tried++ {
		if tried > 20000 {
			t.Fatalf("of %d random nests only %d keep their levels whole", tried, ran)
		}
		s := randomNest(rng)
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
		p, err := plan.New(s.nest, s.params, o)
		if err != nil {
			continue
		}
		if !p.KeepsWhole() {
			t.Fatalf("%s does not keep its levels whole", p)
		}
		if _, err := planted(t.Context(), s, p, nil, inproc.Mesh); err != nil {
			t.Fatal(err)
		}
		ran++
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
	if several < ran/5 || boxes < ran/10 || boxes > ran*9/10 {
		t.Errorf("of %d runs %d had several tiles and CPUs, %d were of boxes: that proves little", ran, several, boxes)
	}
}
