package main

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"loopc/codegen"
	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
	"loopc/ir/irtest"
	"loopc/runtime/array"
	"loopc/runtime/simd"
	"loopc/testdata/nestrun"
	"loopc/transform"
	"loopc/transform/plan"
)

var (
	nestCount = flag.Int("nests", 50, "random nests to compile and run")
	nestPlans = flag.Int("nest-plans", 12, "random plans per random nest")
	nestSeed  = flag.Uint64("nest-seed", 1, "seed of the random nests; 0: a fresh one")
	nestShare = flag.Int("nest-tilings", 3, "one nest in so many gets a random tiling matrix; 0: none")
)

// TestRandomNests checks the whole way from a .loop file to a running program
// against the interpreter: random nests, each emitted, compiled and run under
// random plans, with no differing bit. Nests are linked 50 to a binary.
func TestRandomNests(t *testing.T) {
	seed := *nestSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("go test ./cmd/loopc -run TestRandomNests -nests %d -nest-plans %d -nest-seed %d", *nestCount, *nestPlans, seed)
	ran, refused, tiled, turned := 0, 0, 0, 0
	kernels := map[string]int{}
	for done, batch := 0, uint64(0); done < *nestCount; batch++ {
		n := min(50, *nestCount-done)
		rng := rand.New(rand.NewPCG(seed, batch))
		var nests []builtNest
		for len(nests) < n {
			src := irtest.RandomNest(rng)
			lower := transform.Lower
			if *nestShare > 0 && len(nests)%*nestShare == 0 {
				lower = func(n *ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic) {
					return transform.LowerTiled(n, randomTiling(t, rng, n))
				}
			}
			if b, ok := buildNestAs(t, fmt.Sprintf("nest%03d", len(nests)), src, rng, *nestPlans, lower); ok {
				nests = append(nests, b)
				if !b.triangular {
					turned++
				}
				if b.tiled {
					tiled++
				}
			}
		}
		for _, r := range runNests(t, nests) {
			ran += r.Ran
			refused += r.Refused
			for name, plans := range r.Kernels {
				kernels[name] += plans
			}
		}
		done += n
		if t.Failed() {
			return
		}
	}
	t.Logf("%d nests, %d with a tiling, %d of which is not triangular; %d plans run, %d refused; kernels %v", *nestCount, tiled, turned, ran, refused, kernels)
	if simd.AVX2() && kernels["avx2"] < ran/80 {
		t.Errorf("only %d of %d plans were run with the avx2 kernel", kernels["avx2"], ran)
	}
	if *nestShare > 0 && (tiled < *nestCount / *nestShare || turned < tiled/3) {
		t.Errorf("only %d nests have a tiling, %d one that is not triangular; the test proves little", tiled, turned)
	}
	if ran < *nestCount**nestPlans/3 {
		t.Errorf("only %d plans were run; the test proves little", ran)
	}
}

// A builtNest is an emitted nest with the job that checks it.
type builtNest struct {
	src  string
	code []codegen.File
	job  nestrun.Job

	tiled, triangular bool // T was not simply the skew; T is unit lower triangular
}

// buildNest emits a nest and interprets it; ok is false if the frontend refuses
// it, as it must some.
func buildNest(t *testing.T, name, src string, rng *rand.Rand, plans int) (builtNest, bool) {
	t.Helper()
	return buildNestAs(t, name, src, rng, plans, transform.Lower)
}

// buildNestAs is buildNest with a choice of how the nest is lowered.
func buildNestAs(t *testing.T, name, src string, rng *rand.Rand, plans int, lower func(*ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic)) (builtNest, bool) {
	t.Helper()
	return buildNestOn(t, name, src, rng, plans, lower, irtest.RandomInputs)
}

// buildNestOn is buildNestAs with a choice of the inputs.
func buildNestOn(t *testing.T, name, src string, rng *rand.Rand, plans int, lower func(*ir.Nest) (*ir.Lowered, *plan.Nest, []diag.Diagnostic),
	inputs func(*rand.Rand, *ir.Nest, []int) map[string]*eval.Array) (builtNest, bool) {
	t.Helper()
	n, _ := frontend.Compile(name+".loop", []byte(src))
	if n == nil {
		return builtNest{}, false
	}
	l, p, diags := lower(n)
	if len(diags) > 0 {
		return builtNest{}, false
	}
	code, err := codegen.Generate(n, l, p, codegen.Options{Package: name})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	b := builtNest{src: src, code: code, tiled: l.Why != "", triangular: p.Triangular(), job: nestrun.Job{Nest: name, Given: map[int][]byte{}, Want: map[int][]byte{}}}
	for _, x := range n.Params {
		b.job.Params = append(b.job.Params, *x.Default)
	}
	given := inputs(rng, n, b.job.Params)
	want, err := eval.Run(n, b.job.Params, given)
	if err != nil {
		b.job.Fails = err.Error()
	}
	for k, a := range n.Arrays {
		if g, ok := given[a.Name]; ok {
			b.job.Given[k] = cellBytes(g)
		}
		if w, ok := want[a.Name]; ok && a.Returned() {
			b.job.Want[k] = cellBytes(w)
		}
	}
	for k, r := range n.Reduces() {
		if w, ok := want[r.Name]; ok {
			b.job.Want[len(n.Arrays)+k] = cellBytes(w)
		}
	}
	for range plans {
		b.job.Plans = append(b.job.Plans, randomPlan(rng, n, p))
	}
	return b, true
}

// randomTiling returns a legal tiling of n with a random unimodular matrix, with
// permutations, negative entries and both determinants among them, and now and
// then with tile sides.
func randomTiling(t *testing.T, rng *rand.Rand, n *ir.Nest) *transform.Tiling {
	t.Helper()
	var dists []ir.Vec
	for _, r := range n.Analysis.Reads {
		for _, s := range r.Sources {
			if s.Dist.Sign() != 0 {
				dists = append(dists, s.Dist)
			}
		}
	}
	u := transform.SkewOf(n, dists)
	reach := make([]int, len(u)) // max U·d per row
	legal := func() bool {
		for k, row := range u {
			reach[k] = 0
			for _, d := range dists {
				x := 0
				for i, c := range row {
					x += c * d[i]
				}
				if x < 0 {
					return false
				}
				reach[k] = max(reach[k], x)
			}
		}
		return slices.Max(reach) < 12 // else tiles cannot be small
	}
	for range 12 {
		a, b, before := rng.IntN(len(u)), rng.IntN(len(u)), make([][]int, len(u))
		for k := range u {
			before[k] = slices.Clone(u[k])
		}
		switch c := 1 - 2*rng.IntN(2); {
		case a == b:
			for i := range u[a] {
				u[a][i] *= -1
			}
		case rng.IntN(2) == 0:
			u[a], u[b] = u[b], u[a]
		default:
			for i := range u[a] {
				u[a][i] += c * u[b][i]
			}
		}
		if !legal() {
			u = before
		}
	}
	legal()
	var rows []string
	for k, row := range u {
		side := 1
		if rng.IntN(3) == 0 {
			side = max(2, reach[k]) + rng.IntN(4)
		}
		var entries []string
		for _, x := range row {
			entries = append(entries, fmt.Sprintf("%d/%d", x, side))
		}
		rows = append(rows, strings.Join(entries, ","))
	}
	tiling, err := transform.ParseTiling("H=" + strings.Join(rows, ";"))
	if err != nil {
		t.Fatal(err)
	}
	return tiling
}

// randomPlan returns options that may, or may not, fit the nest.
func randomPlan(rng *rand.Rand, n *ir.Nest, p *plan.Nest) plan.Options {
	o := plan.Options{Ranks: 1 + rng.IntN(8), CPUs: 1 + rng.IntN(3), Comm: plan.Comm(rng.IntN(3)), Group: plan.Group(rng.IntN(3)), Assign: plan.Assign(rng.IntN(5))}
	if rng.IntN(3) > 0 {
		o.Map = p.Dims[len(p.Dims)-1-rng.IntN(len(n.Loops))]
	}
	if rng.IntN(4) > 0 {
		margin := p.Margin()[len(p.Dims)-n.Depth():]
		for k := range n.Loops {
			side := 0
			switch rng.IntN(3) {
			case 0:
				side = max(1, margin[k])
			case 1:
				side = max(1, margin[k]) + rng.IntN(9)
			}
			o.Tile = append(o.Tile, side)
		}
	}
	return o
}

// cellBytes returns the cells of a as bytes.
func cellBytes(a *eval.Array) []byte {
	switch a.Elem {
	case ir.Float32:
		return asBytes(a.F32)
	case ir.Float64:
		return asBytes(a.F64)
	case ir.Int32:
		return asBytes(a.I32)
	case ir.Int64:
		return asBytes(a.I64)
	}
	return a.U8
}

func asBytes[T array.Number](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return bytes.Clone(unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), len(s)*int(unsafe.Sizeof(s[0]))))
}

// runNests links the nests into one binary, without writing into the tree, runs
// their jobs, and reports every difference with the nest that shows it.
func runNests(t *testing.T, nests []builtNest) []nestrun.Report {
	t.Helper()
	// A module of the same name, with the real packages and the nests: assembly
	// wants real folders, which an overlay has not.
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "module")
	for _, link := range []string{"go.mod", "go.sum", "runtime", "transform", "testdata/nestrun"} {
		at := filepath.Join(module, link)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(root, link), at); err != nil {
			t.Fatal(err)
		}
	}
	put := func(path string, data []byte) {
		at := filepath.Join(module, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var imports, entries strings.Builder
	var jobs []nestrun.Job
	for _, b := range nests {
		for _, file := range b.code {
			put("testdata/nests/"+b.job.Nest+"/nest"+file.Suffix, file.Text)
		}
		fmt.Fprintf(&imports, "%q\n", "loopc/testdata/nests/"+b.job.Nest)
		fmt.Fprintf(&entries, "%q: %s.Program,\n", b.job.Nest, b.job.Nest)
		jobs = append(jobs, b.job)
	}
	put("testdata/nests/main/main.go", fmt.Appendf(nil, `package main

import (
	"loopc/runtime/sched"
	"loopc/testdata/nestrun"
	%s
)

func main() { nestrun.Main(map[string]*sched.Program{%s}) }
`, imports.String(), entries.String()))
	binary := filepath.Join(dir, "nests")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", binary, "./testdata/nests/main")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		text := string(out)
		for _, b := range nests {
			if strings.Contains(text, b.job.Nest+"/nest_") {
				t.Fatalf("%s\n%s\n%s", text, b.src, b.code[0].Text)
			}
		}
		t.Fatal(text)
	}
	var in bytes.Buffer
	if err := gob.NewEncoder(&in).Encode(jobs); err != nil {
		t.Fatal(err)
	}
	run := exec.Command(binary)
	run.Stdin, run.Stderr = &in, os.Stderr
	out, err := run.Output()
	if err != nil {
		t.Errorf("the nests: %v", err)
	}
	var reports []nestrun.Report
	dec := json.NewDecoder(bytes.NewReader(out))
	for dec.More() {
		var r nestrun.Report
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		reports = append(reports, r)
	}
	if len(reports) < len(nests) && err != nil {
		b := nests[len(reports)]
		t.Fatalf("the binary ended in %s:\n%s\n%s", b.job.Nest, b.src, b.code[0].Text)
	}
	for i, r := range reports {
		if len(r.Wrong) > 0 {
			t.Errorf("%s: %d plans run, %d wrong; first: %s\n%s\n%s", r.Nest, r.Ran, len(r.Wrong), r.Wrong[0], nests[i].src, nests[i].code[0].Text)
		}
	}
	return reports
}
