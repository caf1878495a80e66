package irtest_test

import (
	"slices"
	"testing"

	"loopc/ir"
	"loopc/ir/irtest"
)

// planted is a nest whose analysis has sources, an initial content, and flow,
// anti and output dependences.
const planted = `param T, N = 4, 6
array u[0..N+1] float64 inout
for t = 1..T, i = 1..N {
	u[i] = 0.25*u[i-1] + 0.5*u[i+1]
}
`

// TestObserveFindsFaults plants one fault after the other in a correct analysis;
// each must be found, or the check of the analysis proves nothing.
func TestObserveFindsFaults(t *testing.T) {
	n, diags := compile(planted)
	if n == nil {
		t.Fatal(diags)
	}
	check := func(change func(an *ir.Analysis)) (missing []string, err error) {
		an := *n.Analysis
		an.Deps = slices.Clone(an.Deps)
		an.Reads = slices.Clone(an.Reads)
		an.Overwrites = slices.Clone(an.Overwrites)
		an.Written = slices.Clone(an.Written)
		change(&an)
		c := irtest.NewCoverage()
		_, err = irtest.Observe(n, &an, []int{4, 6}, 1000, c)
		return c.Missing(&an), err
	}
	if missing, err := check(func(*ir.Analysis) {}); err != nil || missing != nil {
		t.Fatalf("the correct analysis: %v, %v", err, missing)
	}
	drop := func(kind ir.DepKind) func(an *ir.Analysis) {
		return func(an *ir.Analysis) {
			k := slices.IndexFunc(an.Deps, func(d ir.Dep) bool { return d.Kind == kind })
			an.Deps = slices.Delete(an.Deps, k, k+1)
		}
	}
	for _, test := range []struct {
		name   string
		change func(an *ir.Analysis)
	}{
		{"a flow dependence dropped", drop(ir.Flow)},
		{"an anti dependence dropped", drop(ir.Anti)},
		{"an output dependence dropped", drop(ir.Output)},
		{"a distance changed", func(an *ir.Analysis) { an.Deps[0].Dist = ir.Vec{0, 2} }},
		{"a source dropped", func(an *ir.Analysis) { an.Reads[0].Sources = nil }},
		{"a source too near", func(an *ir.Analysis) {
			an.Reads[1].Sources = append([]ir.Source{{Stmt: 0, Dist: ir.Vec{0, 1}}}, an.Reads[1].Sources...)
		}},
		{"initial content denied", func(an *ir.Analysis) { an.Reads[0].Initial = false }},
		{"an overwrite dropped", func(an *ir.Analysis) { an.Overwrites[0] = nil }},
		{"a written cell left out", func(an *ir.Analysis) {
			an.Written[0] = append(slices.Clone(an.Written[0]), ir.Constraint{Const: -2, Iters: []int{1}})
		}},
		{"a cell too many written", func(an *ir.Analysis) { an.Written[0] = an.Written[0][:1] }},
		{"the space one iteration short", func(an *ir.Analysis) {
			an.Space = append(slices.Clone(an.Space), ir.Constraint{Const: 5, Iters: []int{0, -1}})
		}},
		{"a check that refuses all", func(an *ir.Analysis) { an.Checks = []ir.Check{{Code: "out-of-bounds"}} }},
	} {
		if _, err := check(test.change); err == nil {
			t.Errorf("%s: not found", test.name)
		}
	}
	for _, test := range []struct {
		name   string
		change func(an *ir.Analysis)
	}{
		{"a dependence too many", func(an *ir.Analysis) {
			an.Deps = append(an.Deps, ir.Dep{Kind: ir.Flow, Dist: ir.Vec{0, 3}})
		}},
		{"a source that is never taken", func(an *ir.Analysis) {
			an.Reads[0].Sources = append(slices.Clone(an.Reads[0].Sources), ir.Source{Dist: ir.Vec{7, 0}})
		}},
		{"an overwrite that never happens", func(an *ir.Analysis) {
			an.Overwrites[0] = append(slices.Clone(an.Overwrites[0]), ir.Source{Dist: ir.Vec{9, 0}})
		}},
	} {
		if missing, err := check(test.change); err != nil || len(missing) != 1 {
			t.Errorf("%s: not found: %v, %v", test.name, err, missing)
		}
	}
}
