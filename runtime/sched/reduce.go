package sched

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// A Reduction is the result of a reduce of the nest. The Reduction of one rank is partial and
// has a State; Merge combines the States of all ranks into the result.
type Reduction struct {
	Name  string `json:"name"`
	Op    string `json:"op"`              // as of plan.Reduce
	Type  string `json:"type"`            // of the values and of the result
	Value any    `json:"value,omitempty"` // a number; "NaN", "+Inf" and "-Inf" are strings
	State []byte `json:"state,omitempty"` // see encode
	// Whole says that State is the result of the run, which one rank has; the others have no State.
	Whole bool `json:"whole,omitempty"`

	result array.View // of an entire run: one cell
}

// Result returns the result of an entire run, as a view without dimensions.
func (r *Reduction) Result() array.View { return r.result }

// String returns the result as text. Floats have as many digits as distinguish them from their neighbors.
func (r *Reduction) String() string { return text(r.result) }

// Reduced returns the result of the k-th reduction of a complete run.
func Reduced[T array.Number](fields kernel.Fields, k int) T {
	return array.Cells[T](fields.Reduced[k].Value)[0]
}

// newReduced returns the reductions of a nest over no iterations.
func newReduced(nest *plan.Nest) []kernel.Reduced {
	var all []kernel.Reduced
	for _, r := range nest.Reduces {
		v, err := array.Make(r.Elem, nil, nil)
		if err != nil {
			panic("BUG: " + err.Error())
		}
		out := kernel.Reduced{Value: v}
		if least, ok := placeOf(r.Op); ok {
			out.Place = arith.NewPlace(least)
		}
		if r.Op == "sum" && element.Named(r.Elem).Float {
			out.Exact = new(arith.Sum)
		}
		all = append(all, out)
	}
	clearReduced(nest, all)
	return all
}

// clearReduced sets the reductions of a nest to those over no iterations.
func clearReduced(nest *plan.Nest, all []kernel.Reduced) {
	for k, r := range nest.Reduces {
		switch {
		case all[k].Place != nil:
			all[k].Place.Clear()
			clear(all[k].Value.Data)
		case r.Op != "sum":
			extreme(&all[k].Value, r.Op == "max")
		case all[k].Exact != nil:
			all[k].Exact.Clear()
			clear(all[k].Value.Data)
		default:
			clear(all[k].Value.Data)
		}
	}
}

// extreme sets the cell of v to the lowest or the highest value of its type.
func extreme(v *array.View, lowest bool) {
	t := element.Named(v.Elem)
	x := t.Highest()
	if lowest {
		x = t.Lowest()
	}
	t.Set(v.Data, 0, x)
}

// placeOf reports whether an operation finds the place of a max or, if least, of a min.
func placeOf(op string) (least, ok bool) {
	of, ok := strings.CutPrefix(op, "first ")
	return of == "min", ok
}

// merge combines two partial reductions by operation op; the result is in into.
func merge(op string, into, from kernel.Reduced) {
	if into.Exact != nil {
		into.Exact.Merge(from.Exact)
		return
	}
	if into.Place != nil {
		into.Place.Merge(from.Place)
		return
	}
	a, b := into.Value.Cell(0), from.Value.Cell(0)
	switch op {
	case "max":
		a.F, a.I = max(a.F, b.F), max(a.I, b.I)
	case "min":
		a.F, a.I = min(a.F, b.F), min(a.I, b.I)
	default:
		a.I += b.I
	}
	into.Value.SetCell(0, a)
}

// finish sets the cell of r to the result: a rounded sum of floats, or a place. The cell has all other results already.
func finish(r kernel.Reduced) {
	switch {
	case r.Place != nil:
		array.Cells[int64](r.Value)[0] = r.Place.Result()
	case r.Exact == nil:
	case r.Value.Elem == "float32":
		array.Cells[float32](r.Value)[0] = r.Exact.Float32()
	default:
		array.Cells[float64](r.Value)[0] = r.Exact.Float64()
	}
}

// resultOf returns the cell of v as kernels get results of earlier nests: a float, or the bits of an int64.
func resultOf(v array.View) float64 {
	x := v.Cell(0)
	if element.Named(v.Elem).Float {
		return x.F
	}
	return math.Float64frombits(uint64(x.I))
}

// text returns the cell of v as text.
func text(v array.View) string { return element.Named(v.Elem).Text(v.Cell(0)) }

// jsonValue returns the cell of v as a value for package json.
func jsonValue(v array.View) any {
	s := text(v)
	if s == "NaN" || s == "+Inf" || s == "-Inf" {
		return s // JSON numbers are finite
	}
	return json.Number(s)
}

// partial combines the workers' parts into the partial reductions of a rank.
func partial(nest *plan.Nest, workers []*worker) ([]Reduction, error) {
	var out []Reduction
	for k, r := range nest.Reduces {
		all := newReduced(nest)[k]
		for _, w := range workers {
			merge(r.Op, all, w.reduced[k])
		}
		state, err := encode(all)
		if err != nil {
			return nil, fmt.Errorf("reduction %s: %w", r.Name, err)
		}
		out = append(out, Reduction{Name: r.Name, Op: r.Op, Type: r.Elem, State: state})
	}
	return out, nil
}

// encode returns a partial reduction as bytes: the cell, the exact sum, or the place.
func encode(r kernel.Reduced) ([]byte, error) {
	if r.Place != nil {
		return r.Place.MarshalBinary()
	}
	if r.Exact != nil {
		return r.Exact.MarshalBinary()
	}
	return r.Value.Data, nil
}

// decode sets into to what encode has returned.
func decode(into kernel.Reduced, state []byte) error {
	if into.Place != nil {
		return into.Place.UnmarshalBinary(state)
	}
	if into.Exact != nil {
		return into.Exact.UnmarshalBinary(state)
	}
	if len(state) != into.Value.Size {
		return fmt.Errorf("%d bytes are no %s", len(state), into.Value.Elem)
	}
	copy(into.Value.Data, state)
	return nil
}

// reduceRanks combines the ranks' partial reductions into those of the run, and removes the partial ones. It returns none if a rank has
// failed before it had its part.
func reduceRanks(ranks []Summary) ([]Reduction, error) {
	if len(ranks) == 0 {
		return nil, nil
	}
	out := make([]Reduction, len(ranks[0].Reductions))
	for k, first := range ranks[0].Reductions {
		like := &plan.Nest{Reduces: []plan.Reduce{{Name: first.Name, Op: first.Op, Elem: first.Type}}}
		all := newReduced(like)[0]
		for _, r := range ranks {
			if len(r.Reductions) != len(out) {
				return nil, nil
			}
			if first.Whole {
				copy(all.Value.Data, r.Reductions[k].State)
				continue
			}
			part := newReduced(like)[0]
			if err := decode(part, r.Reductions[k].State); err != nil {
				return nil, fmt.Errorf("rank %d: reduction %s: %w", r.Rank, first.Name, err)
			}
			merge(first.Op, all, part)
		}
		if !first.Whole {
			finish(all)
		}
		out[k] = Reduction{Name: first.Name, Op: first.Op, Type: first.Type, Value: jsonValue(all.Value), result: all.Value}
	}
	for k := range ranks {
		ranks[k].Reductions = nil
	}
	return out, nil
}

// GiveReduced puts the results of the reductions of an entire run into fields.
func (s *Summary) GiveReduced(fields kernel.Fields) {
	for k := range s.Reductions {
		if k < len(fields.Reduced) {
			fields.Reduced[k].Value = s.Reductions[k].result
		}
	}
}

// Told returns the results of the reductions of an entire run, encoded in State for other processes.
func Told(s *Summary) []Reduction {
	var out []Reduction
	for _, r := range s.Reductions {
		r.State = r.result.Data
		out = append(out, r)
	}
	return out
}

// Hear sets the results of a summary to those that Told has returned in another process.
func Hear(s *Summary, told []Reduction) error {
	s.Reductions = nil
	for _, r := range told {
		v, err := array.Make(r.Type, nil, nil)
		if err == nil && len(r.State) != v.Size {
			err = fmt.Errorf("%d bytes are no %s", len(r.State), r.Type)
		}
		if err != nil {
			return fmt.Errorf("reduction %s: %w", r.Name, err)
		}
		copy(v.Data, r.State)
		r.State, r.Value, r.result = nil, jsonValue(v), v
		s.Reductions = append(s.Reductions, r)
	}
	return nil
}
