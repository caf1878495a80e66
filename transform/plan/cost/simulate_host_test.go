package cost

import (
	"math/rand/v2"
	"testing"

	"loopc/transform/plan"
	"loopc/transform/plan/plantest"
)

// TestSimulateNegative predicts with figures whose tiles take less than nothing, as
// calibration does that looks at one figure at a time: all tiles run, and all faces
// are handed over and sent.
func TestSimulateNegative(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 17))
	near := 0 // plans with faces between the CPUs of a rank
	for ran := 0; ran < 300; ran++ {
		s := plantest.RandomNest(rng)
		p, err := plan.New(s.Nest, s.Params, plantest.RandomOptions(rng, s.Nest))
		if err != nil || p.Empty {
			continue
		}
		m := randomMachine(rng)
		m.Kernel.Tile = -20
		link := m.Links[LinkLocal]
		link.Complete = false
		m.Links[LinkLocal] = link
		Predict(p, m, "net") // or panics
		for d := range p.Directions() {
			if _, n := columnsSending(p, d, p.Block); n > 0 {
				near++
				break
			}
		}
	}
	if near < 50 {
		t.Errorf("only %d plans with faces between the CPUs of a rank", near)
	}
}
