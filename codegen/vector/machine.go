package vector

import (
	"fmt"
	"math"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
)

// An ISA is an instruction set with vectors.
type ISA int

// The instruction sets, in the order of preference from the last.
const (
	AVX2   ISA = iota // 32-byte vectors
	AVX512            // 64-byte vectors: F, BW, DQ and VL
)

// ISAs are all of them.
var ISAs = []ISA{AVX2, AVX512}

// String returns the name that users write.
func (i ISA) String() string { return [...]string{"avx2", "avx512"}[i] }

// Bytes is the size of a vector.
func (i ISA) Bytes() int { return 32 << i }

// A machine writes instructions of one set, for lanes of one width. In AVX2 a
// condition is a vector of lanes of all ones or zeros; in AVX-512 it is a mask
// register.
type machine struct {
	asm    *build.Context
	isa    ISA
	lane   int // bytes
	name   string
	pool   *pool
	count  map[string]int               // labels
	square []reg.VecVirtual             // see transpose
	held   map[operand.Mem]reg.Register // constants that are in registers
	apart  []func()                     // write what is seldom executed, behind the function
}

// lanes is the number of lanes of a vector.
func (m *machine) lanes() int { return m.isa.Bytes() / m.lane }

// wide reports whether vectors have 64 bytes.
func (m *machine) wide() bool { return m.isa == AVX512 }

// vec returns a new vector register.
func (m *machine) vec() reg.VecVirtual {
	if m.wide() {
		return m.asm.ZMM()
	}
	return m.asm.YMM()
}

// half returns a new register of half the size.
func (m *machine) half() reg.VecVirtual {
	if m.wide() {
		return m.asm.YMM()
	}
	return m.asm.XMM()
}

// label returns a new label.
func (m *machine) label(what string) string {
	m.count[what]++
	if m.count[what] == 1 {
		return what
	}
	return fmt.Sprintf("%s%d", what, m.count[what])
}

// A pool holds the constants of a file, each a full vector.
type pool struct {
	ctx   *build.Context
	name  string
	known map[string]operand.Mem
}

// constant returns the memory of a vector with the given 4- or 8-byte lanes.
func (m *machine) constant(lanes []uint64, size int) operand.Mem {
	key := fmt.Sprint(size, lanes)
	if at, ok := m.pool.known[key]; ok {
		return at
	}
	at := m.pool.ctx.StaticGlobal(fmt.Sprintf("%sConst%d", m.pool.name, len(m.pool.known)))
	m.pool.ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for k, x := range lanes {
		if size == 4 {
			m.pool.ctx.AddDatum(4*k, operand.U32(x))
		} else {
			m.pool.ctx.AddDatum(8*k, operand.U64(x))
		}
	}
	m.pool.known[key] = at
	return at
}

// kept returns the register that holds a constant, or its memory.
func (m *machine) kept(at operand.Mem) operand.Op {
	if r := m.held[at]; r != nil {
		return r
	}
	return at
}

// splat returns the memory of a vector with the same bits in every lane.
func (m *machine) splat(bits uint64) operand.Mem {
	lanes := make([]uint64, m.lanes())
	for k := range lanes {
		lanes[k] = bits
	}
	return m.constant(lanes, m.lane)
}

// ramp returns the memory of a vector with c·l in lane l, as integers of size
// bytes in count lanes.
func (m *machine) ramp(c, count, size int) operand.Mem {
	lanes := make([]uint64, count)
	for k := range lanes {
		lanes[k] = uint64(int64(c * k))
		if size == 4 {
			lanes[k] = uint64(uint32(lanes[k]))
		}
	}
	return m.constant(lanes, size)
}

// load returns x in a register.
func (m *machine) load(x operand.Op) reg.Register {
	if r, ok := x.(reg.Register); ok {
		return r
	}
	r := m.vec()
	m.move(x, r)
	return r
}

// move copies a vector between memory and registers.
func (m *machine) move(from, to operand.Op) {
	if m.lane == 8 {
		m.asm.VMOVUPD(from, to)
	} else {
		m.asm.VMOVUPS(from, to)
	}
}

// broadcast puts the lane at mem into all lanes of a register.
func (m *machine) broadcast(mem operand.Mem) reg.VecVirtual {
	r := m.vec()
	if m.lane == 8 {
		m.asm.VBROADCASTSD(mem, r)
	} else {
		m.asm.VBROADCASTSS(mem, r)
	}
	return r
}

// broadcastInt puts an integer register into all lanes of size bytes of r.
func (m *machine) broadcastInt(from reg.Register, size int, r reg.VecVirtual) {
	x := m.asm.XMM()
	if size == 8 {
		m.asm.VMOVQ(from, x)
		m.asm.VPBROADCASTQ(x, r)
	} else {
		m.asm.VMOVD(from.(reg.GPVirtual).As32(), x)
		m.asm.VPBROADCASTD(x, r)
	}
}

// binary writes r = x op y for lanes of type t; x may be in memory if the
// operation commutes.
func (m *machine) binary(op ir.Op, t ir.Type, x, y operand.Op) reg.Register {
	if _, ok := x.(reg.Register); !ok {
		if _, ok := y.(reg.Register); ok && (op == ir.Add || op == ir.Mul) {
			x, y = y, x
		}
	}
	a := m.load(x)
	r := m.vec()
	switch {
	case op == ir.Add && t == ir.Float32:
		m.asm.VADDPS(y, a, r)
	case op == ir.Add && t == ir.Float64:
		m.asm.VADDPD(y, a, r)
	case op == ir.Add:
		m.asm.VPADDD(y, a, r)
	case op == ir.Sub && t == ir.Float32:
		m.asm.VSUBPS(y, a, r)
	case op == ir.Sub && t == ir.Float64:
		m.asm.VSUBPD(y, a, r)
	case op == ir.Sub:
		m.asm.VPSUBD(y, a, r)
	case op == ir.Mul && t == ir.Float32:
		m.asm.VMULPS(y, a, r)
	case op == ir.Mul && t == ir.Float64:
		m.asm.VMULPD(y, a, r)
	case op == ir.Mul:
		m.asm.VPMULLD(y, a, r)
	case op == ir.Quo && t == ir.Float32:
		m.asm.VDIVPS(y, a, r)
	case op == ir.Quo && t == ir.Float64:
		m.asm.VDIVPD(y, a, r)
	default:
		panic("BUG: vector: no such operation")
	}
	return r
}

// bits writes r = x op y on bits.
func (m *machine) bits(op string, x, y operand.Op) reg.Register {
	a, r := m.load(x), m.vec()
	f := map[string][2]func(...operand.Op){
		"and":    {wrap(m.asm.VPAND), m.asm.VPANDD},
		"or":     {wrap(m.asm.VPOR), m.asm.VPORD},
		"xor":    {wrap(m.asm.VPXOR), m.asm.VPXORD},
		"andnot": {wrap(m.asm.VPANDN), m.asm.VPANDND}, // not x, and y
	}[op]
	f[m.isa](y, a, r)
	return r
}

func wrap(f func(a, b, c operand.Op)) func(...operand.Op) {
	return func(o ...operand.Op) { f(o[0], o[1], o[2]) }
}

// signBit is the bit pattern of a lane's sign.
func (m *machine) signBit() uint64 { return 1 << (8*m.lane - 1) }

// allOnes is a lane of ones.
func (m *machine) allOnes() uint64 { return math.MaxUint64 >> (64 - 8*m.lane) }

// A condition is the result of a comparison. In AVX-512 it is a mask register.
type condition = reg.Register

// Codes of VCMPPS that do not trap: ordered and quiet, and for "not equal"
// unordered.
var floatCompare = map[ir.Op]uint64{ir.Eq: 0x00, ir.Ne: 0x04, ir.Lt: 0x11, ir.Le: 0x12, ir.Gt: 0x1e, ir.Ge: 0x1d}

const unordered = 0x03

// Codes of VPCMPD.
var intCompare = map[ir.Op]uint64{ir.Eq: 0, ir.Lt: 1, ir.Le: 2, ir.Ne: 4, ir.Ge: 5, ir.Gt: 6}

// compareFloat compares with a code of VCMPPS.
func (m *machine) compareFloat(code uint64, x, y operand.Op) condition {
	a := m.load(x)
	var r reg.Register
	if m.wide() {
		r = m.asm.K()
	} else {
		r = m.vec()
	}
	if m.lane == 8 {
		m.asm.VCMPPD(operand.U8(code), y, a, r)
	} else {
		m.asm.VCMPPS(operand.U8(code), y, a, r)
	}
	return r
}

// compare compares lanes of type t.
func (m *machine) compare(op ir.Op, t ir.Type, x, y operand.Op) condition {
	if t.Float() {
		return m.compareFloat(floatCompare[op], x, y)
	}
	if m.wide() {
		a, k := m.load(x), m.asm.K()
		m.asm.VPCMPD(operand.U8(intCompare[op]), y, a, k)
		return k
	}
	switch op {
	case ir.Lt:
		return m.compare(ir.Gt, t, y, x)
	case ir.Ge:
		return m.not(m.compare(ir.Gt, t, y, x))
	case ir.Le:
		return m.not(m.compare(ir.Gt, t, x, y))
	case ir.Ne:
		return m.not(m.compare(ir.Eq, t, x, y))
	}
	a, r := m.load(x), m.vec()
	if op == ir.Eq {
		m.asm.VPCMPEQD(y, a, r)
	} else {
		m.asm.VPCMPGTD(y, a, r)
	}
	return r
}

// not negates a condition.
func (m *machine) not(c condition) condition {
	if m.wide() {
		k := m.asm.K()
		m.asm.KNOTW(c, k)
		return k
	}
	return m.bits("xor", c, m.splat(m.allOnes()))
}

// logic combines conditions.
func (m *machine) logic(op ir.Op, x, y condition) condition {
	if m.wide() {
		k := m.asm.K()
		if op == ir.And {
			m.asm.KANDW(x, y, k)
		} else {
			m.asm.KORW(x, y, k)
		}
		return k
	}
	if op == ir.And {
		return m.bits("and", x, y)
	}
	return m.bits("or", x, y)
}

// choose returns a where c holds, else b.
func (m *machine) choose(c condition, a, b operand.Op) reg.Register {
	x, r := m.load(b), m.vec()
	switch {
	case m.wide() && m.lane == 8:
		m.asm.VBLENDMPD(a, x, c, r)
	case m.wide():
		m.asm.VBLENDMPS(a, x, c, r)
	case m.lane == 8:
		m.asm.VBLENDVPD(c, a, x, r)
	default:
		m.asm.VBLENDVPS(c, a, x, r)
	}
	return r
}

// least returns min(x, y), or max, as Go defines them: NaN if either is, and
// -0 < +0. The instructions return their second operand in these cases, so both
// orders are computed: where the results differ, "or" makes a negative zero or a
// NaN of them; for max, "and" makes a positive zero, and NaN is put in.
func (m *machine) least(fn ir.Func, t ir.Type, x, y operand.Op) reg.Register {
	if t == ir.Int32 || t == ir.Uint8 {
		a, r := m.load(x), m.vec()
		if fn == ir.Min {
			m.asm.VPMINSD(y, a, r)
		} else {
			m.asm.VPMAXSD(y, a, r)
		}
		return r
	}
	a, b := m.load(x), m.load(y)
	p, q := m.extreme(fn, a, b), m.extreme(fn, b, a)
	if fn == ir.Min {
		return m.bits("or", p, q)
	}
	nan := m.compareFloat(unordered, a, b)
	r := m.bits("and", p, q)
	if m.wide() {
		return m.choose(nan, m.splat(m.allOnes()), r)
	}
	return m.bits("or", r, nan)
}

// extreme writes the instruction itself: r = x < y ? x : y, and so on, y if they
// are equal or unordered.
func (m *machine) extreme(fn ir.Func, x reg.Register, y operand.Op) reg.Register {
	r := m.vec()
	switch {
	case fn == ir.Min && m.lane == 8:
		m.asm.VMINPD(y, x, r)
	case fn == ir.Min:
		m.asm.VMINPS(y, x, r)
	case m.lane == 8:
		m.asm.VMAXPD(y, x, r)
	default:
		m.asm.VMAXPS(y, x, r)
	}
	return r
}

// mask returns the condition "first ≤ q + l < end" over lanes l, for integer
// registers q and end; q is in size-byte lanes of a vector of that many.
func (m *machine) mask(q, first, end reg.Register) condition {
	at, lo, hi := m.vec(), m.vec(), m.vec()
	m.broadcastInt(q, m.lane, at)
	m.broadcastInt(first, m.lane, lo)
	m.broadcastInt(end, m.lane, hi)
	iota := m.ramp(1, m.lanes(), m.lane)
	if m.wide() {
		a, b, r := m.asm.K(), m.asm.K(), m.asm.K()
		if m.lane == 8 {
			m.asm.VPADDQ(iota, at, at)
			m.asm.VPCMPQ(operand.U8(5), lo, at, a) // at ≥ lo
			m.asm.VPCMPQ(operand.U8(1), hi, at, b)
		} else {
			m.asm.VPADDD(iota, at, at)
			m.asm.VPCMPD(operand.U8(5), lo, at, a)
			m.asm.VPCMPD(operand.U8(1), hi, at, b)
		}
		m.asm.KANDW(a, b, r)
		return r
	}
	if m.lane == 8 {
		m.asm.VPADDQ(iota, at, at)
		m.asm.VPCMPGTQ(at, lo, lo) // lo > at: outside
		m.asm.VPCMPGTQ(at, hi, hi)
	} else {
		m.asm.VPADDD(iota, at, at)
		m.asm.VPCMPGTD(at, lo, lo)
		m.asm.VPCMPGTD(at, hi, hi)
	}
	r := m.vec()
	m.asm.VPANDN(hi, lo, r)
	return r
}

// loadMasked loads the lanes for which c holds, without touching the memory of
// the others, which become zero.
func (m *machine) loadMasked(mem operand.Mem, c condition) reg.VecVirtual {
	r := m.vec()
	switch {
	case m.wide() && m.lane == 8:
		m.asm.VMOVUPD_Z(mem, c, r)
	case m.wide():
		m.asm.VMOVUPS_Z(mem, c, r)
	case m.lane == 8:
		m.asm.VMASKMOVPD(mem, c, r)
	default:
		m.asm.VMASKMOVPS(mem, c, r)
	}
	return r
}

// storeMasked stores the lanes for which c holds.
func (m *machine) storeMasked(r reg.Register, c condition, mem operand.Mem) {
	switch {
	case m.wide() && m.lane == 8:
		m.asm.VMOVUPD(r, c, mem)
	case m.wide():
		m.asm.VMOVUPS(r, c, mem)
	case m.lane == 8:
		m.asm.VMASKMOVPD(r, c, mem)
	default:
		m.asm.VMASKMOVPS(r, c, mem)
	}
}
