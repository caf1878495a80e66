package frontend

import (
	"fmt"
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// A fission divides one imperfect nest.
type fission struct {
	*lowering
	tree    *tree
	compare depend.Comparer
	scalars []*scalar
	// accesses[k] are the accesses of leaf k to arrays and scalars.
	accesses [][]touch
	types    map[diag.Pos]ir.Type // see typeTogether
	private  map[string]bool      // arrays that have a copy per iteration of the loops that all leaves share
	faulty   bool                 // a mistake was found: leaves keep the order of the text
}

// A touch is an access of a leaf to an array or a scalar.
type touch struct {
	depend.Occurrence
	writes bool
}

// A stage is a nest of leaves in the loops of path, or a repeat (loop is not nil) of inner stages.
type stage struct {
	leaves []*part
	path   []*branch
	outer  int // the number of its outermost loops that are repeats
	loop   *branch
	inner  []*stage
}

// nests returns the perfect nests that the tree becomes. If some loops would become repeats, but none when arrays have a
// copy per iteration, then arrays get these copies.
func (f *fission) nests() []*statement {
	f.findScalars()
	f.findCopied()
	f.findAccesses()
	f.private = map[string]bool{}
	stages := f.divide(f.staying(), 0)
	repeats := func(s *stage) bool { return s.loop != nil }
	if slices.ContainsFunc(stages, repeats) && (f.fine || !f.overwrites(f.tree.leaves[0].path[0], 0)) && f.privatize() {
		if apart := f.divide(f.staying(), 0); !slices.ContainsFunc(apart, repeats) {
			stages = apart
		} else {
			f.private = nil
		}
	}
	f.placeScalars(stages)
	if !f.faulty {
		f.warnOfCarried(stages, nil)
	}
	defer f.widenPrivate()
	return f.emit(stages)
}

// divide divides leaves. The first outer loops around them have become repeats.
func (f *fission) divide(leaves []*part, outer int) (stages []*stage) {
	for _, circle := range f.circles(leaves, outer) {
		path := circle[0].path
		if x := f.outward(circle, outer); x != nil {
			stages = append(stages, x)
			continue
		}
		if f.together(circle, outer) {
			if n := len(stages); n > 0 && stages[n-1].loop == nil && f.joins(stages[n-1].path, path) {
				stages[n-1].leaves = append(stages[n-1].leaves, circle...)
				slices.SortFunc(stages[n-1].leaves, func(a, b *part) int { return a.order - b.order })
				continue
			}
			stages = append(stages, &stage{leaves: circle, path: path, outer: outer})
			continue
		}
		if x := f.interchanged(circle, outer); x != nil {
			stages = append(stages, x)
			continue
		}
		stages = append(stages, &stage{loop: path[outer], outer: outer, inner: f.divide(circle, outer+1)})
	}
	return stages
}

// circles divides leaves into sets: leaves that depend on one another in a circle are in one set,
// and the order of the sets respects all dependences. So are the uses of a scalar that tied names.
func (f *fission) circles(leaves []*part, outer int) [][]*part {
	for before := f.orders(leaves, outer); ; closed(before) {
		sets := f.ordered(leaves, before)
		if !f.tied(leaves, before, sets, outer) {
			return sets
		}
	}
}

// ordered does what circles does, for a given order: before[a][b] says that leaf a comes before leaf b. If
// several orders of the sets are possible, it takes one that keeps leaves with the same loops
// together, else the order of the text.
func (f *fission) ordered(leaves []*part, before [][]bool) (sets [][]*part) {
	n := len(leaves)
	var last *part
	for done := make([]bool, n); len(leaves) > 0; {
		next := -1
		for a := range n {
			if !done[a] && free(before, done, a) && (next < 0 || last != nil && slices.Equal(leaves[a].path, last.path) && !slices.Equal(leaves[next].path, last.path)) {
				next = a
			}
		}
		if next < 0 {
			return sets
		}
		var set []*part
		for b := range n {
			if b == next || before[next][b] && before[b][next] {
				done[b] = true
				set = append(set, leaves[b])
			}
		}
		sets, last = append(sets, set), set[0]
	}
	return sets
}

// oneNest reports whether leaves have the same loops.
func oneNest(leaves []*part) bool {
	return !slices.ContainsFunc(leaves, func(l *part) bool { return !slices.Equal(l.path, leaves[0].path) })
}

// free reports whether all leaves that have to run before a are done, other than those in a circle with a.
func free(before [][]bool, done []bool, a int) bool {
	for b := range before {
		if !done[b] && before[b][a] && !before[a][b] {
			return false
		}
	}
	return true
}

// orders returns for each pair of leaves whether the first has to run before the second, directly or not.
func (f *fission) orders(leaves []*part, outer int) [][]bool {
	n := len(leaves)
	before := make([][]bool, n)
	for a := range n {
		before[a] = make([]bool, n)
		for b := range n {
			before[a][b] = f.precedes(leaves[a], leaves[b], outer)
		}
	}
	closed(before)
	return before
}

// closed adds to a relation what follows from it.
func closed(before [][]bool) {
	for k := range before {
		for a := range before {
			for b := range before {
				before[a][b] = before[a][b] || before[a][k] && before[k][b]
			}
		}
	}
}

// precedes reports whether some iteration of a has to run before some iteration of b, both in the same
// iteration of the first outer loops.
func (f *fission) precedes(a, b *part, outer int) bool {
	if f.faulty {
		return a.order < b.order
	}
	common := 0
	for common < min(len(a.path), len(b.path)) && a.path[common] == b.path[common] {
		common++
	}
	for _, x := range f.accesses[a.order] {
		for _, y := range f.accesses[b.order] {
			if !x.writes && !y.writes || x.Nest.Arrays[x.Array].Name != y.Nest.Arrays[y.Array].Name {
				continue
			}
			same := outer
			if f.private[x.Nest.Arrays[x.Array].Name] {
				same = max(outer, f.shared())
			}
			if f.compare.Precedes(x.Occurrence, y.Occurrence, same, common, a.order < b.order) {
				return true
			}
		}
	}
	return false
}

// shared is the number of loops that all leaves have in common.
func (f *fission) shared() int {
	first := f.tree.leaves[0].path
	for k := range first {
		for _, l := range f.tree.leaves {
			if k >= len(l.path) || l.path[k] != first[k] {
				return k
			}
		}
	}
	return len(first)
}

// findAccesses resolves every leaf as a nest of its own, whose scalars are cells of arrays.
func (f *fission) findAccesses() {
	f.accesses = make([][]touch, len(f.tree.leaves))
	for k, l := range f.tree.leaves {
		if s := f.declared(l); s != nil && s.copied != nil {
			continue
		} else if s != nil {
			f.typeScalar(s)
		}
		c := f.check(f.asCells(l, nil))
		if !c.resolved() {
			f.faulty, f.faults = true, append(f.faults, c.diags...)
			continue
		}
		for _, s := range c.nest.Body {
			if w, ok := s.(*ir.Assign); ok {
				f.accesses[k] = append(f.accesses[k], touch{depend.Occurrence{Nest: c.nest, Array: w.Array, Subs: w.Subs}, true})
			}
			ir.Walk(ir.Value(s), func(e ir.Expr) {
				if l, ok := e.(*ir.Lookup); ok {
					f.accesses[k] = append(f.accesses[k], touch{depend.Occurrence{Nest: c.nest, Array: l.Array}, false})
				}
			})
		}
		for _, r := range c.nest.Reads {
			f.accesses[k] = append(f.accesses[k], touch{depend.Occurrence{Nest: c.nest, Array: r.Array, Subs: r.Subs}, false})
		}
	}
}

// resolved finishes the nest of one statement, and returns false if the statement has a mistake.
func (c *checker) resolved() bool {
	if slices.ContainsFunc(c.body, func(b bodyStatement) bool {
		noCell := b.assign != nil && (b.array < 0 || len(b.subs) != len(c.nest.Arrays[b.array].Lo))
		return noCell || b.expr == nil || b.spoiled
	}) {
		return false
	}
	if !slices.ContainsFunc(c.body, func(b bodyStatement) bool { return b.assign != nil }) {
		return false
	}
	if slices.ContainsFunc(c.nest.Loops, func(l ir.Loop) bool { return len(l.Lo) == 0 || len(l.Hi) == 0 }) {
		return false
	}
	c.finish()
	return len(c.nest.Body) > 0
}

// check examines one statement with the loops around it.
func (f *fission) check(l *part) *checker {
	return f.checkNest(l.st.first(), l.path, f.withCopies([]*part{l}), true)
}

// privatize finds the arrays that can have a copy per iteration of the loops that all statements share, and reports
// whether there are any. Such an array is internal, only this nest uses it, and the iteration that reads a cell has
// written the cell before.
func (f *fission) privatize() bool {
	if f.faulty || f.shared() == 0 {
		return false
	}
	for k, arr := range f.arraysOf() {
		if arr.Role != ir.Internal || arr.Init != nil || arr.Out != nil || arr.Boundary != nil || f.usedElsewhere(arr.Name) || f.scalarNamed(arr.Name) {
			continue
		}
		if f.coveredReads(k) {
			f.private[arr.Name] = true
		}
	}
	return len(f.private) > 0
}

// arraysOf returns the arrays that the file declares.
func (f *fission) arraysOf() []ir.Array {
	for _, list := range f.accesses {
		for _, x := range list {
			return x.Nest.Arrays
		}
	}
	return nil
}

// coveredReads reports whether every read of array k follows a write of the same cell in the same iteration
// of the shared loops, and the array is written at all.
func (f *fission) coveredReads(k int) bool {
	written := false
	for reader, list := range f.accesses {
		for _, r := range list {
			if r.Array != k || r.writes {
				written = written || r.Array == k
				continue
			}
			covered := false
			for writer := range reader {
				for _, w := range f.accesses[writer] {
					apart := !slices.Equal(f.tree.leaves[writer].path, f.tree.leaves[reader].path)
					covered = covered || w.writes && w.Array == k && apart && f.compare.Covers(w.Occurrence, r.Occurrence, f.shared())
				}
			}
			if !covered {
				return false
			}
		}
	}
	return written
}

// usedElsewhere reports whether a statement outside of this nest has the name, other than its declaration.
func (f *fission) usedElsewhere(name string) bool {
	inside := 0
	for _, l := range f.tree.leaves {
		for _, t := range l.st.tokens {
			if t.text == name {
				inside++
			}
		}
	}
	return f.counts[name] != inside+1
}

// emit returns the statements of stages.
func (f *fission) emit(stages []*stage) (out []*statement) {
	for _, s := range stages {
		if s.loop != nil {
			at := s.loop.tokens[0]
			out = append(out, &statement{tokens: append([]token{madeKeyword("repeat", at)}, s.loop.tokens...), block: true, body: f.emit(s.inner)})
			continue
		}
		at := s.leaves[0].st.first()
		loops := s.path[s.outer:]
		if len(loops) == 0 {
			loops = []*branch{f.dummy(at)}
		}
		var leaves []*part
		for _, l := range f.withCopies(s.leaves) {
			leaves = append(leaves, f.asCells(l, nil))
		}
		out = append(out, f.perfectNest(at, loops, leaves))
	}
	return out
}

// dummy returns a loop of one iteration, for statements that are in no loop.
func (w *lowering) dummy(at token) *branch {
	name := w.fresh("once")
	return &branch{name: name, tokens: madeText(name+" = 0..0", at)}
}

// fresh returns a name that the file does not have: the given one, if possible, or else with a number behind it.
func (w *lowering) fresh(name string) string {
	unique := name
	for k := 2; w.counts[unique] > 0; k++ {
		unique = fmt.Sprintf("%s%d", name, k)
	}
	w.counts[unique]++
	return unique
}
