package asm

// Rotate moves lanes up by k; the top lanes come in at the bottom. AVX2 only.
func (m *x86) Rotate(x Operand, k int) Reg {
	r := m.Vec()
	if m.lane == 8 {
		imm := 0
		for l := range 4 {
			imm |= (l - k + 4) % 4 << (2 * l)
		}
		m.Emit("VPERMPD", Imm(uint64(imm)), x, r)
		return r
	}
	m.Emit("VPERMPS", x, m.Load(m.HeldOrMemory(m.Rotation(k))), r)
	return r
}

// Blend returns the lanes of b whose bits are set in mask, and the other lanes of a. AVX2
// only.
func (m *x86) Blend(mask int, b Operand, a Reg) Reg {
	return m.unary("VBLEND"+m.ps(), Imm(uint64(mask)), b, a)
}

// Align moves lanes up by k; the k top lanes of below come in at the bottom. AVX-512 only.
func (m *x86) Align(x Reg, below Operand, k int) Reg {
	return m.unary("VALIGN"+m.d(), Imm(uint64(m.Lanes()-k)), below, x)
}

// Up moves lanes up by k; the k top lanes of below come in at the bottom.
// If no instruction moves such lanes across an entire vector, VPALIGNR moves them as bytes, within
// parts of 16 bytes. A second vector supplies the bytes that come in at the bottom of each part: see besides.
func (m *x86) Up(x, below Reg, k int) Reg {
	bytes := k * m.lane
	switch {
	case m.MovesLanes() && m.lane >= 4:
		return m.Align(x, below, k)
	case m.lane >= 4 && m.Bytes() == 32:
		return m.Blend(1<<k-1, m.Rotate(below, k), m.Rotate(x, k))
	}
	for ; bytes > 16; bytes -= 16 {
		x, below = m.besides(x, below), m.besides(below, below)
	}
	return m.unary("VPALIGNR", Imm(uint64(16-bytes)), m.besides(x, below), x)
}

// besides returns x moved up by 16 bytes, with the top 16 bytes of below at the bottom. If vectors are
// shorter than 16 bytes, it returns below, moved to the top of 16 bytes.
func (m *x86) besides(x, below Reg) Reg {
	switch {
	case m.Bytes() == 64:
		return m.unary("VALIGNQ", Imm(6), below, x)
	case m.Bytes() == 32 && m.MovesLanes(): // in any of 32 registers
		return m.unary("VALIGNQ", Imm(2), below, x)
	case m.Bytes() == 32:
		return m.unary("VPERM2I128", Imm(0x21), x, below)
	case m.Bytes() == 16:
		return below
	}
	return m.unary("VPSLLDQ", Imm(uint64(16-m.Bytes())), below)
}

// RotateParts moves lanes up by one within each part of 16 bytes; the top lane of a part comes in at its bottom.
func (m *x86) RotateParts(x Reg) Reg { return m.unary("VPALIGNR", Imm(uint64(16-m.lane)), x, x) }

// Reverse puts lanes into the opposite order.
func (m *x86) Reverse(x Operand) Reg {
	if m.lane < 4 || m.Bytes() == 16 {
		return m.reverseBytes(x)
	}
	if !m.MovesLanes() && m.lane == 8 {
		return m.unary("VPERMPD", Imm(0x1b), x)
	}
	order := m.Each(m.lane, func(l int) int { return m.Lanes() - 1 - l })
	return m.unary("VPERM"+m.ps(), x, m.Load(m.HeldOrMemory(order)))
}

// clears is the index with which a shuffle sets a byte to 0.
const clears = 0x80

// reverseBytes reverses the lanes within each part of 16 bytes, and then the order of the parts.
func (m *x86) reverseBytes(x Operand) Reg {
	part := min(16, m.Bytes())
	r := m.unary("VPSHUFB", m.eachByte(func(b int) int {
		if b >= part {
			return clears
		}
		return part - m.lane - b/m.lane*m.lane + b%m.lane
	}), m.Load(x))
	switch m.Bytes() {
	case 64:
		return m.unary("VSHUFI64X2", Imm(0x1b), r, r)
	case 32:
		return m.unary("VPERMQ", Imm(0x4e), r)
	}
	return r
}

// Raise moves lanes down by one place, so that each lane is one level higher, and puts a cell into the top place.
// With AVX-512, VALIGN shifts in the cell from a second vector. Only the lowest lane of that
// vector matters, so the other lanes are not set [note vector-constants].
func (m *x86) Raise(x Reg, cell Mem) Reg {
	if !m.MovesLanes() {
		return m.Blend(1<<(m.Lanes()-1), m.Broadcast(cell), m.Rotate(x, m.Lanes()-1))
	}
	below, r := m.Vec(), m.Vec()
	m.Emit("VMOV"+m.ss(), cell, below.As(16))
	m.Emit("VALIGN"+m.d(), Imm(1), x, below, r)
	return r
}

// PermutePair replaces index by the lanes of x and y that it selects; Permute replaces x.
func (m *x86) PermutePair(y Operand, x, index Reg) { m.Emit("VPERMI2"+m.d(), y, x, index) }
func (m *x86) Permute(y Operand, index, x Reg)     { m.Emit("VPERMT2"+m.d(), y, index, x) }

// Quarter transposes 16 bytes of each row: row(i) is the memory of row i, and Quarter calls column with
// each column. Columns stay in the registers of into, which Quarter makes if there are none; if into is nil,
// a column is valid until the next call of Quarter. The load ports gather 16 bytes of each row from memory,
// so that only squares within 16 bytes remain to be transposed. All transpositions of a function use the
// same registers, because the time of allocation grows with the square of the number of registers.
func (m *x86) Quarter(row func(i int) Mem, into []Reg, column func(k int, v Reg)) {
	e := 16 / m.lane
	for len(m.square) < e+3 {
		m.square = append(m.square, m.Vec())
	}
	a, x, y := m.square[:e], m.square[e], m.square[e+1]
	unpack := func(op string, k int, high, low Reg) {
		r := m.square[e+2]
		if into != nil && into[k] == 0 {
			into[k] = m.Vec()
		}
		if into != nil {
			r = into[k]
		}
		m.Emit(op, high, low, r)
		column(k, r)
	}
	for i := range a {
		m.gather(i, e, row, a[i])
	}
	if e == 2 {
		unpack("VUNPCKLPD", 0, a[1], a[0])
		unpack("VUNPCKHPD", 1, a[1], a[0])
		return
	}
	for h, op := range []string{"VUNPCKLPS", "VUNPCKHPS"} {
		m.Emit(op, a[1], a[0], x)
		m.Emit(op, a[3], a[2], y)
		unpack("VUNPCKLPD", 2*h, y, x)
		unpack("VUNPCKHPD", 2*h+1, y, x)
	}
}

// Upper returns the upper half of the lanes.
func (m *x86) Upper(x Reg) Reg {
	r := m.Make(Vector, m.Bytes()/2)
	m.Emit(map[bool]string{false: "VEXTRACTF128", true: "VEXTRACTF64X4"}[m.MovesLanes()], Imm(1), x, r)
	return r
}

// Join puts the lanes of high above those of low.
func (m *x86) Join(low, high Reg) Reg {
	r := m.Vec()
	m.Emit(map[bool]string{false: "VINSERTF128", true: "VINSERTF64X4"}[m.MovesLanes()], Imm(1), high, low.As(m.Bytes()), r)
	return r
}

// gather puts 16 bytes of rows i, i+e, i+2e and so on into r.
func (m *x86) gather(i, e int, row func(i int) Mem, r Reg) {
	broadcast, insert := "VBROADCASTF128", "VINSERTF128"
	if m.MovesLanes() {
		broadcast, insert = "VBROADCASTF32X4", "VINSERTF32X4"
	}
	m.Emit(broadcast, row(i), r)
	for k := 1; k < m.Bytes()/16; k++ {
		m.Emit(insert, Imm(uint64(k)), row(i+k*e), r, r)
	}
}
