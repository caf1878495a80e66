// Command lacing writes the assembly of runtime/simd: functions that transpose
// squares of lanes between vectors and rows.
//
//	go run ./codegen/lacing > runtime/simd/lace_amd64.s
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	text, err := assembly()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lacing:", err)
		os.Exit(1)
	}
}

// assembly returns the text of the file.
func assembly() ([]byte, error) {
	ctx := build.NewContext()
	for _, vector := range []int{32, 64} {
		for _, lane := range []int{4, 8} {
			numbers := numbersOf(ctx, vector, lane)
			for _, lace := range []bool{false, true} {
				for _, edge := range []bool{false, true} {
					w := &writer{Context: ctx, vector: vector, lane: lane, lace: lace, edge: edge, numbers: numbers}
					w.write()
				}
			}
			for _, edge := range []bool{false, true} {
				w := &writer{Context: ctx, vector: vector, lane: lane, stream: true, edge: edge, numbers: numbers}
				w.write()
			}
			if vector == line {
				w := &writer{Context: ctx, vector: vector, lane: lane, lines: true, numbers: numbers}
				w.write()
			}
		}
	}
	writeFence(ctx)
	writeFetch(ctx)
	file, err := ctx.Result()
	if err != nil {
		return nil, err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return nil, err
	}
	return printer.NewGoAsm(printer.Config{Name: "codegen/lacing", Pkg: "simd"}).Print(file)
}

// writeFence writes what has to follow stores past the caches.
func writeFence(ctx *build.Context) {
	ctx.Function("fence")
	ctx.Attributes(attr.NOSPLIT)
	ctx.SignatureExpr("func()")
	ctx.Doc("fence lets what is stored from now on, by whomever, come after what went past the caches.")
	ctx.SFENCE()
	ctx.RET()
}

// writeFetch writes a function that asks for the lines with the cells at frameRows and
// frameEnds, of all rows.
func writeFetch(ctx *build.Context) {
	ctx.Function("fetch")
	ctx.Attributes(attr.NOSPLIT)
	ctx.SignatureExpr("func(frame *uintptr)")
	ctx.Doc("fetch asks for the first and the last line of rows.")
	frame, pointer := ctx.GP64(), ctx.GP64()
	ctx.Load(ctx.Param("frame"), frame)
	for _, first := range []int{frameRows, frameEnds} {
		for l := range mostLanes {
			ctx.MOVQ(operand.Mem{Base: frame, Disp: 8 * (first + l)}, pointer)
			ctx.PREFETCHT0(operand.Mem{Base: pointer})
		}
	}
	ctx.RET()
}

// nameOf returns what names of functions for vectors of so many bytes end in.
func nameOf(vector int) string {
	if vector == 64 {
		return "AVX512"
	}
	return "AVX2"
}

// numbersOf returns a vector of a number for each lane: in AVX2, to make masks, bit
// l alone, in AVX-512, to move lanes, l itself.
func numbersOf(ctx *build.Context, vector, lane int) operand.Mem {
	at := ctx.StaticGlobal(fmt.Sprintf("numbers%sx%d", nameOf(vector), lane))
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for l := range vector / lane {
		x := l
		if vector == 32 {
			x = 1 << l
		}
		if lane == 4 {
			ctx.AddDatum(4*l, operand.U32(x))
		} else {
			ctx.AddDatum(8*l, operand.U64(x))
		}
	}
	return at
}

// Words of the frame: see simd.Laces, which has them too.
const (
	frameVectors = 0  // address of the first step's vector
	frameStep    = 1  // bytes from a step to the next
	frameSquares = 2  // to transpose, at least one; stream: bursts; streamEdge: squares, or none
	frameRows    = 3  // addresses of the rows' cells of the first step
	frameEnds    = 19 // fetch: addresses of the rows' last cells
	frameMasks   = 19 // of what is stored, per row or, to vectors, per step: a bit for each lane; streamEdge: for each cell of the burst
	frameHeld    = 35 // stream: address of rows of heldRow bytes, which begin with a line of the cells before
	frameBefore  = 36 // stream: cells of that line that are not in the line where the row is stored to, 1 or more
	frameOffset  = 19 // lines: bytes of the rows that have been stored
	frameHolds   = 20 // lines: address of what is held of rows, or 0: see simd.LinesHeld
)

// mostLanes is the lanes of a vector at most.
const mostLanes = 16

// linesTogether is simd.LinesTogether.
const linesTogether = 2

// What is streamed of a row at a time, in bytes: four lines, since a single one
// that goes past the caches is slower.
const (
	line    = 64
	burst   = 4 * line
	heldRow = line + burst
)

// A writer writes one function.
type writer struct {
	*build.Context
	vector, lane int         // bytes
	lace         bool        // from rows to vectors
	edge         bool        // one square, or burst, with masks
	stream       bool        // to rows, past the caches
	lines        bool        // to rows of which each square completes a line, past the caches, two squares at a time; the frame moves on
	numbers      operand.Mem // see numbersOf

	frame   reg.GPVirtual
	vectors [4]reg.GPVirtual // to steps 0, 4, 8 and 12
	step    reg.GPVirtual
	step3   reg.GPVirtual
	offset  reg.GPVirtual // of the square in the rows
	pointer reg.GPVirtual // scratch
	held    reg.GPVirtual // stream: see frameHeld; lines: see frameHolds
}

func (w *writer) lanes() int { return w.vector / w.lane }

func (w *writer) word(k int) operand.Mem { return operand.Mem{Base: w.frame, Disp: 8 * k} }

func (w *writer) vec() reg.VecVirtual {
	if w.vector == 64 {
		return w.ZMM()
	}
	return w.YMM()
}

func (w *writer) write() {
	verb, from, to, what := "unlace", "vectors", "rows", "squares"
	if w.lace {
		verb, from, to = "lace", "rows", "vectors"
	}
	switch {
	case w.lines:
		verb, what = "lines", "pairs of squares, each of which completes two lines of the rows,"
	case w.stream && w.edge:
		verb, what = "streamEdge", fmt.Sprintf("a burst of %d bytes of a row, where masks say so", burst)
	case w.stream:
		verb, what = "stream", fmt.Sprintf("bursts of %d bytes of a row", burst)
	case w.edge:
		verb, what = verb+"Edge", "one square, where masks say so"
	}
	name := fmt.Sprintf("%s%sx%d", verb, nameOf(w.vector), w.lane)
	w.Function(name)
	w.Attributes(attr.NOSPLIT)
	w.SignatureExpr("func(frame *uintptr)")
	w.Doc(fmt.Sprintf("%s transposes %s from %s to %s of lanes of %d bytes.", name, what, from, to, w.lane))
	w.frame = w.GP64()
	w.Load(w.Param("frame"), w.frame)
	w.step, w.step3, w.offset, w.pointer = w.GP64(), w.GP64(), w.GP64(), w.GP64()
	w.MOVQ(w.word(frameStep), w.step)
	w.LEAQ(operand.Mem{Base: w.step, Index: w.step, Scale: 2}, w.step3)
	if w.lines {
		w.MOVQ(w.word(frameOffset), w.offset)
	} else {
		w.XORQ(w.offset, w.offset)
	}
	for i := range w.lanes() / 4 {
		w.vectors[i] = w.GP64()
		if i == 0 {
			w.MOVQ(w.word(frameVectors), w.vectors[i])
		} else {
			w.LEAQ(operand.Mem{Base: w.vectors[i-1], Index: w.step, Scale: 4}, w.vectors[i])
		}
	}
	switch {
	case w.stream:
		w.held = w.GP64()
		w.MOVQ(w.word(frameHeld), w.held)
	case w.lines:
		w.held = w.GP64()
		w.MOVQ(w.word(frameHolds), w.held)
	}
	several := !w.edge || w.stream
	var squares, bytes reg.GPVirtual
	if several {
		squares, bytes = w.GP64(), w.GP64()
		w.MOVQ(w.word(frameSquares), squares)
		w.MOVQ(w.step, bytes)
		w.SHLQ(operand.U8(log2(w.lanes())), bytes)
	}
	if w.stream && w.edge {
		w.TESTQ(squares, squares)
		w.JEQ(operand.LabelRef("empty"))
	}
	if several {
		w.Label("square")
	}
	switch {
	case w.lace:
		w.transpose(w.rowAt, w.storeVector)
	case w.stream:
		w.transpose(w.vectorAt, w.storeHeld)
	case w.lines:
		w.transposePair(bytes)
	default:
		w.transpose(w.vectorAt, w.storeRow)
	}
	if several {
		together := 1
		if w.lines {
			together = linesTogether
		}
		w.ADDQ(operand.I32(int32(together*w.vector)), w.offset)
		for range together {
			for i := range w.lanes() / 4 {
				w.ADDQ(bytes, w.vectors[i])
			}
		}
		if w.stream && !w.edge {
			w.CMPQ(w.offset, operand.I32(burst))
			w.JNE(operand.LabelRef("square"))
			w.emptyHeld()
			w.XORQ(w.offset, w.offset)
		}
		w.DECQ(squares)
		w.JNE(operand.LabelRef("square"))
	}
	if w.stream && w.edge {
		w.Label("empty")
		w.emptyHeld()
	}
	if w.lines {
		w.MOVQ(w.offset, w.word(frameOffset))
		w.MOVQ(w.vectors[0], w.word(frameVectors))
	}
	w.VZEROUPPER()
	w.RET()
}

// storeHeld writes a vector of row i behind the line that is held of it.
func (w *writer) storeHeld(i int, v reg.Register) {
	w.VMOVAPS(v, operand.Mem{Base: w.held, Index: w.offset, Scale: 1, Disp: i*heldRow + line})
}

// emptyHeld writes a loop that moves a burst of each row to its place, which is at
// a line, and the last line of what was held to where the next burst needs it. With
// AVX-512 lines are put together from two: nothing is read from memory in other
// parts than it was just written in, which would wait for what went past the
// caches before.
func (w *writer) emptyHeld() {
	held, rows, left := w.GP64(), w.GP64(), w.GP64()
	w.MOVQ(w.held, held)
	w.LEAQ(w.word(frameRows), rows)
	w.MOVQ(operand.I32(int32(w.lanes())), left)
	w.Label("row")
	w.MOVQ(operand.Mem{Base: rows}, w.pointer)
	before := operand.Mem{Base: rows, Disp: 8 * (frameBefore - frameRows)}
	var index reg.VecVirtual
	var from, mask reg.GPVirtual
	if w.vector == 64 {
		index = w.vec()
		if w.lane == 4 {
			w.VPBROADCASTD(before, index)
			w.VPADDD(w.numbers, index, index)
		} else {
			w.VPBROADCASTQ(before, index)
			w.VPADDQ(w.numbers, index, index)
		}
	} else {
		from = w.GP64()
		w.MOVQ(before, from)
	}
	if w.edge {
		mask = w.GP64()
		w.MOVQ(operand.Mem{Base: rows, Disp: 8 * (frameMasks - frameRows)}, mask)
	}
	for at := 0; at < burst; at += w.vector {
		part, skip := w.GP64(), fmt.Sprintf("skip%d", at)
		all := uint32(1)<<w.lanes() - 1
		if w.edge {
			w.MOVQ(mask, part)
			w.SHRQ(operand.U8(w.lanes()), mask)
			w.ANDQ(operand.U32(all), part)
			w.JEQ(operand.LabelRef(skip))
		}
		v := w.vec()
		if w.vector == 64 {
			w.VMOVAPS(operand.Mem{Base: held, Disp: at}, v)
			if next := (operand.Mem{Base: held, Disp: at + line}); w.lane == 4 {
				w.VPERMT2D(next, index, v)
			} else {
				w.VPERMT2Q(next, index, v)
			}
		} else {
			w.VMOVUPS(operand.Mem{Base: held, Index: from, Scale: uint8(w.lane), Disp: at}, v)
		}
		to := operand.Mem{Base: w.pointer, Disp: at}
		if w.edge {
			whole := fmt.Sprintf("whole%d", at)
			w.CMPQ(part, operand.U32(all))
			w.JEQ(operand.LabelRef(whole))
			w.storeMasked(v, part, to)
			w.JMP(operand.LabelRef(skip))
			w.Label(whole)
		}
		w.VMOVNTPS(v, to)
		if w.edge {
			w.Label(skip)
		}
	}
	for at := 0; at < line; at += w.vector {
		v := w.vec()
		w.VMOVAPS(operand.Mem{Base: held, Disp: burst + at}, v)
		w.VMOVAPS(v, operand.Mem{Base: held, Disp: at})
	}
	w.ADDQ(operand.I32(burst), w.pointer)
	w.MOVQ(w.pointer, operand.Mem{Base: rows})
	w.ADDQ(operand.I32(heldRow), held)
	w.ADDQ(operand.I32(8), rows)
	w.DECQ(left)
	w.JNE(operand.LabelRef("row"))
}

func log2(n int) uint8 {
	k := uint8(0)
	for 1<<k < n {
		k++
	}
	return k
}

// vectorAt is the memory of the vector of step i, some bytes from its start.
func (w *writer) vectorAt(i, offset int) operand.Mem {
	at := operand.Mem{Base: w.vectors[i/4], Disp: offset}
	switch i % 4 {
	case 1:
		at.Index, at.Scale = w.step, 1
	case 2:
		at.Index, at.Scale = w.step, 2
	case 3:
		at.Index, at.Scale = w.step3, 1
	}
	return at
}

// rowAt is the memory of row i of the square, some bytes from its start. It writes
// an instruction: there are more rows than registers for their addresses.
func (w *writer) rowAt(i, offset int) operand.Mem {
	w.MOVQ(w.word(frameRows+i), w.pointer)
	return operand.Mem{Base: w.pointer, Index: w.offset, Scale: 1, Disp: offset}
}

func (w *writer) storeRow(i int, v reg.Register) { w.store(i, v, w.rowAt(i, 0)) }

// storeLines writes the lines of row i that two squares complete past the caches: rows i of
// the squares themselves, or the last of what was held of the square before, the first, and
// some of the second.
func (w *writer) storeLines(i int, first, second reg.Register) {
	const heldRow = 2 * line
	whole, stored := fmt.Sprintf("whole%d", i), fmt.Sprintf("stored%d", i)
	to := w.rowAt(i, 0)
	w.TESTQ(w.held, w.held)
	w.JEQ(operand.LabelRef(whole))
	held, index, r := operand.Mem{Base: w.held, Disp: i * heldRow}, w.vec(), w.vec()
	permute := w.VPERMI2D
	if w.lane == 8 {
		permute = w.VPERMI2Q
	}
	w.VMOVAPS(held.Offset(line), index)
	w.VMOVAPS(index, r)
	permute(held, first, r)
	permute(first, second, index)
	w.VMOVAPS(second, held)
	w.VMOVNTPS(r, to)
	w.VMOVNTPS(index, to.Offset(line))
	w.JMP(operand.LabelRef(stored))
	w.Label(whole)
	w.VMOVNTPS(first, to)
	w.VMOVNTPS(second, to.Offset(line))
	w.Label(stored)
}

func (w *writer) storeVector(i int, v reg.Register) { w.store(i, v, w.vectorAt(i, 0)) }

// store writes v, the i-th of the square, to memory that need not be aligned.
func (w *writer) store(i int, v reg.Register, to operand.Mem) {
	if !w.edge {
		w.VMOVUPS(v, to)
		return
	}
	mask := w.GP64()
	w.MOVQ(w.word(frameMasks+i), mask)
	w.storeMasked(v, mask, to)
}

// storeMasked writes the lanes of v whose bits are in mask.
func (w *writer) storeMasked(v, mask reg.Register, to operand.Mem) {
	if w.vector == 64 {
		k := w.K()
		w.KMOVW(mask.(reg.GP).As32(), k)
		if w.lane == 4 {
			w.VMOVUPS(v, k, to)
		} else {
			w.VMOVUPD(v, k, to)
		}
		return
	}
	x, y := w.XMM(), w.YMM()
	if w.lane == 4 {
		w.VMOVD(mask.(reg.GP).As32(), x)
		w.VPBROADCASTD(x, y)
		w.VPAND(w.numbers, y, y)
		w.VPCMPEQD(w.numbers, y, y)
		w.VMASKMOVPS(v, y, to)
	} else {
		w.VMOVQ(mask, x)
		w.VPBROADCASTQ(x, y)
		w.VPAND(w.numbers, y, y)
		w.VPCMPEQQ(w.numbers, y, y)
		w.VMASKMOVPD(v, y, to)
	}
}

// transpose writes the transposition of a square, as codegen/vector does: quarters
// of 16 bytes are gathered from memory, which the load ports do, so that what is
// left are squares within 16 bytes.
func (w *writer) transpose(from func(i, offset int) operand.Mem, store func(i int, v reg.Register)) {
	t, r := w.newSquare(), w.vec()
	for q := range w.vector / 16 {
		w.quarter(t, q, from, func(int) reg.VecVirtual { return r }, store)
	}
}

// A square is the registers of a transposition.
type square struct {
	a    [4]reg.VecVirtual
	x, y reg.VecVirtual
}

func (w *writer) newSquare() (t square) {
	for i := range 16 / w.lane {
		t.a[i] = w.vec()
	}
	t.x, t.y = w.vec(), w.vec()
	return t
}

// quarter transposes the lanes of 16 bytes, the q-th, and stores each of these as soon as it
// is where into says.
func (w *writer) quarter(t square, q int, from func(i, offset int) operand.Mem, into func(k int) reg.VecVirtual, store func(i int, v reg.Register)) {
	e := 16 / w.lane
	a := t.a[:e]
	for i := range a {
		w.gather(i, e, 16*q, from, a[i])
	}
	column := func(k int, unpack func(...operand.Op), high, low reg.Register) {
		r := into(k)
		unpack(high, low, r)
		store(e*q+k, r)
	}
	if e == 2 {
		column(0, w.VUNPCKLPD, a[1], a[0])
		column(1, w.VUNPCKHPD, a[1], a[0])
		return
	}
	for h, unpack := range []func(...operand.Op){w.VUNPCKLPS, w.VUNPCKHPS} {
		unpack(a[1], a[0], t.x)
		unpack(a[3], a[2], t.y)
		column(2*h, w.VUNPCKLPD, t.y, t.x)
		column(2*h+1, w.VUNPCKHPD, t.y, t.x)
	}
}

// transposePair transposes two squares, whose lines of a row lie beside one another, and
// stores these one after the other.
func (w *writer) transposePair(bytes reg.Register) {
	t, r := w.newSquare(), w.vec()
	var first [4]reg.VecVirtual
	for k := range 16 / w.lane {
		first[k] = w.vec()
	}
	for q := range w.vector / 16 {
		w.quarter(t, q, w.vectorAt, func(k int) reg.VecVirtual { return first[k] }, func(int, reg.Register) {})
		for i := range w.lanes() / 4 {
			w.ADDQ(bytes, w.vectors[i])
		}
		w.quarter(t, q, w.vectorAt, func(int) reg.VecVirtual { return r }, func(i int, v reg.Register) {
			w.storeLines(i, first[i%(16/w.lane)], v)
		})
		for i := range w.lanes() / 4 {
			w.SUBQ(bytes, w.vectors[i])
		}
	}
}

// gather puts the 16 bytes at offset of i, i+e, i+2e and so on into r.
func (w *writer) gather(i, e, offset int, from func(i, offset int) operand.Mem, r reg.Register) {
	if w.vector == 32 {
		w.VBROADCASTF128(from(i, offset), r)
		w.VINSERTF128(operand.U8(1), from(i+e, offset), r, r)
		return
	}
	w.VBROADCASTF32X4(from(i, offset), r)
	for k := 1; k < 4; k++ {
		w.VINSERTF32X4(operand.U8(k), from(i+k*e, offset), r, r)
	}
}
