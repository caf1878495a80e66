// Command interleave writes the assembly of runtime/simd with codegen/asm: functions that interleave
// rows to vectors of lanes, and back, by transposing squares of lanes. They move memory of any
// length, in one function per instruction set and width of lanes; who calls them keeps their frame
// (simd.Laces). TestWritten holds the file and the command together.
//
//	go run ./codegen/interleave > runtime/simd/lace_amd64.s
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
			forms := []form{{verb: "unlace"}, {verb: "unlaceEdge", masked: true}, {verb: "lace", toVectors: true}, {verb: "laceEdge", toVectors: true, masked: true},
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
	fence := asm.NewLeaf(file, asm.AVX2, 8, "fence", "()")
	fence.Fence()
	fence.Return()
	writeFetch(asm.NewLeaf(file, asm.AVX2, 8, "fetch", "(frame *uintptr)"))
	if err := file.Allocate(); err != nil {
		return nil, err
	}
	return file.Print("codegen/interleave"), nil
}

// writeFetch writes a function that prefetches the lines with the cells at frameRows and
// frameEnds, of all rows.
func writeFetch(m *asm.Machine) {
	m.Enter(0, nil)
	pointer := m.General()
	for _, first := range []int{frameRows, frameEnds} {
		for l := range mostLanes {
			m.Copy(m.Word(first+l), pointer)
			m.Prefetch(asm.Mem{Base: pointer})
		}
	}
	m.Return()
}

// numbersOf returns a number for each lane: in AVX2, to make masks, bit l alone, in AVX-512, to
// move lanes, l itself.
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

// linesAtOnce is simd.LinesAtOnce.
const linesAtOnce = 2

// What is streamed of a row at a time, in bytes: four lines, since a single
// streaming store is slower.
const (
	line    = 64
	burst   = 4 * line
	heldRow = line + burst
)

// A form says what a function does.
type form struct {
	verb      string
	toVectors bool // from rows
	masked    bool // one square, or burst, with masks
	bursts    bool // to rows, with streaming stores
	pairs     bool // to rows of which each square completes a line, with streaming stores, two squares at a time; the frame moves on
}

// A writer writes one function.
type writer struct {
	*asm.Machine
	form
	numbers asm.Mem // see numbersOf

	vectors []asm.Reg // to steps 0, 4, 8 and 12
	step    asm.Reg
	step3   asm.Reg
	offset  asm.Reg // of the square in the rows
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

// enter loads what the frame says.
func (w *writer) enter() {
	w.Enter(0, nil)
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

// square transposes a square, or a pair of them that lie so many bytes apart.
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

// vectorAt is the memory of the vector of step i, some bytes from its start.
func (w *writer) vectorAt(i, offset int) asm.Mem {
	return asm.Strided(w.vectors[i/4], w.step, w.step3, i%4, offset)
}

// rowAt is the memory of row i of the square, some bytes from its start. It writes
// an instruction: there are more rows than registers for their addresses.
func (w *writer) rowAt(i, offset int) asm.Mem {
	w.Copy(w.Word(frameRows+i), w.pointer)
	return asm.Mem{Base: w.pointer, Index: w.offset, Scale: 1, Disp: offset}
}

// store writes v, the i-th of the square, to memory that need not be aligned.
func (w *writer) store(i int, v asm.Reg, to asm.Mem) {
	if !w.masked {
		w.MoveIndex(v, to)
		return
	}
	mask := w.General()
	w.Copy(w.Word(frameMasks+i), mask)
	w.StoreMasked(v, w.BitMask(mask, w.numbers), to)
}
