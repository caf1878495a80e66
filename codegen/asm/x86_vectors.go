package asm

import "math"

// Load loads x unless it is in a register.
func (m *x86) Load(x Operand) Reg {
	if r, ok := x.(Reg); ok {
		return r
	}
	r := m.Vec()
	m.Move(x, r)
	return r
}

// Move copies a vector. If the vector is shorter than a register, Move touches no bytes of memory behind it.
func (m *x86) Move(from, to Operand) {
	_, load := from.(Mem)
	_, store := to.(Mem)
	op := map[int]string{4: "VMOVD", 8: "VMOVQ"}[m.Bytes()]
	if op == "" || !load && !store {
		op = "VMOVU" + m.ps()
	}
	m.Emit(op, from, to)
}

func (m *x86) MoveAligned(from, to Operand) { m.Emit("VMOVAPS", from, to) }

// MoveIndex moves indexes: an int32 for each lane.
func (m *x86) MoveIndex(from, to Operand) { m.Emit("VMOVUPS", from, to) }

// Stream is a streaming store.
func (m *x86) Stream(from, to Operand) { m.Emit("VMOVNTPS", from, to) }

// BroadcastLane broadcasts an integer of a lane's size, BroadcastIndex an int32.
func (m *x86) BroadcastLane(x Mem, to Reg)  { m.Emit("VPBROADCAST"+m.d(), x, to) }
func (m *x86) BroadcastIndex(x Mem, to Reg) { m.Emit("VPBROADCASTD", x, to) }

// AddLanes adds integers of a lane's size, AddIndex int32.
func (m *x86) AddLanes(x Operand, y, to Reg) { m.Emit("VPADD"+m.d(), x, y, to) }
func (m *x86) AddIndex(x Operand, to Reg)    { m.Emit("VPADDD", x, to, to) }

func (m *x86) Zero(r Reg, float bool) {
	op := "VPXOR"
	if m.MovesLanes() {
		op = "VPXORD"
	} else if float {
		op = "VXORPS"
	}
	m.Emit(op, r, r, r)
}

// unary writes an instruction with one operand to a new vector.
func (m *x86) unary(op string, operands ...Operand) Reg {
	r := m.Vec()
	m.Emit(op, append(operands, r)...)
	return r
}

func (m *x86) Broadcast(x Mem) Reg {
	if m.lane < 4 {
		return m.unary("VPBROADCAST"+m.d(), x)
	}
	return m.unary("VBROADCAST"+m.ss(), x)
}

func (m *x86) BroadcastInt(from Reg, size int, to Reg) {
	x := m.Make(Vector, 16)
	if size == 8 {
		m.Emit("VMOVQ", from, x)
	} else {
		m.Emit("VMOVD", from.As(4), x)
	}
	m.Emit("VPBROADCAST"+letters[size], x, to)
}

// Widen returns integers of from bytes as integers of a lane's size, which is greater.
func (m *x86) Widen(x Operand, from int, unsigned bool) Reg {
	sign := "S"
	if unsigned {
		sign = "Z"
	}
	return m.unary("VPMOV"+sign+"X"+letters[from]+m.d(), x)
}

// Narrow returns the low bits of integers of from bytes, which is more than a lane's size. With AVX2, it collects
// these bytes within each part of 16 bytes, and then joins the parts.
func (m *x86) Narrow(x Operand, from int) Reg {
	if m.MovesLanes() {
		return m.unary("VPMOV"+letters[from]+m.d(), m.In(from, false).Load(x))
	}
	wide := m.In(from, false)
	y := wide.Vec()
	m.Emit("VPSHUFB", wide.eachByte(func(b int) int {
		if b >= 16*m.lane/from {
			return clears
		}
		return b/m.lane*from + b%m.lane
	}), wide.Load(x), y)
	if wide.Bytes() <= 16 {
		return y
	}
	if from == 2*m.lane {
		m.Emit("VPERMQ", Imm(0x08), y, y)
		return y.As(16)
	}
	high := m.Make(Vector, 16)
	m.Emit("VEXTRACTI128", Imm(1), y, high)
	return m.unary(map[int]string{4: "VPUNPCKLDQ", 8: "VPUNPCKLWD"}[from/m.lane], high, y.As(16))
}

// LoadBytes loads bytes, one per lane.
func (m *x86) LoadBytes(x Operand) Reg {
	if r, ok := x.(Reg); ok {
		return r
	}
	r := m.Vec()
	m.Emit("VMOVDQU8", x, r.As(16))
	return r
}

// StoreLane stores one lane. The lowest lane takes the fewest instructions.
func (m *x86) StoreLane(r Reg, lane int, to Mem) {
	part, within, x := lane*m.lane/16, lane*m.lane%16/m.lane, r.As(16)
	switch {
	case m.MovesLanes() && lane > 0:
		x, within = m.unary("VALIGN"+m.d(), Imm(uint64(lane)), r, r).As(16), 0
	case part > 0:
		x = m.Make(Vector, 16)
		m.Emit("VEXTRACTF128", Imm(uint64(part)), r, x)
	}
	switch {
	case within == 0:
		m.Emit("VMOV"+m.ss(), x, to)
	case m.lane == 8:
		m.Emit("VMOVHPD", x, to)
	default:
		m.Emit("VEXTRACTPS", Imm(uint64(within)), x, to)
	}
}

// Binary returns x op y; x may be in memory if the operation commutes.
func (m *x86) Binary(op Op, float bool, x, y Operand) Reg {
	if _, ok := x.(Reg); !ok {
		if _, ok := y.(Reg); ok && (op == Add || op == Mul) {
			x, y = y, x
		}
	}
	a := m.Load(x)
	r := m.Vec()
	m.Into(op, float, a, y, r)
	return r
}

// Into writes x op y to a register, which may be x.
func (m *x86) Into(op Op, float bool, x, y Operand, to Reg) {
	if op == Mul && !float && m.lane == 1 {
		m.mulBytes(x, y, to)
		return
	}
	if op == Mul && !float && m.lane == 8 {
		m.mulLong(x, y, to)
		return
	}
	sign := "S"
	if m.unsigned {
		sign = "U"
	}
	name := [...]string{Add: "VPADD", Sub: "VPSUB", Mul: "VPMULL", Div: "", Min: "VPMIN" + sign, Max: "VPMAX" + sign}[op] + m.d()
	if float {
		name = [...]string{Add: "VADD", Sub: "VSUB", Mul: "VMUL", Div: "VDIV", Min: "VMIN", Max: "VMAX"}[op] + m.ps()
	}
	m.Emit(name, y, x, to)
}

// Lowest computes r = r op y in the lowest lane of a float vector r, for a cell y; the other lanes become undefined.
func (m *x86) Lowest(op Op, r Reg, y Mem) {
	name := [...]string{Add: "VADD", Sub: "VSUB", Mul: "VMUL"}[op] + m.ss()
	m.Emit(name, y, r.As(16), r.As(16))
}

// Bits returns x op y for operations on bits.
func (m *x86) Bits(op Op, x, y Operand) Reg {
	r := m.Vec()
	m.bits(op, m.Load(x), y, r)
	return r
}

// bits writes x op y to a register, which may be x.
func (m *x86) bits(op Op, x Reg, y Operand, to Reg) {
	name := [...]string{And: "VPAND", Or: "VPOR", Xor: "VPXOR"}[op]
	if m.MovesLanes() {
		name += "D"
	}
	m.Emit(name, y, x, to)
}

func (m *x86) Sqrt(x Operand) Reg { return m.unary("VSQRT"+m.ps(), x) }

// FromIndex converts int32 to floats.
func (m *x86) FromIndex(x Operand) Reg { return m.unary("VCVTDQ2"+m.ps(), x) }

// FromLongs converts int64 to float64. AVX2 adds the upper 16 bits, a signed integer, to the significand of 3·2^67, and
// the lower 48 bits to that of 2^52. The first float less 3·2^67 + 2^52 is exact, so that its sum with the second is
// the number rounded once.
func (m *x86) FromLongs(x Operand) Reg {
	if m.MovesLanes() {
		return m.unary("VCVTQQ2PD", x)
	}
	a := m.Load(x)
	const upper, lower = 3 << 67, 1 << 52
	high := m.Bits(And, m.unary("VPSRAD", Imm(16), a), m.Splat(0xffffffff_00000000))
	high = m.unary("VPADDQ", m.Splat(math.Float64bits(upper)), high)
	low := m.Bits(Or, m.Bits(And, a, m.Splat(1<<48-1)), m.Splat(math.Float64bits(lower)))
	return m.unary("VADDPD", low, m.unary("VSUBPD", m.Splat(math.Float64bits(upper+lower)), high))
}

// FromFloats converts float32 to float64.
func (m *x86) FromFloats(x Operand) Reg { return m.unary("VCVTPS2PD", x) }

func (m *x86) Floor(x Operand) Reg { return m.toward(1, x) }
func (m *x86) Ceil(x Operand) Reg  { return m.toward(2, x) }
func (m *x86) Trunc(x Operand) Reg { return m.toward(3, x) }

// toward rounds to integers, silently: down, up, or towards zero.
func (m *x86) toward(mode uint64, x Operand) Reg {
	const silently = 8
	name := "VROUND"
	if m.MovesLanes() {
		name = "VRNDSCALE"
	}
	return m.unary(name+m.ps(), Imm(silently|mode), x)
}

// Abs returns the absolute values of integers; unsigned integers are their own.
func (m *x86) Abs(x Operand) Reg {
	if m.unsigned {
		return m.Load(x)
	}
	if m.lane == 8 { // AVX2 has no instruction
		a := m.Load(x)
		return m.Least(Max, false, a, m.Binary(Sub, false, m.Splat(0), a))
	}
	return m.unary("VPABS"+m.d(), x)
}

// Round converts float64 to float32. The lanes of m are the results, of 4 bytes.
func (m *x86) Round(x Operand) Reg {
	if m.MovesLanes() {
		return m.unary("VCVTPD2PS", x)
	}
	return m.unary("VCVTPD2PSY", x)
}

// Truncate converts floats to int32 as emitted Go does. For NaN and numbers out of range, the instruction returns
// the least integer, which is right only for numbers that are too small. Floats of 8 bytes are limited to the
// greatest integer before, and NaN is set to 0; for floats of 4 bytes, wrong results are replaced afterwards.
func (m *x86) Truncate(x Operand) Reg {
	f := m.Load(x)
	if m.lane == 8 {
		f = m.Choose(m.compareFloat(unordered, f, f), m.Splat(0), f)
		return m.Whole(m.Extreme(Min, f, m.Splat(math.Float64bits(math.MaxInt32))))
	}
	r := m.unary("VCVTTPS2DQ", f)
	over := m.Compare(Ge, true, f, m.Splat(uint64(math.Float32bits(1<<31))))
	nan := m.compareFloat(unordered, f, f)
	y := m.Choose(over, m.Splat(math.MaxInt32), r)
	return m.Choose(nan, m.Splat(0), y)
}

// Whole converts floats of 8 bytes to int32, all of which are in its range.
func (m *x86) Whole(x Operand) Reg {
	op := "VCVTTPD2DQ"
	if !m.MovesLanes() {
		op += "Y"
	}
	r := m.In(4, false).Vec()
	m.Emit(op, m.Load(x), r)
	return r
}

// ShiftLanes moves the bits of integers of a lane's size to higher places.
// Bytes are shifted in pairs; then the bits that came from the other byte are cleared.
func (m *x86) ShiftLanes(by int, x Operand) Reg {
	if m.lane > 1 {
		return m.unary("VPSLL"+m.d(), Imm(uint64(by)), m.Load(x))
	}
	if by <= 2 { // doubled once or twice: bytes can be added, but not shifted without their neighbors
		r := m.Load(x)
		for range by {
			r = m.unary("VPADDB", r, r)
		}
		return r
	}
	return m.Bits(And, m.unary("VPSLLW", Imm(uint64(by)), m.Load(x)), m.Splat(0xff<<by&0xff))
}

// ShiftLanesDown moves the bits of integers of more than a byte to lower places.
func (m *x86) ShiftLanesDown(by int, x Operand) Reg {
	return m.unary("VPSRL"+m.d(), Imm(uint64(by)), m.Load(x))
}

// mulBytes multiplies bytes: the even ones and the odd ones apart, as numbers of 2 bytes.
func (m *x86) mulBytes(x, y Operand, to Reg) {
	a, b := m.Load(x), m.Load(y)
	odd := m.unary("VPMULLW", m.unary("VPSRLW", Imm(8), a), m.unary("VPSRLW", Imm(8), b))
	odd = m.unary("VPSLLW", Imm(8), odd)
	even := m.Bits(And, m.unary("VPMULLW", a, b), m.evenBytes())
	m.Move(m.Bits(Or, even, odd), to)
}

// mulLong multiplies integers of 8 bytes. AVX2 multiplies halves; the product of the upper halves has no bit in the low 8 bytes.
func (m *x86) mulLong(x, y Operand, to Reg) {
	a := m.Load(x)
	if m.MovesLanes() {
		m.Emit("VPMULLQ", y, a, to)
		return
	}
	b := m.Load(y)
	halves := m.unary("VPADDQ", m.unary("VPMULUDQ", m.unary("VPSRLQ", Imm(32), a), b), m.unary("VPMULUDQ", m.unary("VPSRLQ", Imm(32), b), a))
	low := m.unary("VPMULUDQ", b, a)
	m.Emit("VPADDQ", m.unary("VPSLLQ", Imm(32), halves), low, to)
}

// evenBytes has ones in the even bytes, and zeros in the odd ones.
func (m *x86) evenBytes() Mem { return m.eachByte(func(b int) int { return 0xff * (1 - b%2) }) }

// AddProduct computes to += x·y, SubProduct to -= x·y, and ProductMinus to = x·to - y. Each rounds once.
func (m *x86) AddProduct(x Operand, y, to Reg) { m.Emit("VFMADD231"+m.ps(), x, y, to) }
func (m *x86) SubProduct(x, y, to Reg)         { m.Emit("VFNMADD231"+m.ps(), x, y, to) }
func (m *x86) ProductMinus(x, y, to Reg)       { m.Emit("VFMSUB213"+m.ps(), y, x, to) }

// DivideTiny sets q to x/divisor if some lane of x is not zero and has none of the bits
// large set. The usual path has a test and a jump that is not taken; the division stands behind the function's end.
func (m *x86) DivideTiny(x, q Reg, large, divisor uint64) {
	apart, back := m.NewLabel("tiny"), m.NewLabel("divided")
	bits := m.HeldOrMemory(m.Splat(large))
	var small Reg // condition: the lane is not large
	if m.MovesLanes() {
		small = m.Make(Mask, 8)
		m.Emit("VPTESTNM"+m.d(), bits, x, small)
		m.Emit("KORTESTW", small, small)
	} else {
		small = m.unary("VPAND", bits, x)
		m.Emit("VPCMPEQ"+m.d(), m.Splat(0), small, small)
		m.Emit("VPTEST", small, small)
	}
	m.JumpAfter(Ne, apart)
	m.Label(back)
	m.Later(func() {
		m.Label(apart)
		magnitude := m.Splat(m.SignBit() - 1)
		if m.MovesLanes() {
			m.Emit("VPTESTM"+m.d(), magnitude, x, small, small)
			m.Emit("KORTESTW", small, small)
		} else {
			m.Emit("VPAND", x, small, small)
			m.Emit("VPTEST", magnitude, small)
		}
		m.JumpAfter(Eq, back)
		m.Into(Div, true, x, m.Splat(divisor), q)
		m.Jump(back)
	})
}
