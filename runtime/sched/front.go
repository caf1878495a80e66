package sched

import (
	"math"
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
	values []int   // per parameter of the kernel: an integer, or the bits of a float
	at     []int   // per stream: the address of its cell at the first iteration of a box
	by     [][]int // per stream: the bytes by which each coordinate moves the cell
	cells  forms   // how parameters change addresses, and strips
	boxes  forms   // how coordinates do
	strips []*strip
	sums   kernel.ExactSums
	places kernel.Places
}

// inFront completes r for runs by kernel f, which keeps the order of the loops. It returns nil if f cannot run on the arrays of r.
func (r *inArrays) inFront(f *kernel.Front) *inArrays {
	depth := len(f.Steps)
	r.divided = -1
	b := &boxes{space: newSpace(kernel.Bounds(r.part.Nest), f.Coordinates(r.part.Nest)), lo: make([]int, depth), hi: make([]int, depth), divided: -1, first: f.RowsAlong()}
	b.parts = r.fields.Reduced
	b.loops, _ = r.part.loops(r.params, r.fields)
	if b.front = r.newFront(f, b); b.front == nil || b.space == nil {
		return nil
	}
	if !b.space.even[b.first] {
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

// newFront returns the functions of f, for the plan and the arrays of r, and the reductions and the initial content of b. It returns nil if an
// array has no cells, if the cells of a row do not follow one another, or if lanes cannot hold the values of loops.
func (r *inArrays) newFront(f *kernel.Front, b *boxes) *front {
	out := &front{Front: f, given: r.fields.Given, floats: r.fields.Floats, frame: make([]int, f.Words()), values: make([]int, len(f.Params)), at: make([]int, len(f.Streams))}
	if !inLanes(f, r.plan) {
		return nil
	}
	for _, use := range f.Params {
		if use.Part == "" {
			continue
		}
		if t := out.given[use.Param]; !kernel.Gathers(t) || t.Stride[len(t.Stride)-1] != 1 {
			return nil
		}
	}
	for k := range f.Strips {
		x := newStrip(&f.Strips[k], r.plan, b.loops, f.Rows, r.fields.Result[f.Strips[k].Array])
		if x == nil {
			return nil
		}
		for m, sub := range x.Subs {
			out.cells.add(&x.zero[m], sub, 1)
		}
		out.strips = append(out.strips, x)
	}
	for k := range f.Streams {
		if !out.stream(k, r.fields) {
			return nil
		}
	}
	if f.Lanes > 1 {
		for k, view := range out.views {
			memory := int(uintptr(unsafe.Pointer(unsafe.SliceData(view.Data))))
			copy(out.frame[f.FrameMemory(k):], []int{memory, memory + len(view.Data)})
		}
	}
	for k, stream := range f.Strided {
		out.frame[f.FrameStride(k)] = out.by[stream][len(f.Steps)-1]
	}
	out.sums = kernel.NewExactSums(b.parts, out.FrameReduced(0))
	out.places = kernel.NewPlaces(b.parts, out.FrameReduced(0), out.FrameIndex(0), f.Places)
	for k, x := range b.parts {
		out.frame[out.FrameReduced(k)] = int(uintptr(unsafe.Pointer(unsafe.SliceData(x.Value.Data))))
	}
	return out
}

// stream sets stream k, the next one. It reports whether the array has cells, those of a row one after another. A kernel moves addresses on
// by the steps of streams, and changes nothing else.
func (r *front) stream(k int, fields kernel.Fields) bool {
	s, last := &r.Streams[k], len(r.Steps)-1
	view, x := fields.Result[s.Array], (*strip)(nil)
	for _, of := range r.strips {
		if of.Array == s.Array { // it has the cells of the array
			view, x = of.view(), of
		}
	}
	if view.Data == nil {
		view = fields.Given[s.Array]
	}
	if len(view.Data) == 0 || view.Stride[len(view.Stride)-1] != 1 {
		return false
	}
	at, by := &r.at[k], make([]int, last+1)
	*at = int(uintptr(unsafe.Pointer(unsafe.SliceData(view.Data)))) + view.Origin()*view.Size
	for m, sub := range s.Subs {
		r.cells.add(at, sub, view.Stride[m]*view.Size)
		for y, c := range sub.Iters {
			by[y] += c * view.Stride[m] * view.Size
		}
	}
	moves := plan.Affine{Params: slices.Clone(by)}
	if x != nil { // it begins with the rows above those of the box
		r.cells.add(at, x.Subs[x.Dim], -view.Stride[x.Dim]*view.Size)
		moves.Const, moves.Params[0] = x.Above*by[0], 0
	}
	if r.Folded > 0 && by[last-1] != r.Folded*by[last] {
		return false
	}
	r.boxes.add(at, moves, 1)
	r.frame[r.FrameStep(k)] = by[r.RowsAlong()]
	r.views, r.by = append(r.views, view), append(r.by, by)
	return true
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

// with sets the parameters: addresses of cells, and words of the frame, which is zero before the first call.
func (r *front) with(params []int) {
	r.wrong = false
	r.cells.set(params)
	for _, s := range r.strips {
		s.sides, s.before = 0, 0
	}
	for k := range r.Params {
		var x element.Value
		value := 0
		switch use := &r.Params[k]; {
		case use.Float:
			x.F = r.floats[use.Param]
			value = int(math.Float64bits(x.F))
		case use.Part != "":
			value = kernel.TableNumber(r.given[use.Param], use.Dim, use.Part)
			x = element.Value{F: float64(value), I: int64(value)}
		default:
			value = params[use.Param]
			x = element.Value{F: float64(value), I: int64(value)}
		}
		if value != r.values[k] {
			r.values[k] = value
			word := unsafe.Slice((*byte)(unsafe.Pointer(&r.frame[r.FrameParam(k)])), unsafe.Sizeof(r.frame[0]))
			element.Named(r.Params[k].Elem).Set(word, 0, x)
		}
	}
}

// box computes the iterations lo..hi, which have one value of each coordinate before that along which rows are neighbors.
func (r *front) box(lo, hi []int) {
	if r.strips == nil {
		x, last := r.RowsAlong(), len(lo)-1
		width := hi[last] - lo[last] + 1
		if x < last-1 {
			width *= hi[last-1] - lo[last-1] + 1
		}
		r.group(lo, hi[x]-lo[x]+1, lo[last]+width-1, [2]int{})
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
		r.group(lo, n, hi[1], [2]int{})
		for _, s := range r.strips {
			s.give(lo[0], n)
		}
	}
}

// group computes rows from iteration lo on. The first row ends at column last. Each next row begins by[0], and ends by[1], columns later.
func (r *front) group(lo []int, rows, last int, by [2]int) {
	frame := r.frame
	frame[kernel.FrontFrameWidth] = last - lo[len(lo)-1] + 1
	if r.Lanes > 1 {
		frame[r.FrameSlope(0)], frame[r.FrameSlope(1)] = by[0]+r.Skew, by[1]+r.Skew
	}
	r.boxes.set(lo)
	copy(frame[r.FrameAt(0):], r.at)
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

// call computes the next rows of the frame, as many together as the function of the kernel does.
func (r *front) call(compute func(frame *int), rows, together int) {
	r.frame[kernel.FrontFrameRows] = rows
	if len(r.Places) > 0 {
		r.places.Call(compute, r.frame)
	} else {
		r.sums.Call(compute, r.frame, together, 0, r.Idle(r.frame, together)) // moves on to the rows that follow
	}
	r.wrong = r.wrong || r.LooksUp && r.Wrong(r.frame)
}
