package asm

// Lanes whose cells are not neighbors in memory.

// Gather loads the cell of a lane's size at base + index·size for each lane; indexes are int32.
// The instruction clears its mask, and its result must be another register than the mask and the indexes.
// The comparison of the zeroed result with itself gives the mask, which has all lanes.
func (m *x86) Gather(base, index Reg) Reg {
	r := m.Vec()
	m.Emit("VPSUB"+m.d(), r, r, r)
	mask, at := m.Compare(Eq, false, r, r), Mem{Base: base, Index: index, Scale: m.lane}
	if m.MovesLanes() {
		m.Emit("VPGATHERD"+m.d(), at, mask, r)
	} else {
		m.Emit("VPGATHERD"+m.d(), mask, at, r)
	}
	return r
}

// Pick loads one cell of 4 or 8 bytes for each lane of a full vector. The first cell is at p, the others follow at a
// distance of stride bytes; stride3 is 3·stride. Pick moves p behind the cells. It puts together each part of
// 16 bytes from pairs of cells, and then joins the parts.
func (m *x86) Pick(p, stride, stride3 Reg) Reg {
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
			m.Emit("VMOV"+m.ss(), Strided(p, stride, stride3, l%4, 0), x)
			cells = append(cells, x)
			if l%4 == 3 {
				m.Address(Mem{Base: p, Index: stride, Scale: 4}, p)
			}
		}
		if m.lane == 4 {
			cells = []Reg{m.pair("VUNPCKLPS", cells[1], cells[0]), m.pair("VUNPCKLPS", cells[3], cells[2])}
		}
		m.Emit("VUNPCKLPD", cells[1], cells[0], part)
		if k > 0 {
			m.Emit(map[bool]string{false: "VINSERTF128", true: "VINSERTF32X4"}[m.MovesLanes()], Imm(uint64(k)), part, r, r)
		}
	}
	return r
}

// pair writes an instruction on two registers of 16 bytes, whose result replaces y, and returns y.
func (m *x86) pair(op string, x, y Reg) Reg {
	m.Emit(op, x, y, y)
	return y
}
