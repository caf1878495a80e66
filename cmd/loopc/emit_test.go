package main

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"loopc/codegen"
	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/transform"
	"loopc/transform/plan"
)

// examples returns the .loop files under examples.
func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../../examples/*/*.loop")
	if err != nil || len(files) < 6 {
		t.Fatalf("only %d examples: %v", len(files), err)
	}
	return files
}

// compileFile takes a .loop file through the whole compiler.
func compileFile(t testing.TB, file string, src []byte, pkg string) (*ir.Nest, *ir.Lowered, *plan.Nest, []codegen.File) {
	t.Helper()
	n, diags := frontend.Compile(filepath.Base(file), src)
	if n == nil {
		var b bytes.Buffer
		diag.Render(&b, file, src, diags)
		t.Fatal(b.String())
	}
	l, p, diags := transform.Lower(n)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	code, err := codegen.Generate(ir.Alone(n), []*ir.Lowered{l}, []*plan.Nest{p}, p, codegen.Options{Package: pkg})
	if err != nil {
		t.Fatal(err)
	}
	return n, l, p, code
}

// TestEmit compares the plan and the emitted files of every example with the goldens in
// testdata/emit. Other tests build, vet and run these files. Compiling must take less than 100 ms.
func TestEmit(t *testing.T) {
	for _, file := range examples(t) {
		name := strings.TrimSuffix(filepath.Base(file), ".loop")
		t.Run(name, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			n, l, p, code := compileFile(t, file, src, name)
			irtest.Golden(t, filepath.Join("../../testdata/emit", name, "plan.txt"), []byte(codegen.Explain(ir.Alone(n), []*ir.Lowered{l}, []*plan.Nest{p})))
			for _, suffix := range codegen.Suffixes {
				path := filepath.Join("../../testdata/emit", name, name+suffix)
				k := slices.IndexFunc(code, func(f codegen.File) bool { return f.Suffix == suffix })
				if k >= 0 {
					irtest.Golden(t, path, code[k].Text)
				} else if _, err := os.Stat(path); err == nil {
					t.Errorf("%s is not emitted any more: remove it", path)
				}
			}
			// A busy machine may stop us often; the compiler may not be slow.
			fastest := time.Hour
			for k := 0; k < 12 && fastest > 100*time.Millisecond; k++ {
				fastest = min(fastest, irtest.Took(func() { compileFile(t, file, src, name) }))
			}
			if fastest > 100*time.Millisecond {
				t.Errorf("compiling takes %v, not 100 ms at most", fastest)
			}
		})
	}
}

// TestEmitSeveral compares the Go file that is emitted for a file of several nests with a golden.
// Other tests run its portable kernels.
func TestEmitSeveral(t *testing.T) {
	const name = "relaxation"
	dir := filepath.Join("../../testdata/emit", name)
	src, err := os.ReadFile(filepath.Join(dir, name+".loop"))
	if err != nil {
		t.Fatal(err)
	}
	p, diags := frontend.CompileProgram(name+".loop", src)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	lowered, nests, whole, diags := transform.LowerProgram(p, nil)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	code, err := codegen.Generate(p, lowered, nests, whole, codegen.Options{Package: name})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range code {
		if f.Suffix == "_loop.go" {
			irtest.Golden(t, filepath.Join(dir, name+f.Suffix), f.Text)
		}
	}
}

// TestDeterministic compiles every example five times and requires the same
// bytes.
func TestDeterministic(t *testing.T) {
	for _, file := range examples(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, _, _, first := compileFile(t, file, src, "x")
		for range 4 {
			if _, _, _, again := compileFile(t, file, src, "x"); !reflect.DeepEqual(first, again) {
				t.Fatalf("%s: two compilations differ", file)
			}
		}
	}
}

// TestBlankLine adds a blank line above the loop: only comments of the output
// may change.
func TestBlankLine(t *testing.T) {
	for _, file := range examples(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		moved := bytes.Replace(src, []byte("\nfor "), []byte("\n\nfor "), 1)
		_, _, _, a := compileFile(t, file, src, "x")
		_, _, _, b := compileFile(t, file, moved, "x")
		if reflect.DeepEqual(a, b) {
			t.Errorf("%s: the line numbers did not change; the test proves nothing", file)
		}
		for k := range a {
			if code(a[k].Text) != code(b[k].Text) {
				t.Errorf("%s: a blank line changes more than comments of the file %s", file, a[k].Suffix)
			}
		}
	}
}

// code returns emitted source without its comments.
func code(src []byte) string {
	var b strings.Builder
	for line := range strings.Lines(string(src)) {
		if line, _, _ = strings.Cut(line, "//"); strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, " \t\n") + "\n")
		}
	}
	return b.String()
}

// TestEmitted builds every example, shrunk, and runs it under many plans
// against the interpreter, bit for bit.
func TestEmitted(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 5))
	var nests []builtNest
	for _, file := range examples(t) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		small := shrunk(string(src))
		b, ok := buildNest(t, strings.TrimSuffix(filepath.Base(file), ".loop"), small, rng, 24)
		if !ok {
			t.Fatalf("%s: refused when shrunk:\n%s", file, small)
		}
		nests = append(nests, b)
	}
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	for _, r := range runNests(t, nests) {
		if r.Ran < 12 {
			t.Errorf("%s: only %d plans were run", r.Nest, r.Ran)
		}
	}
	if ctx.Err() != nil {
		t.Error("took more than two minutes")
	}
}

// shrunk returns the source of an example with a few points per parameter.
func shrunk(src string) string {
	for line := range strings.Lines(src) {
		if !strings.HasPrefix(line, "param ") {
			continue
		}
		// "param X, Y = 64, 64"
		names, _, _ := strings.Cut(strings.TrimPrefix(line, "param "), "=")
		var sizes []string
		for k := range strings.Split(names, ",") {
			sizes = append(sizes, []string{"7", "11", "23"}[k%3])
		}
		src = strings.Replace(src, line, "param "+strings.TrimSpace(names)+" = "+strings.Join(sizes, ", ")+"\n", 1)
	}
	return src
}
