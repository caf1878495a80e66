package bench

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir/diag"
	"loopc/ir/irtest"
	"loopc/testdata/lacking"
	"loopc/transform"
)

// suites is the folder with nests of each class, polybench has PolyBench's kernels, and long has runs of many levels.
var suites, polybench, long = filepath.Join(peers, "..", "suites"), filepath.Join(peers, "..", "polybench"), filepath.Join(peers, "..", "long")

// compile compiles a nest as far as code generation.
func (n *nest) compile(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(n.loop)
	if err != nil {
		t.Fatal(err)
	}
	p, diags := frontend.CompileProgram(n.loop, text)
	if diag.HasErrors(diags) {
		t.Fatalf("%s: %v", n.loop, diags)
	}
	_, _, _, diags = transform.LowerProgram(p, nil)
	if diag.HasErrors(diags) {
		t.Errorf("%s: %v", n.loop, diags)
	}
	n.facts = factsOf(p)
}

// compiled returns the nests of a folder, compiled.
func compiled(t *testing.T, folder string) []*nest {
	t.Helper()
	list, err := readNests(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list {
		n.compile(t)
	}
	return list
}

// listedNest returns a nest of a folder, compiled.
func listedNest(t *testing.T, folder, name string) *nest {
	t.Helper()
	list, err := readNests(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range list {
		if n.name == name {
			n.compile(t)
			return n
		}
	}
	t.Fatalf("%s has no nest %s", folder, name)
	return nil
}

// classes are the classes of nests, each with nests in the suite except the last one.
var classes = []string{"stencil", "sweep", "fields", "volume", "table", "image", "bytes", "dense", "solver"}

// TestNests compiles every listed nest, and checks its parameters, results and class, that it
// has a C program, and that no file belongs to no nest.
func TestNests(t *testing.T) {
	count := map[string]int{}
	for _, folder := range []string{peers, suites, polybench, long} {
		list := compiled(t, folder)
		stems := []string{"machine"}
		for _, n := range list {
			stems = append(stems, filepath.Base(n.name))
			if folder == suites {
				count[n.class]++
			}
			if !slices.Contains(classes, n.class) || n.title == "" || len(n.outs) == 0 || n.cut == "" && folder != polybench {
				t.Errorf("%s: class %q, title %q, results %q, cut %q", n.name, n.class, n.title, n.outs, n.cut)
			}
			for _, size := range []string{"tiny", "small", "large"} {
				var names []string
				for _, p := range n.sizes[size] {
					names = append(names, p.name)
				}
				var want []string
				for _, p := range n.program.Params {
					want = append(want, p.Name)
				}
				if !slices.Equal(names, want) {
					t.Errorf("%s, %s has the parameters %v, the file %v", n.name, size, names, want)
				}
			}
			if _, err := os.Stat(n.c); err != nil {
				t.Error(err)
			}
		}
		files, err := filepath.Glob(filepath.Join(folder, "*.[cl]*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			stem := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(filepath.Base(name), ".c"), ".loop"), "_mpi")
			if !slices.Contains(stems, stem) {
				t.Errorf("%s belongs to no nest", name)
			}
		}
	}
	for _, class := range classes[:len(classes)-1] {
		if count[class] < 8 {
			t.Errorf("the suite has %d nests of class %s", count[class], class)
		}
	}
}

// TestFacts compares the operations and the bytes that are counted in the source with counts by
// hand.
func TestFacts(t *testing.T) {
	type figures struct{ elem, ops, divisions, byConstant, read, written float64 }
	const n = 19 // of the size tiny
	for name, want := range map[string]figures{
		"pipeline_faces": {4, 5, 0, 0, 4 * 8 * 71, 4 * 8 * 71},              // 3 products, 2 sums
		"seidel5":        {8, 4, 0, 0, 8 * 21 * 21, 8 * 21 * 21},            // 3 sums, 1 product
		"seidel9":        {8, 10, 0, 1, 8 * 21 * 21, 8 * 21 * 21},           // 8 sums, 2 products for the division
		"sw_affine":      {4, 12, 0, 0, 21 + 17, 4 * 18},                    // comparison, selection, 5 sums, 5 maxima
		"sw_table":       {4, 8, 0, 0, 21 + 17, 4 * 22 * 18},                // comparison, selection, 3 sums, 3 maxima
		"jacobi3d":       {8, 8, 0, 0, 8 * 11 * 11 * 11, 8 * 11 * 11 * 11},  // 6 sums, 2 products
		"heat3d":         {8, 13, 0, 0, 8 * 11 * 11 * 11, 8 * 11 * 11 * 11}, // 9 sums, 4 products: that by 2 counts once
		"adi":            {4, 7, 4, 0, 4 * (n*n + 2*20*20), 8 * 20 * 20},    // 4 sums, 3 products
	} {
		x := listedNest(t, peers, name)
		w := x.work(x.sizes["tiny"])
		read, written := x.moved(x.sizes["tiny"])
		if got := (figures{float64(x.elem), w.ops / w.points, w.divisions / w.points, w.byConstant / w.points, read, written}); got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	// A triangle, two nests, and a repeat.
	p, diags := frontend.CompileProgram("x.loop", []byte(`param N, T = 5, 3
array a[0..N] float64 inout
array b[0..N] float64 inout
repeat t = 1..T {
	for i = 1..N, j = 1..i {
		a[i] = a[i] + b[i-1]
	}
	for i = 1..N {
		b[i] = b[i]*a[i]/(b[i] + 2)
	}
}
`))
	if diag.HasErrors(diags) {
		t.Fatal(diags)
	}
	got := factsOf(p).work(params{{"T", 4}, {"N", 6}})
	if want := (work{points: 4 * (21 + 6), ops: 4 * (21 + 2*6), divisions: 4 * 6}); got != want {
		t.Errorf("two nests in a repeat: %+v, want %+v", got, want)
	}
	// Bounds with the number of a repeat, and a copy of all cells before it.
	p, diags = frontend.CompileProgram("x.loop", []byte(`param N = 5
array a[0..N] float64 inout
array b[0..N] float64 in
repeat k = 1..N {
	for i = k+1..N {
		a[i] = a[i] - b[k]
	}
}
`))
	if diag.HasErrors(diags) {
		t.Fatal(diags)
	}
	got = factsOf(p).work(params{{"N", 6}})
	if want := (work{points: 15 + 7, ops: 15}); got != want {
		t.Errorf("the number of a repeat: %+v, want %+v", got, want)
	}
}

// TestSourcesCompile compiles the C programs with warnings as errors.
func TestSourcesCompile(t *testing.T) {
	for _, folder := range []string{peers, suites, polybench, long} {
		files, err := filepath.Glob(filepath.Join(folder, "*.c"))
		if err != nil || len(files) < 12 && folder != long || len(files) < 5 {
			t.Fatalf("%s has %d C programs, %v", folder, len(files), err)
		}
		first, end := irtest.Part(4, 1) // of four programs
		for k, name := range files {
			if k%4 < first || k%4 >= end {
				continue
			}
			t.Run(filepath.Base(name), func(t *testing.T) {
				t.Parallel()
				compiler := "gcc"
				if strings.HasSuffix(name, "_mpi.c") {
					compiler = "mpicc.openmpi"
				}
				if _, err := exec.LookPath(compiler); err != nil {
					lacking.Skipf(t, "%s is missing", compiler)
				}
				out, err := exec.Command(compiler, "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-Wall", "-Wextra", "-Werror", "-O1", "-fopenmp", "-I"+peers, "-c", name, "-o", os.DevNull).CombinedOutput()
				if err != nil {
					t.Errorf("%v\n%s", err, out)
				}
			})
		}
	}
}

// TestSchemes reads what loopc plan says of kernels.
func TestSchemes(t *testing.T) {
	for want, lines := range map[string][]string{
		"vectors across levels; vectors across i":    {"vectors across levels, skewed by 0, steps along j", "avx2: 4 lanes", "vectors across i, skewed by 1, steps along j; portable where there are none", "portable: 8 rows together, each 1 behind the one above"},
		"portable: integers are divided":             {"portable: integers are divided"},
		"vectors along j; portable: no":              {"vectors along j; portable where there are none", "avx2: 8 lanes", "portable: no"}, // of two nests
		"loops as they are written; vectors along j": {"loops as they are written", "vectors along j", "avx2: 8 lanes"},
		"vectors across levels":                      {"vectors across levels, skewed by 1", "rows that are left over are portable: they are few"},
	} {
		if got := schemes(lines); got != want || scalar(got) != strings.Contains(want, "portable") {
			t.Errorf("%q: %q, scalar %t", lines, got, scalar(got))
		}
	}
}

// TestClasses checks the means, the worst row, and the reasons for portable kernels.
func TestClasses(t *testing.T) {
	row := func(class, schemes string, plain, strict float64) Row {
		return Row{Nest: class + schemes, Class: class, Schemes: schemes, PlainRatio: plain, StrictRatio: strict}
	}
	r := &Report{Rows: []Row{
		row("image", "vectors along j", 2, 3), row("image", "portable: no; portable: yes", 8, 12), row("bytes", "portable: no", 1, 0.5), row("", "", 0, 0),
	}}
	all := classesOf(r.recorded())
	if len(all) != 4 || all[0].Name != "image" || math.Abs(all[0].Ratio-4) > 1e-9 || math.Abs(all[0].Strict-6) > 1e-9 || all[0].Vector != 1 {
		t.Errorf("classes: %+v", all)
	}
	if c := all[3]; c.Name != "all" || c.Rows != 4 || c.compared != 3 || c.Worst.Class != "bytes" {
		t.Errorf("all: %+v", c)
	}
	if got := strings.Join(scalarNotes(r.recorded()), ", "); got != "of the rows, 2 have a nest that is portable: no, of the rows, 1 have a nest that is portable: yes" {
		t.Errorf("reasons: %s", got)
	}
}
