package cli

import (
	"io"
	"testing"

	"pgregory.net/rapid"

	"loopc/runtime/transport/shm"
	"loopc/transform/plan"
)

// TestRandomPlans draws an example, its parameters and a plan, and requires the
// bits of the sequential loops and the planned messages. A failure shrinks to
// the smallest plan that shows it.
func TestRandomPlans(t *testing.T) {
	refused, ran := 0, 0
	rapid.Check(t, func(r *rapid.T) {
		name := rapid.SampledFrom([]string{"adi", "diffusion", "editdistance", "pipeline", "seidel", "sor", "triangle"}).Draw(r, "nest")
		prog := programs[name]
		one := trial{seed: seed{Value: rapid.Uint64Range(1, 100).Draw(r, "seed")}}
		switch rapid.IntRange(0, 19).Draw(r, "transport") {
		case 0:
			one.carrier = byTCP
		case 1:
			if shm.Supported() == nil {
				one.carrier = bySHM
			}
		}
		for _, p := range prog.Nest.Params {
			one.params = append(one.params, rapid.IntRange(0, 24).Draw(r, p))
		}
		loops := prog.Nest.Dims
		one.nests = make([]plan.Options, 1)
		o := &one.nests[0]
		o.Ranks, o.CPUs = rapid.IntRange(1, 8).Draw(r, "ranks"), rapid.IntRange(1, 4).Draw(r, "cpus")
		o.Comm = rapid.SampledFrom([]plan.Comm{plan.Overlap, plan.Blocking}).Draw(r, "comm")
		o.Group = rapid.SampledFrom([]plan.Group{plan.Hyperplane, plan.Vertical}).Draw(r, "group")
		o.Assign = rapid.SampledFrom(append(plan.Assign(plan.Any).All(), plan.Any)).Draw(r, "assign")
		if o.Group == plan.Vertical {
			o.Sub = rapid.IntRange(0, 4).Draw(r, "sub")
		}
		o.Map = rapid.SampledFrom(append([]string{""}, loops...)).Draw(r, "map")
		if rapid.Bool().Draw(r, "tiled") {
			o.Tile = rapid.SliceOfN(rapid.IntRange(0, 12), len(loops), len(loops)).Draw(r, "tile")
		}
		if _, err := plan.New(prog.Nest, one.params, *o); err != nil {
			refused++
			return
		}
		ran++
		c := &command{planned: planned{prog: prog}, settings: &settings{}, stdout: io.Discard, stderr: io.Discard}
		if _, err := c.try(t.Context(), &one); err != nil {
			r.Fatal(err)
		}
	})
	if ran < refused {
		t.Errorf("%d plans were run, %d refused; the test proves little", ran, refused)
	}
}
