package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"loopc/codegen"
	"loopc/ir"
	"loopc/ir/irtest"
	"loopc/runtime/boundary"
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// A nestFault is a kind of mistake that a compiler, a planner, a runtime or a
// transport might make. Each of these functions that is not nil plants it, behind the
// interpreter's back, and reports whether the nest has the place for it.
type nestFault struct {
	name    string
	several bool   // in a file of several nests
	word    string // without it, a file has no place for the fault
	compile func(p *ir.Program, nests []*plan.Nest) bool
	emit    func(files []codegen.File) bool
	run     string // see nestrun.Job.Fault
	// nests: the number of nests in which it is planted, if more than one, because some have the place for it and do not show it.
	nests int
}

// expressions calls f with every expression of the bodies of a program's nests, until
// it returns true.
func expressions(p *ir.Program, f func(ir.Expr) bool) bool {
	done := false
	for _, n := range p.Nests {
		for _, s := range n.Body {
			if _, ok := s.(*ir.Assign); ok {
				ir.Walk(ir.Value(s), func(e ir.Expr) { done = done || f(e) })
			}
		}
	}
	return done
}

// values calls f with every value of the nests.
func values(nests []*plan.Nest, f func(v *plan.Value) bool) (any bool) {
	for _, n := range nests {
		for k := range n.Values {
			any = f(&n.Values[k]) || any
		}
	}
	return any
}

// nestFaults are the kinds that TestNestsFindFaults plants.
var nestFaults = []nestFault{
	{name: "another operator", compile: func(p *ir.Program, _ []*plan.Nest) bool {
		return expressions(p, func(e ir.Expr) bool {
			b, ok := e.(*ir.Binary)
			if ok && b.Op == ir.Add {
				b.Op = ir.Sub
				return true
			}
			return false
		})
	}},
	{name: "another operator in a vector kernel", nests: 4, emit: func(files []codegen.File) bool {
		if !simd.AVX2() {
			return false
		}
		for k, file := range files {
			for _, op := range []string{"VADDPD", "VADDPS", "VMULPD", "VMULPS", "VPADDD"} {
				if text := string(file.Text); strings.HasSuffix(file.Suffix, ".s") && strings.Contains(text, op) {
					files[k].Text = []byte(strings.ReplaceAll(text, op, strings.NewReplacer("ADD", "SUB", "MULP", "ADDP").Replace(op)))
					return true
				}
			}
		}
		return false
	}},
	{name: "ghost cells outside the space that are not filled", compile: func(_ *ir.Program, nests []*plan.Nest) bool {
		return values(nests, func(v *plan.Value) bool {
			had := len(v.Need) > 0
			v.Need = nil
			return had
		})
	}},
	{name: "cells that the nest has written, taken for untouched", nests: 4, compile: func(_ *ir.Program, nests []*plan.Nest) bool {
		return values(nests, func(v *plan.Value) bool {
			had := len(v.Fallbacks) > 0
			v.Fallbacks = nil
			return had
		})
	}},
	{name: "an iteration too few", compile: func(_ *ir.Program, nests []*plan.Nest) bool {
		nest := nests[len(nests)-1]
		all := pointsOf(nest)
		for k := len(nest.Space) - 1; k >= 0; k-- { // some bounds follow from others
			nest.Space[k].Const--
			if pointsOf(nest) < all {
				return true
			}
			nest.Space[k].Const++
		}
		return false
	}},
	{name: "another kind of boundary", compile: func(p *ir.Program, nests []*plan.Nest) bool {
		any := false
		for k, n := range p.Nests {
			for a := range n.Arrays {
				for d := range n.Arrays[a].Boundary {
					for side, e := range n.Arrays[a].Boundary[d] {
						other := boundary.Copied
						if e == other {
							other = boundary.Reflecting
						}
						if e != boundary.None {
							n.Arrays[a].Boundary[d][side], any = other, true
							nests[k].Arrays[a].Boundary[d][side] = other
						}
					}
				}
			}
		}
		return any
	}, nests: 16},
	{name: "another init", word: "init", compile: func(p *ir.Program, _ []*plan.Nest) bool {
		any := false
		for k := range p.Nests[0].Arrays {
			if init := p.Nests[0].Arrays[k].Init; init != nil {
				ir.Walk(init.Expr, func(e ir.Expr) {
					if b, ok := e.(*ir.Binary); ok && b.Op == ir.Mul {
						b.Op, any = ir.Add, true
					}
				})
			}
		}
		return any
	}},
	{name: "another reduction", word: "reduce", compile: func(p *ir.Program, nests []*plan.Nest) bool {
		r := p.Nests[0].Reduces()
		if len(r) == 0 {
			return false
		}
		r[0].Op = (r[0].Op + 1) % 3
		nests[0].Reduces[0].Op = r[0].Op.String()
		return true
	}},
	{name: "another slice", nests: 4, compile: func(_ *ir.Program, nests []*plan.Nest) bool {
		for _, a := range nests[0].Arrays {
			for _, at := range a.Slice {
				if at != nil {
					at.Const--
					return true
				}
			}
		}
		return false
	}},
	{name: "another function", word: "extern", compile: func(p *ir.Program, _ []*plan.Nest) bool {
		called := expressions(p, func(e ir.Expr) bool { _, ok := e.(*ir.ExternCall); return ok })
		for k := range p.Externs {
			other := map[string]string{"Atan": "Tanh", "Tanh": "Erf", "Erf": "Atan", "Hypot": "Max", "ToUpper": "ToLower"}[p.Externs[k].Symbol]
			for _, n := range p.Nests {
				n.Externs[k].Symbol = other
			}
			p.Externs[k].Symbol = other
		}
		return called && len(p.Externs) > 0
	}, nests: 4},
	{name: "a loop forward that is backward", nests: 4, compile: func(p *ir.Program, nests []*plan.Nest) bool {
		// The loops of the reference run the other way.
		for k := range p.Nests[0].Loops {
			if l := &p.Nests[0].Loops[k]; l.Backward {
				l.Backward = false
				return true
			}
		}
		return false
	}},
	{name: "the last cell of a face is lost", run: "face", nests: 4},
	{name: "a face is given back twice", run: "twice", nests: 12},
	{name: "one repetition too few", several: true, word: "repeat", compile: func(p *ir.Program, _ []*plan.Nest) bool {
		any := false
		for _, r := range p.Repeats() {
			for k := range r.Hi {
				r.Hi[k].Const--
				any = true
			}
		}
		return any
	}, nests: 4},
	{name: "an until that means the opposite", several: true, word: "until", nests: 10, compile: func(p *ir.Program, _ []*plan.Nest) bool {
		for _, r := range p.Repeats() {
			if r.Until != nil {
				opposite := *r.Until.Cond
				opposite.Op = map[ir.Op]ir.Op{ir.Lt: ir.Ge, ir.Ge: ir.Lt, ir.Gt: ir.Le, ir.Le: ir.Gt}[opposite.Op]
				r.Until.Cond = &opposite
				return true
			}
		}
		return false
	}},
	{name: "nests in another order", several: true, nests: 4, compile: func(p *ir.Program, _ []*plan.Nest) bool {
		slices.Reverse(p.Steps)
		return len(p.Steps) > 1
	}},
	{name: "what one nest hands on to the next is lost", several: true, run: "handed on", nests: 4},
}

// pointsOf is how many iterations a nest has with its default parameters; 0 if it has no plan.
func pointsOf(nest *plan.Nest) int64 {
	params := make([]int, len(nest.Params))
	for k, name := range nest.Params {
		params[k] = nest.Defaults[name]
	}
	p, err := plan.New(nest, params, plan.Options{})
	if err != nil {
		return 0
	}
	points, _ := p.Points()
	return points
}

// TestNestsFindFaults plants a fault of each kind in a few random nests, and requires
// that what TestRandomNests compares shows it in one of them at least. Without
// -full, that is one kind in six.
func TestNestsFindFaults(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 8))
	var nests []builtNest
	var of []int // by nest, its fault
	for k, f := range nestFaults {
		want := max(1, f.nests)
		if !irtest.Full() && k%6 != 0 {
			want = 0
		}
		for tried := 0; want > 0; tried++ {
			if tried > 600 {
				if f.emit != nil && !simd.AVX2() {
					break
				}
				t.Fatalf("%s: no random nest has the place for it", f.name)
			}
			src := irtest.RandomNest(rng)
			if f.several {
				src = irtest.RandomProgram(rng)
			}
			if !strings.Contains(src, f.word) {
				continue
			}
			b, ok := buildProgramWith(t, fmt.Sprintf("nest%03d", len(nests)), src, rng, 4, f.compile)
			if !ok || b.job.Fails != "" || f.emit != nil && !f.emit(b.code) {
				continue
			}
			b.job.Fault = f.run
			nests, of = append(nests, b), append(of, k)
			want--
		}
	}
	found := make([]int, len(nestFaults))
	missed := make([][]string, len(nestFaults))
	for k, r := range reportsOf(t, nests) {
		if len(r.Wrong) > 0 {
			found[of[k]]++
		} else {
			missed[of[k]] = append(missed[of[k]], nests[k].src)
		}
	}
	for k, f := range nestFaults {
		t.Logf("%s: found in %d of %d nests", f.name, found[k], found[k]+len(missed[k]))
		if found[k] == 0 && slices.Contains(of, k) {
			t.Errorf("%s: not found in any of\n%s", f.name, strings.Join(missed[k], "\n"))
		}
	}
}
