package depend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/ir/lattice"
)

// A TimedAccess is an access of a nest of a program, with what tells when it happens.
type TimedAccess struct {
	Occurrence
	NestIndex int               // of the nest in the program
	Statement int               // of the body
	Repeats   []EnclosingRepeat // around the nest, outermost first: one for each of Nest.Numbers
	Read      *ir.Read          // nil: a write
}

// An EnclosingRepeat is a repeat around a nest.
type EnclosingRepeat struct {
	Index     int // in the program
	Backward  bool
	EndsEarly bool // it may end before its last number
}

// repetitions are those repetitions of a write in which the outermost same repeats have the numbers that they have for
// a read and, if earlier is set, the next repeat has an earlier number than for the read.
type repetitions struct {
	same    int
	earlier bool
}

// before returns the repetitions of w that come before a read: those with an earlier number of a repeat around both,
// and the same repetition if the nest of w stands before that of the read.
func (w TimedAccess) before(read TimedAccess) []repetitions {
	var all []repetitions
	shared := 0
	for shared < min(len(w.Repeats), len(read.Repeats)) && w.Repeats[shared].Index == read.Repeats[shared].Index {
		all = append(all, repetitions{shared, true})
		shared++
	}
	if w.NestIndex < read.NestIndex {
		all = append(all, repetitions{shared, false})
	}
	return all
}

// WrittenBefore reports whether every cell that a read takes is written before: by an earlier nest, in an earlier
// repetition, or by an earlier iteration of the nest itself.
func WrittenBefore(read TimedAccess, writes []TimedAccess) bool {
	a, taken := takenBy(read, writes)
	s := a.space
	return len(a.diags) == 0 && !slices.ContainsFunc(residues(append(slices.Clone(writes), read)), func(class residue) bool {
		written := s.writtenBefore(read, writes, class)
		return slices.ContainsFunc(taken, func(cells *lattice.System) bool {
			return !within(class.of(cells, s.params+s.depth), written)
		})
	})
}

// takenBy returns sets that together have the iterations of a read with the cells that it takes within the bounds of its array: other
// checks refuse a cell beyond the bounds, unless a boundary has another one in its place. Columns: parameters, iteration, cell. The
// assumptions of the analyzer hold for the items of the writes, too; it has a diagnostic if the cells are not known.
func takenBy(read TimedAccess, writes []TimedAccess) (a *analyzer, taken []*lattice.System) {
	a = newAnalyzer(withItems(read.Nest, read.Nest.Numbers, writes))
	a.trial, a.brief = true, true
	a.findGuards()
	arr, cell := &read.Nest.Arrays[read.Array], a.space.params+a.space.depth
	for _, p := range a.partsOf(a.reading(read.Read.ID)) {
		sys := lattice.New(cell + len(read.Subs))
		if p.sys.Never() {
			sys.Add(never(sys.Columns()))
		}
		for _, r := range p.sys.Rows() {
			sys.Add(slices.Concat(r[:cell], make(lattice.Row, len(read.Subs)), r[cell:]))
		}
		a.space.in(sys).reach(p.access.subs, cell)
		point{sys, cell}.inside(arr)
		taken = append(taken, sys)
	}
	return a, taken
}

// writtenBefore returns, for the iterations of a read, the cells of a residue that the writes reach before. Columns: as of reads.
func (s *space) writtenBefore(read TimedAccess, writes []TimedAccess, class residue) (written []*lattice.System) {
	for _, w := range writes {
		for _, which := range w.before(read) {
			written = append(written, s.widened(w.cells(s.params, which, class)))
		}
	}
	for _, w := range writes {
		if w.NestIndex != read.NestIndex {
			continue
		}
		carriers := s.depth
		if _, reduces := read.Nest.Body[read.Statement].(*ir.Reduce); reduces || w.Statement < read.Statement {
			carriers++ // a reduction reads what the iteration has written
		}
		for carrier := range carriers {
			written = append(written, s.writtenEarlier(w, carrier, class))
		}
	}
	return written
}

// widened returns a system of cells as one of iterations and cells: each iteration has all cells.
func (s *space) widened(cells *lattice.System) *lattice.System {
	if cells == nil {
		return nil
	}
	out := lattice.New(cells.Columns() + s.depth)
	if cells.Never() {
		out.Add(never(out.Columns()))
	}
	for _, r := range cells.Rows() {
		out.Add(slices.Concat(r[:s.params], make(lattice.Row, s.depth), r[s.params:]))
	}
	return out
}

// writtenEarlier returns, for each iteration of the nest, the cells that a write of the same nest reaches in iterations of the same
// repetition that differ first in the loop carrier, where they are earlier, or, if there is no such loop, in this iteration;
// nil if they are not known exactly. Columns: as of reads.
func (s *space) writtenEarlier(w TimedAccess, carrier int, class residue) *lattice.System {
	cell := s.params + s.depth
	first := cell + len(w.Subs)
	earlier := point{lattice.New(first + s.depth), first}
	for _, c := range s.constraints {
		earlier.add(c)
	}
	earlier.reach(w.Subs, cell)
	for k := range carrier {
		equate(earlier.sys, s.params+k, first+k)
	}
	if carrier < s.depth {
		exceed(earlier.sys, s.params+carrier, first+carrier, s.step[carrier])
	}
	projection, exact := class.of(earlier.sys, cell).Project(func(column int) bool { return column < first })
	if !exact {
		return nil
	}
	return dropped(projection, first, earlier.sys.Columns())
}

// Needed describes an iteration in which a read takes a cell that nothing writes before, as "at i = 1 it is u[0]
// (N = 100)"; "" if it finds none.
func Needed(read TimedAccess, writes []TimedAccess) string {
	a, taken := takenBy(read, writes)
	s := a.space
	written := s.writtenBefore(read, writes, residue{})
	if slices.Contains(written, nil) {
		return "" // not known exactly
	}
	for _, cells := range taken {
		wish := slices.Concat(typical(read.Nest.Params), make([]int64, cells.Columns()-s.params))
		var at []int64
		difference(cells, written, func(part *lattice.System) bool {
			at = part.Point(wish)
			return at == nil
		})
		if at != nil {
			return s.pointText(read, at)
		}
	}
	return ""
}

// typical returns a value for each parameter: its default, or a small number.
func typical(params []ir.Param) []int64 {
	values := make([]int64, len(params))
	for k, p := range params {
		values[k] = 10
		if p.Default != nil {
			values[k] = int64(*p.Default)
		}
	}
	return values
}

// pointText describes an iteration of a read, and its cell: at has a value for each column of reads.
func (s *space) pointText(read TimedAccess, at []int64) string {
	n := read.Nest
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

// within reports whether a set is within the union of others; see difference.
func within(set *lattice.System, others []*lattice.System) bool {
	return difference(set, others, func(*lattice.System) bool { return false })
}

// difference calls visit for systems whose union is set without all others, until visit returns false. It reports
// whether visit never returned false. A nil system is empty.
func difference(set *lattice.System, others []*lattice.System, visit func(*lattice.System) bool) bool {
	switch {
	case set.Empty():
		return true
	case len(others) == 0:
		return visit(set)
	case others[0] == nil || others[0].Never():
		return difference(set, others[1:], visit)
	}
	rest := set // where the rows so far hold, so that no point is in two parts
	if common := set.Clone(); !empties(common, others[0].Rows()) {
		for _, r := range others[0].Rows() {
			if !difference(rest.Without(r), others[1:], visit) {
				return false
			}
			rest = rest.Clone()
			rest.Add(r)
		}
		return true
	}
	return difference(set, others[1:], visit)
}

// empties adds rows to a system, and reports whether no point is left.
func empties(s *lattice.System, rows []lattice.Row) bool {
	for _, r := range rows {
		s.Add(r)
	}
	return s.Empty()
}

// WrittenAtAll reports whether every cell of an array is written by some nest. The nest is any that has the array.
func WrittenAtAll(nest *ir.Nest, array int, writes []TimedAccess) bool {
	a := newAnalyzer(withItems(nest, nil, writes)) // no numbers: the repeats around the nest may run nothing
	return !slices.ContainsFunc(residues(writes), func(class residue) bool {
		var written []*lattice.System
		for _, w := range writes {
			written = append(written, w.cells(a.space.params, repetitions{}, class))
		}
		return !within(class.of(a.box(&nest.Arrays[array]), a.space.params), written)
	})
}

// WritesWhole reports whether a nest writes every cell of an array, whatever the numbers of the repeats around it are.
func WritesWhole(n *ir.Nest, array int) bool {
	a := newAnalyzer(n)
	written := &ir.Analysis{Written: make([][]ir.Constraint, len(n.Body))}
	a.findWritten(written)
	return a.unwritten(written, n.Assigns(array), a.box(&n.Arrays[array]), func(*lattice.System) bool { return false })
}

// withItems returns n with the given numbers and with the items of the writes. A cell that a write in a batch reaches
// has one subscript that tells the item. So the bounds of the item's parameters may be assumed for the cell. Items whose
// bounds depend on the number of a repeat are left out.
func withItems(n *ir.Nest, numbers []ir.Number, writes []TimedAccess) *ir.Nest {
	out := *n
	out.Numbers = slices.Clone(numbers)
	has := func(param int) bool {
		return slices.ContainsFunc(out.Numbers, func(x ir.Number) bool { return x.Param == param })
	}
	for _, w := range writes {
		for _, x := range w.Nest.Numbers {
			fixed := !slices.ContainsFunc(slices.Concat(x.Lo, x.Hi), w.Nest.Numbered)
			if x.Item && fixed && !has(x.Param) {
				out.Numbers = append(out.Numbers, x)
			}
		}
	}
	return &out
}

// dropped returns a system without the columns first..last-1, which have coefficients of 0.
func dropped(sys *lattice.System, first, last int) *lattice.System {
	out := lattice.New(sys.Columns() - (last - first))
	if sys.Never() {
		out.Add(never(out.Columns()))
	}
	for _, r := range sys.Rows() {
		out.Add(slices.Concat(r[:first], r[last:]))
	}
	return out
}

// never is a row that nothing satisfies.
func never(columns int) lattice.Row {
	r := make(lattice.Row, columns+1)
	r[columns] = -1
	return r
}

// cells returns the cells that a write reaches in certain repetitions; nil if they are not known exactly, or if there
// are no such repetitions. The numbers of the repeats for the read are parameters. Columns: parameters, cell.
func (w TimedAccess) cells(params int, which repetitions, class residue) *lattice.System {
	if w.mayMiss(which) || which.earlier && w.Nest.Numbers[which.same].Item { // an item has no earlier number
		return nil
	}
	s := newSpace(w.Nest)
	cell := params
	number := cell + len(w.Subs) // columns of the numbers for the write
	first := number + len(w.Repeats)
	iteration := point{lattice.New(first + s.depth), first}
	sys := iteration.sys
	row := func(f ir.Affine) lattice.Row {
		r := iteration.row(f)
		for k, x := range w.Nest.Numbers {
			if !x.Item {
				r[number+k], r[x.Param] = r[x.Param], 0
			}
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
		switch {
		case x.Item: // read and write have the same item
		case k < which.same:
			equate(sys, x.Param, number+k)
		case k == which.same && which.earlier:
			exceed(sys, x.Param, number+k, w.Repeats[k].direction())
		}
	}
	projection, exact := class.of(sys, cell).Project(func(column int) bool { return column < number })
	if !exact {
		return nil
	}
	return dropped(projection, number, sys.Columns())
}

// mayMiss reports whether some of the repetitions may not happen, because a repeat ends early.
func (w TimedAccess) mayMiss(which repetitions) bool {
	inner := which.same
	if which.earlier {
		inner++ // a repeat that the read is in has had all earlier numbers
	}
	return inner < len(w.Repeats) && slices.ContainsFunc(w.Repeats[inner:], func(r EnclosingRepeat) bool { return r.EndsEarly })
}

// direction is 1 if the numbers of the repeat grow, else -1.
func (r EnclosingRepeat) direction() int {
	if r.Backward {
		return -1
	}
	return 1
}
