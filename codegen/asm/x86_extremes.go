package asm

// Least returns min(x, y), or max, as Go defines them.
// The instructions of AVX2 for the least and the greatest of floats return their second operand if one operand is NaN, or both are
// zeros. So Least computes both orders of the operands, and joins the two results, which differ only then. For min, "or" gives a
// negative zero, or a NaN. For max, "and" gives a positive zero; then "or" with the lanes that have a NaN gives a NaN.
func (m *x86) Least(op Op, float bool, x, y Operand) Reg {
	if !float {
		a, r := m.Load(x), m.Vec()
		if m.lane == 8 { // AVX2 has no instruction
			b := m.Load(y)
			return m.Choose(m.Greater(a, b), map[Op]Reg{Min: b, Max: a}[op], map[Op]Reg{Min: a, Max: b}[op])
		}
		m.Into(op, false, a, y, r)
		return r
	}
	if m.MovesLanes() {
		return m.Choose(m.Numbers(0, x, y), m.LeastNumber(op, x, y), m.Splat(m.AllOnes()))
	}
	a, b := m.Load(x), m.Load(y)
	p, q := m.Extreme(op, a, b), m.Extreme(op, b, a)
	if op == Min {
		return m.Bits(Or, p, q)
	}
	nan := m.compareFloat(unordered, a, b)
	return m.Bits(Or, m.Bits(And, p, q), nan)
}

// Extreme returns the least or the greatest of floats as the instruction does: y if they are equal or unordered.
func (m *x86) Extreme(op Op, x Reg, y Operand) Reg {
	r := m.Vec()
	m.Into(op, true, x, y, r)
	return r
}

// Numbers is the condition that neither x nor y is NaN, where within holds; everywhere if within is 0. AVX-512 only.
func (m *x86) Numbers(within Reg, x, y Operand) Reg {
	a, k := m.Load(x), m.Make(Mask, 8)
	if within == 0 {
		m.Emit("VCMP"+m.ps(), Imm(ordered), y, a, k)
	} else {
		m.Emit("VCMP"+m.ps(), Imm(ordered), y, a, within, k)
	}
	return k
}

// Codes of VRANGEPS for the least and the greatest; -0 is less than +0, and the sign is that of the result.
var ranges = map[Op]uint64{Min: 0x04, Max: 0x05}

// LeastNumber returns min(x, y), or max, as Go defines them, of numbers; of a number and a NaN it is the number. AVX-512 only.
func (m *x86) LeastNumber(op Op, x, y Operand) Reg {
	a, r := m.Load(x), m.Vec()
	m.Emit("VRANGE"+m.ps(), Imm(ranges[op]), y, a, r)
	return r
}

// LeastNumberWithin is LeastNumber where c holds, and NaN elsewhere. It takes an instruction less than Choose, but waits for c. AVX-512 only.
func (m *x86) LeastNumberWithin(c Reg, op Op, x, y Operand) Reg {
	a, r := m.Load(x), m.Vec()
	m.Move(m.HeldOrMemory(m.Splat(m.AllOnes())), r)
	m.Emit("VRANGE"+m.ps(), Imm(ranges[op]), y, a, c, r)
	return r
}
