package calibrate

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"loopc/testdata/emit/seidel"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// TestTable checks the summaries of a table with known errors, and both setups to
// print it.
func TestTable(t *testing.T) {
	var rows []Row
	for i := range 10 {
		r := Row{Nest: "a", Params: "T=1", Ranks: 1, CPUs: 1, Tile: "1x1", Transport: cost.LinkLocal, Comm: "-", Runs: 5, Measured: 0.1, Spread: 0.001}
		if i%2 == 1 {
			r.Nest, r.Ranks, r.Transport, r.Comm, r.Spread = "b", 2, cost.LinkTCP, "blocking", 0.02
		}
		r.Error = 0.01 * float64(i) // 0 to 9 %
		r.Predicted = r.Measured * (1 + r.Error)
		rows = append(rows, r)
	}
	rows[9].Error = -rows[9].Error
	table := newTable(rows)
	s := table.Summary
	// Of a, those of 0, 2 and 4 % are within 5 %; of b all are within their spread.
	if s.Rows != 10 || s.Within != 8 || math.Abs(s.Median-0.045) > 1e-9 || math.Abs(s.Decile9-0.081) > 1e-9 || math.Abs(s.Bias-0.035) > 1e-9 {
		t.Errorf("summary is %+v", s)
	}
	if g := table.Groups["tcp"]; g.Rows != 5 || g.Within != 5 || math.Abs(g.Median-0.05) > 1e-9 {
		t.Errorf("that of tcp is %+v", g)
	}
	if _, ok := table.Groups["scheme -"]; ok || len(table.Groups) != 5 {
		t.Errorf("groups are %v", table.Groups)
	}
	r := Report{Machine: cost.DefaultMachine(), When: "today", Table: table, Fit: table, Choices: []Choice{{Nest: "a", Rounds: 17, Ratio: 1.01, Low: 0.99, High: 1.02, Plans: []Tried{{Row: rows[0]}, {Row: rows[1], What: "height 3"}}}}}
	for _, markdown := range []bool{false, true} {
		var out bytes.Buffer
		if err := r.Write(&out, markdown); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"4.5 %", "-9.0 %", "1.010 (0.990 to 1.020), 17 rounds", "height 3", "today"} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%q is missing in\n%s", want, out.String())
			}
		}
		if bars := strings.Count(out.String(), "\n|"); markdown != (bars > 20) {
			t.Errorf("markdown %t, but there are %d lines of tables", markdown, bars)
		}
	}
}

// TestArguments plans runs and requires that the flags of each give its plan
// again: they leave nothing open.
func TestArguments(t *testing.T) {
	prog := &Program{Nest: seidel.Program.Nest}
	for _, o := range []plan.Options{
		{}, {Ranks: 2, CPUs: 2, Comm: plan.Blocking}, {Ranks: 3, CPUs: 1, Tile: []int{5, 7, 9}, Assign: plan.Cyclic}, {CPUs: 2, Group: plan.Vertical, Sub: 2},
	} {
		c, err := newConfig(prog, []int{20, 90}, o, cost.LinkTCP, 0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := newConfig(prog, []int{20, 90}, c.Plan.Options(), cost.LinkTCP, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(again.arguments(), " "), strings.Join(c.arguments(), " "); got != want || again.Plan.String() != c.Plan.String() {
			t.Errorf("%+v gives %s\nand that %s", o, want, got)
		}
	}
}

// TestSized scales a nest to a number of iterations.
func TestSized(t *testing.T) {
	nest := seidel.Program.Nest
	for _, points := range []float64{1e4, 3e6} {
		for k := -1; k < 2; k++ {
			params, err := sized(nest, []int{100, 2000}, points, k, 3)
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(params[0] * params[1] * params[1]); got < points || got > 1.5*points {
				t.Errorf("%v is a size of %g, not of %g", params, got, points)
			}
		}
	}
	if _, err := sized(nest, []int{0, 0}, 1e6, -1, 1); err == nil {
		t.Error("a nest without iterations can be scaled")
	}
}
