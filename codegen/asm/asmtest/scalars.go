package asmtest

import (
	"math"
	"strings"
)

// scalars are the instructions on integer registers and on mask registers, and jumps.
var scalars = map[string]func(m *machine, i *instruction){
	"MOVQ":    func(m *machine, i *instruction) { m.set(&i.operands[1], 8, m.value(&i.operands[0], 8)) },
	"MOVL":    func(m *machine, i *instruction) { m.set(&i.operands[1], 4, m.value(&i.operands[0], 4)) },
	"MOVW":    func(m *machine, i *instruction) { m.set(&i.operands[1], 2, m.value(&i.operands[0], 2)) },
	"MOVB":    func(m *machine, i *instruction) { m.set(&i.operands[1], 1, m.value(&i.operands[0], 1)) },
	"MOVWLZX": func(m *machine, i *instruction) { m.set(&i.operands[1], 4, m.value(&i.operands[0], 2)) },
	"MOVBLZX": func(m *machine, i *instruction) { m.set(&i.operands[1], 4, m.value(&i.operands[0], 1)) },
	"LEAQ":    func(m *machine, i *instruction) { m.set(&i.operands[1], 8, m.address(&i.operands[0])) },

	"ADDQ": arithmetic(func(m *machine, x, to int64) int64 { m.compare(to, -x, x == math.MinInt64); return to + x }),
	"SUBQ": arithmetic(func(m *machine, x, to int64) int64 { m.compare(to, x, false); return to - x }),
	"ANDQ": arithmetic(func(m *machine, x, to int64) int64 { m.compare(to&x, 0, false); return to & x }),
	"XORQ": arithmetic(func(m *machine, x, to int64) int64 { m.compare(to^x, 0, false); return to ^ x }),
	// Not all flags are defined after products and shifts.
	"IMULQ": arithmetic(func(m *machine, x, to int64) int64 { m.known = false; return to * x }),
	"SHLQ":  arithmetic(func(m *machine, x, to int64) int64 { m.known = false; return to << (x & 63) }),
	"SHRQ":  arithmetic(func(m *machine, x, to int64) int64 { m.known = false; return int64(uint64(to) >> (x & 63)) }),
	"IMUL3Q": func(m *machine, i *instruction) {
		m.known = false
		m.set(&i.operands[2], 8, m.value(&i.operands[0], 8)*m.value(&i.operands[1], 8))
	},
	"INCQ": func(m *machine, i *instruction) { m.count(&i.operands[0], 1) },
	"DECQ": func(m *machine, i *instruction) { m.count(&i.operands[0], -1) },

	"CMPQ": func(m *machine, i *instruction) {
		m.compare(int64(m.value(&i.operands[0], 8)), int64(m.value(&i.operands[1], 8)), false)
	},
	"TESTQ": func(m *machine, i *instruction) {
		m.compare(int64(m.value(&i.operands[0], 8)&m.value(&i.operands[1], 8)), 0, false)
	},
	"CMOVQGE": conditional(func(m *machine) bool { return !m.less }),
	"CMOVQGT": conditional(func(m *machine) bool { return !m.less && !m.zero }),

	"JMP": jump(nil),
	"JE":  jump(func(m *machine) bool { return m.zero }),
	"JEQ": jump(func(m *machine) bool { return m.zero }),
	"JNE": jump(func(m *machine) bool { return !m.zero }),
	"JLT": jump(func(m *machine) bool { return m.less }),
	"JLE": jump(func(m *machine) bool { return m.less || m.zero }),
	"JGT": jump(func(m *machine) bool { return !m.less && !m.zero }),
	"JGE": jump(func(m *machine) bool { return !m.less }),
	"RET": func(m *machine, _ *instruction) { m.returned = true },

	"SFENCE":     func(*machine, *instruction) {},
	"PREFETCHT0": func(*machine, *instruction) {},
	"VZEROUPPER": func(m *machine, _ *instruction) {
		for r := range 16 {
			clear(m.vectors[r][16:])
		}
	},

	"VPTEST": func(m *machine, i *instruction) {
		x := &step{m: m, i: i, form: &form{}, from: i.operands}
		n, any := i.operands[1].bytes, uint64(0)
		for l := range n / 8 {
			any |= get(x.operand(0, n), 8, l) & get(x.operand(1, n), 8, l)
		}
		m.zero, m.less, m.known = any == 0, false, true
	},

	"KMOVW":    func(m *machine, i *instruction) { m.moveMask(i, 2) },
	"KMOVQ":    func(m *machine, i *instruction) { m.moveMask(i, 8) },
	"KSHIFTLW": masked(func(by, x uint64) uint64 { return x << by }),
	"KORTESTW": func(m *machine, i *instruction) {
		m.compare(int64(uint16(m.value(&i.operands[0], 8)|m.value(&i.operands[1], 8))), 0, false)
	},
	"KNOTW":  masked(func(x, _ uint64) uint64 { return ^x }),
	"KNOTD":  masked(func(x, _ uint64) uint64 { return ^x }),
	"KNOTQ":  masked(func(x, _ uint64) uint64 { return ^x }),
	"KANDW":  masked(func(x, y uint64) uint64 { return x & y }),
	"KANDD":  masked(func(x, y uint64) uint64 { return x & y }),
	"KANDQ":  masked(func(x, y uint64) uint64 { return x & y }),
	"KORW":   masked(func(x, y uint64) uint64 { return x | y }),
	"KORD":   masked(func(x, y uint64) uint64 { return x | y }),
	"KORQ":   masked(func(x, y uint64) uint64 { return x | y }),
	"KXORW":  masked(func(x, y uint64) uint64 { return x ^ y }),
	"KXNORW": masked(func(x, y uint64) uint64 { return ^(x ^ y) }),
}

// value returns size bytes of a register, of memory or of a constant, without a sign.
func (m *machine) value(o *operand, size int) uint64 {
	switch o.kind {
	case constant:
		return low(uint64(o.value), size)
	case memory:
		return get(at(m.address(o), size), size, 0)
	case general:
		return low(m.general[o.reg], size)
	case mask:
		return low(m.masks[o.reg], size)
	}
	panic("it has no such operand")
}

// set sets size bytes of a register or of memory. In a register, 4 bytes clear the others, and
// fewer keep them.
func (m *machine) set(o *operand, size int, x uint64) {
	switch {
	case o.kind == memory:
		put(at(m.address(o), size), size, 0, x)
	case o.kind == general && size < 4:
		m.general[o.reg] = m.general[o.reg]&^(1<<(8*size)-1) | low(x, size)
	case o.kind == general:
		m.general[o.reg] = low(x, size)
	default:
		panic("it has no such result")
	}
}

// compare sets the flags as x - y does. If wraps, y stands for 2^63.
func (m *machine) compare(x, y int64, wraps bool) {
	m.zero, m.less, m.known = x == y, x < y, true
	if wraps { // x + (-2^63): y is +2^63
		m.less = true
	}
}

// arithmetic changes the last operand.
func arithmetic(f func(m *machine, x, to int64) int64) func(m *machine, i *instruction) {
	return func(m *machine, i *instruction) {
		to := &i.operands[1]
		m.set(to, 8, uint64(f(m, int64(m.value(&i.operands[0], 8)), int64(m.value(to, 8)))))
	}
}

// count adds 1 or -1.
func (m *machine) count(o *operand, by int64) {
	x := int64(m.value(o, 8))
	m.compare(x, -by, false)
	m.set(o, 8, uint64(x+by))
}

// conditional moves if the flags say so.
func conditional(holds func(m *machine) bool) func(m *machine, i *instruction) {
	return func(m *machine, i *instruction) {
		if m.holds(holds) {
			m.set(&i.operands[1], 8, m.value(&i.operands[0], 8))
		}
	}
}

// jump jumps if the flags say so.
func jump(holds func(m *machine) bool) func(m *machine, i *instruction) {
	return func(m *machine, i *instruction) {
		if i.to < 0 {
			panic("there is no label " + i.operands[0].name)
		}
		if holds == nil || m.holds(holds) {
			m.next = i.to
		}
	}
}

func (m *machine) holds(condition func(m *machine) bool) bool {
	if !m.known {
		panic("the flags are undefined")
	}
	return condition(m)
}

// masked computes a mask, whose size the instruction's last letter names. Higher bits are zero.
func masked(f func(x, y uint64) uint64) func(m *machine, i *instruction) {
	return func(m *machine, i *instruction) {
		size := sizeOf(i.op)
		x := m.value(&i.operands[0], size)
		y := m.value(&i.operands[len(i.operands)-2], size) // equal to x if there is one source
		m.masks[i.operands[len(i.operands)-1].reg] = low(f(x, y), size)
	}
}

// moveMask moves to or from a mask register. Higher bits of registers are zero.
func (m *machine) moveMask(i *instruction, size int) {
	x, to := m.value(&i.operands[0], size), &i.operands[1]
	switch to.kind {
	case mask:
		m.masks[to.reg] = x
	case memory:
		m.set(to, size, x)
	default:
		m.set(to, 8, x)
	}
}

// sizeOf is the size that the last letter of an instruction names.
func sizeOf(op string) int { return 1 << strings.IndexByte(letters, op[len(op)-1]) }

// letters name the sizes of integers of 1, 2, 4 and 8 bytes.
const letters = "BWDQ"

// Knows reports whether there is an instruction.
func Knows(op string) bool {
	_, isVector := forms[strings.TrimSuffix(op, zeroing)]
	return isVector || scalars[op] != nil
}
