package main

import (
	"fmt"

	"loopc/codegen/asm"
)

// storeHeld writes a vector of row i behind the row's held line.
func (w *writer) storeHeld(i int, v asm.Reg) {
	w.MoveAligned(v, asm.Mem{Base: w.held, Index: w.offset, Scale: 1, Disp: i*heldRow + line})
}

// emptyHeld writes a loop that stores a burst of each row, from the beginning of a line on, and moves
// the last held line to the place where the next burst needs it. With AVX-512 it composes each line
// from two held vectors: a load with other boundaries than a preceding store would wait for the
// earlier streaming stores.
func (w *writer) emptyHeld() {
	held, rows, left := w.General(), w.General(), w.General()
	w.Copy(w.held, held)
	w.Address(w.Word(frameRows), rows)
	w.Copy(asm.Int(w.Lanes()), left)
	w.Label("row")
	w.Copy(asm.Mem{Base: rows}, w.pointer)
	before := asm.Mem{Base: rows, Disp: 8 * (frameBefore - frameRows)}
	var index, from, mask asm.Reg
	if w.MovesLanes() {
		index = w.Vec()
		w.BroadcastLane(before, index)
		w.AddLanes(w.numbers, index, index)
	} else {
		from = w.General()
		w.Copy(before, from)
	}
	if w.masked {
		mask = w.General()
		w.Copy(asm.Mem{Base: rows, Disp: 8 * (frameMasks - frameRows)}, mask)
	}
	for at := 0; at < burst; at += w.Bytes() {
		w.emptyVector(at, held, index, from, mask)
	}
	for at := 0; at < line; at += w.Bytes() {
		v := w.Vec()
		w.MoveAligned(asm.Mem{Base: held, Disp: burst + at}, v)
		w.MoveAligned(v, asm.Mem{Base: held, Disp: at})
	}
	w.AddTo(asm.Int(burst), w.pointer)
	w.Copy(w.pointer, asm.Mem{Base: rows})
	w.AddTo(asm.Int(heldRow), held)
	w.AddTo(asm.Int(8), rows)
	w.CountDown(left, "row")
}

// emptyVector stores a vector of the burst at a byte offset. With AVX-512 the vector is permuted from
// two held vectors, as index says. With AVX2 it is loaded from the held cells, beginning at the cell
// with number from.
func (w *writer) emptyVector(at int, held, index, from, mask asm.Reg) {
	part, skip, whole := w.General(), asm.Label(fmt.Sprintf("skip%d", at)), asm.Label(fmt.Sprintf("whole%d", at))
	all := asm.Hex{Value: 1<<w.Lanes() - 1, Bytes: 4}
	if w.masked {
		w.Copy(mask, part)
		w.ShiftRight(w.Lanes(), mask)
		w.AndTo(all, part)
		w.JumpAfter(asm.Eq, skip)
	}
	v := w.Vec()
	if w.MovesLanes() {
		w.MoveAligned(asm.Mem{Base: held, Disp: at}, v)
		w.Permute(asm.Mem{Base: held, Disp: at + line}, index, v)
	} else {
		w.MoveIndex(asm.Mem{Base: held, Index: from, Scale: w.LaneSize(), Disp: at}, v)
	}
	to := asm.Mem{Base: w.pointer, Disp: at}
	if w.masked {
		w.JumpIf(part, asm.Eq, all, whole)
		w.StoreMasked(v, w.BitMask(part, w.numbers), to)
		w.Jump(skip)
		w.Label(whole)
	}
	w.Stream(v, to)
	if w.masked {
		w.Label(skip)
	}
}

// transposePair transposes two squares with adjacent lines of each row, and stores the two
// lines one after the other.
func (w *writer) transposePair(bytes asm.Reg) {
	e := 16 / w.LaneSize()
	first := make([]asm.Reg, e)
	for q := range w.Bytes() / 16 {
		row := func(i int) asm.Mem { return w.vectorAt(i, 16*q) }
		w.Quarter(row, first, func(int, asm.Reg) {})
		w.advance(w.AddTo, bytes)
		w.Quarter(row, nil, func(k int, v asm.Reg) { w.storeLines(e*q+k, first[k], v) })
		w.advance(w.SubFrom, bytes)
	}
}

// storeLines streams the two lines of row i that two squares complete: row i of each square or, if
// cells are held, lines composed of the held cells, the first square and a part of the second.
func (w *writer) storeLines(i int, first, second asm.Reg) {
	const heldRow = 2 * line
	whole, stored := asm.Label(fmt.Sprintf("whole%d", i)), asm.Label(fmt.Sprintf("stored%d", i))
	to := w.rowAt(i, 0)
	w.JumpIfZero(w.held, whole)
	held, later, earlier := asm.Mem{Base: w.held, Disp: i * heldRow}, w.Vec(), w.Vec()
	w.JoinLines(held, first, second, earlier, later)
	w.Stream(earlier, to)
	w.Stream(later, to.Offset(line))
	w.Jump(stored)
	w.Label(whole)
	w.Stream(first, to)
	w.Stream(second, to.Offset(line))
	w.Label(stored)
}
