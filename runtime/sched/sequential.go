package sched

import (
	"context"
	"slices"
	"sync/atomic"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// RunSequential runs the loops of a program as they are written, on entire arrays.
//
// Errors: an *arith.Error of the user's arithmetic; a *Panic in a function of the user's; a *Bug.
func RunSequential(prog *Program, params []int, fields kernel.Fields) error {
	if err := prog.checkFloats(); err != nil {
		return err
	}
	s, err := newSequence(prog, params, fields)
	if err != nil {
		return err
	}
	return s.whole()
}

// newSequence prepares runs of the loops of a program on the caller's entire arrays.
func newSequence(prog *Program, params []int, fields kernel.Fields) (*sequence, error) {
	s := &sequence{prog: prog, counts: prog.counts(), given: len(params), params: allParams(prog.steps(), params), fields: fields, items: make([]itemCells, len(prog.Nest.Arrays)), ofProgram: prog.Repeats()}
	s.repeats, s.runs = make([]int, len(s.params)-len(params)), make([]int, len(prog.Parts()))
	for k := range prog.Nest.Arrays {
		v, err := s.array(k)
		if err != nil {
			return nil, err
		}
		s.arrays = append(s.arrays, v)
	}
	for k, part := range prog.Parts() {
		s.nests = append(s.nests, s.bind(k, part))
	}
	return s, nil
}

// whole runs the loops, and gives results to the caller.
func (s *sequence) whole() (err error) {
	defer func() { err = recovered(s.prog, recover(), err) }()
	steps := s.prog.steps()
	for _, r := range s.ofProgram {
		if r.Item != nil {
			s.items[r.Item.Array].read(&s.fields.Given[r.Item.Array])
		}
	}
	if err := checkItems(s.prog.Nest, steps, s.params, s.items); err != nil {
		return err
	}
	for k := range s.prog.Nest.Arrays {
		if s.prog.Nest.Arrays[k].Role == plan.InOut {
			copy(s.fields.Result[k].Data, s.fields.Given[k].Data)
		}
	}
	for k, part := range s.prog.Parts() {
		s.runs[k] = 0
		clearReduced(part.Nest, s.nests[k].Reduced)
	}
	if err := s.run(steps); err != nil {
		return err
	}
	k := 0
	for n := range s.nests {
		for _, r := range s.nests[n].Reduced {
			copy(s.fields.Reduced[k].Value.Data, r.Value.Data)
			k++
		}
	}
	for k := range s.prog.Nest.Arrays {
		if a := &s.prog.Nest.Arrays[k]; a.Slice != nil && s.arrays[k].Stride != nil {
			if part := slice(a, s.params, all(&s.arrays[k])); part != nil {
				copy(s.fields.Result[k].Data, part.Data)
			}
		}
	}
	return nil
}

// all returns a copy of v in which all cells count as written.
func all(v *array.View) *array.View {
	out := *v
	out.TrackWritten()
	out.MarkWritten(0, out.Cells(), 1)
	return &out
}

// A sequence runs the loops of a program as they are written.
type sequence struct {
	prog   *Program
	given  int // the number of parameters that the caller gives
	params []int
	fields kernel.Fields
	before [][]byte        // by array: see keep
	items  []itemCells     // by array: those with parameters of items
	arrays []array.View    // by array: the entire array, if nests share it (see shares); else zero
	nests  []kernel.Fields // by nest

	values        []array.View    // of the reductions that end a repeat
	runs, repeats []int           // see Summary
	ctx           context.Context // ends the run between nests; nil: nothing does
	progress      *atomic.Int64   // counts iterations, if not nil
	done, told    int64           // iterations that have run; those of them that progress has counted
	all           int64           // iterations of every run that nobody watches; 0: they are counted
	same          bool            // every run has the same iterations: there are neither conditions that end repeats nor parameters of items
	counted       [2][]int        // runs and repeats after a run of all iterations: later runs take these numbers and count nothing
	varying       []Step          // see count
	sizes         []size          // of the nests: see newWritten
	counts        *kernel.Runs[Step]
	inArrays      []*inArrays // of the nests whose kernels compute on the arrays; nil for others
	crew          crew        // of CPUs that share their iterations
	clock         *nestClock  // measures the nests; nil: nobody asks for their times
	kernel        string      // see Summary
	kernels       []string    // see Summary.NestKernels

	ofProgram []*Repeat          // the repeats
	repeating kernel.Repetitions // what a function of a repeat runs
	looks     looks              // when a run looks at its context and tells its progress
	showing   showing            // shows arrays to the caller

	plans    []*plan.Plan // of the nests
	sharing  sharing      // of the batch that runs
	division *division    // nil: one rank runs all
}

// array returns array k, complete, if nests share it.
func (s *sequence) array(k int) (array.View, error) {
	a := &s.prog.Nest.Arrays[k]
	switch {
	case !s.prog.shares(k):
		return array.View{}, nil
	case a.Role == plan.In:
		return s.fields.Given[k], nil
	case a.Role == plan.InOut, a.Role == plan.Out:
		return s.fields.Result[k], nil
	}
	lo, extent, err := a.Extent(s.params)
	if err != nil {
		return array.View{}, err
	}
	hi := top(lo, extent)
	if a.Item == 0 {
		return array.Make(a.Elem, lo, hi)
	}
	// All items use the memory of one item, one after the other: the stride of their dimension is 0.
	last := hi[a.Item-1]
	hi[a.Item-1] = min(lo[a.Item-1], last)
	v, err := array.Make(a.Elem, lo, hi)
	if err == nil {
		v.Hi[a.Item-1], v.Stride[a.Item-1] = last, 0
	}
	return v, err
}

// shares reports whether nests share array k, or the caller has it.
func (prog *Program) shares(k int) bool {
	return slices.ContainsFunc(prog.Parts(), func(part *Program) bool { return part.Nest.Arrays[k].Role != plan.Internal })
}

// run runs steps.
func (s *sequence) run(steps []Step) error {
	for _, step := range steps {
		if step.Repeat == nil {
			if s.looks.inside == 0 && s.prog.beginsItems(step.Nest) {
				continue
			}
			if err := s.nest(step.Nest); err != nil {
				return err
			}
			continue
		}
		lo, hi := s.bounds(step.Repeat)
		run := s.numbers
		if s.division != nil && step.Repeat.Batch {
			run = s.mine
		}
		if err := run(step, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// numbers runs the numbers lo..hi of a repeat.
func (s *sequence) numbers(step Step, lo, hi int) error {
	r := step.Repeat
	s.repeats[r.Index] = 0
	switch {
	case s.sizes != nil && r.Batch && lo < hi && s.sharesItems(r):
		return s.shareItems(step, lo, hi)
	case s.sizes != nil && r.Sequential != nil:
		return s.repeat(step, lo, hi)
	}
	return s.repetitions(step, lo, hi)
}

// repetitions runs the numbers lo..hi of a repeat, nest by nest: without the function of the repeat.
func (s *sequence) repetitions(step Step, lo, hi int) error {
	r := step.Repeat
	for k := range max(0, hi-lo+1) {
		s.params[s.given+r.Index] = r.number(lo, hi, k)
		s.looks.inside++
		err := s.run(r.Steps)
		s.looks.inside--
		if err != nil {
			return err
		}
		s.repeats[r.Index]++
		if s.looks.inside == 0 {
			s.showing.repeated(1)
		}
		if s.ended(r.Until) {
			break
		}
	}
	return nil
}

// ended reports whether u ends a repeat.
func (s *sequence) ended(u *Until) bool {
	if u == nil {
		return false
	}
	s.values = s.values[:0]
	for _, at := range u.Reduces {
		s.values = append(s.values, s.nests[at.Nest].Reduced[at.Reduce].Value)
	}
	return u.Holds(s.params, s.prog.floats, s.values)
}

// bind returns the fields of nest k.
func (s *sequence) bind(k int, part *Program) kernel.Fields {
	fields := NewFields(part.Nest)
	for a := range part.Nest.Arrays {
		arr := &part.Nest.Arrays[a]
		if isGiven(arr) {
			fields.Given[a] = s.arrays[a]
		}
		switch {
		case arr.Slice != nil:
			fields.Result[a] = s.fields.Result[a]
		case arr.Returned():
			fields.Result[a] = s.arrays[a]
		}
	}
	fields.Floats = part.values()
	if slices.ContainsFunc(part.Nest.Arrays, func(a plan.Array) bool { return a.Role == plan.Internal }) {
		fields.Memory = new(array.Pool)
	}
	return fields
}

// nest runs nest k.
func (s *sequence) nest(k int) error {
	if err := s.between(); err != nil {
		return err
	}
	s.showing.begins()
	s.clock.start(k)
	s.runs[k]++
	s.looksAt(k)
	fields := s.begin(k)
	var err error
	if s.inArrays != nil && s.inArrays[k] != nil {
		var told int64
		ctx := s.ctx
		if !s.looks.wanted {
			ctx = nil
		}
		told, err = s.inArrays[k].run(ctx, &s.crew, s.progress, s.params)
		s.told += told
	} else {
		err = s.prog.Parts()[k].Sequential(s.params, fields)
	}
	s.ran(k)
	return err
}

// begin gives nest k its memory, and the results of earlier nests.
func (s *sequence) begin(k int) kernel.Fields {
	s.nests[k].Memory.Again()
	given := len(s.prog.floats)
	for i, at := range s.prog.Parts()[k].Earlier {
		s.nests[k].Floats[given+i] = resultOf(s.nests[at.Nest].Reduced[at.Reduce].Value)
	}
	return s.nests[k]
}
