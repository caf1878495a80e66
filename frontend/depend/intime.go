package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// A Turn is an access of a nest of a program, and when it happens.
type Turn struct {
	Occurrence
	Order int      // of the nest in the program
	In    []Around // outermost first
	Read  *ir.Read // nil: a write
}

// An Around is a repeat around a nest.
type Around struct {
	Repeat         int
	Backward, Ends bool // Ends: it may end before its last number
}

// WrittenInTime reports whether every cell that a read takes is written before: by an earlier nest, or in an earlier
// repetition. A cell that only the nest of the read writes, in the same repetition, counts as not written.
func WrittenInTime(read Turn, writes []Turn) bool {
	s, before := writtenBefore(read, writes)
	return !slices.ContainsFunc(guardOf(read.Nest, read.Read), func(piece []ir.Constraint) bool {
		return !within(s.under(piece).accessed(read.Subs), before)
	})
}

// writtenBefore returns the space of the nest of a read and, of each write, the cells that it writes before the read; nil if
// they are not known exactly. Columns: parameters, cell.
func writtenBefore(read Turn, writes []Turn) (s *space, before []*lattice.System) {
	s = newSpace(withItems(read.Nest, read.Nest.Numbers, writes))
	for _, w := range writes {
		shared := 0
		for shared < min(len(w.In), len(read.In)) && w.In[shared].Repeat == read.In[shared].Repeat {
			shared++
		}
		for k := range shared {
			before = append(before, w.cells(s.params, k, true))
		}
		if w.Order < read.Order {
			before = append(before, w.cells(s.params, shared, false))
		}
	}
	return s, before
}

// Needed describes an iteration in which a read takes a cell that nothing writes before, as "at i = 1 it is u[0]
// (N = 100)"; "" if it finds none.
func Needed(read Turn, writes []Turn) string {
	s, before := writtenBefore(read, writes)
	if slices.Contains(before, nil) {
		return "" // not known exactly
	}
	n, cell := read.Nest, s.params+s.depth
	var wish []int64
	for _, p := range n.Params {
		if wish = append(wish, 10); p.Default != nil {
			wish[len(wish)-1] = int64(*p.Default)
		}
	}
	for _, piece := range guardOf(n, read.Read) {
		all := s.under(piece).iterations(len(read.Subs))
		for d, sub := range read.Subs {
			r := s.row(sub, all.Columns(), s.params)
			r[cell+d] = -1
			all.AddZero(r)
			if arr := &n.Arrays[read.Read.Array]; arr.Boundary == nil { // a cell beyond the bounds is refused as such
				lo, hi := s.row(arr.Lo[d], all.Columns(), s.params), s.row(arr.Hi[d], all.Columns(), s.params)
				for k := range lo {
					lo[k] = -lo[k]
				}
				lo[cell+d], hi[cell+d] = 1, -1
				all.Add(lo)
				all.Add(hi)
			}
		}
		var at []int64
		difference(all, before, func(r lattice.Row) lattice.Row {
			return slices.Concat(r[:s.params], make(lattice.Row, s.depth), r[s.params:])
		}, func(part *lattice.System) bool {
			at = part.Point(slices.Concat(wish, make([]int64, all.Columns()-len(wish))))
			return at == nil
		})
		if at != nil {
			return s.pointText(n, read, at)
		}
	}
	return ""
}

// pointText describes an iteration of a read, and its cell. at are the parameters, the iteration and the cell.
func (s *space) pointText(n *ir.Nest, read Turn, at []int64) string {
	var loops, cell, params []string
	for k, l := range n.Loops {
		if slices.ContainsFunc(read.Subs, func(f ir.Affine) bool { return f.Iter(k) != 0 }) {
			loops = append(loops, fmt.Sprintf("%s = %d", l.Name, at[s.params+k]))
		}
	}
	for d := range read.Subs {
		cell = append(cell, fmt.Sprint(at[s.params+s.depth+d]))
	}
	for k, p := range n.Params {
		if p.Span != (diag.Span{}) && k < s.params-len(n.Numbers) {
			params = append(params, fmt.Sprintf("%s = %d", p.Name, at[k]))
		}
	}
	text := fmt.Sprintf("it is %s[%s]", n.Arrays[read.Array].Name, strings.Join(cell, ","))
	if len(loops) > 0 {
		text = "at " + strings.Join(loops, ", ") + " " + text
	}
	if len(params) > 0 {
		text += " (" + strings.Join(params, ", ") + ")"
	}
	return text
}

// difference divides set, without the union of others, into systems, and calls visit for each. It stops and returns false
// if visit returns false. A system of others that is nil is empty; wide makes a row of set from a row of others.
func difference(set *lattice.System, others []*lattice.System, wide func(lattice.Row) lattice.Row, visit func(*lattice.System) bool) bool {
	switch {
	case set.Empty():
		return true
	case len(others) == 0:
		return visit(set)
	case others[0] == nil || others[0].Never():
		return difference(set, others[1:], wide, visit)
	}
	for _, r := range others[0].Rows() {
		part := set.Clone()
		if part.Add(lattice.Complement(wide(r))); !difference(part, others[1:], wide, visit) {
			return false
		}
	}
	return true
}

// WrittenAtAll reports whether every cell of an array is written by some nest.
func WrittenAtAll(nest *ir.Nest, array int, writes []Turn) bool {
	a := newAnalyzer(withItems(nest, nil, writes)) // the repeats around it may run nothing
	var cells []*lattice.System
	for _, w := range writes {
		cells = append(cells, w.cells(a.space.params, 0, false))
	}
	return within(a.box(&nest.Arrays[array]), cells)
}

// WritesWhole reports whether a nest writes every cell of an array, whatever the numbers of the repeats around it are.
func WritesWhole(n *ir.Nest, array int) bool {
	a := newAnalyzer(n)
	written := &ir.Analysis{Written: make([][]ir.Constraint, len(n.Body))}
	a.findWritten(written)
	return a.unwritten(written, n.Assigns(array), a.box(&n.Arrays[array]), func(*lattice.System) bool { return false })
}

// withItems returns n with the given numbers, and with the parameters of items of writes that depend on no other number: a
// cell that an item writes has one subscript that tells the item, so what holds for all of its parameters holds for the cell.
func withItems(n *ir.Nest, numbers []ir.Number, writes []Turn) *ir.Nest {
	out := *n
	out.Numbers = slices.Clone(numbers)
	for _, w := range writes {
		for _, x := range w.Nest.Numbers {
			known := slices.ContainsFunc(out.Numbers, func(y ir.Number) bool { return y.Param == x.Param })
			if x.Item && !known && !slices.ContainsFunc(slices.Concat(x.Lo, x.Hi), w.Nest.Numbered) {
				out.Numbers = append(out.Numbers, x)
			}
		}
	}
	return &out
}

// accessed are the cells that subs reach from the iterations of the space, perhaps with more. Columns: parameters,
// cell.
func (s *space) accessed(subs []ir.Affine) *lattice.System {
	cell := s.params + s.depth
	sys := s.iterations(len(subs))
	for d, sub := range subs {
		r := s.row(sub, sys.Columns(), s.params)
		r[cell+d] = -1
		sys.AddZero(r)
	}
	projection, _ := sys.Project(func(column int) bool { return column < s.params || column >= cell })
	return without(projection, s.params, cell)
}

// without is a system without the columns from first to last, which have coefficients of 0.
func without(sys *lattice.System, first, last int) *lattice.System {
	out := lattice.New(sys.Columns() - (last - first))
	if sys.Never() {
		never := make(lattice.Row, out.Columns()+1)
		never[out.Columns()] = -1
		out.Add(never)
	}
	for _, r := range sys.Rows() {
		out.Add(slices.Concat(r[:first], r[last:]))
	}
	return out
}

// cells returns the cells that a write reaches in certain repetitions: the numbers of the outermost repeats equal the
// parameters, same is the number of these repeats; and, if earlier, the next repeat has an earlier number than the
// parameter. It returns nil if the cells are not known exactly. Columns: parameters, cell.
func (w Turn) cells(params, same int, earlier bool) *lattice.System {
	for k, x := range w.In {
		if x.Ends && (k > same || k == same && !earlier) {
			return nil
		}
	}
	if earlier && w.Nest.Numbers[same].Item {
		return nil // it has one number
	}
	s := newSpace(w.Nest)
	cell := params
	own := cell + len(w.Subs) // the numbers of the write
	iter := own + len(w.In)
	columns := iter + s.depth
	sys := lattice.New(columns)
	of := map[int]int{} // the column of a number of the write
	for k, x := range w.Nest.Numbers {
		if !x.Item {
			of[x.Param] = own + k
		}
	}
	row := func(f ir.Affine) lattice.Row {
		r := s.row(f, columns, iter)
		for p, column := range of {
			r[column], r[p] = r[p], 0
		}
		return r
	}
	for _, c := range slices.Concat(s.assumed, s.constraints) {
		sys.Add(row(c))
	}
	for d, sub := range w.Subs {
		r := row(sub)
		r[cell+d] = -1
		sys.AddZero(r)
	}
	for k, x := range w.Nest.Numbers {
		r := make(lattice.Row, columns+1)
		switch r[own+k], r[x.Param] = -1, 1; {
		case x.Item: // what the parameter is
		case k < same:
			sys.AddZero(r)
		case k == same && earlier:
			if w.In[k].Backward {
				r[own+k], r[x.Param] = 1, -1
			}
			r[columns] = -1
			sys.Add(r)
		}
	}
	projection, exact := sys.Project(func(column int) bool { return column < own })
	if !exact {
		return nil
	}
	return without(projection, own, columns)
}

// within reports whether a set is within the union of others; those that are nil are empty.
func within(set *lattice.System, others []*lattice.System) bool {
	return difference(set, others, func(r lattice.Row) lattice.Row { return r }, func(*lattice.System) bool { return false })
}
