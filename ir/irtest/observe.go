package irtest

import (
	"fmt"
	"iter"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// maxDepth is the deepest nest that can be observed.
const maxDepth = 6

// A point is an iteration or a cell as a map key, padded with zeros.
type point [maxDepth]int

func pointOf(v []int) point {
	var p point
	copy(p[:], v)
	return p
}

// A toucher is an access of an iteration.
type toucher struct {
	stmt int
	read int // -1 for the write
	iter ir.Vec
	at   diag.Span
}

// A cellKey names a cell of an array.
type cellKey struct {
	array int
	cell  point
}

// iterations returns the iterations of n in sequential order, by running the loops as
// written. It returns false if there are more than limit.
func iterations(n *ir.Nest, params []int, limit int) (all []ir.Vec, ok bool) {
	j := make(ir.Vec, n.Depth())
	trips := 0
	var loop func(k int) bool
	loop = func(k int) bool {
		if k == n.Depth() {
			all = append(all, slices.Clone(j))
			return len(all) <= limit
		}
		var lo, hi int
		for i, b := range n.Loops[k].Lo {
			if v := b.Eval(params, j); i == 0 || v > lo {
				lo = v
			}
		}
		for i, b := range n.Loops[k].Hi {
			if v := b.Eval(params, j); i == 0 || v < hi {
				hi = v
			}
		}
		step := n.Loops[k].Step()
		if step < 0 {
			lo, hi = hi, lo
		}
		for x := lo; (hi-x)*step >= 0; x += step {
			if trips++; trips > 100*limit {
				return false
			}
			j[k] = x
			if !loop(k + 1) {
				return false
			}
		}
		j[k] = 0
		return true
	}
	return all, loop(0)
}

// Observe enumerates the accesses of n in sequential order for the given parameters, without
// computing values. It finds which write each read sees, and which write next overwrites the cell
// of each access, and adds these observations to c. It returns an error at the first contradiction
// to the analysis an. Reads count unless they are skipped by a condition that depends on loops and
// parameters only: see visit.
//
// limit bounds the iterations. If there are more, or if an extent is negative, ok is false and
// nothing is checked.
func Observe(n *ir.Nest, an *ir.Analysis, params []int, limit int, c *Coverage) (ok bool, err error) {
	all, ok := iterations(n, params, limit)
	if !ok {
		return false, nil
	}
	o := &observer{
		nest: n, an: an, params: params, coverage: c,
		inside: map[point]bool{}, writes: map[cellKey][]toucher{}, touches: map[cellKey][]toucher{},
		faults: map[diag.Code]bool{}, deps: map[depKey]bool{},
	}
	for k := range n.Arrays {
		for d := range n.Arrays[k].Lo {
			if n.Arrays[k].Hi[d].Eval(params, nil) < n.Arrays[k].Lo[d].Eval(params, nil)-1 {
				return false, nil
			}
		}
	}
	for _, d := range an.Deps {
		o.deps[keyOf(d)] = true
	}
	for _, j := range all {
		o.inside[pointOf(j)] = true
	}
	c.Points += len(all)
	for _, check := range []func([]ir.Vec) error{o.space, o.backward, o.forward, o.written, o.checks} {
		if err := check(all); err != nil {
			return true, fmt.Errorf("params %v: %w", params, err)
		}
	}
	return true, nil
}

// An observer is the state of one Observe.
type observer struct {
	nest     *ir.Nest
	an       *ir.Analysis
	params   []int
	coverage *Coverage
	inside   map[point]bool
	writes   map[cellKey][]toucher // in sequential order
	touches  map[cellKey][]toucher // reads and writes, in sequential order
	faults   map[diag.Code]bool    // faults that a launch check should have caught
	deps     map[depKey]bool       // claimed by the analysis
}

// holds reports whether every one of the inequalities holds.
func holds(all []ir.Constraint, params, iters []int) bool {
	for _, c := range all {
		if c.Eval(params, iters) < 0 {
			return false
		}
	}
	return true
}

// space checks that Space holds at the iterations and not at the points just outside.
func (o *observer) space(all []ir.Vec) error {
	for _, j := range all {
		if !holds(o.an.Space, o.params, j) {
			return fmt.Errorf("iteration %v is not in Space", j)
		}
		for k := range j {
			for _, step := range []int{-1, 1} {
				near := slices.Clone(j)
				near[k] += step
				if claimed := holds(o.an.Space, o.params, near); claimed != o.inside[pointOf(near)] {
					return fmt.Errorf("%v: in Space %v, in the loops %v", near, claimed, !claimed)
				}
			}
		}
	}
	return nil
}

// cell returns the cell that subs name at iteration j, and notes a fault if the array does
// not have it.
func (o *observer) cell(array int, subs []ir.Affine, j ir.Vec, read bool) cellKey {
	arr := &o.nest.Arrays[array]
	key := cellKey{array: array}
	for d, s := range subs {
		lo, hi := arr.Lo[d].Eval(o.params, nil), arr.Hi[d].Eval(o.params, nil)
		key.cell[d] = s.Eval(o.params, j)
		if read {
			key.cell[d] = arr.Cell(d, key.cell[d], lo, hi)
		}
		if key.cell[d] < lo || key.cell[d] > hi {
			o.faults[diag.OutOfBounds] = true
		}
	}
	return key
}

// moved returns j + sign·d.
func moved(j ir.Vec, sign int, d ir.Vec) ir.Vec {
	out := slices.Clone(j)
	for k := range out {
		out[k] += sign * d[k]
	}
	return out
}

// between returns the distance from iteration i to iteration j.
func between(i, j ir.Vec) ir.Vec { return moved(j, -1, i) }

// nearest returns the index of the first source that holds at j, or -1: When holds, and j + sign·Dist
// lies in the space.
func (o *observer) nearest(sources []ir.Source, j ir.Vec, sign int) int {
	return slices.IndexFunc(sources, func(s ir.Source) bool {
		return o.inside[pointOf(moved(j, sign, s.Dist))] && holds(s.When, o.params, j)
	})
}

// dep notes an observed dependence; one that the analysis did not claim is an error.
func (o *observer) dep(kind ir.DepKind, array int, from, to toucher) error {
	d := ir.Dep{Kind: kind, Array: array, Dist: between(from.iter, to.iter), Src: from.at, Dst: to.at}
	key := keyOf(d)
	o.coverage.deps[key] = true
	if !o.deps[key] {
		return fmt.Errorf("seen, but not among the dependences: %s (at %v)", depText(d), from.iter)
	}
	return nil
}

// backward checks, for every read, which write to the cell was the last before it.
func (o *observer) backward(all []ir.Vec) error {
	for _, j := range all {
		for stmt, s := range o.nest.Body {
			if err := o.visit(ir.Value(s), j, func(r *ir.Read) error {
				return o.read(r.ID, toucher{stmt, r.ID, j, r.At})
			}); err != nil {
				return err
			}
			if w, ok := s.(*ir.Assign); ok {
				key := o.cell(w.Array, w.Subs, j, false)
				me := toucher{stmt, -1, j, w.Span}
				o.writes[key] = append(o.writes[key], me)
				o.touches[key] = append(o.touches[key], me)
			}
		}
	}
	return nil
}

// content returns the cell of a read and the last write to it so far, or nil. It notes a
// fault if the cell was neither written nor initialized.
func (o *observer) content(id int, j ir.Vec) (key cellKey, last *toucher) {
	r := o.nest.Reads[id]
	key = o.cell(r.Array, r.Subs, j, true)
	if writes := o.writes[key]; len(writes) > 0 {
		return key, &writes[len(writes)-1]
	}
	arr := &o.nest.Arrays[r.Array]
	if arr.Init == nil && arr.Role != ir.In && arr.Role != ir.InOut {
		o.faults[diag.NotSupplied] = true
	}
	return key, nil
}

// read checks one read against its resolution.
func (o *observer) read(id int, me toucher) error {
	key, last := o.content(id, me.iter)
	o.touches[key] = append(o.touches[key], me)
	claim := o.an.Reads[id]
	k := o.nearest(claim.Sources, me.iter, -1)
	if last == nil {
		o.coverage.initial[id] = true
		if k >= 0 || !claim.Initial {
			return fmt.Errorf("read %d at %v sees the initial content; the analysis says %+v", id, me.iter, claim)
		}
		return nil
	}
	// Writes that keep the cell's value may stand between the read and the write that the analysis claims.
	last = o.claimed(o.writes[key], func(w toucher) bool {
		return k >= 0 && claim.Sources[k].Stmt == w.stmt && slices.Equal(claim.Sources[k].Dist, between(w.iter, me.iter))
	})
	if last == nil && k < 0 && claim.Initial {
		o.coverage.initial[id] = true
		return nil
	}
	if last == nil { // all writes keep the initial content, but the analysis does not claim it
		last = &o.writes[key][len(o.writes[key])-1]
	}
	seen := ir.Source{Stmt: last.stmt, Dist: between(last.iter, me.iter)}
	o.coverage.sources[sourceKey{false, id, seen.Stmt, pointOf(seen.Dist)}] = true
	if k < 0 || claim.Sources[k].Stmt != seen.Stmt || !slices.Equal(claim.Sources[k].Dist, seen.Dist) {
		return fmt.Errorf("read %d at %v sees statement %d, %v before; the analysis says %+v",
			id, me.iter, seen.Stmt, seen.Dist, claim)
	}
	return o.dep(ir.Flow, key.array, *last, me)
}

// forward checks, for every access, which write to the cell is the next after it.
func (o *observer) forward([]ir.Vec) error {
	for key, touches := range o.touches {
		var later []toucher // writes, the next one last
		for k := len(touches) - 1; k >= 0; k-- {
			me := touches[k]
			var next *toucher
			if len(later) > 0 {
				next = &later[len(later)-1]
			}
			if me.read >= 0 {
				next = o.claimed(later, func(w toucher) bool {
					own := w.stmt == me.stmt && slices.Equal(w.iter, me.iter)
					return own || o.deps[keyOf(ir.Dep{Kind: ir.Anti, Array: key.array, Dist: between(me.iter, w.iter), Src: me.at, Dst: w.at})]
				})
			}
			if err := o.next(key, me, next); err != nil {
				return err
			}
			if me.read < 0 {
				later = append(later, me)
			}
		}
	}
	return nil
}

// next checks the analysis's claim about the next write after an access, which is nil if
// there is none.
func (o *observer) next(key cellKey, me toucher, next *toucher) error {
	if me.read >= 0 {
		if next == nil || o.an.Varies[me.read] || next.stmt == me.stmt && slices.Equal(next.iter, me.iter) {
			return nil
		}
		return o.dep(ir.Anti, key.array, me, *next)
	}
	claim := o.an.Overwrites[me.stmt]
	k := o.nearest(claim, me.iter, 1)
	if next == nil {
		if k >= 0 {
			return fmt.Errorf("the write of statement %d at %v is final; the analysis says %+v", me.stmt, me.iter, claim)
		}
		return nil
	}
	seen := ir.Source{Stmt: next.stmt, Dist: between(me.iter, next.iter)}
	o.coverage.sources[sourceKey{true, me.stmt, seen.Stmt, pointOf(seen.Dist)}] = true
	if k < 0 || claim[k].Stmt != seen.Stmt || !slices.Equal(claim[k].Dist, seen.Dist) {
		return fmt.Errorf("the write of statement %d at %v is overwritten by statement %d, %v later; the analysis says %+v",
			me.stmt, me.iter, seen.Stmt, seen.Dist, claim)
	}
	return o.dep(ir.Output, key.array, me, *next)
}

// maxCells is the size of the largest arrays of which all cells are compared with Written.
const maxCells = 3000

// written checks that Written[s] is the set of cells that statement s writes; for large arrays, only
// that Written[s] includes these cells.
func (o *observer) written([]ir.Vec) error {
	for stmt, s := range o.nest.Body {
		w, ok := s.(*ir.Assign)
		if !ok {
			continue
		}
		seen := map[point]bool{}
		for key, list := range o.writes {
			for _, me := range list {
				if me.stmt == stmt {
					seen[key.cell] = true
				}
			}
		}
		arr := &o.nest.Arrays[w.Array]
		size := 0
		for range cells(arr, o.params) {
			if size++; size > maxCells {
				break
			}
		}
		for p := range seen {
			if !holds(o.an.Written[stmt], o.params, p[:len(arr.Lo)]) {
				return fmt.Errorf("statement %d writes %s%v, which is not in Written", stmt, arr.Name, p[:len(arr.Lo)])
			}
		}
		if size > maxCells {
			continue
		}
		for cell := range cells(arr, o.params) {
			claimed := holds(o.an.Written[stmt], o.params, cell)
			if claimed != seen[pointOf(cell)] {
				return fmt.Errorf("statement %d writes %s%v: %v; the analysis says %v", stmt, arr.Name, cell, !claimed, claimed)
			}
		}
	}
	return nil
}

// cells yields the cells of an array, in one slice that it reuses.
func cells(arr *ir.Array, params []int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		cell := make([]int, len(arr.Lo))
		var along func(d int) bool
		along = func(d int) bool {
			if d == len(cell) {
				return yield(cell)
			}
			hi := arr.Hi[d].Eval(params, nil)
			for cell[d] = arr.Lo[d].Eval(params, nil); cell[d] <= hi; cell[d]++ {
				if !along(d + 1) {
					return false
				}
			}
			return true
		}
		along(0)
	}
}
