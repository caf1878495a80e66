package sched

import (
	"slices"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// RunSequential runs the loops of a program as they are written, on entire arrays.
//
// Errors: an *arith.Error of the user's arithmetic.
func RunSequential(prog *Program, params []int, fields kernel.Fields) (err error) {
	defer arith.Catch(&err)
	if err := prog.checkFloats(); err != nil {
		return err
	}
	s := &sequence{prog: prog, given: len(params), params: allParams(prog.steps(), params), fields: fields}
	for k := range prog.Nest.Arrays {
		v, err := s.array(k)
		if err != nil {
			return err
		}
		s.whole = append(s.whole, v)
	}
	for _, part := range prog.Parts() {
		s.reduced = append(s.reduced, newReduced(part.Nest))
	}
	if err := s.run(prog.steps()); err != nil {
		return err
	}
	k := 0
	for _, list := range s.reduced {
		for _, r := range list {
			copy(fields.Reduced[k].Value.Data, r.Value.Data)
			k++
		}
	}
	for k := range prog.Nest.Arrays {
		if a := &prog.Nest.Arrays[k]; a.Slice != nil && s.whole[k].Stride != nil {
			if part := slice(a, s.params, all(&s.whole[k])); part != nil {
				copy(fields.Result[k].Data, part.Data)
			}
		}
	}
	return nil
}

// all returns v as a view in which every cell is marked.
func all(v *array.View) *array.View {
	out := *v
	out.TrackWritten()
	out.MarkWritten(0, out.Cells(), 1)
	return &out
}

// A sequence runs the loops of a program as they are written.
type sequence struct {
	prog    *Program
	given   int
	params  []int
	fields  kernel.Fields
	whole   []array.View // arrays that nests share, complete; zero for others
	reduced [][]kernel.Reduced
}

// array returns array k, complete, if nests share it.
func (s *sequence) array(k int) (array.View, error) {
	a := &s.prog.Nest.Arrays[k]
	shared := slices.ContainsFunc(s.prog.Parts(), func(part *Program) bool {
		r := part.Nest.Arrays[k].Role
		return r != plan.Internal
	})
	switch {
	case !shared:
		return array.View{}, nil
	case a.Role == plan.In:
		return s.fields.Given[k], nil
	case a.Role == plan.InOut:
		copy(s.fields.Result[k].Data, s.fields.Given[k].Data)
		return s.fields.Result[k], nil
	case a.Role == plan.Out:
		return s.fields.Result[k], nil
	}
	lo, extent, err := a.Extent(s.params)
	if err != nil {
		return array.View{}, err
	}
	return array.Make(a.Elem, lo, top(lo, extent))
}

// run runs steps.
func (s *sequence) run(steps []Step) error {
	for _, step := range steps {
		if step.Repeat == nil {
			if err := s.nest(step.Nest); err != nil {
				return err
			}
			continue
		}
		r := step.Repeat
		lo, hi := r.Bounds(s.params)
		for k := range max(0, hi-lo+1) {
			s.params[s.given+r.Index] = r.number(lo, hi, k)
			if err := s.run(r.Steps); err != nil {
				return err
			}
			if s.ended(r.Until) {
				break
			}
		}
	}
	return nil
}

// ended reports whether u ends a repeat.
func (s *sequence) ended(u *Until) bool {
	if u == nil {
		return false
	}
	var values []array.View
	for _, at := range u.Reduces {
		values = append(values, s.reduced[at.Nest][at.Reduce].Value)
	}
	return u.Holds(s.params, s.prog.floats, values)
}

// nest runs nest k.
func (s *sequence) nest(k int) error {
	part := s.prog.Parts()[k]
	fields := NewFields(part.Nest)
	for a := range part.Nest.Arrays {
		arr := &part.Nest.Arrays[a]
		if isGiven(arr) {
			fields.Given[a] = s.whole[a]
		}
		switch {
		case arr.Slice != nil:
			fields.Result[a] = s.fields.Result[a]
		case arr.Returned():
			fields.Result[a] = s.whole[a]
		}
	}
	s.reduced[k], fields.Floats = fields.Reduced, part.floats
	return part.Sequential(s.params, fields)
}
