package depend

import (
	"slices"

	"loopc/ir"
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
	s := newSpace(withItems(read.Nest, read.Nest.Numbers, writes))
	var before []*lattice.System
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
	return !slices.ContainsFunc(guardOf(read.Nest, read.Read), func(piece []ir.Constraint) bool {
		return !within(s.under(piece).accessed(read.Subs), before)
	})
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
	switch {
	case set.Empty():
		return true
	case len(others) == 0:
		return false
	case others[0] == nil || others[0].Never():
		return within(set, others[1:])
	}
	for _, r := range others[0].Rows() {
		part := set.Clone()
		if part.Add(lattice.Complement(r)); !within(part, others[1:]) {
			return false
		}
	}
	return true
}
