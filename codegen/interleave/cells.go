package main

import "loopc/codegen/asm"

// A cellForm says which cells a function converts to int32, or from it.
type cellForm struct {
	name     string
	size     int // bytes of a cell
	unsigned bool
	narrow   bool // from int32
}

var cellForms = []cellForm{
	{"widenUint8", 1, true, false}, {"widenInt8", 1, false, false}, {"widenUint16", 2, true, false}, {"widenInt16", 2, false, false},
	{"narrow1", 1, true, true}, {"narrow2", 2, true, true},
}

// writeCells writes a function that converts vectors of cells from the address at frameRows to int32 at
// frameVectors, or back. frameSquares has the number of vectors, at least one.
func writeCells(m *asm.Machine, c cellForm) {
	m.Enter(0, nil, nil)
	wide, cells, left := m.General(), m.General(), m.General()
	m.Copy(m.Word(frameVectors), wide)
	m.Copy(m.Word(frameRows), cells)
	m.Copy(m.Word(frameSquares), left)
	m.Label("vectors")
	inCells := m.In(c.size, c.unsigned)
	if c.narrow {
		inCells.Move(inCells.Narrow(m.Load(asm.Mem{Base: wide}), m.LaneSize()), asm.Mem{Base: cells})
	} else {
		m.Move(m.Widen(asm.Mem{Base: cells}, c.size, c.unsigned), asm.Mem{Base: wide})
	}
	m.AddTo(asm.Int(m.Bytes()), wide)
	m.AddTo(asm.Int(inCells.Bytes()), cells)
	m.CountDown(left, "vectors")
	m.End()
}
