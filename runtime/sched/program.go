package sched

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A Step of a program of several nests is one nest, or a repeat.
type Step struct {
	Nest   int     // index into Program.Nests; of no meaning in a repeat
	Repeat *Repeat // nil: a nest
}

// A Repeat runs its steps again and again. In each repetition a parameter of these steps, which
// the caller does not supply, has the next value.
type Repeat struct {
	Name     string
	Index    int // its place in the program, in textual order
	Lo, Hi   []plan.Affine
	Backward bool   // from Hi down to Lo
	Until    *Until // nil: it ends with the last value
	// Sequential runs repetitions with the loops of the nests as they are written, on entire arrays; nil: each nest runs by itself.
	Sequential func(*kernel.Repetitions) error
	Batch      bool  // its repetitions are items: none depends on another
	Item       *Item // nil: all values
	Steps      []Step
}

// An Until ends a repeat after the first repetition in which a condition holds.
type Until struct {
	Reduces []ReducePlace // that the condition reads
	// Holds reports whether the condition holds for the parameters of the nests, the float
	// parameters, and the results of Reduces, each a view of one cell.
	Holds func(params []int, floats []float64, reduced []array.View) bool
}

// A ReducePlace identifies a reduction of a nest, by index.
type ReducePlace struct{ Nest, Reduce int }

// A Store supplies the content of arrays and receives results, by the index of the array. Views
// are boxes of an array. The ranks of one process call it concurrently.
type Store struct {
	// Whole has the caller's arrays, if they are complete and in the memory of the ranks. Ranks
	// read and write them in place, except for arrays that nests hand on.
	Whole kernel.Fields
	// Fill gives every cell of a view of an in or inout array its content.
	Fill func(arr int, v *array.View) error
	// Keep receives the marked cells of a view of a result: the array, or its slice without the fixed dimensions.
	Keep func(arr int, v *array.View) error
	// Pool supplies memory for the views that Deliver makes, if Keep does not hold them after
	// it returns; nil: each view has new memory. Each rank has its own pool.
	Pool *array.Pool
	// Takes reports whether the caller takes the result of an array; nil: all are taken.
	Takes func(arr int) bool
	// Untouched asks for the cells of inout arrays that no nest has written, too: Keep receives them with the content that Fill gives them.
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

// Parts returns the nests of a program, each as a program of its own. A program of one nest is its only part.
func (prog *Program) Parts() []*Program {
	if prog.Nests == nil {
		return []*Program{prog}
	}
	return prog.Nests
}

// steps returns the steps of a program. A program of one nest has one step.
func (prog *Program) steps() []Step {
	if prog.Nests == nil {
		return []Step{{}}
	}
	return prog.Steps
}

// hasUntil reports whether a repeat among steps may end early.
func hasUntil(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		return s.Repeat != nil && (s.Repeat.Until != nil || hasUntil(s.Repeat.Steps))
	})
}

// polls reports whether the ranks agree on results of reductions while a program runs.
func (prog *Program) polls() bool {
	return hasUntil(prog.steps()) || slices.ContainsFunc(prog.Parts(), func(part *Program) bool { return part.Earlier != nil })
}

// Several reports whether a program has several nests or a repeat, and so is not one nest.
func (prog *Program) Several() bool { return prog.Nests != nil }

// Points is the number of iterations of a program by its plans, if no repeat ends early.
func (prog *Program) Points(plans []*plan.Plan) (all int64) {
	prog.eachRun(plans, counted, func(_ int, p *plan.Plan, runs int) {
		n, _ := p.Points()
		all += int64(runs) * n
	})
	return all
}

// PointsFrom is the number of iterations before the state with which a run by these plans begins, and the number
// with them, if no repeat ends early. at is the state's place, of several nests; nil: they begin with the first.
func (prog *Program) PointsFrom(plans []*plan.Plan, at *checkpoint.Place) (before, all int64) {
	if !prog.Several() {
		whole := *plans[0]
		whole.Done = 0
		all, _ = whole.Points()
		return max(0, all-prog.Points(plans)), all // both may be estimates
	}
	points, runs := make([]int64, len(plans)), make([]int64, len(plans))
	prog.eachRun(plans, counted, func(k int, p *plan.Plan, n int) {
		each, _ := p.Points()
		points[k], runs[k] = points[k]+int64(n)*each, runs[k]+int64(n)
	})
	for k, n := range points {
		all += n
		if at != nil && k < len(at.Runs) && runs[k] > 0 {
			before += int64(float64(n) / float64(runs[k]) * float64(at.Runs[k])) // of the mean run, where they differ
		}
	}
	return before, all
}

// Volume is the messages and bytes between ranks of all runs of nests by their plans, if no repeat ends early. runs has the number of runs
// of each nest. The function volume returns those of one run. exact is false if volume estimates a run, or if items have parameters.
func (prog *Program) Volume(plans []*plan.Plan, volume func(*plan.Plan) (messages, bytes int64, exact bool)) (messages, bytes int64, runs []int, exact bool) {
	runs, exact = make([]int, len(plans)), !hasItems(prog.steps())
	prog.eachRun(plans, kernel.Sampling{Each: math.MaxInt, Nested: math.MaxInt}, func(k int, p *plan.Plan, n int) {
		m, b, known := volume(p)
		messages, bytes, runs[k], exact = messages+int64(n)*m, bytes+int64(n)*b, runs[k]+n, exact && known
	})
	return messages, bytes, runs, exact
}

// Label is the prefix of messages about nest k: the nest's title, or nothing if it is the only nest.
func (prog *Program) Label(k int) string {
	if prog.Nests == nil {
		return ""
	}
	return cmp.Or(prog.Nests[k].Nest.Title, prog.Nests[k].Nest.Name) + ": "
}

// allParams returns the parameters of the nests: those of the program, followed by the first value of every repeat.
func allParams(steps []Step, params []int) []int {
	all := slices.Clone(params)
	var add func([]Step)
	add = func(steps []Step) {
		for _, s := range steps {
			if s.Repeat != nil {
				lo, hi := s.Repeat.Bounds(all)
				all = append(all, s.Repeat.number(lo, hi, 0))
				add(s.Repeat.Steps)
			}
		}
	}
	add(steps)
	return all
}

// number returns the value that a repeat lo..hi has after done repetitions.
func (r *Repeat) number(lo, hi, done int) int {
	if r.Backward {
		return hi - done
	}
	return lo + done
}

// before returns how many repetitions come before the one with the given value; 0 if value is math.MinInt.
func (r *Repeat) before(lo, hi, value int) int {
	switch {
	case value == math.MinInt:
		return 0
	case r.Backward:
		return hi - value
	}
	return value - lo
}

// Bounds returns the least and the greatest value of a repeat.
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

// With returns prog with the values of its float parameters, which every run needs.
func (prog *Program) With(floats ...float64) *Program {
	out := *prog
	out.floats, out.Nests = floats, nil
	for _, part := range prog.Nests {
		out.Nests = append(out.Nests, part.With(floats...))
	}
	return &out
}

// Floats returns the values of the float parameters: see With.
func (prog *Program) Floats() []float64 { return prog.floats }

// values are the float parameters, and behind them the results of earlier nests.
func (prog *Program) values() []float64 {
	switch {
	case len(prog.Earlier) == 0:
		return prog.floats
	case prog.results == nil:
		return append(slices.Clip(prog.floats), make([]float64, len(prog.Earlier))...)
	}
	return slices.Concat(prog.floats, prog.results)
}

// checkFloats returns an error if float parameters have no values, or values that are not finite.
func (prog *Program) checkFloats() error {
	names := prog.Nest.Floats
	if len(prog.floats) != len(names) {
		return fmt.Errorf("%s takes %d float parameters, got %d", prog.Nest.Name, len(names), len(prog.floats))
	}
	for k, x := range prog.floats {
		if err := CheckFloat(prog.Nest, k, x); err != nil {
			return err
		}
	}
	return nil
}

// CheckFloat returns an error if float parameter k of a nest cannot be x.
func CheckFloat(nest *plan.Nest, k int, x float64) error {
	switch {
	case x-x != 0:
		return fmt.Errorf("parameter %s = %g is not a finite number", nest.Floats[k], x)
	case slices.Contains(nest.Narrow, k) && math.IsInf(float64(float32(x)), 0):
		return fmt.Errorf("parameter %s = %g is out of range of float32, to which the loops round it", nest.Floats[k], x)
	}
	return nil
}

// loops returns the chosen kernel, and fields with the float parameters that it reads.
func (prog *Program) loops(params []int, fields kernel.Fields) (kernel.Kernel, kernel.Fields) {
	fields.Floats = prog.values()
	return prog.Kernel.Kernel(params, fields), fields
}

// PlanSteps plans every nest of a program. It calls make with the nest's index, the nest, and its parameters.
func (prog *Program) PlanSteps(params []int, make func(k int, nest *plan.Nest, params []int) (*plan.Plan, error)) ([]*plan.Plan, error) {
	if len(params) != len(prog.Nest.Params) {
		return nil, fmt.Errorf("%s takes %d parameters, got %d", prog.Nest.Name, len(prog.Nest.Params), len(params))
	}
	if err := prog.checkFloats(); err != nil {
		return nil, err
	}
	all := allParams(prog.steps(), params)
	var plans []*plan.Plan
	for k, part := range prog.Parts() {
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

// OptionsForEach is plan.ForEach for the nests of a program.
func (prog *Program) OptionsForEach(o plan.Options) ([]plan.Options, error) {
	var nests []*plan.Nest
	for _, part := range prog.Parts() {
		nests = append(nests, part.Nest)
	}
	return plan.ForEach(nests, o)
}

// PlansDigest identifies a program together with its float parameters and the plans of its nests.
func PlansDigest(prog *Program, plans []*plan.Plan) string {
	h := sha256.New()
	fmt.Fprintln(h, prog.Nest.Digest)
	for _, x := range prog.floats {
		fmt.Fprintf(h, "%x\n", math.Float64bits(x))
	}
	for _, p := range plans {
		fmt.Fprintln(h, p.Digest())
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A Program is what an emitted package hands to the runtime.
type Program struct {
	Nest *plan.Nest
	// Kernel is the chosen version of the kernel; the portable one before Choose.
	Kernel kernel.Version
	// Sequential runs the loops as they are written, on entire arrays. The results of every plan must agree with its results.
	Sequential func(params []int, fields kernel.Fields) error
	// Pace is about the number of processor cycles that Sequential takes for an iteration; 0: not known, or Sequential may not replace tiles.
	// Waits is how long rows on entire arrays wait for one another: see kernel.AsLoops.
	Pace, Waits float64
	// Unpaced is why Pace is 0: see kernel.AsLoops.
	Unpaced string
	// InArrays says that vector versions may compute on entire arrays: see kernel.AsLoops.
	InArrays bool
	// Apart are the coordinates along which iterations on entire arrays may be divided among CPUs.
	Apart []int
	// WrittenOnce are the arrays of which these iterations write no cell twice, and read none before they write it.
	WrittenOnce []int
	// OwnLevels says that iterations read, of levels that have iterations, only what iterations write.
	OwnLevels bool
	// Reached are the internal arrays to which Sequential gives initial content only where its loops reach.
	Reached []int
	// Sections are the arrays with initial content in sections: see kernel.AsLoops.
	Sections []int
	// Fails says that the loops, or the condition that ends a repeat, may fail: by a lookup, or a division of integers.
	Fails bool
	// Versions are the versions for certain processors: see Choose.
	Versions []kernel.Version
	// Scalar says why there are no such versions; "" if there are.
	Scalar string
	chosen bool           // see Choose
	free   bool           // nobody has named a kernel: see fit
	inGo   kernel.Version // the portable version, after Choose

	weighed *kernel.Weighing // see Written; nil: the program runs in tiles, and the next four fields are not set
	typical []*plan.Plan     // by nest: the plan by which its kernel is chosen; of the items of a batch, that of the greatest item
	named   bool             // the user has named the kernel of a single nest
	rows    []bool           // by nest: a vector kernel computes the rows of the loops
	cpus    int              // how many CPUs may take items of batches

	// Earlier are the reductions of earlier nests whose results the nest reads; results are those over no
	// iterations until such a nest has run.
	Earlier []ReducePlace

	floats  []float64 // see With
	results []float64 // of Earlier: see resultOf; nil: not known yet

	// Nests is set in a program of several nests or with a repeat, and Steps says in which order they run. The program's own Nest then has
	// only the parameters, arrays and reductions of the entire program; it has no kernel and no Sequential. Every nest has all arrays of
	// the program, by the same index, in the role that they have in the nest: In or InOut if other nests write or read them too.
	Nests []*Program
	Steps []Step
	// Divides says that ranks that exchange nothing can share the items of its batches.
	Divides bool
}
