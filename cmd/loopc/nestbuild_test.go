package main

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"

	"loopc/codegen"
	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/eval"
	"loopc/ir/irtest"
	"loopc/testdata/nestrun"
	"loopc/transform"
	"loopc/transform/plan"
)

// A builtNest is an emitted nest with the job that checks it.
type builtNest struct {
	src  string
	code []codegen.File
	job  nestrun.Job

	tiled, triangular bool // T was not simply the skew; T is unit lower triangular
	several           bool // nests
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
	code, err := codegen.Generate(ir.Alone(n), []*ir.Lowered{l}, []*plan.Nest{p}, p, codegen.Options{Package: name})
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	b := builtNest{src: src, code: code, tiled: l.Why != "", triangular: p.Triangular()}
	b.job = jobOf(t, rng, name, ir.Alone(n), inputs)
	for range plans {
		b.job.Plans = append(b.job.Plans, []plan.Options{randomPlan(rng, n, p)})
	}
	return b, true
}

// lengthens reports whether a run of a nest can begin as one with a smaller parameter, on the same given arrays. Few random nests
// are such.
func lengthens(text string) bool {
	n, _ := frontend.Compile("nest.loop", []byte(text))
	if n == nil {
		return false
	}
	for p, extends := range ir.Alone(n).Extends() {
		in := func(f ir.Affine) bool { return f.Param(p) != 0 }
		if extends && !slices.ContainsFunc(n.Arrays, func(a ir.Array) bool {
			return (a.Role == ir.In || a.Role == ir.InOut) && (slices.ContainsFunc(a.Lo, in) || slices.ContainsFunc(a.Hi, in))
		}) {
			return true
		}
	}
	return false
}

// buildProgram does what buildNest does, for a file of any number of nests.
func buildProgram(t *testing.T, name, src string, rng *rand.Rand, plans int) (builtNest, bool) {
	t.Helper()
	return buildProgramWith(t, name, src, rng, plans, nil)
}

// buildProgramWith is buildProgram. If fault is not nil, it changes the emitted program, but not
// the one that the interpreter runs.
func buildProgramWith(t *testing.T, name, src string, rng *rand.Rand, plans int, fault func(p *ir.Program, nests []*plan.Nest) bool) (builtNest, bool) {
	t.Helper()
	e, ok := acceptFile(name, src)
	if !ok {
		return builtNest{}, false
	}
	job := jobOf(t, rng, name, e.program, irtest.RandomInputs)
	for range plans {
		ranks := 1 + rng.IntN(6)
		var each []plan.Options
		for k, n := range e.program.Nests {
			o := randomPlan(rng, n, e.nests[k])
			o.Ranks = ranks
			each = append(each, o)
		}
		job.Plans = append(job.Plans, each)
	}
	if fault != nil && !fault(e.program, e.nests) {
		return builtNest{}, false
	}
	code, err := e.emit(name)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	p := e.program
	return builtNest{src: src, code: code, several: !p.Single(), job: job}, true
}

// An acceptedFile is a file that is accepted.
type acceptedFile struct {
	program *ir.Program
	lowered []*ir.Lowered
	nests   []*plan.Nest
	whole   *plan.Nest
}

// acceptFile does what loopc check does with a file of any number of nests; ok is false if that
// refuses it.
func acceptFile(name, src string) (e acceptedFile, ok bool) {
	p, _ := frontend.CompileProgram(name+".loop", []byte(src))
	if p == nil {
		return e, false
	}
	l, nests, whole, diags := transform.LowerProgram(p, nil)
	return acceptedFile{p, l, nests, whole}, len(diags) == 0
}

// emit returns the files of its package.
func (e *acceptedFile) emit(name string) ([]codegen.File, error) {
	return codegen.Generate(e.program, e.lowered, e.nests, e.whole, codegen.Options{Package: name})
}

// jobOf interprets a program on random inputs, and returns the job that compares with
// it, without plans.
func jobOf(t *testing.T, rng *rand.Rand, name string, p *ir.Program, inputs func(*rand.Rand, *ir.Nest, []int) map[string]*eval.Array) nestrun.Job {
	t.Helper()
	job := nestrun.Job{Nest: name, Given: map[int][]byte{}, Want: map[int][]byte{}}
	for _, x := range p.Params {
		job.Params = append(job.Params, *x.Default)
	}
	for _, x := range p.Floats {
		v := rng.NormFloat64() // also where a default says otherwise
		if x.Default != nil && rng.IntN(2) == 0 {
			v = *x.Default
		}
		job.Floats = append(job.Floats, v)
	}
	given := inputs(rng, &ir.Nest{Source: p.Source, Params: p.Params, Arrays: p.Arrays}, job.Params)
	irtest.ItemInputs(rng, p, job.Params, given)
	want, err := eval.RunProgram(p, job.Params, given, job.Floats...)
	if err != nil {
		job.Fails = err.Error()
	}
	hash := fnv.New64a()
	fmt.Fprint(hash, p.Source, job.Params)
	job.Seed = hash.Sum64()
	for k, a := range p.Arrays {
		if g, ok := given[a.Name]; ok {
			job.Given[k] = g.Bytes()
		}
		if w, ok := want[a.Name]; ok && a.Returned() {
			job.Want[k] = w.Bytes()
		}
	}
	for k, r := range p.Reduces() {
		if w, ok := want[r.Name]; ok {
			job.Want[len(p.Arrays)+k] = w.Bytes()
		}
	}
	if err == nil && p.Single() {
		job.Shown = shownIn(t, p.Nests[0], &job, given)
	}
	return job
}

// shownBytes bounds the arrays of a job's snapshots.
const shownBytes = 1 << 20

// shownIn returns the arrays that a nest gives back whole, as they are when its outermost loop ends
// with some values: all values, if they are few.
func shownIn(t *testing.T, n *ir.Nest, job *nestrun.Job, given map[string]*eval.Array) map[int]map[int][]byte {
	t.Helper()
	lo, hi := eval.Bounds(&n.Loops[0], job.Params, nil)
	bytes := 0
	for k, a := range n.Arrays {
		if a.Returned() && a.Out == nil {
			bytes += len(job.Want[k])
		}
	}
	all := map[int]map[int][]byte{}
	for x, every := lo, 1; x <= hi; x += every {
		all[x] = map[int][]byte{}
		every = 1 + len(all)*bytes*(hi-lo)/(x-lo+1)/shownBytes
	}
	_, err := eval.RunShown(n, job.Params, given, func(x int, now func() (map[string]*eval.Array, error)) error {
		if all[x] == nil {
			return nil
		}
		arrays, err := now()
		for k, a := range n.Arrays {
			if err == nil && a.Returned() && a.Out == nil {
				all[x][k] = arrays[a.Name].Bytes()
			}
		}
		return err
	}, job.Floats...)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// randomPlan returns options that may, or may not, fit the nest. Where it has a
// schedule, they often leave it much to say.
func randomPlan(rng *rand.Rand, n *ir.Nest, p *plan.Nest) plan.Options {
	if n.Schedule != nil && rng.IntN(2) == 0 {
		return plan.Options{Ranks: 1 + rng.IntN(4)}
	}
	o := plan.Options{Ranks: 1 + rng.IntN(8), CPUs: 1 + rng.IntN(3), Comm: plan.Comm(rng.IntN(4)), Group: plan.Group(rng.IntN(3)), Assign: plan.Assign(rng.IntN(5))}
	if rng.IntN(3) > 0 {
		o.Map = p.Dims[len(p.Dims)-1-rng.IntN(len(n.Loops))]
	}
	if rng.IntN(4) > 0 {
		margin := p.HaloWidth()[len(p.Dims)-n.Depth():]
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
