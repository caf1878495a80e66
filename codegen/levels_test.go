package codegen_test

import (
	"bytes"
	"encoding/gob"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"loopc/codegen"
	"loopc/codegen/asm"
	"loopc/codegen/vector"
	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/irtest"
	"loopc/runtime/simd"
	"loopc/testdata/lacking"
	"loopc/testdata/lanesrun"
	"loopc/transform"
	"loopc/transform/plan"
)

var (
	levelNests = flag.Int("level-nests", 4, "random nests for TestLevels")
	levelSeed  = flag.Uint64("level-seed", 0, "seed for TestLevels; 0: a fresh one")
)

// TestLevels checks the functions of kernels whose lanes are levels against what
// kernel.Temporal says that they do: on random memory, special values included, they
// leave the bits that a model of the frame does, lane by lane.
func TestLevels(t *testing.T) {
	seed := *levelSeed
	if seed == 0 {
		seed = irtest.Seed()
	}
	t.Logf("-level-seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	var nests []*levelNest
	peers, err := filepath.Glob("../testdata/peers/*.loop")
	if err != nil || len(peers) < 8 {
		t.Fatal(peers, err)
	}
	for _, file := range peers {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		b := buildLevels(t, strings.TrimSuffix(filepath.Base(file), ".loop"), string(text))
		if b == nil {
			t.Errorf("%s has no kernel whose lanes are levels", file)
			continue
		}
		nests = append(nests, b)
	}
	for _, elem := range []string{"float32", "float64"} {
		b := buildLevels(t, "quotients"+elem, strings.ReplaceAll(quotients, "ELEM", elem))
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for quotients of %s", elem)
		}
		nests = append(nests, b)
	}
	for k, r := range reductions {
		b := buildLevels(t, fmt.Sprintf("reductions%d", k), r)
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for\n%s", r)
		}
		nests = append(nests, b)
	}
	for k, r := range placed {
		for _, elem := range []string{"float32", "float64"} {
			b := buildLevels(t, fmt.Sprintf("placed%d%s", k, elem), strings.ReplaceAll(r, "ELEM", elem))
			if b == nil {
				t.Fatalf("there is no kernel whose lanes are levels for\n%s", r)
			}
			nests = append(nests, b)
		}
	}
	for k, r := range backwardRows {
		b := buildLevels(t, fmt.Sprintf("backward%d", k), r)
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for\n%s", r)
		}
		nests = append(nests, b)
	}
	for k, r := range narrowResults {
		b := buildLevels(t, fmt.Sprintf("narrow%d", k), r)
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for\n%s", r)
		}
		nests = append(nests, b)
	}
	for k, r := range constTables {
		b := buildLevels(t, fmt.Sprintf("constants%d", k), r)
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for\n%s", r)
		}
		nests = append(nests, b)
	}
	for _, cell := range []string{"int8", "uint8", "int16"} {
		src := "param N = 10\narray tab[-1..2, 0..3] " + cell + " in\narray f[0..N, 0..N] float32 in\narray u[1..N+2, 1..N+1] float32 inout\nfor i = 1..N, j = 1..N, k = 1..min(N, j+1) {\n\tu[j,k] = 0.3*tab[max(-1, min(k, 2)),int32(f[i,j]) & 3] + 0.3*u[j+2,k+1]\n}\n"
		b := buildLevels(t, "table"+cell, src)
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for\n%s", src)
		}
		nests = append(nests, b)
	}
	crowded := buildLevels(t, "crowded", crowdedNest())
	if crowded == nil {
		t.Fatal("there is no kernel whose lanes are levels for a nest that needs more registers than there are")
	}
	nests = append(nests, crowded)
	for k, x := range added {
		b := buildLevels(t, fmt.Sprintf("added%d", k), x.src)
		if b == nil {
			t.Fatalf("there is no kernel whose lanes are levels for\n%s", x.src)
		}
		for _, k := range b.kernels {
			for v, y := range k.Lanes.Values {
				if y.Plus != x.plus[v] {
					t.Errorf("%s: %d is added to value %d, want %d\n%s", k.ISA, y.Plus, v, x.plus[v], x.src)
				}
			}
		}
		nests = append(nests, b)
	}
	named := len(nests)
	for tried := 0; len(nests) < named+*levelNests; tried++ {
		if tried > 40**levelNests+100 {
			t.Fatalf("of %d random nests only %d have such a kernel", tried, len(nests)-named)
		}
		if b := buildLevels(t, fmt.Sprintf("nest%03d", len(nests)), irtest.RandomNest(rng)); b != nil {
			nests = append(nests, b)
		}
	}
	binary := linkLevels(t, nests)
	usable := map[asm.ISA]bool{asm.AVX2: simd.AVX2(), asm.AVX512: simd.AVX512()}
	var jobs []lanesrun.Job
	var models []*levelModel
	for _, b := range nests {
		for _, k := range b.kernels {
			if !usable[k.ISA] {
				continue
			}
			for _, many := range []bool{false, true} {
				if many && k.Lanes.Streams == 1 {
					continue
				}
				for _, masked := range []bool{false, true} {
					m := newLevelModel(rng, b, &k, many, masked)
					jobs = append(jobs, m.job(k.ISA.String()))
					models = append(models, m)
				}
			}
		}
	}
	if len(jobs) == 0 {
		lacking.Skip(t, "this processor has no AVX2")
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
	dec := gob.NewDecoder(bytes.NewReader(out))
	wrong := 0
	for i, m := range models {
		var got [][]byte
		if err := dec.Decode(&got); err != nil {
			t.Fatalf("%s: %v\n%s", m.b.name, err, m.b.src)
		}
		m.run()
		if diff := m.differs(got); diff != "" && wrong < 5 {
			wrong++
			t.Errorf("%s, %s, many %v, masked %v: %s\n%s", m.b.name, jobs[i].ISA, m.many, m.masked, diff, m.b.src)
		}
	}
	t.Logf("%d nests, %d calls", len(nests), len(jobs))
}

// A levelNest is a nest with kernels whose lanes are levels.
type levelNest struct {
	name, src string
	n         *ir.Nest
	l         *ir.Lowered
	live      []bool
	files     []codegen.File
	kernels   []vector.LevelKernel
	shape     *vector.Levels
}

// buildLevels emits a nest, or returns nil if it has no kernels with lanes across levels.
func buildLevels(t *testing.T, name, src string) *levelNest {
	t.Helper()
	n, _ := frontend.Compile(name+".loop", []byte(src))
	if n == nil {
		return nil
	}
	l, p, diags := transform.Lower(n)
	if len(diags) > 0 || p == nil {
		return nil
	}
	p.Whole = false // also of nests that prefer lanes along rows
	b := &levelNest{name: name, src: src, n: n, l: l}
	b.shape, b.kernels, b.live = codegen.LevelKernels(n, l, p)
	if b.shape == nil {
		return nil
	}
	var err error
	if b.files, err = codegen.Generate(ir.Alone(n), []*ir.Lowered{l}, []*plan.Nest{p}, p, codegen.Options{Package: name}); err != nil {
		t.Fatal(err)
	}
	return b
}

// linkLevels builds the program that runs the functions of the nests.
func linkLevels(t *testing.T, nests []*levelNest) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(dir, "module")
	put := func(path string, data []byte) {
		at := filepath.Join(module, path)
		if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	// A module beside that of loopc, without -trimpath: go test has compiled what it imports.
	put("go.mod", fmt.Appendf(nil, "module nests\n\ngo 1.26.0\n\nrequire loopc v0.0.0\n\nreplace loopc => %s\n", strconv.Quote(root)))
	var imports, entries strings.Builder
	for _, b := range nests {
		for _, f := range b.files {
			put(b.name+"/nest"+f.Suffix, f.Text)
		}
		var lanes strings.Builder
		for _, k := range b.kernels {
			fmt.Fprintf(&lanes, "%q: &tileKernelLevels%s,\n", k.ISA, strings.ToUpper(k.ISA.String()))
		}
		put(b.name+"/lanes.go", fmt.Appendf(nil, "package %s\n\nimport \"loopc/runtime/kernel\"\n\nvar All = map[string]*kernel.Temporal{\n%s}\n", b.name, lanes.String()))
		fmt.Fprintf(&imports, "%q\n", "nests/"+b.name)
		fmt.Fprintf(&entries, "%q: %s.All,\n", b.name, b.name)
	}
	put("main/main.go", fmt.Appendf(nil, "package main\n\nimport (\n\"loopc/runtime/kernel\"\n\"loopc/testdata/lanesrun\"\n%s)\n\nfunc main() { lanesrun.Main(map[string]map[string]*kernel.Temporal{\n%s}) }\n", imports.String(), entries.String()))
	binary := filepath.Join(dir, "nests")
	build := exec.Command("go", "build", "-buildvcs=false", "-ldflags=-s", "-o", binary, "./main")
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}
