package irtest_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"loopc/frontend"
	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
	"loopc/ir/irtest"
)

// compile parses and analyzes the text of a nest.
func compile(src string) (*ir.Nest, []diag.Diagnostic) {
	n, diags := frontend.Parse("random.loop", []byte(src))
	if n == nil {
		return nil, diags
	}
	an, diags := depend.Analyze(n)
	if an == nil {
		return nil, diags
	}
	n.Analysis = an
	return n, nil
}

// features returns what makes a nest interesting.
func features(n *ir.Nest) []string {
	var all []string
	add := func(ok bool, name string) {
		if ok && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	add(true, fmt.Sprintf("depth %d", n.Depth()))
	for _, l := range n.Loops {
		for _, b := range slices.Concat(l.Lo, l.Hi) {
			add(b.HasIters(), "not a box")
		}
	}
	for _, a := range n.Arrays {
		add(true, a.Role.String())
		add(true, a.Elem.String())
		add(a.Out != nil, "slice")
		add(a.Init != nil, "init")
	}
	for _, s := range n.Body {
		switch s := s.(type) {
		case *ir.Let:
			add(true, "let")
			ir.Walk(s.Expr, func(e ir.Expr) { _, ok := e.(*ir.Select); add(ok, "select") })
		case *ir.Assign:
			add(len(s.Subs) < n.Depth(), "in place")
			ir.Walk(s.Expr, func(e ir.Expr) { _, ok := e.(*ir.Select); add(ok, "select") })
		case *ir.Reduce:
			add(true, "reduce "+s.Op.String())
		}
	}
	for _, d := range n.Analysis.Deps {
		add(d.Kind == ir.Flow && slices.Min(d.Dist) < 0, "negative flow component")
		add(d.Kind != ir.Flow, "memory dependence")
	}
	for k, r := range n.Analysis.Reads {
		add(r.Beyond && n.Arrays[n.Reads[k].Array].Boundary == nil, "guard")
	}
	add(len(n.Analysis.Checks) > 0, "check at launch")
	return all
}

// colored finds cells of one color, of which a read takes nothing from idle writes.
var colored = regexp.MustCompile(`= select\([^,]*\)([%&]\d [!=]|/\d\*\d )`)

// TestRandomNest checks that random nests are what RandomNest promises: mostly
// accepted, of every kind, small, finite, and analyzed correctly: the oracle of
// Observe agrees with what the interpreter's trace saw and with the analysis.
func TestRandomNest(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	nests := 200
	if testing.Short() {
		nests = 100
	}
	refused := map[diag.Code]int{}
	seen := map[string]int{}
	accepted, ran := 0, 0
	for range nests {
		src := irtest.RandomNest(rng)
		n, diags := compile(src)
		if n == nil {
			if refused[diags[0].Code]++; refused[diags[0].Code] == 1 {
				t.Logf("refused: %+v\n%s", diags[0], src)
			}
			continue
		}
		accepted++
		for _, f := range features(n) {
			seen[f]++
		}
		c := irtest.NewCoverage()
		for k := range 3 {
			params := irtest.RandomParams(rng, n)
			if k == 0 {
				for p := range params {
					params[p] = *n.Params[p].Default
				}
			}
			small, err := irtest.Observe(n, n.Analysis, params, 8000, c)
			if colored.MatchString(src) {
				err = nil // Observe knows no idle writes: TestIdleWrites does
			}
			if err != nil {
				t.Fatalf("%v\n%s", err, src)
			}
			if k == 0 && !small {
				t.Errorf("too large with default parameters\n%s", src)
			}
			in := irtest.RandomInputs(rng, n, params)
			out, err := eval.Run(n, params, in)
			if err != nil {
				if k == 0 {
					t.Errorf("default parameters: %v\n%s", err, src)
				}
				continue
			}
			ran++
			for name, a := range out {
				if len(a.Lo) > 0 && !finite(a) { // a max over no iterations is not
					t.Fatalf("params %v: %s is not finite\n%s", params, name, src)
				}
			}
		}
	}
	t.Logf("%d of %d accepted, %d runs; refused: %v; seen: %v", accepted, nests, ran, refused, seen)
	if accepted < nests*7/10 {
		t.Errorf("only %d of %d nests were accepted", accepted, nests)
	}
	for _, f := range []string{
		"depth 1", "depth 2", "depth 3", "depth 4", "not a box", "in", "inout", "out", "internal", "slice", "init",
		"let", "select", "guard", "in place", "negative flow component", "memory dependence",
		"float32", "float64", "int32", "int64", "uint8", "reduce max", "reduce min", "reduce sum",
	} {
		if seen[f] < accepted/50 {
			t.Errorf("%q in %d nests of %d only", f, seen[f], accepted)
		}
	}
}

// finite reports whether every float of a is finite.
func finite(a *eval.Array) bool {
	return !slices.ContainsFunc(a.Floats, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}
