package asm

import "math/bits"

// Lanes whose cells are not neighbors in memory.

// Gather loads the cell of a lane's size at base + index·size for each lane; indexes are int32.
func (m *x86) Gather(base, index Reg) Reg {
	return m.gatherAt(Mem{Base: base, Index: index, Scale: m.lane})
}

// gatherAt loads lanes from an address that has an index of each. The instruction clears its mask, and needs three different
// registers for result, mask and indexes. The mask of all lanes is the comparison of the zeroed result with itself.
func (m *x86) gatherAt(at Mem) Reg {
	r := m.Vec()
	m.Emit("VPSUB"+m.d(), r, r, r)
	mask := m.Compare(Eq, false, r, r)
	if m.MovesLanes() {
		m.Emit("VPGATHERD"+m.d(), at, mask, r)
	} else {
		m.Emit("VPGATHERD"+m.d(), mask, at, r)
	}
	return r
}

// GatherNarrow loads the cell of size bytes, 1 or 2, at base + index·size for each lane of 4 bytes, and extends it to the
// lane. It loads the 4 bytes that begin at the cell, or those that begin at cell last if index is greater than last: no lane
// reads behind them. A shift up then drops the cells behind the wanted one, and a shift down drops those before it.
func (m *x86) GatherNarrow(base, index Reg, last Operand, size int, unsigned bool) Reg {
	first := m.Least(Min, false, index, last)
	behind := m.Binary(Sub, false, m.Splat(uint64(4/size-1)), m.Binary(Sub, false, index, first)) // cells of the load
	up := m.ShiftLanes(bits.TrailingZeros(uint(8*size)), behind)
	r := m.gatherAt(Mem{Base: base, Index: first, Scale: size})
	m.Emit("VPSLLVD", up, r, r)
	down := Imm(uint64(32 - 8*size))
	if unsigned {
		return m.unary("VPSRLD", down, r)
	}
	return m.unary("VPSRAD", down, r)
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
			m.putPart(k, part, r)
		}
	}
	return r
}

// putPart replaces the k-th 16 bytes of a register.
func (m *x86) putPart(k int, part, r Reg) {
	m.Emit(map[bool]string{false: "VINSERTF128", true: "VINSERTF32X4"}[m.MovesLanes()], Imm(uint64(k)), part, r, r)
}

// pair writes an instruction on two registers of 16 bytes, whose result replaces y, and returns y.
func (m *x86) pair(op string, x, y Reg) Reg {
	m.Emit(op, x, y, y)
	return y
}

// Deinterleave loads a vector from cells at p, p+by, p+2·by and so on (by counts cells, and may be negative). It reads the bytes
// from the lowest to the highest of these cells, and no others. It makes each part of 16 bytes from pieces of memory, whose bytes
// a shuffle moves to their places, and then joins the parts.
func (m *x86) Deinterleave(p Reg, by int) Reg {
	if m.permutes() {
		return m.permuted(p, by)
	}
	v := *m.Machine
	v.lanes = min(m.lanes, 16/m.lane)
	part := &x86{Machine: &v}
	r := m.Vec()
	part.deinterleave(p, by, 0, r.As(16))
	for k := 1; k < m.Bytes()/16; k++ {
		x := part.Vec()
		part.deinterleave(p, by, k*v.lanes*by*m.lane, x)
		m.putPart(k, x, r)
	}
	return r
}

// permuted does what Deinterleave does, but loads entire vectors. A permutation moves the wanted cells of each loaded vector to
// their lanes of the result, and leaves the lanes that it has from the vectors before.
func (m *x86) permuted(p Reg, by int) Reg {
	lowest := min(0, (m.lanes-1)*by)
	span := max(by, -by)*(m.lanes-1) + 1
	r := m.Vec()
	for from, have := 0, 0; have < span; from = min(have, span-m.lanes) {
		at := Mem{Base: p, Disp: (lowest + from) * m.lane}
		if have == 0 {
			m.Move(at, r)
		} else {
			m.Permute(at, m.Load(m.Each(m.lane, func(l int) int {
				switch cell := l*by - lowest; {
				case cell >= have && cell < from+m.lanes:
					return m.lanes + cell - from
				case have == m.lanes && cell < have:
					return cell
				}
				return l
			})), r)
		}
		have = from + m.lanes
	}
	return r
}

// deinterleave does what Deinterleave does for at most 16 bytes of lanes, the first of which is at the given offset from p.
func (m *x86) deinterleave(p Reg, by, offset int, to Reg) {
	step := by * m.lane
	lowest := min(0, (m.lanes-1)*step)
	span := max(step, -step)*(m.lanes-1) + m.lane
	piece, load := 16, "VMOVUPS"
	if span < 16 {
		piece, load = 8, "VMOVQ"
	}
	var all []Reg
	for at := 0; at < span; at += piece {
		from := min(at, span-piece)
		bytes := make([]uint64, 16)
		for b := range bytes {
			source := b/m.lane*step - lowest + b%m.lane
			if bytes[b] = uint64(source - from); b >= m.Bytes() || source < from || source >= from+piece {
				bytes[b] = clears
			}
		}
		x := m.Vec()
		m.Emit(load, Mem{Base: p, Disp: offset + lowest + from}, x)
		m.Emit("VPSHUFB", m.Pool.Constant(bytes, 1), x, x)
		all = append(all, x)
	}
	for k, x := range all[:len(all)-1] {
		sum := all[k+1]
		if k == len(all)-2 {
			sum = to
		}
		m.bits(Or, all[k+1], x, sum)
	}
	if len(all) == 1 {
		m.Move(all[0], to)
	}
}

// FirstOfRun jumps to apart unless each lane of at, an integer of 4 bytes, is the lane before plus by. It returns the
// first lane, which must not be negative, as an integer register.
func (m *x86) FirstOfRun(at Reg, by int, apart Label) Reg {
	ints := m.In(4, false)
	run := ints.unary("VPBROADCASTD", at.As(16))
	ints.AddIndex(m.Each(4, func(l int) int { return by * l }), run)
	if m.MovesLanes() {
		other := ints.Compare(Ne, false, at, run)
		m.Emit("KORTESTW", other, other)
	} else {
		m.Emit("VPXOR", at, run, run)
		m.Emit("VPTEST", run, run)
	}
	m.JumpAfter(Ne, apart)
	return m.FirstLane(at)
}

// FirstLane returns the first lane of integers of 4 bytes, which must not be negative, as an integer register.
func (m *x86) FirstLane(of Reg) Reg {
	r := m.General()
	m.Emit("VMOVD", of.As(16), r.As(4))
	return r
}
