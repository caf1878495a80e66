package eval

import (
	"fmt"
	"math"
	"slices"

	"loopc/ir"
)

// RunProgram does what Run does, for a program of any number of nests: it runs them in the order of its
// steps, each on the complete arrays that the earlier nests have left.
func RunProgram(p *ir.Program, params []int, in map[string]*Array, floats ...float64) (map[string]*Array, error) {
	s := &sequence{p: p, floats: floats, params: append([]int(nil), params...), arrays: map[string]*Array{}, out: map[string]*Array{}}
	for range p.Repeats() {
		s.params = append(s.params, 0)
	}
	if p.Single() {
		s.params = params
	}
	for _, a := range p.Arrays {
		if given := in[a.Name]; given != nil {
			s.arrays[a.Name] = given
		}
	}
	for k, n := range p.Nests { // also nests that no repetition reaches
		for _, r := range n.Reduces() {
			x, err := NewArray(r.Type, nil, nil)
			if err != nil {
				return nil, err
			}
			x.set(0, newReduction(r).result())
			s.out[r.Name] = x
		}
		if err := launchChecks(p.Nests[k], s.params, false); err != nil {
			return nil, err
		}
	}
	if err := s.checkItems(p.Steps); err != nil {
		return nil, err
	}
	if err := s.run(p.Steps); err != nil {
		return nil, err
	}
	for k := range p.Arrays {
		a := &p.Arrays[k]
		whole := s.arrays[a.Name]
		switch {
		case !a.Returned() || whole == nil:
		case a.Out == nil:
			s.out[a.Name] = whole
		default:
			m := &machine{nest: p.Nests[0], params: s.params}
			part, err := m.slice(a, whole)
			if err != nil {
				return nil, err
			}
			s.out[a.Name] = part
		}
	}
	return s.out, nil
}

// A sequence is the state of a run of a program.
type sequence struct {
	p      *ir.Program
	params []int
	floats []float64
	arrays map[string]*Array // complete live-out arrays
	out    map[string]*Array // results of reductions, and parts of arrays that a nest returned
}

// run runs steps.
func (s *sequence) run(steps []ir.Step) error {
	for _, step := range steps {
		if step.Repeat == nil {
			if err := s.nest(s.p.Nests[step.Nest]); err != nil {
				return err
			}
			continue
		}
		r := step.Repeat
		lo, hi := s.bounds(r)
		for k := range max(0, hi-lo+1) {
			t := lo + k
			if r.Backward {
				t = hi - k
			}
			s.params[len(s.p.Params)+r.Index] = t
			if err := s.run(r.Steps); err != nil {
				return err
			}
			if r.Until != nil && s.ended(r.Until) {
				break
			}
		}
	}
	return nil
}

// bounds returns the first and the last number of a repeat. A repeat that stands for a parameter of
// a batch item has one number, the parameter's value.
func (s *sequence) bounds(r *ir.Repeat) (lo, hi int) {
	if r.Item == nil {
		return Bounds(&ir.Loop{Lo: r.Lo, Hi: r.Hi}, s.params, nil)
	}
	a := s.arrays[s.p.Arrays[r.Item.Array].Name]
	at, _ := a.Offset([]int{s.params[len(s.p.Params)+r.Item.Batch]})
	x := int(a.at(at).i)
	return x, x
}

// checkItems returns an error, which wraps ErrRefused, for the first item with a parameter that is out of its range.
func (s *sequence) checkItems(steps []ir.Step) error {
	for _, step := range steps {
		r := step.Repeat
		if r == nil {
			continue
		}
		lo, hi := Bounds(&ir.Loop{Lo: r.Lo, Hi: r.Hi}, s.params, nil)
		if r.Item != nil {
			t := s.params[len(s.p.Params)+r.Item.Batch]
			a := s.arrays[s.p.Arrays[r.Item.Array].Name]
			if _, ok := a.Offset([]int{t}); !ok {
				return fmt.Errorf("%s:%d:%d: item %d: %s[%d] is out of bounds: %w", s.p.File, r.Span.Line, r.Span.Col, t, s.p.Arrays[r.Item.Array].Name, t, ErrRefused)
			}
			x, _ := s.bounds(r)
			if x < lo || x > hi {
				return fmt.Errorf("%s:%d:%d: item %d: %s = %d is not within %d..%d: %w", s.p.File, r.Span.Line, r.Span.Col, t, r.Name, x, lo, hi, ErrRefused)
			}
			lo, hi = x, x
		}
		for t := lo; t <= hi; t++ {
			s.params[len(s.p.Params)+r.Index] = t
			if err := s.checkItems(r.Steps); err != nil {
				return err
			}
		}
	}
	return nil
}

// nest runs one nest.
func (s *sequence) nest(n *ir.Nest) error {
	floats := slices.Clone(s.floats)
	for _, f := range n.Floats {
		if f.Of == nil {
			continue
		}
		v := s.out[s.p.Result(*f.Of).Name].at(0)
		if f.Type.Integer() { // Run takes an integer as the bits of a float64
			v.f = math.Float64frombits(uint64(v.i))
		}
		floats = append(floats, v.f)
	}
	results, err := Run(n, s.params, s.arrays, floats...)
	if err != nil {
		return err
	}
	for k := range n.Arrays {
		a := &n.Arrays[k]
		switch got := results[a.Name]; {
		case got == nil:
		case a.Out != nil:
			s.out[a.Name] = got
		default:
			s.arrays[a.Name] = got
		}
	}
	for _, r := range n.Reduces() {
		s.out[r.Name] = results[r.Name]
	}
	return nil
}

// ended reports whether the condition of a repeat holds. The frontend refuses conditions that can
// fail, such as those that divide by zero.
func (s *sequence) ended(u *ir.Until) bool {
	m := &machine{nest: s.p.Nests[0], params: s.params, floats: s.floats, literals: map[*ir.Lit]value{}}
	for _, at := range u.Reduces {
		m.ended = append(m.ended, s.out[s.p.Result(at).Name].at(0))
	}
	v, err := m.eval(u.Cond)
	if err != nil {
		panic("BUG: the condition of a repeat fails: " + err.Error())
	}
	return v.b
}
