package asm

// Lanes whose cells are not neighbors in memory.

// Gather loads the cell of a lane's size at base + index·size for each lane; indexes are int32.
// The instruction clears its mask, and must not read its result's register as anything else. The zeros of
// the result make the mask.
func (m *x86) Gather(base, index Reg) Reg {
	r := m.Vec()
	m.Emit("VPSUB"+m.d(), r, r, r)
	mask, at := m.Compare(Eq, false, r, r), Mem{Base: base, Index: index, Scale: m.lane}
	if m.Wide() {
		m.Emit("VPGATHERD"+m.d(), at, mask, r)
	} else {
		m.Emit("VPGATHERD"+m.d(), mask, at, r)
	}
	return r
}

// Collect loads cells of 4 or 8 bytes, one per lane, of vectors of whole length. The cells begin at p and are by
// bytes apart; by3 is 3·by. Then p is behind them. Parts of 16 bytes are put together by themselves, from pairs of
// cells.
func (m *x86) Collect(p, by, by3 Reg) Reg {
	r := m.Vec()
	for k := range m.Bytes() / 16 {
		part := r.As(16)
		if k > 0 {
			part = m.Make(Vector, 16)
		}
		var cells []Reg
		for i := range 16 / m.lane {
			x := m.Make(Vector, 16)
			l := k*16/m.lane + i
			m.Emit("VMOV"+m.ss(), Strided(p, by, by3, l%4, 0), x)
			if cells = append(cells, x); l%4 == 3 {
				m.Address(Mem{Base: p, Index: by, Scale: 4}, p)
			}
		}
		if m.lane == 4 {
			cells = []Reg{m.pair("VUNPCKLPS", cells[1], cells[0]), m.pair("VUNPCKLPS", cells[3], cells[2])}
		}
		m.Emit("VUNPCKLPD", cells[1], cells[0], part)
		if k > 0 {
			m.Emit(map[bool]string{false: "VINSERTF128", true: "VINSERTF32X4"}[m.Wide()], Imm(uint64(k)), part, r, r)
		}
	}
	return r
}

// pair writes an instruction on two registers of 16 bytes, to the second of them.
func (m *x86) pair(op string, x, y Reg) Reg {
	m.Emit(op, x, y, y)
	return y
}
