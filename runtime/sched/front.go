package sched

import (
	"slices"
	"unsafe"

	"loopc/runtime/array"
	"loopc/runtime/element"
	"loopc/runtime/kernel"
	"loopc/transform/plan"
)

// front calls the functions of a kernel.Front in the caller's entire arrays.
type front struct {
	*kernel.Front
	given  []array.View
	wrong  bool         // a call has found a wrong subscript
	views  []array.View // per stream
	floats []float64
	frame  []int
	at     []int   // per stream: the address of its cell where all coordinates are 0
	by     [][]int // per stream: the bytes by which each coordinate moves the cell
	strips []*strip
	of     []*strip // per stream: the strip with its cells; nil: the array is entire
	sums   kernel.ExactSums
	places kernel.Places
}

// inFront does what newInArrays does, in the order of the loops.
func (r *inArrays) inFront(f *kernel.Front) *inArrays {
	depth := len(f.Steps)
	r.divided = -1
	b := &boxes{space: newSpace(kernel.Bounds(r.part.Nest), f.Coordinates(r.part.Nest)), lo: make([]int, depth), hi: make([]int, depth), divided: -1, first: depth - 2}
	b.parts = newReduced(r.part.Nest)
	b.loops, _ = r.part.loops(r.params, r.fields)
	if b.front = newFront(f, r.plan, r.fields, b); b.front == nil || b.space == nil {
		return nil
	}
	if !b.space.even[depth-2] {
		b.first++ // rows may have different columns
	}
	r.cpus, r.work = []*boxes{b}, []func(){b.compute}
	if r.begins() != nil {
		return nil
	}
	return r
}

// mostFrontIndex bounds coordinates whose values lanes hold.
const mostFrontIndex = 1 << 24

// newFront returns the functions of f, for plan p, the arrays of fields, and the reductions and the initial content of b. It returns nil if an array has no cells, if
// the cells of a row do not follow one another, or if lanes cannot hold the values of loops.
func newFront(f *kernel.Front, p *plan.Plan, fields kernel.Fields, b *boxes) *front {
	r := &front{Front: f, given: fields.Given, floats: fields.Floats, frame: make([]int, f.Words())}
	depth := len(f.Steps)
	if !inLanes(f, p) {
		return nil
	}
	for _, use := range f.Params {
		if use.Part == "" {
			continue
		}
		if t := fields.Given[use.Param]; !kernel.Gathers(t) || t.Stride[len(t.Stride)-1] != 1 {
			return nil
		}
	}
	for k := range f.Strips {
		x := newStrip(&f.Strips[k], p, b.loops, f.Rows, fields.Result[f.Strips[k].Array])
		if x == nil {
			return nil
		}
		r.strips = append(r.strips, x)
	}
	for _, s := range f.Streams {
		view, of := fields.Result[s.Array], r.stripOf(s.Array)
		if of != nil {
			view = of.view()
		}
		if view.Data == nil {
			view = fields.Given[s.Array]
		}
		if len(view.Data) == 0 || view.Stride[len(view.Stride)-1] != 1 {
			return nil
		}
		by := make([]int, depth)
		for m, sub := range s.Subs {
			for x, c := range sub.Iters {
				by[x] += c * view.Stride[m] * view.Size
			}
		}
		r.views, r.by, r.at, r.of = append(r.views, view), append(r.by, by), append(r.at, 0), append(r.of, of)
	}
	r.sums = kernel.NewExactSums(b.parts, r.FrameReduced(0))
	r.places = kernel.NewPlaces(b.parts, r.FrameReduced(0), r.FrameIndex(0), f.Places)
	for k, x := range b.parts {
		r.frame[r.FrameReduced(k)] = int(uintptr(unsafe.Pointer(unsafe.SliceData(x.Value.Data))))
	}
	return r
}

// inLanes reports whether lanes hold the values of loops and parameters.
func inLanes(f *kernel.Front, p *plan.Plan) bool {
	for x := range p.Lo {
		if len(f.Indices) > 0 && (p.Lo[x] < -mostFrontIndex || p.Hi[x] > mostFrontIndex) {
			return false
		}
	}
	return !slices.ContainsFunc(f.Small, func(k int) bool { return max(p.Params[k], -p.Params[k]) > kernel.MostLaneParameter })
}

// stripOf returns the strip with the cells of an array; nil if the array is entire.
func (r *front) stripOf(a int) *strip {
	if k := slices.IndexFunc(r.strips, func(s *strip) bool { return s.Array == a }); k >= 0 {
		return r.strips[k]
	}
	return nil
}

// with sets the parameters: addresses of cells, and words of the frame.
func (r *front) with(params []int) {
	r.wrong = false
	for _, s := range r.strips {
		s.with(params)
	}
	for k, s := range r.Streams {
		view := &r.views[k]
		cell := view.Origin()
		for m, sub := range s.Subs {
			cell += sub.Eval(params, nil) * view.Stride[m]
		}
		if x := r.of[k]; x != nil {
			cell -= x.zero[x.Dim] * view.Stride[x.Dim]
		}
		r.at[k] = int(uintptr(unsafe.Pointer(unsafe.SliceData(view.Data)))) + cell*view.Size
	}
	for k, use := range r.Params {
		var x element.Value
		switch {
		case use.Float:
			x.F = r.floats[use.Param]
		case use.Part != "":
			x.I = int64(kernel.TableNumber(r.given[use.Param], use.Dim, use.Part))
			x.F = float64(x.I)
		default:
			x = element.Value{F: float64(params[use.Param]), I: int64(params[use.Param])}
		}
		word := unsafe.Slice((*byte)(unsafe.Pointer(&r.frame[r.FrameParam(k)])), unsafe.Sizeof(r.frame[0]))
		element.Named(use.Elem).Set(word, 0, x)
	}
}

// box computes the iterations lo..hi, which have one value of each coordinate but the last two.
func (r *front) box(lo, hi []int) {
	if r.strips == nil {
		r.group(lo, hi[len(lo)-2]-lo[len(lo)-2]+1, hi)
		return
	}
	for n := 0; lo[0] <= hi[0]; lo[0] += n {
		n = hi[0] - lo[0] + 1
		for _, s := range r.strips {
			n = min(n, s.rows)
		}
		for _, s := range r.strips {
			s.hold(lo[0], n, lo[1], hi[1])
		}
		r.group(lo, n, hi)
		for _, s := range r.strips {
			s.give(lo[0], n)
		}
	}
}

// group computes rows from iteration lo on, each up to the column of hi.
func (r *front) group(lo []int, rows int, hi []int) {
	last, frame := len(lo)-1, r.frame
	frame[kernel.FrontFrameWidth] = hi[last] - lo[last] + 1
	for k, by := range r.by {
		at := r.at[k]
		for x, c := range by {
			at += c * lo[x]
		}
		if s := r.of[k]; s != nil {
			at += (s.Above - lo[0]) * by[0]
		}
		frame[r.FrameAt(k)], frame[r.FrameStep(k)] = at, by[last-1]
	}
	for k, stream := range r.Strided {
		frame[r.FrameStride(k)] = r.by[stream][last]
	}
	for k, loop := range r.Indices {
		frame[r.FrameIndex(k)] = r.Steps[loop] * lo[loop]
	}
	if many := rows / r.Rows * r.Rows; many > 0 && r.Many != nil {
		r.call(r.Many, many, r.Rows)
		rows -= many
	}
	if rows > 0 {
		r.call(r.One, rows, r.Lanes)
	}
}

// call computes the next rows of the frame, as many together as the function of the kernel does. If the cells around them are not
// all in memory, those around the first and the last rows may be missing.
func (r *front) call(compute func(frame *int), rows, together int) {
	calls := [...]int{rows, 0, 0}
	r.frame[kernel.FrontFrameRows] = rows
	free := r.Lanes > 1 && r.free(together)
	if r.Lanes > 1 && !r.LooksUp && !free {
		last := (rows-1)%together + 1
		calls = [...]int{min(rows, together), max(0, rows-together-last), 0}
		calls[2] = rows - calls[0] - calls[1]
	}
	for _, n := range calls {
		if n == 0 {
			continue
		}
		r.frame[kernel.FrontFrameRows], r.frame[kernel.FrontFrameFree] = n, 0
		if free || n < rows && r.free(together) {
			r.frame[kernel.FrontFrameFree] = 1
		}
		if len(r.Places) > 0 {
			r.places.Call(compute, r.frame)
		} else {
			r.sums.Call(compute, r.frame, together, r.Skew, r.Before) // moves on to the rows that follow
		}
		r.wrong = r.wrong || r.LooksUp && r.Wrong(r.frame)
	}
}

// free reports whether all cells around the rows of the frame are in the memory of their arrays.
func (r *front) free(together int) bool {
	for k := range r.Streams {
		view, cell := &r.views[k], r.by[k][len(r.by[k])-1]
		if cell == 0 {
			continue
		}
		at := r.frame[r.FrameAt(k)] - int(uintptr(unsafe.Pointer(unsafe.SliceData(view.Data))))
		if first, end := r.Around(r.frame, k, cell, view.Size, together); at+first < 0 || at+end > len(view.Data) {
			return false
		}
	}
	return true
}
