package ir

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"loopc/ir/diag"
)

// A Program is the content of a file, which may have several nests and repeats.
//
// Arrays has the arrays as declared. Every nest has the same arrays, by the same index, but
// with a role of its own:
//
//   - An array that several nests use, or that is written in a repeat, is live-out. Its role
//     is In in a nest that only reads it, and InOut in a nest that writes it (Out in the
//     first nest that writes it, if nothing initializes it before). Its init, if any, is a
//     separate nest before all nests that use the array.
//   - An array that only one nest uses has its declared role in that nest. The nest stores a time
//     level only as long as it reads the level.
//   - In nests that do not use it, an array is Internal, without init and slice.
//
// The last parameters of every nest are the counters of all repeats.
//
// Invariants, checked by Verify: those of the nests; Steps have every nest once.
type Program struct {
	Name   string
	File   string
	Source []string
	Params []Param      // given at launch, without the counters of repeats
	Floats []FloatParam // of every nest
	Consts []Const
	Arrays []Array
	// Externs are the externs of every nest.
	Externs []Extern
	Nests   []*Nest // in the order of Steps
	Steps   []Step
	// Words has, by the name of an array that the compiler has added, the let or var for which it stands.
	Words map[string]string
}

// A Step is a nest, or a repeat.
type Step struct {
	Nest   int     // index into Program.Nests
	Repeat *Repeat // nil: a nest
}

// A Repeat runs its steps once for each number from the greatest of Lo to the least of Hi,
// which are affine in the parameters and in the numbers of repeats around it; backward, from Hi to Lo.
type Repeat struct {
	Name     string
	Index    int // among the repeats of the program, in textual order
	Lo, Hi   []Affine
	Backward bool
	Until    *Until // nil: it ends after the last number
	Batch    bool   // its repetitions are items: none reads or writes what another one writes
	Item     *Item  // nil: all numbers
	Steps    []Step
	Span     diag.Span
}

// An Item makes a repeat one repetition, whose number is a parameter of the item of a batch: the cell of a given array with
// one dimension, at the number of the repeat Batch, which is around this one. It lies between the bounds of this one.
type Item struct{ Array, Batch int }

// An Until ends a repeat after the first repetition in which a comparison holds.
type Until struct {
	Reduces []ReducePlace // those that the comparison reads
	Cond    *Binary       // its leaves are constants, parameters and ReduceRefs
	Span    diag.Span
}

// A ReducePlace identifies a reduction of a nest.
type ReducePlace struct{ Nest, Reduce int } // index into Program.Nests, then Nest.Reduces

// Alone returns the program that is nest n and nothing else.
func Alone(n *Nest) *Program {
	return &Program{
		Name: n.Name, File: n.File, Source: n.Source, Params: n.Params, Floats: n.Floats, Consts: n.Consts, Arrays: n.Arrays, Externs: n.Externs,
		Nests: []*Nest{n}, Steps: []Step{{}},
	}
}

// Single reports whether p is one nest and nothing else.
func (p *Program) Single() bool { return len(p.Steps) == 1 && p.Steps[0].Repeat == nil }

// Repeats returns the repeats of p in textual order.
func (p *Program) Repeats() []*Repeat {
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
	add(p.Steps)
	return out
}

// HasBatch reports whether p has a batch. The loops of its nests run as they are written even if they
// take long, so they must look whether the run is to end.
func (p *Program) HasBatch() bool {
	return slices.ContainsFunc(p.Repeats(), func(r *Repeat) bool { return r.Batch })
}

// Reduces returns the reductions of all nests, in the order of the nests.
func (p *Program) Reduces() []*Reduce {
	var out []*Reduce
	for _, n := range p.Nests {
		out = append(out, n.Reduces()...)
	}
	return out
}

// Unbounded reports whether bounds of a parameter of items allow all numbers that a cell may have.
func Unbounded(bounds []Affine) bool {
	return len(bounds) == 1 && len(bounds[0].Params) == 0 && (bounds[0].Const == math.MinInt32 || bounds[0].Const == math.MaxInt32)
}

// Verify returns every broken invariant of p, joined, or nil.
func (p *Program) Verify() error {
	errs := p.verifySteps()
	repeats := p.Repeats()
	for k, n := range p.Nests {
		if len(n.Arrays) != len(p.Arrays) || n.parameters() != len(p.Floats) || !p.earlier(k) || !p.Single() && len(n.Params) != len(p.Params)+len(repeats) {
			errs = append(errs, fmt.Errorf("nest %d has %d arrays of %d, and %d parameters", k, len(n.Arrays), len(p.Arrays), len(n.Params)))
		}
		errs = append(errs, n.Verify())
	}
	for k, r := range repeats {
		if r.Index != k || len(r.Lo) == 0 || len(r.Hi) == 0 {
			errs = append(errs, fmt.Errorf("repeat %d has the index %d, %d lower and %d upper bounds", k, r.Index, len(r.Lo), len(r.Hi)))
		}
		if r.Item != nil && !p.gives(k, r.Item) {
			errs = append(errs, fmt.Errorf("repeat %d is the parameter of an item by %+v", k, *r.Item))
		}
		if r.Until != nil && !p.canEnd(r.Until) {
			errs = append(errs, fmt.Errorf("repeat %d ends by %+v", k, *r.Until))
		}
	}
	return errors.Join(errs...)
}

// gives reports whether x is well-formed, as that of repeat k.
func (p *Program) gives(k int, x *Item) bool {
	if x.Batch < 0 || x.Batch >= k || !p.Repeats()[x.Batch].Batch || x.Array < 0 || x.Array >= len(p.Arrays) {
		return false
	}
	a := &p.Arrays[x.Array]
	return a.Role == In && a.Elem.Integer() && len(a.Lo) == 1
}

// parameters is the number of float parameters of a nest that are no results of reductions.
func (n *Nest) parameters() int {
	k := slices.IndexFunc(n.Floats, func(f FloatParam) bool { return f.Of != nil })
	if k < 0 {
		return len(n.Floats)
	}
	return k
}

// earlier reports whether the results of reductions that nest k reads are those of earlier nests.
func (p *Program) earlier(k int) bool {
	n := p.Nests[k]
	for _, f := range n.Floats[n.parameters():] {
		if at := f.Of; at == nil || at.Nest < 0 || at.Nest >= k || at.Reduce < 0 || at.Reduce >= len(p.Nests[at.Nest].Reduces()) || p.Result(*at).Type != f.Type {
			return false
		}
	}
	return true
}

// verifySteps checks that the steps, including the steps of repeats, have every nest once.
func (p *Program) verifySteps() (errs []error) {
	seen := make([]int, len(p.Nests))
	var count func([]Step)
	count = func(steps []Step) {
		for _, s := range steps {
			switch {
			case s.Repeat != nil:
				count(s.Repeat.Steps)
			case s.Nest < 0 || s.Nest >= len(seen):
				errs = append(errs, fmt.Errorf("a step has nest %d of %d", s.Nest, len(seen)))
			default:
				seen[s.Nest]++
			}
		}
	}
	count(p.Steps)
	for k, times := range seen {
		if times != 1 {
			errs = append(errs, fmt.Errorf("%d steps have nest %d", times, k))
		}
	}
	return errs
}

// canEnd reports whether u is well-formed: it compares two values of one type, and reads nothing but
// reductions of nests of p, and parameters.
func (p *Program) canEnd(u *Until) bool {
	if len(u.Reduces) == 0 || u.Cond == nil || u.Cond.Op < Lt || u.Cond.Op > Ge || u.Cond.T != Bool {
		return false
	}
	for _, r := range u.Reduces {
		if r.Nest < 0 || r.Nest >= len(p.Nests) || r.Reduce < 0 || r.Reduce >= len(p.Nests[r.Nest].Reduces()) {
			return false
		}
	}
	good := u.Cond.X.Type() == u.Cond.Y.Type()
	Walk(u.Cond, func(e Expr) {
		switch e := e.(type) {
		case *Read, *Lookup, *ConstCell, *IterRef, *LocalRef, *ExternCall:
			good = false
		case *ReduceRef:
			good = good && e.Reduce >= 0 && e.Reduce < len(u.Reduces) && e.T == p.Result(u.Reduces[e.Reduce]).Type
		}
	})
	return good
}

// Result returns the reduction at a place.
func (p *Program) Result(at ReducePlace) *Reduce { return p.Nests[at.Nest].Reduces()[at.Reduce] }

// StepsText returns the text of the order of the nests, one per line.
func (p *Program) StepsText() string {
	var b strings.Builder
	var params []string
	for _, x := range p.Params {
		params = append(params, x.Name)
	}
	repeats := p.Repeats()
	for _, r := range repeats {
		params = append(params, r.Name)
	}
	bound := func(all []Affine, fn string) string {
		var list []string
		for _, a := range all {
			list = append(list, AffineText(a, params, nil))
		}
		if len(list) == 1 {
			return list[0]
		}
		return fn + "(" + strings.Join(list, ", ") + ")"
	}
	header := func(r *Repeat) string {
		lo, hi := bound(r.Lo, "max"), bound(r.Hi, "min")
		switch {
		case r.Item != nil && Unbounded(r.Lo) && Unbounded(r.Hi):
			return fmt.Sprintf("%s = %s[%s]", r.Name, p.Arrays[r.Item.Array].Name, repeats[r.Item.Batch].Name)
		case r.Item != nil:
			return fmt.Sprintf("%s = %s[%s] in %s..%s", r.Name, p.Arrays[r.Item.Array].Name, repeats[r.Item.Batch].Name, lo, hi)
		case r.Batch:
			return fmt.Sprintf("batch %s = %s..%s", r.Name, lo, hi)
		case r.Backward:
			return fmt.Sprintf("repeat %s = %s..%s step -1", r.Name, hi, lo)
		}
		return fmt.Sprintf("repeat %s = %s..%s", r.Name, lo, hi)
	}
	var print func(steps []Step, indent string)
	print = func(steps []Step, indent string) {
		for _, s := range steps {
			if r := s.Repeat; r != nil {
				b.WriteString(indent + header(r))
				for len(r.Steps) > 0 && r.Steps[0].Repeat != nil && r.Steps[0].Repeat.Item != nil {
					r = r.Steps[0].Repeat
					b.WriteString(", " + header(r))
				}
				if u := r.Until; u != nil {
					text := printer{n: p.Nests[0]}
					fmt.Fprintf(&b, " until %s", text.expr(u.Cond, context{t: Bool}, 0))
				}
				b.WriteByte('\n')
				print(r.Steps, indent+"\t")
				continue
			}
			fmt.Fprintf(&b, "%s%s\n", indent, p.Nests[s.Nest].Name)
		}
	}
	print(p.Steps, "")
	return b.String()
}

// Clone returns a copy of e with new Read nodes, so that they can be renumbered. Other
// leaves are shared.
func Clone(e Expr) Expr {
	if r, ok := e.(*Read); ok {
		x := *r
		return &x
	}
	return Map(e, Clone)
}
