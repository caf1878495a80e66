package sched

import (
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/transform/plan"
)

// An Item makes a repeat one repetition, whose value is a parameter of the item of a batch: the cell of a given array with
// one dimension, at the value of the repeat Batch, which is around this one.
type Item struct {
	Array, Batch int
	At           string // the place in the source, for errors
}

// A givenCells finds integers of given arrays that have parameters of items.
type givenCells func(arr int) *itemCells

// itemCells are a given array of integers with one dimension, and the integers from its first cell on as they were when read was called.
type itemCells struct {
	view     *array.View
	integers []int
}

// read reads the cells.
func (c *itemCells) read() *itemCells {
	n, at := c.view.Hi[0]-c.view.Lo[0]+1, c.view.Origin()+c.view.Lo[0]*c.view.Stride[0]
	c.integers = slices.Grow(c.integers[:0], max(0, n))[:max(0, n)]
	element.Named(c.view.Elem).Ints(c.integers, c.view.Data, at, c.view.Stride[0])
	return c
}

// at returns the cell at an index.
func (c *itemCells) at(index int) int { return c.integers[index-c.view.Lo[0]] }

// bounds returns the first and the last value of a repeat. The values of repeats begin at params[first].
func (r *Repeat) bounds(params []int, first int, given givenCells) (lo, hi int) {
	if r.Item == nil {
		return r.Bounds(params)
	}
	x := given(r.Item.Array).at(params[first+r.Item.Batch])
	return x, x
}

// expected returns the values of a repeat for predictions: of a parameter of an item, its greatest.
func (r *Repeat) expected(params []int) (lo, hi int) {
	lo, hi = r.Bounds(params)
	if r.Item != nil {
		lo = max(lo, hi)
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
func checkItems(whole *plan.Nest, steps []Step, params []int, given givenCells) error {
	if itemsFit(steps, params, len(whole.Params), 0, -1, given) {
		return nil
	}
	return firstItem(whole, steps, params, given)
}

// itemsFit reports whether the items lo..hi of a batch, of which steps are those of an item, and of all batches in steps have parameters
// within their ranges. It is false, too, if ranges depend on numbers of repeats, which begin at params[first].
func itemsFit(steps []Step, params []int, first, lo, hi int, given givenCells) bool {
	return !slices.ContainsFunc(steps, func(s Step) bool {
		r := s.Repeat
		if r == nil || r.Item == nil && !hasItems(r.Steps) {
			return false
		}
		if slices.ContainsFunc(slices.Concat(r.Lo, r.Hi), func(f plan.Affine) bool { return dependsFrom(f, first) }) {
			return true
		}
		least, most := r.Bounds(params)
		if r.Item == nil {
			return !itemsFit(r.Steps, params, first, least, most, given)
		}
		return !given(r.Item.Array).within(lo, hi, least, most) || !itemsFit(r.Steps, params, first, lo, hi, given)
	})
}

// within reports whether the array has the cells lo..hi, and each is from least to most.
func (c *itemCells) within(lo, hi, least, most int) bool {
	if lo <= hi && (lo < c.view.Lo[0] || hi > c.view.Hi[0]) {
		return false
	}
	for t := lo; t <= hi; t++ {
		if x := c.at(t); x < least || x > most {
			return false
		}
	}
	return true
}

// dependsFrom reports whether a form depends on parameters from params[first] on.
func dependsFrom(f plan.Affine, first int) bool {
	return len(f.Params) > first && slices.ContainsFunc(f.Params[first:], func(c int) bool { return c != 0 })
}

// firstItem does what checkItems does, item by item.
func firstItem(whole *plan.Nest, steps []Step, params []int, given givenCells) error {
	for _, s := range steps {
		r := s.Repeat
		if r == nil || r.Item == nil && !hasItems(r.Steps) {
			continue
		}
		lo, hi := r.Bounds(params)
		if r.Item != nil {
			t := params[len(whole.Params)+r.Item.Batch]
			if v, a := given(r.Item.Array).view, &whole.Arrays[r.Item.Array]; t < v.Lo[0] || t > v.Hi[0] {
				return fmt.Errorf("%s: item %d: %s has the cells %d..%d", r.Item.At, t, a.Name, v.Lo[0], v.Hi[0])
			}
			x, _ := r.bounds(params, len(whole.Params), given)
			if x < lo || x > hi {
				return fmt.Errorf("%s: item %d: %s = %d is not within %d..%d", r.Item.At, t, r.Name, x, lo, hi)
			}
			lo, hi = x, x
		}
		for t := lo; t <= hi; t++ {
			params[len(whole.Params)+r.Index] = t
			if err := firstItem(whole, r.Steps, params, given); err != nil {
				return err
			}
		}
	}
	return nil
}

// beginsItems reports whether a nest outside of batches fills an array that only items use (plan.Array.Item). Such a nest need
// not run: what an item reads there, the item itself has filled or computed.
func (prog *Program) beginsItems(nest int) bool {
	for a := range prog.Nest.Arrays {
		if prog.Nest.Arrays[a].Item > 0 && prog.Parts()[nest].Nest.Arrays[a].Role != plan.Internal {
			return true
		}
	}
	return false
}

// ran counts the iterations of a nest. Of several ranks, one counts those of nests outside of batches.
func (s *sequence) ran(nest int) {
	if other := s.division != nil && s.division.rank > 0 && s.looks.inside == 0; s.sizes != nil && s.all == 0 && !other {
		s.done += s.sizes[nest].points(s.params)
	}
}

// lengths makes this rank's copies of the arrays that have parameters of items, and checks these.
func (r *Rank) lengths() error {
	for _, repeat := range (&Program{Steps: r.steps}).Repeats() {
		if repeat.Item == nil {
			continue
		}
		a := repeat.Item.Array
		if v := r.lent(a); v != nil {
			r.given[a] = (&itemCells{view: v}).read()
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
		r.given[a] = (&itemCells{view: &v}).read()
	}
	return checkItems(r.whole, r.steps, slices.Clone(r.params), r.cellsOf)
}

// cellsOf returns a given array that has parameters of items.
func (r *Rank) cellsOf(a int) *itemCells { return r.given[a] }

// itemValue returns the value of a parameter of an item, for the function of a repeat.
func (s *sequence) itemValue(repeat int) int {
	item := s.ofProgram[repeat].Item
	return s.items[item.Array].at(s.params[s.given+item.Batch])
}

// bounds returns the first and the last value of a repeat.
func (s *sequence) bounds(r *Repeat) (lo, hi int) {
	if r.Item != nil {
		x := s.itemValue(r.Index)
		return x, x
	}
	return r.Bounds(s.params)
}

// cellsOf returns a given array.
func (s *sequence) cellsOf(a int) *itemCells { return s.items[a] }
