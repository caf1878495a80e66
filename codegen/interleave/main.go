// Command interleave writes the assembly of runtime/simd with codegen/asm: functions that
// interleave rows to vectors of lanes, and back, by transposing squares of lanes. They process
// rows of any length. There is one function per instruction set and width of lanes; the caller
// keeps their frame (simd.Interleaver). TestWritten requires that the file is what the command
// writes.
//
//	go run ./codegen/interleave > runtime/simd/interleaver_amd64.s
package main

import (
	"fmt"
	"os"
	"strings"

	"loopc/codegen/asm"
)

func main() {
	text, err := assembly()
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "interleave:", err)
		os.Exit(1)
	}
}

// assembly returns the text of the file.
func assembly() ([]byte, error) {
	file := &asm.File{}
	for _, set := range asm.ISAs() {
		for _, lane := range []int{4, 8} {
			suffix := fmt.Sprintf("%sx%d", strings.ToUpper(set.String()), lane)
			numbers := file.Table("numbers"+suffix, numbersOf(set, lane), lane)
			forms := []form{{verb: "deinterleave"}, {verb: "deinterleaveEdge", masked: true}, {verb: "interleave", toVectors: true}, {verb: "interleaveEdge", toVectors: true, masked: true},
				{verb: "stream", bursts: true}, {verb: "streamEdge", bursts: true, masked: true}}
			if set.Bytes() == line {
				forms = append(forms, form{verb: "lines", pairs: true})
			}
			for _, form := range forms {
				m := asm.NewLeaf(file, set, lane, form.verb+suffix, "(frame *uintptr)")
				(&writer{Machine: m, form: form, numbers: numbers}).write()
			}
		}
	}
	for _, c := range cellForms {
		writeCells(asm.NewLeaf(file, asm.AVX2, 4, c.name, "(frame *uintptr)"), c)
	}
	fence := asm.NewLeaf(file, asm.AVX2, 8, "fence", "()")
	fence.Fence()
	fence.Return()
	writeFetch(asm.NewLeaf(file, asm.AVX2, 8, "fetch", "(frame *uintptr)"))
	if err := file.Allocate(); err != nil {
		return nil, err
	}
	return file.Print("codegen/interleave"), nil
}

// writeFetch writes a function that prefetches, for each row, the lines of the cells at
// frameRows and frameEnds.
func writeFetch(m *asm.Machine) {
	m.Enter(0, nil, nil)
	pointer := m.General()
	for _, first := range []int{frameRows, frameEnds} {
		for l := range mostLanes {
			m.Copy(m.Word(first+l), pointer)
			m.Prefetch(asm.Mem{Base: pointer})
		}
	}
	m.Return()
}

// numbersOf returns a number for each lane l: 1<<l with AVX2, which makes masks of these numbers; l
// with AVX-512, which permutes by them.
func numbersOf(set asm.ISA, lane int) []uint64 {
	all := make([]uint64, set.Bytes()/lane)
	for l := range all {
		all[l] = uint64(l)
		if set == asm.AVX2 {
			all[l] = 1 << l
		}
	}
	return all
}

// Words of the frame: the same as in simd.Interleaver.
const (
	frameVectors = 0  // address of the first step's vector
	frameStep    = 1  // bytes from a step to the next
	frameSquares = 2  // squares to transpose, at least one; stream: bursts; streamEdge: squares, possibly none
	frameRows    = 3  // addresses of the rows' cells of the first step; fetch: of the rows' first cells; stream: of the lines where the rows are stored next; lines: of the rows' first lines
	frameEnds    = 19 // fetch: addresses of the rows' last cells
	frameMasks   = 19 // masks of the stores: per row or, to vectors, per step, a bit for each lane; streamEdge: per row, a bit for each cell of the burst
	frameHeld    = 35 // stream: address of the held rows, of heldRow bytes each, which begin with a line of earlier cells
	frameBefore  = 36 // stream: per row, the index of the held cell that is stored next, at the beginning of a cache line of the row; 1 or more
	frameOffset  = 19 // lines: bytes of each row that are stored already
	frameHolds   = 20 // lines: address of the held cells of rows, or 0: see simd.LinesHeld
)

// mostLanes is the greatest number of lanes of a vector.
const mostLanes = 16

// linesAtOnce is simd.LinesAtOnce.
const linesAtOnce = 2

// Sizes in bytes of the pieces in which a row is streamed: four lines at a time, because single
// streaming stores are slower.
const (
	line    = 64
	burst   = 4 * line
	heldRow = line + burst
)

// A form says what kind of function to write.
type form struct {
	verb      string
	toVectors bool // from rows to vectors
	masked    bool // one square, or burst, with masks
	bursts    bool // to rows, with streaming stores
	pairs     bool // from vectors to rows with streaming stores, two squares at a time, each of which completes a line of each row; the frame advances
}

// A writer writes one function.
type writer struct {
	*asm.Machine
	form
	numbers asm.Mem // see numbersOf

	vectors []asm.Reg // addresses of steps 0, 4, 8 and 12
	step    asm.Reg
	step3   asm.Reg
	offset  asm.Reg // offset of the square in the rows
	pointer asm.Reg // scratch
	held    asm.Reg // bursts: see frameHeld; pairs: see frameHolds
}

func (w *writer) write() {
	w.enter()
	if w.masked && !w.bursts {
		w.square(0)
		w.End()
		return
	}
	squares, bytes := w.General(), w.General()
	w.Copy(w.Word(frameSquares), squares)
	w.Copy(w.step, bytes)
	w.ShiftLeft(log2(w.Lanes()), bytes)
	if w.bursts && w.masked {
		w.JumpIfZero(squares, "empty")
	}
	w.Label("square")
	w.square(bytes)
	atOnce := 1
	if w.pairs {
		atOnce = linesAtOnce
	}
	w.AddTo(asm.Int(atOnce*w.Bytes()), w.offset)
	for range atOnce {
		w.advance(w.AddTo, bytes)
	}
	if w.bursts && !w.masked {
		w.JumpIf(w.offset, asm.Ne, asm.Int(burst), "square")
		w.emptyHeld()
		w.Clear(w.offset)
	}
	w.CountDown(squares, "square")
	if w.bursts && w.masked {
		w.Label("empty")
		w.emptyHeld()
	}
	if w.pairs {
		w.Copy(w.offset, w.Word(frameOffset))
		w.Copy(w.vectors[0], w.Word(frameVectors))
	}
	w.End()
}

// enter loads the words of the frame.
func (w *writer) enter() {
	w.Enter(0, nil, nil)
	w.step, w.step3, w.offset, w.pointer = w.General(), w.General(), w.General(), w.General()
	w.Copy(w.Word(frameStep), w.step)
	w.Address(asm.Mem{Base: w.step, Index: w.step, Scale: 2}, w.step3)
	if w.pairs {
		w.Copy(w.Word(frameOffset), w.offset)
	} else {
		w.Clear(w.offset)
	}
	for i := range w.Lanes() / 4 {
		w.vectors = append(w.vectors, w.General())
		if i == 0 {
			w.Copy(w.Word(frameVectors), w.vectors[i])
		} else {
			w.Address(asm.Mem{Base: w.vectors[i-1], Index: w.step, Scale: 4}, w.vectors[i])
		}
	}
	if w.bursts || w.pairs {
		w.held = w.General()
		w.Copy(w.Word(map[bool]int{true: frameHeld, false: frameHolds}[w.bursts]), w.held)
	}
}

// advance moves the pointers to vectors.
func (w *writer) advance(by func(x, to asm.Operand), bytes asm.Reg) {
	for _, at := range w.vectors {
		by(bytes, at)
	}
}

// square transposes a square, or a pair of squares that lie the given bytes apart.
func (w *writer) square(bytes asm.Reg) {
	switch {
	case w.toVectors:
		w.Transpose(w.rowAt, func(i int, v asm.Reg) { w.store(i, v, w.vectorAt(i, 0)) })
	case w.bursts:
		w.Transpose(w.vectorAt, w.storeHeld)
	case w.pairs:
		w.transposePair(bytes)
	default:
		w.Transpose(w.vectorAt, func(i int, v asm.Reg) { w.store(i, v, w.rowAt(i, 0)) })
	}
}

func log2(n int) (k int) {
	for 1<<k < n {
		k++
	}
	return k
}

// vectorAt is the memory of the vector of step i, at a byte offset.
func (w *writer) vectorAt(i, offset int) asm.Mem {
	return asm.Strided(w.vectors[i/4], w.step, w.step3, i%4, offset)
}

// rowAt is the memory of row i of the square, at a byte offset. It writes an instruction,
// because there are more rows than registers for their addresses.
func (w *writer) rowAt(i, offset int) asm.Mem {
	w.Copy(w.Word(frameRows+i), w.pointer)
	return asm.Mem{Base: w.pointer, Index: w.offset, Scale: 1, Disp: offset}
}

// store writes v, row i of the square, to memory that need not be aligned.
func (w *writer) store(i int, v asm.Reg, to asm.Mem) {
	if !w.masked {
		w.MoveIndex(v, to)
		return
	}
	mask := w.General()
	w.Copy(w.Word(frameMasks+i), mask)
	w.StoreMasked(v, w.BitMask(mask, w.numbers), to)
}
