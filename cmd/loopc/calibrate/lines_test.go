package calibrate

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"loopc/testdata/emit/pipeline"
	"loopc/testdata/emit/seidel"
	"loopc/transform/plan/cost"
)

// TestLines: a run reports whether its kernel streams results while it computes rows, as the
// built-in figures for this processor say. Figures measured by such runs must say so, too: the rows
// of lanes then overwrite one another, and count once in the memory of a tile.
func TestLines(t *testing.T) {
	t.Setenv("LOOPC_KERNEL", "") // any that there is
	p := pipeline.Params{X: 32, Y: 8, Z: 600}
	ran, err := pipeline.Run(context.Background(), p, &pipeline.Arrays{}, pipeline.Options{Ranks: 1, CPUs: 1})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(ran)
	if err != nil {
		t.Fatal(err)
	}
	var got summary
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	nest := pipeline.Program.Nest
	builtIn := pipeline.Program.Costs([]int{p.X, p.Y, p.Z}, cost.DefaultMachine()).Kernels[nest.Digest]
	if got.Lines != builtIn.Lines || got.Across != builtIn.Across {
		t.Errorf("a run says lines %t, across %d, built-in figures %t and %d", got.Lines, got.Across, builtIn.Lines, builtIn.Across)
	}

	digest := seidel.Program.Nest.Digest
	samples := synthetic(t, trueMachine(digest), 3, 0.01, 4)
	for _, lines := range []bool{false, true} {
		for _, s := range samples {
			s.lines = lines
		}
		var file bytes.Buffer
		if err := WriteSamples(&file, samples); err != nil {
			t.Fatal(err)
		}
		read, err := ReadSamples(&file, []*Program{samples[0].Program})
		if err != nil {
			t.Fatal(err)
		}
		m := cost.DefaultMachine()
		m.Cores, m.Kernels = 2, nil
		Fit(m, read)
		if m.Kernels[digest].Lines != lines {
			t.Errorf("samples with lines %t make figures with %t", lines, m.Kernels[digest].Lines)
		}
	}
}
