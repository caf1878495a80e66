package kernel

import (
	"slices"

	"loopc/runtime/boundary"
	"loopc/transform/plan"
)

// A Rotating says how a run on entire arrays stores internal arrays: only a few levels of each, in slots. A level
// takes the slot of one that no iteration reads any more.
type Rotating struct {
	// Dim is the dimension of the arrays whose index is the level, and Step the growth of this index from a level to the next: 1 or -1.
	Dim, Step int
	// Levels counts the level that iterations write and the earlier levels that they read. Stored is the number of slots for them: one less
	// if each iteration reads, of the earliest level, only the cell that it then overwrites.
	Levels, Stored int
	// Below and Above say, for each dimension of the arrays, how far before and after its bounds iterations read at most. A slot has these
	// exterior cells, too. They are copied, as the boundary says, when all iterations of the level have been computed.
	Below, Above []int
}

// Edged reports whether slots have cells beyond the bounds of the arrays.
func (r *Rotating) Edged() bool { return slices.Max(r.Below)+slices.Max(r.Above) > 0 }

// NewRotating returns how the arrays of all values of a nest are stored in rotation; nil if they cannot be.
func NewRotating(n *plan.Nest) *Rotating {
	if n.Levelled || n.Numbers != nil || len(n.Values) == 0 {
		return nil
	}
	r := &Rotating{Dim: -1}
	for v := range n.Values {
		val := &n.Values[v]
		arr := &n.Arrays[val.Array]
		if !alone(n, v) {
			return nil
		}
		for m := range val.Cell {
			f := iters(n, v, m)
			if !slices.Equal(f, iters(n, 0, m)) { // the values must move together
				return nil
			}
			if len(f) == 1 && (f[0] == 1 || f[0] == -1) && r.Dim < 0 {
				r.Dim, r.Step = m, f[0]
			}
		}
		if r.Dim < 0 || arr.Slice != nil && arr.Slice[r.Dim] == nil {
			return nil
		}
		r.Levels = max(r.Levels, val.Levels())
	}
	if !r.edges(n) {
		return nil
	}
	if last := len(n.Values[0].Cell) - 1; r.Dim == last || trimmedLast(iters(n, 0, last), len(n.Dims)) != 1 {
		return nil // a row of iterations does not write a row of cells
	}
	r.Stored = r.Levels
	if r.overwrites(n) {
		r.Stored--
	}
	return r
}

// overwrites reports whether a level may take the slot of the earliest level that its iterations read. It may if there is one value, whose
// statement reads before it writes, and each iteration reads, of that level, only the cell that it then overwrites.
func (r *Rotating) overwrites(n *plan.Nest) bool {
	slopes := Slopes(n)
	elsewhere := func(d []int) bool {
		for x := 1; x < len(d); x++ {
			if d[x] != d[0]*slopes[x] {
				return d[0] == r.Levels-1
			}
		}
		return false
	}
	return len(n.Values) == 1 && r.Levels > 2 && !slices.ContainsFunc(n.Values[0].Flow, elsewhere)
}

// edges sets Below and Above. It returns false if slots cannot have the exterior cells of a boundary: if iterations of the same level read
// them, or if the boundary is along the dimension of the levels, or along a dimension whose subscript has no loop.
func (r *Rotating) edges(n *plan.Nest) bool {
	_, _, after := n.Late()
	r.Below, r.Above = make([]int, len(n.Values[0].Cell)), make([]int, len(n.Values[0].Cell))
	for v := range n.Values {
		val := &n.Values[v]
		ends := n.Arrays[val.Array].Boundary
		for m := range ends {
			if ends[m] == (boundary.Ends{}) {
				continue
			}
			if !after || m == r.Dim || len(iters(n, v, m)) == 0 {
				return false
			}
			for _, d := range val.Need {
				back := plan.Affine{Iters: val.Cell[m].Iters}.Eval(nil, d)
				r.Below[m], r.Above[m] = max(r.Below[m], back), max(r.Above[m], -back)
			}
		}
	}
	return true
}

// iters are the coefficients of value v's subscript m, without zeros at the end.
func iters(n *plan.Nest, v, m int) []int { return trimmed(n.Values[v].Cell[m].Iters) }

// alone reports whether no earlier value has a cell of value v, and the array of v is internal and has as many dimensions as the array of
// the first value. Two values may share an array if they are beside one another.
func alone(n *plan.Nest, v int) bool {
	val := &n.Values[v]
	arr := &n.Arrays[val.Array]
	shared := slices.ContainsFunc(n.Values[:v], func(w plan.Value) bool { return w.Array == val.Array && !beside(val.Cell, w.Cell) })
	return !shared && arr.Role == plan.Internal && (arr.Boundary != nil || len(val.Fallbacks) == 0) && len(val.Cell) == len(n.Values[0].Cell)
}

// beside reports whether the constants of two cells differ, and only in subscripts without loops: then no iteration has both in one place.
func beside(a, b []plan.Affine) bool {
	apart := false
	for m := range a {
		switch loops := len(trimmed(a[m].Iters)) > 0; {
		case !slices.Equal(trimmed(a[m].Params), trimmed(b[m].Params)):
			return false
		case a[m].Const == b[m].Const:
		case loops:
			return false
		default:
			apart = true
		}
	}
	return apart
}

// trimmed is a without the zeros at its end.
func trimmed(a []int) []int {
	for len(a) > 0 && a[len(a)-1] == 0 {
		a = a[:len(a)-1]
	}
	return a
}

// trimmedLast returns the last of depth coefficients, from which trimmed may have cut zeros.
func trimmedLast(a []int, depth int) int {
	if len(a) < depth {
		return 0
	}
	return a[depth-1]
}

// Slopes are, by coordinate, how far skewing shifts the iterations of a level against those of the level before, if
// each level is one value of a loop. They are zero otherwise.
func Slopes(n *plan.Nest) []int {
	all := make([]int, len(n.Dims))
	level, levels := 0, 0
	for k, c := range n.Skew[0] {
		if c != 0 {
			level, levels = k, levels+1
		}
	}
	if levels != 1 {
		return all
	}
	for x := 1; x < len(all); x++ {
		all[x] = n.Skew[x][level] * n.Skew[0][level]
	}
	return all
}

// Slots returns the number of slots for levels of the given size, in bytes. Small levels get more slots than they need,
// because a box of several levels ends at the last slot.
func (r *Rotating) Slots(bytes int) int {
	slots := r.Stored
	for slots < mostSlots && 2*slots*bytes <= slotBytes {
		slots *= 2
	}
	return slots
}

const (
	mostSlots = 16
	slotBytes = 16 << 10 // at most, of more slots than are needed
)

// Bounds returns the inequalities of a nest's space, as forms that are ≥ 0. It leaves out a form that is the sum of two
// others, and so implied by them, if one of these bounds the same last coordinate from the same side.
func Bounds(n *plan.Nest) []plan.Affine {
	all := slices.Clone(n.Space)
	for k := len(all) - 1; k >= 0; k-- {
		without := slices.Delete(slices.Clone(all), k, k+1)
		if slices.ContainsFunc(without, func(f plan.Affine) bool {
			a, b := trimmed(f.Iters), trimmed(all[k].Iters)
			same := len(a) == len(b) && (len(a) == 0 || a[len(a)-1] == b[len(b)-1])
			return same && slices.ContainsFunc(without, func(g plan.Affine) bool { return isSum(&all[k], &f, &g) })
		}) {
			all = without
		}
	}
	return all
}

// isSum reports whether f is g + h.
func isSum(f, g, h *plan.Affine) bool {
	sum := func(a, b, c []int) bool {
		at := func(v []int, k int) int {
			if k < len(v) {
				return v[k]
			}
			return 0
		}
		for k := range max(len(a), len(b), len(c)) {
			if at(a, k) != at(b, k)+at(c, k) {
				return false
			}
		}
		return true
	}
	return f.Const == g.Const+h.Const && sum(f.Params, g.Params, h.Params) && sum(f.Iters, g.Iters, h.Iters)
}
