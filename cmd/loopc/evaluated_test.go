package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"loopc/codegen"
	"loopc/ir"
	"loopc/ir/eval"
	"loopc/ir/irtest"
	"loopc/runtime/simd"
	"loopc/transform"
	"loopc/transform/plan"
)

// TestEvaluatedNests executes the vector kernels of random nests instruction by instruction with
// package asmtest, which works on any processor, and compares the results with the interpreter's,
// bit for bit. It begins with a nest whose values have several sizes, and covers every scheme.
// Larger samples also evaluate kernels with AVX2 where the processor has it.
func TestEvaluatedNests(t *testing.T) {
	t.Parallel()
	seed, count := evaluatedCases.begin(t), *evaluatedCases.count
	all := map[string]*evaluatedTally{}
	for done, batch := 0, uint64(0); done < count; batch++ {
		n := min(40, count-done)
		for _, isa := range []string{"avx512", "avx2"} {
			if isa == "avx2" && (batch%4 != 0 || n < 20 || !simd.AVX2()) {
				continue
			}
			rng := rand.New(rand.NewPCG(seed, batch))
			if all[isa] == nil {
				all[isa] = &evaluatedTally{kernels: map[string]int{}, kinds: map[string]int{}, calls: map[string]int64{}, instructions: map[string]int64{}}
			}
			all[isa].add(t, rng, isa, n)
		}
		if done += n; t.Failed() {
			return
		}
	}
	for isa, a := range all {
		t.Logf("%s: %d nests, %v; %d plans run, kernels %v; %d calls, %d instructions of %d forms", isa, a.nests, a.kinds, a.ran, a.kernels, total(a.calls), total(a.instructions), len(a.instructions))
		if a.kernels[isa] < a.ran/4 || len(a.instructions) < 60 {
			t.Errorf("%s: the kernels of %d plans were %v, of %d forms of instructions; the test proves little", isa, a.ran, a.kernels, len(a.instructions))
		}
		if *evaluatedForms {
			for _, of := range []map[string]int64{a.calls, a.instructions} {
				for _, name := range slices.Sorted(maps.Keys(of)) {
					t.Logf("%s: %d times %s", isa, of[name], name)
				}
			}
		}
	}
}

// An evaluatedTally counts nests whose kernels were evaluated, and what was executed.
type evaluatedTally struct {
	nests, ran          int
	kernels, kinds      map[string]int
	calls, instructions map[string]int64
}

// evaluatedKinds are the kinds of nests, each with how it is made up.
var evaluatedKinds = []struct {
	name, has string // has is a function in their assembly
	source    func(rng *rand.Rand) string
	inputs    func(*rand.Rand, *ir.Nest, []int) map[string]*eval.Array
}{
	{"several sizes", "tileKernelAVX512", sizedNest, specialInputs},
	{"wavefront", "tileKernelAVX512x1", wideNest, specialInputs},
	{"several sizes", "tileKernelAVX512", sizedNest, specialInputs},
	{"levels", "tileKernelLevelsAVX512x1", tallNest, specialInputs},
	{"several sizes", "tileKernelAVX512", sizedNest, specialInputs},
	{"rows", "tileKernelAVX512", vectorNest, specialInputs},
	{"narrow results", "tileKernelLevelsAVX512x1", narrowNest, specialInputs},
	{"levels", "tileKernelLevelsAVX512x1", irtest.RandomNest, irtest.RandomInputs},
}

// tallNest is vectorNest with more levels than a vector has lanes, and wideNest with more rows than
// two vectors have.
func tallNest(rng *rand.Rand) string {
	return sizedAs(vectorNest(rng), 14+rng.IntN(40), 1+rng.IntN(6), 1+rng.IntN(400))
}

func wideNest(rng *rand.Rand) string {
	return sizedAs(vectorNest(rng), 3, 16+rng.IntN(70), 1+rng.IntN(120))
}

// sizedAs returns a nest with other parameters.
func sizedAs(nest string, t, n, m int) string {
	_, rest, _ := strings.Cut(nest, "\n")
	return fmt.Sprintf("param T, N, M = %d, %d, %d\n%s", t, n, m, rest)
}

// add runs random nests.
func (a *evaluatedTally) add(t *testing.T, rng *rand.Rand, isa string, count int) {
	t.Helper()
	module := nestModule(t, "codegen/asm/asmtest")
	evaluatedRuntime(t, module, isa)
	var nests []builtNest
	for len(nests) < count {
		kind := evaluatedKinds[len(nests)%len(evaluatedKinds)]
		b, ok := buildNestOn(t, fmt.Sprintf("nest%03d", len(nests)), kind.source(rng), rng, 0, transform.Lower, kind.inputs)
		if !ok || !slices.ContainsFunc(b.code, func(f codegen.File) bool { return strings.Contains(string(f.Text), "TEXT ·"+kind.has+"(SB)") }) {
			continue
		}
		a.kinds[kind.name]++
		for range 4 {
			b.job.Plans = append(b.job.Plans, []plan.Options{{Ranks: 1 + rng.IntN(3)/2, CPUs: 1}})
		}
		evaluatedCode(t, &b, isa)
		nests = append(nests, b)
	}
	a.nests += len(nests)
	file := filepath.Join(t.TempDir(), "executed")
	putIn(t, module, "nests/main/executed.go", vendored(t, "executed.go", fmt.Appendf(nil, executedAtEnd, file)))
	for _, r := range judged(t, nests, reportsIn(t, nests, module, "executed()")) {
		a.ran += r.Ran
		for name, plans := range r.Kernels {
			a.kernels[name] += plans
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var executed [2]map[string]int64
	if err := json.Unmarshal(text, &executed); err != nil {
		t.Fatal(err)
	}
	for k, to := range []map[string]int64{a.calls, a.instructions} {
		for name, n := range executed[k] {
			if n > 0 {
				to[name] += n
			}
		}
	}
}

func total(of map[string]int64) (n int64) {
	for _, x := range of {
		n += x
	}
	return n
}

// executedAtEnd is the source of a function of the program that runs the nests: it writes the
// numbers of kernel calls and of evaluated instructions, by name, to the file %q.
const executedAtEnd = `package main

import (
	"encoding/json"
	"os"

	"loopc/codegen/asm/asmtest"
)

func executed() {
	calls, instructions := asmtest.Executed()
	text, err := json.Marshal([]any{calls, instructions})
	if err == nil {
		err = os.WriteFile(%q, text, 0o666)
	}
	if err != nil {
		panic(err)
	}
}
`

// evaluatedCode changes the code of b: in place of its kernels for an instruction set, package
// asmtest evaluates their assembly.
func evaluatedCode(t *testing.T, b *builtNest, isa string) {
	t.Helper()
	var text strings.Builder
	for _, f := range b.code {
		if strings.HasSuffix(f.Suffix, ".s") {
			text.Write(f.Text)
		}
	}
	for k, f := range b.code {
		if strings.HasSuffix(f.Suffix, "_amd64.go") {
			code, calls := evaluatedCalls(string(f.Text), b.job.Nest, text.String(), isa)
			b.code[k].Text = []byte(code)
			b.code = append(b.code, codegen.File{Suffix: "_evaluated_amd64.go", Text: []byte(calls)})
			return
		}
	}
	t.Fatalf("there is no vector kernel for\n%s", b.src)
}

// declared are the functions in assembly that have a frame.
var declared = regexp.MustCompile(`(?m)^func (\w+)\(frame \*(\w+)\)$`)

// evaluatedCalls returns code of package pkg in which each call of a function F in assembly, for
// an instruction set, became a call of evaluated_F, and the Go file with the functions
// evaluated_F, which evaluate F's assembly in text. F itself remains, but nothing calls it.
func evaluatedCalls(code, pkg, text, isa string) (changed, calls string) {
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"unsafe\"\n\n\t\"loopc/codegen/asm/asmtest\"\n)\n\nvar evaluatedText = asmtest.Counted(%q)\n", pkg, text)
	for _, part := range declared.FindAllStringSubmatch(code, -1) {
		name, of := part[1], part[2]
		if !strings.Contains(name, strings.ToUpper(isa)) {
			continue
		}
		code = regexp.MustCompile(`\b`+name+`\b`).ReplaceAllString(code, "evaluated_"+name)
		code = strings.Replace(code, "func evaluated_"+name+"(frame *", "func "+name+"(frame *", 1)
		fmt.Fprintf(&b, "\nfunc evaluated_%s(frame *%s) { evaluatedText.Call(%q, unsafe.Pointer(frame)) }\n", name, of, name)
	}
	return code, b.String()
}

// evaluatedRuntime changes package simd of a module so that the processor seems to have an
// instruction set, whose instructions are evaluated.
func evaluatedRuntime(t *testing.T, module, isa string) {
	t.Helper()
	sources, err := filepath.Glob(filepath.Join(module, vendorFolder, "runtime/simd/*"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("there is no package simd: %v", err)
	}
	for _, name := range sources {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, []byte(evaluatedSimd(t, module, filepath.Base(name), string(text), isa)), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// evaluatedSimd returns a file of package simd as evaluatedRuntime needs it. Instructions that
// package asm does not write are replaced by equivalent ones.
func evaluatedSimd(t *testing.T, module, name, text, isa string) string {
	t.Helper()
	replace := func(old, by string) {
		if !strings.Contains(text, old) {
			t.Fatalf("%s does not contain %s", name, old)
		}
		text = strings.Replace(text, old, by, 1)
	}
	switch name {
	case "interleaver_amd64.go":
		assembly, err := os.ReadFile("../../runtime/simd/interleaver_amd64.s")
		if err != nil {
			t.Fatal(err)
		}
		var calls string
		text, calls = evaluatedCalls(text, "simd", string(assembly), isa)
		putIn(t, module, vendorFolder+"/runtime/simd/evaluated_amd64.go", vendored(t, "evaluated_amd64.go", []byte(calls)))
	case "simd_amd64.go":
		replace("\treturn s\n}\n", "\treturn set{avx2: true, avx512: "+fmt.Sprint(isa == "avx512")+"}\n}\n")
	case "past.go": // so that small arrays are streamed, too
		replace("StreamBytes = 4 << 20", "StreamBytes = 1 << 12")
	case "past_amd64.go":
		replace("if AVX512() {", "if false {")
		text += "\nfunc moved(to, from, n int) { copy(unsafe.Slice((*byte)(unsafe.Pointer(uintptr(to))), n), unsafe.Slice((*byte)(unsafe.Pointer(uintptr(from))), n)) }\n"
	case "lines.go":
		replace("\tmoveVectors(", "\tmoved(")
	}
	return text
}
