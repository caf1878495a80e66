package sched

import (
	"context"
	"slices"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// rotating are arrays of which a run on entire arrays stores a few levels in slots: see kernel.Rotating. Level p is in slot p mod slots.
type rotating struct {
	*kernel.Rotating
	slots  int
	cells  int // from a slot to the next
	arrays []rotated
	own    bool // see Program.OwnLevels
}

// A rotated is an array whose levels rotate.
type rotated struct {
	arr     int
	index   int                  // along Dim, of the cells of level 0
	lo, hi  int                  // bounds of this index
	memory  []byte               // the slots, with cells before and behind them: see beside
	data    []byte               // the slots
	view    *array.View          // of the levels that get initial content; nil: they have none
	written *halo.UnwrittenCells // fills the cells of the view that no iteration writes; nil: all cells are filled
	loops   kernel.Loops
	keeps   bool        // all levels have the same initial content in these cells, so a slot need not be filled again
	filled  int         // how many slots have got initial content in this run
	given   int         // the level whose cells the caller receives
	result  *array.View // the caller's array for these cells; nil: the caller receives none
	from    int         // position of the result's first cell in a slot
	by, n   []int       // strides and numbers of the result's cells there
	origin  int         // position of the first cell within the bounds in a slot
	edges   []edge
}

// rotate lays the arrays of all values on slots of their own.
//
// Errors: an array whose bounds cannot be computed.
func (r *inArrays) rotate(in *kernel.Rotating) error {
	n, params := r.part.Nest, r.params
	rank := len(n.Values[0].Cell)
	extents, bytes, largest, least := make([]int, rank), 0, 1, lineBytes
	for v := range n.Values {
		arr := &n.Arrays[n.Values[v].Array]
		_, extent, err := arr.Extent(params)
		if err != nil {
			return err
		}
		for m := range extents {
			extents[m] = max(extents[m], extent[m])
		}
		bytes, largest, least = bytes+arr.Size, max(largest, arr.Size), min(least, arr.Size)
		if arr.Initial == plan.Computed && !slices.Contains(r.part.WrittenOnce, n.Values[v].Array) {
			in.Stored = in.Levels // all cells of a level get their initial content, which iterations still read
		}
	}
	stride, cells, line := make([]int, rank), 1, lineBytes/least
	for m := rank - 1; m >= 0; m-- {
		if m != in.Dim {
			stride[m] = cells
			unit := 1
			if m == rank-1 && extents[m] >= longRow*line {
				unit = line
			}
			cells = plan.Apart(cells*(in.Below[m]+extents[m]+in.Above[m]), largest, unit)
		}
	}
	cells = plan.Apart(cells, largest, line)
	stride[in.Dim] = cells
	r.rotating = &rotating{Rotating: in, slots: in.Slots(cells * bytes), cells: cells, own: r.part.OwnLevels}
	b := &r.block
	b.LevelCells = cells
	for v := range n.Values {
		val := &n.Values[v]
		b.Levels[v], b.Base[v] = r.rotating.slots, inner(in.Below, stride)
		for m, sub := range val.Cell {
			if m == in.Dim {
				continue
			}
			b.Base[v] += (sub.Eval(params, nil) - n.Arrays[val.Array].Lo[m].Eval(params, nil)) * stride[m]
			for x, c := range sub.Iters {
				if v == 0 && x == 0 {
					b.Slant += c * stride[m]
				} else if v == 0 {
					b.Strides[x] += c * stride[m]
				}
			}
		}
		k := slices.IndexFunc(r.rotating.arrays, func(a rotated) bool { return a.arr == val.Array })
		if k < 0 {
			k = len(r.rotating.arrays)
			if err := r.addRotated(val, stride); err != nil {
				return err
			}
		}
		b.Data[v], b.Base[v] = r.rotating.arrays[k].memory, b.Base[v]+r.beside()
	}
	return nil
}

// beside returns how many cells before and behind all slots kernels may load. They are beyond bounds of an array: guards keep iterations from
// them, but not vectors.
func (r *inArrays) beside() (cells int) {
	for v := range r.part.Nest.Values {
		for _, d := range r.part.Nest.Values[v].Flow {
			back := d[0] * r.block.Slant
			for x := 1; x < len(d); x++ {
				back += d[x] * r.block.Strides[x]
			}
			cells = max(cells, back, -back)
		}
	}
	return plan.CeilDiv(cells, lineBytes) * lineBytes
}

// addRotated adds the array of a value.
func (r *inArrays) addRotated(val *plan.Value, stride []int) error {
	n, in := r.part.Nest, r.rotating
	arr := &n.Arrays[val.Array]
	a := rotated{arr: val.Array, index: val.Cell[in.Dim].Eval(r.params, nil)}
	a.lo, a.hi = arr.Lo[in.Dim].Eval(r.params, nil), arr.Hi[in.Dim].Eval(r.params, nil)
	// The first iteration of each row writes the first cell of a line, if rows are whole lines apart.
	last := len(arr.Lo) - 1
	first := in.Below[last] + val.Cell[last].Eval(r.params, nil) + firstOfRow(r.plan) - arr.Lo[last].Eval(r.params, nil)
	skip, bytes := arith.Mod(-first*arr.Size, lineBytes), arr.Size*in.cells*in.slots
	beside := r.beside() * arr.Size
	a.memory = array.LargeBytes(skip+bytes+2*beside, 1)[skip:]
	a.data, a.origin = a.memory[beside:][:bytes], inner(in.Below, stride)
	a.addEdges(arr, in.Rotating, stride, r.params)
	if arr.Slice != nil {
		a.result, a.given = &r.fields.Result[val.Array], (arr.Slice[in.Dim].Eval(r.params, nil)-a.index)*in.Step
		at := a.origin
		for m, s := range arr.Slice {
			switch {
			case m == in.Dim:
			case s != nil:
				at += (s.Eval(r.params, nil) - arr.Lo[m].Eval(r.params, nil)) * stride[m]
			default:
				a.by, a.n = append(a.by, stride[m]), append(a.n, arr.Hi[m].Eval(r.params, nil)-arr.Lo[m].Eval(r.params, nil)+1)
			}
		}
		a.from = at
	}
	if arr.Initial == plan.Computed {
		if err := r.begin(&a, stride); err != nil {
			return err
		}
	}
	in.arrays = append(in.arrays, a)
	return nil
}

// A row of longRow lines or more begins at a line.
const (
	lineBytes = 64
	longRow   = 2
)

// firstOfRow is the least value of the last coordinate without its slope: less what levels shift it.
func firstOfRow(p *plan.Plan) int {
	last := len(p.Lo) - 1
	c := kernel.Slopes(p.Nest)[last]
	return p.Lo[last] - min(c*p.Lo[0], c*p.Hi[0])
}

// begin prepares to give levels of an array their initial content.
func (r *inArrays) begin(a *rotated, stride []int) error {
	arr := &r.part.Nest.Arrays[a.arr]
	fields, err := complete(r.part.Nest, r.fields)
	if err != nil {
		return err
	}
	lo, extent, _ := arr.Extent(r.params)
	a.view = &fields.Result[a.arr]
	*a.view = array.View{Elem: arr.Elem, Size: arr.Size, Lo: lo, Hi: top(lo, extent), Stride: stride}
	a.loops, _ = r.part.loops(r.params, r.fields)
	if slices.Contains(r.part.WrittenOnce, a.arr) {
		p, n := *r.plan, *r.part.Nest
		n.Arrays = slices.Clone(n.Arrays)
		n.Arrays[a.arr].Slice = nil
		p.Nest = &n
		a.written = halo.NewUnwritten(&p, a.loops, fields, a.arr)
		a.keeps = slices.Contains(arr.InitIgnores, r.rotating.Dim)
	}
	return nil
}

// fill gives levels from..to of all arrays their initial content. The slots of these levels follow one another. same says
// that iterations write the same cells of all levels: then a slot may keep the initial content of the level that had the slot before. If
// returned is set, only the level that the caller receives gets initial content.
func (r *rotating) fill(from, to int, same, returned bool) {
	for k := range r.arrays {
		a := &r.arrays[k]
		switch keeps := a.keeps && same && !r.own; {
		case returned && (a.result == nil || a.given < from || a.given > to):
		case a.view == nil || keeps && a.filled >= r.slots:
		case r.Step > 0 && !keeps:
			r.fillLevels(a, from, to)
		default: // the indices of these levels may go down
			for level := from; level <= to; level++ {
				if i := a.index + level*r.Step; i >= a.lo && i <= a.hi {
					r.fillLevel(a, level, keeps)
				}
			}
		}
	}
}

// copiedBytes is the size of a level of planes up to which it takes less time to copy all its cells than to compute the
// initial content of those that no iteration writes, which are many short rows.
const copiedBytes = 1 << 20

// fillLevel gives a level of an array its initial content. same says that the level before has the same.
func (r *rotating) fillLevel(a *rotated, level int, same bool) {
	if n := r.cells * a.view.Size; same && a.filled > 0 && n <= copiedBytes && len(a.view.Lo) > 3 {
		copy(a.data[r.slot(level)*n:][:n], a.data[r.slot(level-1)*n:])
	} else {
		r.fillLevels(a, level, level)
	}
	a.filled++
}

// fillLevels gives those of the levels from..to that are within the array's bounds their initial content. Their indices ascend.
func (r *rotating) fillLevels(a *rotated, from, to int) {
	v := a.view
	lo, hi := a.index+from*r.Step, a.index+to*r.Step
	at := r.slot(from)
	if lo < a.lo {
		at, lo = at+a.lo-lo, a.lo
	}
	if hi = min(hi, a.hi); lo > hi {
		return
	}
	v.Lo[r.Dim], v.Hi[r.Dim] = lo, hi
	v.Data = a.data[(at*r.cells+a.origin)*v.Size : (at+hi-lo+1)*r.cells*v.Size]
	if a.written != nil {
		_ = a.written.Fill(context.Background(), 0, halo.UnwrittenRows(v)) // this context never ends
		return
	}
	_ = initialRows(context.Background(), a.loops, a.arr, v)
}

// slot is the slot of a level.
func (r *rotating) slot(level int) int { return arith.Mod(level, r.slots) }

// until returns the last of the levels from..to that one box may compute together with level from: all slots that the box
// reads and writes follow one another.
func (r *rotating) until(from, to int) int {
	at := r.slot(from)
	if at < r.Levels-1 {
		return from
	}
	return min(to, from+r.slots-1-at)
}

// give copies cells of levels from..to, which have just been computed, to results.
func (r *rotating) give(from, to int) {
	for k := range r.arrays {
		if a := &r.arrays[k]; a.result != nil && a.given >= from && a.given <= to {
			copyBox(a.result.Data, 0, a.result.Stride, a.data, r.slot(a.given)*r.cells+a.from, a.by, a.n, a.result.Size)
		}
	}
}

// fillUnwritten gives the cells of a result that no iteration writes their initial content. A result that is copied from a slot has it.
func (r *inArrays) fillUnwritten(ctx context.Context, arr int, cells *halo.UnwrittenCells) error {
	if r.rotating != nil {
		from, to := r.cpus[0].space.extent(0)
		if slices.ContainsFunc(r.rotating.arrays, func(a rotated) bool {
			return a.arr == arr && a.view != nil && a.result != nil && a.given >= from && a.given <= to
		}) {
			return nil
		}
	}
	return cells.Fill(ctx, 0, halo.UnwrittenRows(&r.fields.Result[arr]))
}
