package frontend_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/frontend"
	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// The tests of depend that parse are here: in the folder of depend, beside a test of its internals, they would have
// Go compile depend and frontend once more.

// parse returns the nest of a file, which the frontend must accept.
func parse(t testing.TB, file string, src []byte) *ir.Nest {
	t.Helper()
	n, diags := frontend.Parse(file, src)
	if n == nil {
		t.Fatalf("%s: %+v", file, diags)
	}
	return n
}

// TestAnalyze compares the analysis of the nests in depend/testdata, or their diagnostics, with goldens.
// Nests that are accepted are also compared with brute force.
func TestAnalyze(t *testing.T) {
	files, err := filepath.Glob("depend/testdata/*.loop")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".loop")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n := parse(t, file, src)
			an, diags := depend.Analyze(n)
			if refused := strings.HasPrefix(name, "refused"); refused != (an == nil) {
				t.Errorf("refused: %v, %v", an == nil, diags)
			}
			var b strings.Builder
			for _, d := range diags {
				describe(&b, d)
			}
			if an != nil {
				summarize(&b, n, an)
			}
			irtest.Golden(t, strings.TrimSuffix(file, ".loop")+".txt", []byte(b.String()))
			if an == nil {
				return
			}
			c := irtest.NewCoverage()
			settings(n, 0, 6, func(params []int) bool {
				if _, err := irtest.Observe(n, an, params, maxPoints, c); err != nil {
					t.Error(err)
					return false
				}
				return true
			})
			if missing := c.Missing(an); len(missing) > 0 {
				t.Errorf("claimed, never seen: %q", missing)
			}
		})
	}
}

// describe prints a diagnostic without the source.
func describe(b *strings.Builder, d diag.Diagnostic) {
	fmt.Fprintf(b, "%d:%d: %s [%s]\n", d.At.Line, d.At.Col, d.Message, d.Code)
	for _, note := range d.Notes {
		fmt.Fprintf(b, "\t%d:%d: %s\n", note.At.Line, note.At.Col, note.Message)
	}
	if d.Hint != "" {
		fmt.Fprintf(b, "\thint: %s\n", d.Hint)
	}
}

// summarize prints an analysis, one fact per line.
func summarize(b *strings.Builder, n *ir.Nest, an *ir.Analysis) {
	place := func(s diag.Span) string {
		return string([]rune(n.Source[s.Line-1])[s.Col-1 : s.Col-1+s.Len])
	}
	sources := func(list []ir.Source, word string) string {
		var parts []string
		for _, s := range list {
			parts = append(parts, fmt.Sprintf("%s %v %s", place(n.Body[s.Stmt].(*ir.Assign).Span), s.Dist, word))
		}
		return strings.Join(parts, ", else ")
	}
	for _, d := range an.Deps {
		fmt.Fprintf(b, "%-6v %v %s -> %s\n", d.Kind, d.Dist, place(d.Src), place(d.Dst))
	}
	for k, r := range an.Reads {
		from := sources(r.Sources, "before")
		switch {
		case from == "":
			from = "initial content"
		case r.Initial:
			from += ", else initial content"
		}
		fmt.Fprintf(b, "%s sees %s\n", place(n.Reads[k].At), from)
	}
	for k, s := range n.Body {
		if w, ok := s.(*ir.Assign); ok {
			after := sources(an.Overwrites[k], "later")
			if after == "" {
				after = "nothing"
			}
			fmt.Fprintf(b, "%s is overwritten by %s\n", place(w.Span), after)
			names := []string{"x", "y", "z"}
			fmt.Fprintf(b, "%s writes %s\n", place(w.Span), inequalities(n, an.Written[k], names))
		}
	}
	for _, c := range an.Checks {
		fmt.Fprintf(b, "%d:%d: refused at launch if %s: %s [%s]\n", c.At.Line, c.At.Col, inequalities(n, c.Fails, nil), c.Message, c.Code)
	}
}

// inequalities prints constraints.
func inequalities(n *ir.Nest, all []ir.Constraint, names []string) string {
	var parts []string
	for _, c := range all {
		var terms []string
		for k, v := range c.Iters {
			if v != 0 {
				terms = append(terms, fmt.Sprintf("%+d%s", v, names[k]))
			}
		}
		for k, v := range c.Params {
			if v != 0 {
				terms = append(terms, fmt.Sprintf("%+d%s", v, n.Params[k].Name))
			}
		}
		parts = append(parts, fmt.Sprintf("%s%+d >= 0", strings.Join(terms, ""), c.Const))
	}
	return strings.Join(parts, ", ")
}

// TestExchangedDependences checks the hint to exchange subscripts i and j of an array whose first dimension has the
// range of j, and whose second has the range of i.
func TestExchangedDependences(t *testing.T) {
	src := "param M, N = 5, 9\narray b[1..N, 1..M] float64 in\narray c[1..M, 1..N] float64 out\nfor i = 1..M, j = 1..N {\n\tc[i,j] = b[i,j]\n}\n"
	an, diags := depend.Analyze(parse(t, "x.loop", []byte(src)))
	if len(diags) > 0 || len(an.Checks) == 0 || !strings.Contains(an.Checks[0].Hint, "b[j,i], with its subscripts exchanged") {
		t.Errorf("%v %+v", diags, an)
	}
}

// TestHintsOfDependences applies the hints of a refusal, as a user would, until the nest is
// accepted.
func TestHintsOfDependences(t *testing.T) {
	src, err := os.ReadFile("depend/testdata/refused_supply.loop")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(src), "\n")
	for range 5 {
		_, diags := depend.Analyze(parse(t, "refused_supply.loop", []byte(strings.Join(lines, "\n"))))
		if diags == nil {
			return
		}
		_, example, ok := strings.Cut(diags[0].Hint, "for example: ")
		if !ok {
			t.Fatalf("no example: %+v", diags[0])
		}
		lines = slices.Insert(lines, 5, example)
	}
	t.Errorf("still refused:\n%s", strings.Join(lines, "\n"))
}

// TestHugeNumbers checks that numbers near the ends of int are refused, not
// computed with.
func TestHugeNumbers(t *testing.T) {
	n := randomNest(newRand(1))
	n.Loops[0].Hi = []ir.Affine{{Const: 1<<63 - 1}}
	if _, diags := depend.Analyze(n); len(diags) != 1 || diags[0].Code != diag.Unsupported {
		t.Errorf("got %+v", diags)
	}
}

// TestManyStatements checks that nests with hundreds of statements are analyzed,
// or refused, in reasonable time.
func TestManyStatements(t *testing.T) {
	for _, count := range []int{20, 1000} {
		var b strings.Builder
		b.WriteString("param T, N = 4, 4\narray u[0..T, -9..N+20] float64 out\ninit u[t, x] = 0\nfor t = 1..T, i = t..N {\n")
		for k := range count {
			fmt.Fprintf(&b, "\tu[t,i+%d] = 0.1*u[t-1,i-%d] + 0.2*u[t,i+%d]\n", k*7%13, k%5, k*3%7)
		}
		b.WriteString("}\n")
		n := parse(t, "many.loop", []byte(b.String()))
		var diags []diag.Diagnostic
		if took := irtest.Took(func() { _, diags = depend.Analyze(n) }); took > 5*time.Second {
			t.Errorf("%d statements took %v", count, took)
		}
		if refused := len(diags) > 0; refused != (count == 1000) {
			t.Errorf("%d statements: %+v", count, diags)
		}
	}
}

// TestDeterministic checks that an analysis depends on nothing but the nest.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(50) {
		first := fmt.Sprintf("%+v", analyzed(randomNest(newRand(seed))))
		for range 4 {
			if again := fmt.Sprintf("%+v", analyzed(randomNest(newRand(seed)))); again != first {
				t.Fatalf("seed %d: %s\nthen %s", seed, first, again)
			}
		}
	}
}

// analyzed returns both results of Analyze as one value to print.
func analyzed(n *ir.Nest) any {
	an, diags := depend.Analyze(n)
	if an == nil {
		return diags
	}
	return *an
}

// TestDeepNest checks that the largest nests that the language allows are
// analyzed in reasonable time.
func TestDeepNest(t *testing.T) {
	var b strings.Builder
	b.WriteString("param A, B, C, D, E, F, G, H = 4, 4, 4, 4, 4, 4, 4, 4\n")
	b.WriteString("array u[0..B+9, 0..C+9, 0..D+9, 0..E+9, 0..F+9] float64 inout\n")
	b.WriteString("for a = 1..A, b = max(1,a)..B, c = 1..min(C,a+b), d = max(1,c-a)..D, e = 1..E, f = 1..min(F,e+a) {\n")
	b.WriteString("\tu[b,c,d,e,f] = 0.1*u[b,c,d,e,f-1]")
	for _, sub := range []string{"b,c,d,e-1,f", "b,c,d-1,e,f", "b,c-1,d,e,f", "b-1,c,d,e,f", "b+1,c,d,e,f", "b,c+1,d,e,f", "b,c,d+1,e,f", "b,c,d,e+1,f"} {
		b.WriteString(" + 0.1*u[" + sub + "]")
	}
	b.WriteString("\n}\n")
	n := parse(t, "deep.loop", []byte(b.String()))
	var diags []diag.Diagnostic
	if took := irtest.Took(func() { _, diags = depend.Analyze(n) }); took > 2*time.Second {
		t.Errorf("took %v (%d diagnostics)", took, len(diags))
	} else {
		t.Logf("took %v (%d diagnostics)", took, len(diags))
	}
}

// BenchmarkAnalyze measures the analysis of the nests in depend/testdata.
func BenchmarkAnalyze(b *testing.B) {
	for _, name := range []string{"pipeline", "diffusion", "gauss_seidel", "smith_waterman", "triangle"} {
		b.Run(name, func(b *testing.B) {
			src, err := os.ReadFile(filepath.Join("depend", "testdata", name+".loop"))
			if err != nil {
				b.Fatal(err)
			}
			n := parse(b, name, src)
			for b.Loop() {
				depend.Analyze(n)
			}
		})
	}
}
