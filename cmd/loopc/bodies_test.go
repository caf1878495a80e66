package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"loopc/codegen/asm/asmtest"
	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/eval"
)

// TestBodies compiles the bodies of random nests, of all types, to vector kernels along rows, evaluates
// these with package asmtest, for AVX2 and AVX-512, and compares all cells with the interpreter's. No
// program is built.
func TestBodies(t *testing.T) {
	t.Parallel()
	seed, count := bodyCases.begin(t), *bodyCases.count
	const workers = 2
	var tallies [workers]bodyTally
	var all sync.WaitGroup
	for w := range workers {
		all.Go(func() {
			for k := w; k < count && !t.Failed(); k += workers {
				tallies[w].add(t, rand.New(rand.NewPCG(seed, uint64(k))))
			}
		})
	}
	all.Wait()
	sum := bodyTally{types: map[ir.Type]int{}}
	for _, x := range tallies {
		sum.bodies, sum.refused, sum.operations = sum.bodies+x.bodies, sum.refused+x.refused, sum.operations+x.operations
		for e, n := range x.types {
			sum.types[e] += n
		}
	}
	t.Logf("%d bodies with %d instructions, %d refused, results of types %v", sum.bodies, sum.operations, sum.refused, sum.types)
	if sum.refused*4 > count || len(sum.types) < 8 {
		t.Errorf("%d of %d bodies were refused, results are of %d types; the test proves little", sum.refused, count, len(sum.types))
	}
}

// A bodyTally counts bodies.
type bodyTally struct {
	bodies, refused, operations int
	types                       map[ir.Type]int // of results
}

// add compares one random body.
func (a *bodyTally) add(t *testing.T, rng *rand.Rand) { a.compare(t, rng, bodyNest(rng)) }

// compare compares the cells of a nest, for random input, and returns the assembly that was evaluated.
func (a *bodyTally) compare(t *testing.T, rng *rand.Rand, src string) (text []byte) {
	n, diags := frontend.Compile("body.loop", []byte(src))
	if n == nil {
		t.Errorf("%v\n%s", diags, src)
		return nil
	}
	params := []int{*n.Params[0].Default, *n.Params[1].Default, *n.Params[2].Default}
	in := specialInputs(rng, n, params)
	want, err := eval.Run(n, params, in)
	if err != nil {
		t.Errorf("%v\n%s", err, src)
		return nil
	}
	b, text, functions := newBodyRun(t, n, params)
	if b == nil {
		a.refused++
		return nil
	}
	a.bodies++
	a.operations += bytes.Count(text, []byte("\n\t"))
	if a.types == nil {
		a.types = map[ir.Type]int{}
	}
	for _, stmt := range b.lowered.Values {
		a.types[n.Arrays[n.Body[stmt].(*ir.Assign).Array].Elem]++
	}
	code := asmtest.Parse(string(text))
	for _, f := range functions {
		got, err := b.run(in, func(frame unsafe.Pointer) { code.Call(f.Name, frame) })
		if err != nil {
			t.Errorf("%s: %v\n%s", f.Name, err, src)
			return nil
		}
		for name, w := range want {
			if cell, same := eval.Diff(got[name], w); !same {
				at, _ := w.Offset(cell)
				t.Errorf("%s: %s%v is %s, want %s\n%s\n%s", f.Name, name, cell, got[name].Text(at), w.Text(at), src, text)
				return nil
			}
		}
	}
	return text
}

// bodyNest returns the source of a nest with a random body, in which no iteration depends on another of
// its row.
func bodyNest(rng *rand.Rand) string {
	all := []ir.Type{ir.Uint8, ir.Int8, ir.Uint16, ir.Int16, ir.Int32, ir.Float32, ir.Int64, ir.Float64}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	types := all[:1+rng.IntN(4)]
	slices.SortFunc(types, func(a, b ir.Type) int { return a.Size() - b.Size() }) // the widest last
	w := &sizedWriter{rng: rng, types: types, single: true}
	return sizedAs(w.nest(), 1+rng.IntN(2), 1+rng.IntN(4), 1+rng.IntN(40))
}
