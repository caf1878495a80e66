package sched

import (
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/transform/plan"
)

// An Item limits a repeat to one value: a parameter of an item of a batch. The repeat Batch, which encloses this repeat, has the item's
// number as its value. The cell of the given array Array at this number is the parameter.
type Item struct {
	Array, Batch int
	At           string // the place in the source, for errors
}

// itemCells are a given array with a parameter for each item, in one dimension, and copies of its cells, which read makes.
type itemCells struct {
	view     *array.View
	integers []int
}

func (c *itemCells) read(v *array.View) {
	c.view, c.integers = v, c.integers[:0]
	for k := range v.Cells() {
		c.integers = append(c.integers, int(v.Cell(k).I))
	}
}

// bounds returns the first and the last value of a repeat. The current values of all repeats are in params, from params[first] on.
func (r *Repeat) bounds(params []int, first int, given []itemCells) (lo, hi int) {
	if r.Item == nil {
		return r.Bounds(params)
	}
	cells, item := &given[r.Item.Array], params[first+r.Item.Batch]
	x := cells.integers[item-cells.view.Lo[0]]
	return x, x
}

// expected returns the values of a repeat for predictions. For a parameter of an item that is its upper bound.
func (r *Repeat) expected(params []int) (lo, hi int) {
	lo, hi = r.Bounds(params)
	if r.Item != nil {
		lo = max(lo, hi) // only hi, or still no value
	}
	return lo, hi
}

// hasItems reports whether steps have a batch whose items have parameters.
func hasItems(steps []Step) bool {
	return slices.ContainsFunc(steps, func(s Step) bool {
		return s.Repeat != nil && (s.Repeat.Item != nil || hasItems(s.Repeat.Steps))
	})
}

// checkItems returns an error for the first item with a parameter that is out of its range.
func checkItems(whole *plan.Nest, steps []Step, params []int, given []itemCells) error {
	for _, s := range steps {
		r := s.Repeat
		if r == nil || r.Item == nil && !hasItems(r.Steps) {
			continue
		}
		lo, hi := r.Bounds(params)
		if r.Item != nil {
			item := params[len(whole.Params)+r.Item.Batch]
			if v, a := given[r.Item.Array].view, &whole.Arrays[r.Item.Array]; item < v.Lo[0] || item > v.Hi[0] {
				return fmt.Errorf("%s: item %d: %s has the cells %d..%d", r.Item.At, item, a.Name, v.Lo[0], v.Hi[0])
			}
			x, _ := r.bounds(params, len(whole.Params), given)
			if x < lo || x > hi {
				return fmt.Errorf("%s: item %d: %s = %d is not within %d..%d", r.Item.At, item, r.Name, x, lo, hi)
			}
			lo, hi = x, x
		}
		for t := lo; t <= hi; t++ {
			params[len(whole.Params)+r.Index] = t
			if err := checkItems(whole, r.Steps, params, given); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginsItems reports whether a nest outside of batches fills an array that only items use (plan.Array.Item). The loops as they are written
// leave out such a nest: each item itself fills or computes the cells that it reads.
func (prog *Program) beginsItems(nest int) bool {
	for a := range prog.Nest.Arrays {
		if prog.Nest.Arrays[a].Item > 0 && prog.Parts()[nest].Nest.Arrays[a].Role != plan.Internal {
			return true
		}
	}
	return false
}

// ran counts the iterations of a nest that has run. Every rank runs the nests outside of batches, but only rank 0 counts them.
func (s *sequence) ran(nest int) {
	uncounted := s.division != nil && s.division.rank > 0 && s.looks.inside == 0
	if s.sizes != nil && s.all == 0 && !uncounted {
		s.done += s.sizes[nest].points(s.params)
	}
}

// lengths reads the arrays that have parameters of items, and checks the parameters. Each rank reads all cells of these arrays.
func (r *Rank) lengths() error {
	for _, repeat := range (&Program{Steps: r.steps}).Repeats() {
		if repeat.Item == nil {
			continue
		}
		a := repeat.Item.Array
		if v := r.lent(a); v != nil {
			r.given[a].read(v)
			continue
		}
		arr := &r.whole.Arrays[a]
		lo, extent, err := arr.Extent(r.params)
		if err != nil {
			return err
		}
		v, err := array.Make(arr.Elem, lo, top(lo, extent))
		if err == nil {
			err = r.store.Fill(a, &v)
		}
		if err != nil {
			return fmt.Errorf("rank %d: array %s: %w", r.rank, arr.Name, err)
		}
		r.given[a].read(&v)
	}
	return checkItems(r.whole, r.steps, slices.Clone(r.params), r.given)
}

// itemValue returns the parameter of the current item to which a repeat is limited. Emitted functions call it.
func (s *sequence) itemValue(repeat int) int {
	x, _ := s.bounds(s.ofProgram[repeat])
	return x
}

// bounds returns the first and the last value of a repeat.
func (s *sequence) bounds(r *Repeat) (lo, hi int) {
	return r.bounds(s.params, s.given, s.items)
}
