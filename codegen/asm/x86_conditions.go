package asm

import "fmt"

// Codes of VCMPPS that do not trap: ordered and quiet; unordered for "not equal".
var floatTests = [...]uint64{Eq: 0x00, Ne: 0x04, Lt: 0x11, Le: 0x12, Gt: 0x1e, Ge: 0x1d}

const unordered, ordered = 0x03, 0x07

// Codes of VPCMPD.
var intTests = [...]uint64{Eq: 0, Lt: 1, Le: 2, Ne: 4, Ge: 5, Gt: 6}

// condition returns a new register for a condition.
func (m *x86) condition() Reg {
	if m.MovesLanes() {
		return m.Make(Mask, 8)
	}
	return m.Vec()
}

// compareFloat compares with a code of VCMPPS.
func (m *x86) compareFloat(code uint64, x, y Operand) Reg {
	a := m.Load(x)
	r := m.condition()
	m.Emit("VCMP"+m.ps(), Imm(code), y, a, r)
	return r
}

// Compare is the condition x test y, for floats or integers of a lane's size.
func (m *x86) Compare(test Test, float bool, x, y Operand) Reg {
	if float {
		return m.compareFloat(floatTests[test], x, y)
	}
	if m.MovesLanes() {
		a, k := m.Load(x), m.Make(Mask, 8)
		m.Emit("VPCMP"+m.u()+m.d(), Imm(intTests[test]), y, a, k)
		return k
	}
	if m.unsigned && test != Eq && test != Ne {
		return m.compareUnsigned(test, x, y)
	}
	switch test {
	case Lt:
		return m.Compare(Gt, false, y, x)
	case Ge:
		return m.Not(m.Compare(Gt, false, y, x))
	case Le:
		return m.Not(m.Compare(Gt, false, x, y))
	case Ne:
		return m.Not(m.Compare(Eq, false, x, y))
	}
	a := m.Load(x)
	return m.unary(map[Test]string{Eq: "VPCMPEQ", Gt: "VPCMPGT"}[test]+m.d(), y, a)
}

// CompareWithin is Compare where c holds, and false elsewhere. AVX-512 only.
func (m *x86) CompareWithin(c Reg, test Test, float bool, x, y Operand) Reg {
	a, k := m.Load(x), m.Make(Mask, 8)
	if float {
		m.Emit("VCMP"+m.ps(), Imm(floatTests[test]), y, a, c, k)
	} else {
		m.Emit("VPCMP"+m.u()+m.d(), Imm(intTests[test]), y, a, c, k)
	}
	return k
}

// compareUnsigned compares unsigned integers: x ≤ y is computed as min(x, y) = x.
func (m *x86) compareUnsigned(test Test, x, y Operand) Reg {
	switch test {
	case Ge:
		return m.compareUnsigned(Le, y, x)
	case Lt:
		return m.Not(m.compareUnsigned(Le, y, x))
	case Gt:
		return m.Not(m.compareUnsigned(Le, x, y))
	}
	a := m.Load(x)
	return m.unary("VPCMPEQ"+m.d(), m.Least(Min, false, a, y), a)
}

func (m *x86) CompareBytes(test Test, x Reg, y Operand) Reg {
	if r, ok := y.(Reg); ok {
		y = r.As(16)
	}
	k := m.Make(Mask, 8)
	m.Emit("VPCMPUB", Imm(intTests[test]), y, x.As(16), k)
	return k
}

// Greater is the condition x > y, for signed integers of a lane's size.
func (m *x86) Greater(x, y Reg) Reg { return m.greater(x, y) }

func (m *x86) greater(x Reg, y Operand) Reg {
	r := m.condition()
	if m.MovesLanes() {
		m.Emit("VPCMP"+m.d(), Imm(intTests[Gt]), y, x, r)
	} else {
		m.Emit("VPCMPGT"+m.d(), y, x, r)
	}
	return r
}

// CountFrom returns q + l in lane l, for an integer register.
func (m *x86) CountFrom(q Reg) Reg {
	at := m.Vec()
	m.BroadcastInt(q, m.lane, at)
	m.AddLanes(m.Each(m.lane, func(l int) int { return l }), at, at)
	return at
}

// Within is the condition first ≤ at < end, for integers of a lane's size.
func (m *x86) Within(at, first, end Reg) Reg {
	if m.MovesLanes() {
		return m.inRange(at, first, Lt, end)
	}
	return m.unary("VPANDN", m.Greater(end, at), m.Greater(first, at))
}

// Inside is, in lane l, the condition first ≤ q + l < end, for integer registers.
func (m *x86) Inside(q, first, end Reg) Reg {
	lo, hi := m.Vec(), m.Vec()
	m.BroadcastInt(first, m.lane, lo)
	m.BroadcastInt(end, m.lane, hi)
	return m.Within(m.CountFrom(q), lo, hi)
}

// Below is, in lane l, the condition l < end, for an integer register.
func (m *x86) Below(end Reg) Reg {
	hi := m.Vec()
	m.BroadcastInt(end, m.lane, hi)
	return m.greater(hi, m.Each(m.lane, func(l int) int { return l }))
}

// inRange returns the mask of the lanes with first ≤ at, and at < end (if below is Lt) or at ≤ end.
func (m *x86) inRange(at Reg, first Operand, below Test, end Operand) Reg {
	a, b, r := m.Make(Mask, 8), m.Make(Mask, 8), m.Make(Mask, 8)
	m.Emit("VPCMP"+m.d(), Imm(intTests[Ge]), first, at, a)
	m.Emit("VPCMP"+m.d(), Imm(intTests[below]), end, at, b)
	m.Emit("KAND"+m.k(), a, b, r)
	return r
}

// Between is the condition first ≤ at ≤ last.
func (m *x86) Between(at Reg, first, last Mem) Reg {
	if m.MovesLanes() {
		return m.inRange(at, first, Le, last)
	}
	before, after := m.Vec(), m.Vec()
	m.Emit("VPCMPGT"+m.d(), at, m.Load(first), before)
	m.Emit("VPCMPGT"+m.d(), last, at, after)
	return m.Not(m.Bits(Or, before, after))
}

// Negative: in AVX2 the sign bits suffice.
func (m *x86) Negative(x Reg) Reg {
	if !m.MovesLanes() {
		return x
	}
	k := m.Make(Mask, 8)
	m.Emit("VPMOV"+m.d()+"2M", x, k)
	return k
}

// LaneMask loads a mask with a bit for each lane, moved up by some lanes.
func (m *x86) LaneMask(from Mem, up int) Reg {
	k := m.Make(Mask, 8)
	m.Emit("KMOVW", from, k)
	if up > 0 {
		m.Emit("KSHIFTLW", Imm(uint64(up)), k, k)
	}
	return k
}

// BitMask returns the condition for an integer register with a bit for each lane. For AVX2,
// lane l of numbers is 1<<l.
func (m *x86) BitMask(bits Reg, numbers Mem) Reg {
	if m.MovesLanes() {
		k := m.Make(Mask, 8)
		m.Emit("KMOVW", bits.As(4), k)
		return k
	}
	x, y := m.Make(Vector, 16), m.Vec()
	m.Emit(map[int]string{4: "VMOVD", 8: "VMOVQ"}[m.lane], bits.As(m.lane), x)
	m.Emit("VPBROADCAST"+m.d(), x, y)
	m.Emit("VPAND", numbers, y, y)
	m.Emit("VPCMPEQ"+m.d(), numbers, y, y)
	return y
}

func (m *x86) Not(c Reg) Reg {
	if m.MovesLanes() {
		k := m.Make(Mask, 8)
		m.Emit("KNOT"+m.k(), c, k)
		return k
	}
	return m.Bits(Xor, c, m.Splat(m.AllOnes()))
}

func (m *x86) Logic(op Op, x, y Reg) Reg {
	if m.MovesLanes() {
		k := m.Make(Mask, 8)
		m.Emit(map[Op]string{And: "KAND", Or: "KOR"}[op]+m.k(), x, y, k)
		return k
	}
	return m.Bits(op, x, y)
}

// Choose returns a where c holds, else b.
func (m *x86) Choose(c Reg, a, b Operand) Reg {
	x, r := m.Load(b), m.Vec()
	switch {
	case m.MovesLanes() && m.lane < 4:
		m.Emit("VPBLENDM"+m.d(), a, x, c, r)
	case m.MovesLanes():
		m.Emit("VBLENDM"+m.ps(), a, x, c, r)
	case m.lane < 4:
		m.Emit("VPBLENDVB", c, a, x, r)
	default:
		m.Emit("VBLENDV"+m.ps(), c, a, x, r)
	}
	return r
}

// masked is the instruction that moves the lanes of a mask. AVX2 has none for lanes of less than 4
// bytes.
func (m *x86) masked() string {
	switch {
	case m.MovesLanes() && m.lane < 4:
		return fmt.Sprint("VMOVDQU", 8*m.lane)
	case m.MovesLanes():
		return "VMOVU" + m.ps()
	}
	return "VMASKMOV" + m.ps()
}

// LoadMasked loads the lanes for which c holds, and sets the others to zero without reading
// their memory.
func (m *x86) LoadMasked(x Mem, c Reg) Reg {
	if m.MovesLanes() {
		return m.unary(m.masked()+".Z", x, c)
	}
	return m.unary(m.masked(), x, c)
}

// StoreMasked stores the lanes for which c holds.
func (m *x86) StoreMasked(r, c Reg, to Mem) {
	m.Emit(m.masked(), r, c, to)
}

// JumpIfHolds jumps if one of two conditions holds in some lane.
func (m *x86) JumpIfHolds(a, b Reg, to Label) {
	if m.MovesLanes() {
		m.Emit("KORTESTW", a, b)
	} else {
		any := m.Bits(Or, a, b)
		m.Emit("VPTEST", any, any)
	}
	m.JumpAfter(Ne, to)
}

// JumpIfAny jumps if some lane has one of the bits set.
func (m *x86) JumpIfAny(bits Operand, x Reg, to Label) {
	m.Emit("VPTEST", bits, x)
	m.JumpAfter(Ne, to)
}
