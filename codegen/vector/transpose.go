package vector

import (
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// transpose writes the transposition of a square of lanes: row(i, o) is the
// memory of row i, o bytes from its start; column is called with each column, in
// order. Quarters of 16 bytes are gathered from memory, which the load ports do,
// so that what is left are squares within 16 bytes.
//
// Every transposition of a function uses the same registers: allocating registers
// takes time with the square of how many there are.
func (m *machine) transpose(row func(i, offset int) operand.Mem, column func(i int, v reg.Register)) {
	e := 16 / m.lane
	for q := range m.isa.Bytes() / 16 {
		m.quarter(func(i int) operand.Mem { return row(i, 16*q) }, nil, func(k int, v reg.Register) { column(e*q+k, v) })
	}
}

// quarter writes the part of a transposition that yields as many columns as 16 bytes have
// lanes: row(i) is the memory of these lanes of row i. Columns are in registers of their
// own, if there are any in into, or else in the same, until the next one is called with.
func (m *machine) quarter(row func(i int) operand.Mem, into []reg.VecVirtual, column func(k int, v reg.Register)) {
	e := 16 / m.lane
	for len(m.square) < e+3 {
		m.square = append(m.square, m.vec())
	}
	a, x, y := m.square[:e], m.square[e], m.square[e+1]
	result := func(k int) reg.VecVirtual {
		if into != nil {
			return into[k]
		}
		return m.square[e+2]
	}
	for i := range a {
		m.gather(i, e, row, a[i])
	}
	if e == 2 {
		for c, unpack := range []func(...operand.Op){m.asm.VUNPCKLPD, m.asm.VUNPCKHPD} {
			unpack(a[1], a[0], result(c))
			column(c, result(c))
		}
		return
	}
	for h, unpack := range []func(...operand.Op){m.asm.VUNPCKLPS, m.asm.VUNPCKHPS} {
		unpack(a[1], a[0], x)
		unpack(a[3], a[2], y)
		for c, pair := range []func(...operand.Op){m.asm.VUNPCKLPD, m.asm.VUNPCKHPD} {
			pair(y, x, result(2*h+c))
			column(2*h+c, result(2*h+c))
		}
	}
}

// gather puts 16 bytes of rows i, i+e, i+2e and so on into r.
func (m *machine) gather(i, e int, row func(i int) operand.Mem, r reg.Register) {
	if !m.wide() {
		m.asm.VBROADCASTF128(row(i), r)
		m.asm.VINSERTF128(operand.U8(1), row(i+e), r, r)
		return
	}
	m.asm.VBROADCASTF32X4(row(i), r)
	for k := 1; k < 4; k++ {
		m.asm.VINSERTF32X4(operand.U8(k), row(i+k*e), r, r)
	}
}

// rotate returns x with every lane moved up by k; those at the top come in below.
// AVX2 only.
func (m *machine) rotate(x operand.Op, k int) reg.Register {
	r := m.vec()
	if m.lane == 8 {
		imm := 0
		for l := range 4 {
			imm |= (l - k + 4) % 4 << (2 * l)
		}
		m.asm.VPERMPD(operand.U8(imm), x, r)
		return r
	}
	lanes := make([]uint64, 8)
	for l := range lanes {
		lanes[l] = uint64(l-k+8) % 8
	}
	m.asm.VPERMPS(x, m.load(m.kept(m.constant(lanes, 4))), r)
	return r
}

// blend returns b in the lanes of the bits of mask, else a. AVX2 only.
func (m *machine) blend(mask int, b operand.Op, a reg.Register) reg.Register {
	r := m.vec()
	if m.lane == 8 {
		m.asm.VBLENDPD(operand.U8(mask), b, a, r)
	} else {
		m.asm.VBLENDPS(operand.U8(mask), b, a, r)
	}
	return r
}

// align returns x with every lane moved up by k, and the k top lanes of below
// under them. AVX-512 only.
func (m *machine) align(x reg.Register, below operand.Op, k int) reg.Register {
	r := m.vec()
	if m.lane == 8 {
		m.asm.VALIGNQ(operand.U8(8-k), below, x, r)
	} else {
		m.asm.VALIGND(operand.U8(16-k), below, x, r)
	}
	return r
}
