package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"
	"unsafe"

	"loopc/codegen/vector"
	"loopc/ir"
	"loopc/ir/eval"
	"loopc/runtime/element"
	"loopc/transform"
	"loopc/transform/plan"
)

// A bodyRun calls the kernel of a nest for each row or box of rows, in memory like that of the runtime: entire
// arrays, and blocks of values in the coordinates of the plan.
type bodyRun struct {
	n       *ir.Nest
	lowered *ir.Lowered
	plan    *plan.Nest
	shape   *vector.Shape
	params  []int
	boxes   []rowBox
	arrays  map[int]*bodyMemory // by array
	blocks  []*bodyMemory       // by value
}

// A rowBox is a number of rows of the plan of equal length.
type rowBox struct {
	first       ir.Vec // its first iteration
	rows, width int
}

// newBodyRun returns what runs a nest, with the kernels in assembly; nil if there are none.
func newBodyRun(t *testing.T, n *ir.Nest, params []int) (b *bodyRun, text []byte, functions []vector.Function) {
	l, p, diags := transform.Lower(n)
	if len(diags) > 0 {
		t.Errorf("%v", diags)
		return nil, nil, nil
	}
	s, _ := vector.Analyze(n, l, p, slices.Repeat([]bool{true}, len(n.Body)))
	if s == nil || s.Scheme != vector.Contiguous || len(s.Outer) > 0 {
		return nil, nil, nil
	}
	if text, functions, _ = s.Assembly("kernel", n.File); text == nil {
		return nil, nil, nil
	}
	b = &bodyRun{n: n, lowered: l, plan: p, shape: s, params: params}
	b.findBoxes()
	return b, text, functions
}

// findBoxes cuts the iterations into boxes of rows, in the order of the plan.
func (b *bodyRun) findBoxes() {
	var all []ir.Vec
	each := make([]int, b.n.Depth())
	var loop func(k int)
	loop = func(k int) {
		if k == len(each) {
			all = append(all, applied(b.lowered.Skew, each))
			return
		}
		lo, hi := eval.Bounds(&b.n.Loops[k], b.params, each)
		for each[k] = lo; each[k] <= hi; each[k]++ {
			loop(k + 1)
		}
		each[k] = 0
	}
	loop(0)
	slices.SortFunc(all, slices.Compare)
	last := b.shape.Last()
	for k := 0; k < len(all); {
		width := 1
		for k+width < len(all) && slices.Equal(all[k+width][:last], all[k][:last]) {
			width++
		}
		first := all[k]
		k += width
		if at := len(b.boxes) - 1; at >= 0 {
			below := slices.Clone(b.boxes[at].first)
			if below[last-1] += b.boxes[at].rows; slices.Equal(below, first) && b.boxes[at].width == width {
				b.boxes[at].rows++
				continue
			}
		}
		b.boxes = append(b.boxes, rowBox{first, 1, width})
	}
}

// applied is m·v.
func applied(m [][]int, v []int) ir.Vec {
	r := make(ir.Vec, len(m))
	for i, row := range m {
		for k, c := range row {
			r[i] += c * v[k]
		}
	}
	return r
}

// A bodyMemory holds cells of one type in C order, between cells that nothing may write.
type bodyMemory struct {
	elem   *element.Type
	cells  *eval.Array // its bounds
	memory []byte
	row    int // the dimension along which cells are neighbors
}

// ordered returns an array with dimension row last.
func ordered(a *eval.Array, row int) *eval.Array {
	r, err := eval.NewArray(a.Elem, lastOf(a.Lo, row), lastOf(a.Hi, row))
	if err != nil {
		panic(err)
	}
	for k := range a.Len() {
		to, _ := r.Offset(lastOf(a.Cell(k), row))
		if a.Floats != nil {
			r.Floats[to] = a.Floats[k]
		} else {
			r.Ints[to] = a.Ints[k]
		}
	}
	return r
}

// lastOf returns v with element k last.
func lastOf(v []int, k int) []int { return append(slices.Delete(slices.Clone(v), k, k+1), v[k]) }

// beside is the number of bytes before the cells, and of those after them; untouched is the value of each.
const beside, untouched = 256, 0x5b

func newBodyMemory(a *eval.Array) *bodyMemory {
	pad := bytes.Repeat([]byte{untouched}, beside)
	return &bodyMemory{a.Elem.Cell(), a, slices.Concat(pad, a.Bytes(), pad), len(a.Lo) - 1}
}

// address is that of a cell, which may be beyond the bounds.
func (m *bodyMemory) address(cell []int) uintptr {
	at := 0
	for k, x := range lastOf(cell, m.row) {
		at = at*(m.cells.Hi[k]-m.cells.Lo[k]+1) + x - m.cells.Lo[k]
	}
	return uintptr(unsafe.Pointer(unsafe.SliceData(m.memory))) + uintptr(beside+at*m.elem.Size)
}

// content returns the cells, or an error if others were written.
func (m *bodyMemory) content() (*eval.Array, error) {
	a := m.cells.Clone()
	inner := m.memory[beside : len(m.memory)-beside]
	for k := range a.Len() {
		v := m.elem.Value(inner, k)
		if a.Floats != nil {
			a.Floats[k] = v.F
		} else {
			a.Ints[k] = v.I
		}
	}
	for _, part := range [][]byte{m.memory[:beside], m.memory[len(m.memory)-beside:]} {
		if slices.ContainsFunc(part, func(x byte) bool { return x != untouched }) {
			return nil, fmt.Errorf("cells beside an array are written")
		}
	}
	return a, nil
}

// run calls a kernel for all boxes, and returns the arrays.
func (b *bodyRun) run(in map[string]*eval.Array, call func(frame unsafe.Pointer)) (map[string]*eval.Array, error) {
	before := *b.n
	before.Body = nil
	initial, err := eval.Run(&before, b.params, in)
	if err != nil {
		return nil, err
	}
	b.arrays, b.blocks = map[int]*bodyMemory{}, nil
	for k := range b.n.Arrays {
		a := &b.n.Arrays[k]
		if from := initial[a.Name]; from != nil {
			b.arrays[k] = newBodyMemory(from)
		} else { // in the order in which rows read it
			b.arrays[k] = newBodyMemory(ordered(in[a.Name], len(a.Lo)-1-b.plan.Arrays[k].RowDim))
			b.arrays[k].row = len(a.Lo) - 1 - b.plan.Arrays[k].RowDim
		}
	}
	for _, stmt := range b.lowered.Values {
		b.blocks = append(b.blocks, b.newBlock(b.n.Body[stmt].(*ir.Assign)))
	}
	for _, box := range b.boxes {
		frame := b.frame(box)
		call(unsafe.Pointer(unsafe.SliceData(frame)))
	}
	for v, stmt := range b.lowered.Values {
		if !slices.ContainsFunc(b.shape.Streams, func(x vector.Stream) bool {
			return x.Memory == vector.Result && x.Array == b.n.Body[stmt].(*ir.Assign).Array
		}) {
			b.giveBack(v, b.n.Body[stmt].(*ir.Assign))
		}
	}
	got := map[string]*eval.Array{}
	for k, m := range b.arrays {
		a, err := m.content()
		if err != nil {
			return nil, err
		}
		if decl := &b.n.Arrays[k]; decl.Returned() {
			got[decl.Name] = a
		}
	}
	for _, m := range b.blocks {
		if _, err = m.content(); err != nil {
			return nil, err
		}
	}
	return got, nil
}

// around is how many coordinates a block has before and after the iterations, in each dimension.
const around = 4

// newBlock returns the memory of a value, whose cells are those of its array before the run.
func (b *bodyRun) newBlock(w *ir.Assign) *bodyMemory {
	lo, hi := slices.Clone(b.boxes[0].first), slices.Clone(b.boxes[0].first)
	last := b.shape.Last()
	for _, box := range b.boxes {
		end := slices.Clone(box.first)
		end[last-1] += box.rows - 1
		end[last] += box.width - 1
		for x := range lo {
			lo[x], hi[x] = min(lo[x], box.first[x]), max(hi[x], end[x])
		}
	}
	for x := range lo {
		lo[x], hi[x] = lo[x]-around, hi[x]+around
	}
	from := b.arrays[w.Array]
	a, err := eval.NewArray(b.n.Arrays[w.Array].Elem, lo, hi)
	if err != nil {
		panic(err)
	}
	for k := range a.Len() {
		at, inside := from.cells.Offset(b.cell(w, a.Cell(k)))
		switch {
		case !inside && a.Floats != nil:
			a.Floats[k] = math.NaN()
		case inside && a.Floats != nil:
			a.Floats[k] = from.cells.Floats[at]
		case inside:
			a.Ints[k] = from.cells.Ints[at]
		}
	}
	return newBodyMemory(a)
}

// cell is the cell that iteration p of the plan assigns.
func (b *bodyRun) cell(w *ir.Assign, p []int) []int { return b.subscripts(w.Subs, p) }

func (b *bodyRun) subscripts(subs []ir.Affine, p []int) (cell []int) {
	j := applied(b.lowered.Unskew, p)
	for _, s := range subs {
		cell = append(cell, s.Eval(b.params, j))
	}
	return cell
}

// giveBack copies what the iterations have assigned from a value's block to its array.
func (b *bodyRun) giveBack(v int, w *ir.Assign) {
	from, to := b.blocks[v], b.arrays[w.Array]
	last := b.shape.Last()
	for _, box := range b.boxes {
		for r := range box.rows {
			for c := range box.width {
				p := slices.Clone(box.first)
				p[last-1] += r
				p[last] += c
				copy(at(to.address(b.cell(w, p)), to.elem.Size), at(from.address(p), to.elem.Size))
			}
		}
	}
}

// at is the memory at an address.
func at(address uintptr, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n)
}

// frame is the argument of a kernel for a box.
func (b *bodyRun) frame(box rowBox) []uint64 {
	s := b.shape
	frame := make([]uint64, s.Words())
	frame[vector.FrameRows], frame[vector.FrameWidth] = uint64(box.rows), uint64(box.width)
	next := slices.Clone(box.first)
	next[s.Last()-1]++
	along := slices.Clone(box.first)
	along[s.Last()]++
	for k := range s.Streams {
		x := &s.Streams[k]
		first := b.address(x, box.first)
		frame[s.FrameAt(k)] = uint64(first)
		frame[s.FrameStep(k)] = uint64(b.address(x, next) - first)
		if x.Along == vector.Strided {
			frame[s.FrameStride(k)] = uint64(b.address(x, along) - first)
		}
	}
	j := applied(b.lowered.Unskew, box.first)
	for k, i := range s.Indices {
		frame[s.FrameIndex(k)] = uint64(j[i.Loop])
	}
	for k, use := range s.Params {
		switch x := b.params[use.Param]; use.Type {
		case ir.Float32:
			frame[s.FrameParam(k)] = uint64(math.Float32bits(float32(x)))
		case ir.Float64:
			frame[s.FrameParam(k)] = math.Float64bits(float64(x))
		default:
			frame[s.FrameParam(k)] = uint64(x)
		}
	}
	return frame
}

// address is that of a stream's cell at an iteration of the plan.
func (b *bodyRun) address(x *vector.Stream, p ir.Vec) uintptr {
	if x.Memory != vector.Live {
		return b.arrays[x.Array].address(b.subscripts(x.Subs, p))
	}
	p = slices.Clone(p)
	for k, d := range x.Dist {
		p[k] -= d
	}
	return b.blocks[x.Value].address(p)
}
