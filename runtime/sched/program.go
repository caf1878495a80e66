package sched

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A Step of a program of several nests is one nest, or a repeat.
type Step struct {
	Nest   int     // index into Program.Nests; of no meaning in a repeat
	Repeat *Repeat // nil: a nest
}

// A Repeat runs its steps one after another, for one value after the other of a
// parameter of theirs that the caller does not give.
type Repeat struct {
	Name   string
	Index  int // of the repeat among those of the program, in textual order
	Lo, Hi []plan.Affine
	Until  *Until // nil: it ends with Hi
	Steps  []Step
}

// An Until ends a repeat after the first repetition in which the reduction Op the
// number holds: Float for reductions of floats, else Int.
type Until struct {
	Nest, Reduce int
	Op           string // <, <=, > or >=
	Float        float64
	Int          int64
}

// A Store is where the content of arrays comes from, and where it goes, by the
// index of the array. Views are boxes of it. Ranks of one process call it at the
// same time.
type Store struct {
	// Fill gives every cell of a view of an in or inout array its content.
	Fill func(arr int, v *array.View) error
	// Keep takes the marked cells of a view of what is given back: the array, or
	// its slice without the fixed dimensions.
	Keep func(arr int, v *array.View) error
	// Untouched asks for the cells of inout arrays that no nest has written too: they
	// are kept with the content that Fill gives them.
	Untouched bool
}

// Repeats returns the repeats of a program in textual order.
func (prog *Program) Repeats() []*Repeat {
	var out []*Repeat
	var add func([]Step)
	add = func(steps []Step) {
		for _, s := range steps {
			if s.Repeat != nil {
				out = append(out, s.Repeat)
				add(s.Repeat.Steps)
			}
		}
	}
	add(prog.Steps)
	return out
}

// stepList returns the nests and the repeats of a program, outermost first. A
// program of one nest is one step.
func (prog *Program) stepList() ([]*Program, []Step) {
	if prog.Nests == nil {
		return []*Program{prog}, []Step{{}}
	}
	return prog.Nests, prog.Steps
}

// allParams returns the parameters of the nests: those of the program, then the
// first number of every repeat.
func allParams(steps []Step, params []int) []int {
	all := slices.Clone(params)
	var add func([]Step)
	add = func(steps []Step) {
		for _, s := range steps {
			if s.Repeat != nil {
				lo, _ := s.Repeat.Bounds(params)
				all = append(all, lo)
				add(s.Repeat.Steps)
			}
		}
	}
	add(steps)
	return all
}

// Bounds returns the first and the last number of a repeat.
func (r *Repeat) Bounds(params []int) (lo, hi int) {
	lo, hi = r.Lo[0].Eval(params, nil), r.Hi[0].Eval(params, nil)
	for _, f := range r.Lo[1:] {
		lo = max(lo, f.Eval(params, nil))
	}
	for _, f := range r.Hi[1:] {
		hi = min(hi, f.Eval(params, nil))
	}
	return lo, hi
}

// PlanSteps plans every nest of a program by make, which gets its index, the nest
// and its parameters.
func (prog *Program) PlanSteps(params []int, make func(k int, nest *plan.Nest, params []int) (*plan.Plan, error)) ([]*plan.Plan, error) {
	if len(params) != len(prog.Nest.Params) {
		return nil, fmt.Errorf("%s takes %d parameters, got %d", prog.Nest.Name, len(prog.Nest.Params), len(params))
	}
	nests, steps := prog.stepList()
	all := allParams(steps, params)
	var plans []*plan.Plan
	for k, part := range nests {
		p, err := make(k, part.Nest, all)
		if err != nil {
			return nil, err
		}
		plans = append(plans, p)
	}
	for _, p := range plans {
		if p.Ranks != plans[0].Ranks {
			return nil, fmt.Errorf("nest %s is to have %d ranks and nest %s %d: all nests run on the same", plans[0].Nest.Name, plans[0].Ranks, p.Nest.Name, p.Ranks)
		}
	}
	return plans, nil
}

// PlansDigest names a program and the plans of its nests: the digest of the plan
// if there is one.
func PlansDigest(prog *Program, plans []*plan.Plan) string {
	if prog.Nests == nil {
		return plans[0].Digest()
	}
	h := sha256.New()
	fmt.Fprintln(h, prog.Nest.Digest)
	for _, p := range plans {
		fmt.Fprintln(h, p.Digest())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A Program is what an emitted package hands to the runtime.
type Program struct {
	Nest *plan.Nest
	// Kernel is the version of the kernel that is chosen, or else that in Go.
	Kernel kernel.Version
	// Sequential runs the loops as they are written, on whole arrays: the
	// reference that every plan must agree with.
	Sequential func(params []int, fields kernel.Fields) error
	// Versions are those for some processors: see Choose.
	Versions []kernel.Version
	// Scalar says why there are none for any processor; "" if there are some.
	Scalar string
	chosen bool // see Choose

	// Nests are set in a program of several nests, or with a repeat: Steps say how
	// they follow one another. Its Nest has the parameters, arrays and reductions
	// of the whole and nothing else, it has no kernel and no Sequential of its own.
	// Every nest has the arrays of the whole, by the same index, in the role that
	// they have in it: In or InOut if other nests write or read them too.
	Nests []*Program
	Steps []Step
}
