package asmtest

import (
	"fmt"
	"strings"
)

// zeroing ends instructions that clear the lanes that their mask leaves out.
const zeroing = ".Z"

// A form is how an instruction on vectors is executed.
type form struct {
	lane    int // bytes of a lane of the result, to which a mask applies
	sources int // number of operands, without constant, mask and result; 0: any
	do      func(x *step)

	bytes    int  // of the result; 0: those of the longest register
	compares bool // the result is a mask, or lanes of all ones or zeros
	picks    bool // the mask chooses among operands, and leaves out no lanes
	stores   bool // the result may be in memory, or in an integer register
	aligned  bool // memory operands must be aligned
}

// A step is an instruction on vectors while it is executed.
type step struct {
	m     *machine
	i     *instruction
	form  *form
	imm   uint64 // the constant, which comes first
	from  []operand
	to    *operand
	bytes int // of the result
	lanes int // of the result
	mask  uint64
	out   [64]byte
	held  [3][64]byte // operands in memory
}

// vector executes an instruction on vectors.
func (m *machine) vector(i *instruction) {
	last := len(i.operands) - 1
	x := &step{m: m, i: i, form: &i.form, from: i.operands[:last], to: &i.operands[last], mask: ^uint64(0)}
	if x.from[0].kind == constant {
		x.imm, x.from = uint64(x.from[0].value), x.from[1:]
	}
	masked := x.from[len(x.from)-1].kind == mask
	if masked {
		x.mask, x.from = m.masks[x.from[len(x.from)-1].reg], x.from[:len(x.from)-1]
		if i.operands[last-1].reg == 0 {
			panic("K0 is no mask")
		}
	}
	if x.form.sources != 0 && len(x.from) != x.form.sources {
		panic(fmt.Sprintf("it has %d sources", len(x.from)))
	}
	x.bytes = x.form.bytes
	if x.bytes == 0 {
		x.bytes = x.size()
	}
	x.lanes = x.bytes / x.form.lane
	x.form.do(x)
	switch {
	case x.form.compares && x.to.kind == mask:
		m.masks[x.to.reg] = x.truths() & x.mask
	case x.to.kind == memory && x.form.stores:
		x.store()
	case x.to.kind == vector:
		x.write(masked && !x.form.picks)
	case x.to.kind == general && x.form.stores && x.form.lane == x.bytes:
		m.set(x.to, x.form.lane, get(x.out[:], x.form.lane, 0))
	default:
		panic("it has no such result")
	}
}

// size is the number of bytes of the result if that is a vector. For a result in a mask, in memory or in an
// integer register, it is the number of bytes of the longest vector from which the result is computed.
func (x *step) size() int {
	if x.to.kind == vector {
		return x.to.bytes
	}
	most := 0
	for _, o := range x.from {
		if o.kind == vector {
			most = max(most, o.bytes)
		}
	}
	return most
}

// truths are the sign bits of the lanes of a result.
func (x *step) truths() (all uint64) {
	for l := range x.lanes {
		all |= get(x.out[:], x.form.lane, l) >> (8*x.form.lane - 1) << l
	}
	return all
}

// store writes the lanes of the result whose bits are set in the mask to memory.
func (x *step) store() {
	address, lane := x.m.address(x.to), x.form.lane
	x.check(address)
	for l := range x.lanes {
		if x.mask>>l&1 != 0 {
			copy(at(address+uint64(l*lane), lane), x.out[l*lane:(l+1)*lane])
		}
	}
}

// write writes an entire vector register: the bytes behind the result become zeros.
func (x *step) write(masked bool) {
	r := &x.m.vectors[x.to.reg]
	if lane := x.form.lane; masked {
		for l := range x.lanes {
			switch part := x.out[l*lane : (l+1)*lane]; {
			case x.mask>>l&1 != 0:
			case strings.HasSuffix(x.i.op, zeroing):
				clear(part)
			default:
				copy(part, r[l*lane:])
			}
		}
	}
	clear(x.out[x.bytes:])
	*r = x.out
}

// check panics where an instruction faults.
func (x *step) check(address uint64) {
	if x.form.aligned && address%uint64(x.bytes) != 0 {
		panic(fmt.Sprintf("address %#x is misaligned", address))
	}
}

// operand returns at most n bytes of the k-th operand, counted from the last one as in Intel's manual.
// Only these bytes are read from memory.
func (x *step) operand(k, n int) []byte {
	switch o := &x.from[len(x.from)-1-k]; o.kind {
	case vector:
		return x.m.vectors[o.reg][:]
	case memory:
		address := x.m.address(o)
		x.check(address)
		copy(x.held[k][:], at(address, n))
		return x.held[k][:]
	case general:
		put(x.held[k][:], 8, 0, x.m.general[o.reg])
		return x.held[k][:]
	}
	panic("it has no such operand")
}

// old is the content of the result's register before the instruction.
func (x *step) old() []byte { return x.m.vectors[x.to.reg][:] }

// single returns a form that computes each lane from the same lane of an operand.
func single(lane int, f func(imm, a uint64) uint64) form {
	return form{lane: lane, sources: 1, do: func(x *step) {
		a := x.operand(0, x.bytes)
		for l := range x.lanes {
			put(x.out[:], lane, l, f(x.imm, get(a, lane, l)))
		}
	}}
}

// pairwise returns a form that computes each lane from the same lanes of two operands.
func pairwise(lane int, f func(imm, a, b uint64) uint64) form {
	return form{lane: lane, sources: 2, do: func(x *step) {
		a, b := x.operand(0, x.bytes), x.operand(1, x.bytes)
		for l := range x.lanes {
			put(x.out[:], lane, l, f(x.imm, get(a, lane, l), get(b, lane, l)))
		}
	}}
}

// lowest returns a form that computes the lowest lane from those of two operands, and copies the others from the first.
func lowest(lane int, f func(imm, a, b uint64) uint64) form {
	return form{lane: lane, sources: 2, do: func(x *step) {
		a, b := x.operand(0, x.bytes), x.operand(1, lane)
		copy(x.out[:], a)
		put(x.out[:], lane, 0, f(x.imm, get(a, lane, 0), get(b, lane, 0)))
	}}
}

// test returns a form that compares two operands.
func test(lane int, f func(imm, a, b uint64) bool) form {
	t := pairwise(lane, func(imm, a, b uint64) uint64 {
		if f(imm, a, b) {
			return ^uint64(0)
		}
		return 0
	})
	t.compares = true
	return t
}

// fused returns a form that computes each lane from the same lanes of the previous content of the
// result (a) and of two operands (b and c).
func fused(lane int, f func(a, b, c uint64) uint64) form {
	return form{lane: lane, sources: 2, do: func(x *step) {
		b, c := x.operand(0, x.bytes), x.operand(1, x.bytes)
		for l := range x.lanes {
			put(x.out[:], lane, l, f(get(x.old(), lane, l), get(b, lane, l), get(c, lane, l)))
		}
	}}
}

// resized returns a form that converts lanes to another size. If the operand has fewer lanes than the
// result, the other lanes of the result are zeros.
func resized(from, to int, f func(a uint64) uint64) form {
	return form{lane: to, sources: 1, do: func(x *step) {
		n := x.lanes
		if o := x.from[0]; o.kind == vector {
			n = min(n, o.bytes/from)
		} else if strings.HasSuffix(x.i.op, "Y") { // memory of 32 bytes
			n = 32 / from
		}
		a := x.operand(0, n*from)
		for l := range n {
			put(x.out[:], to, l, f(get(a, from, l)))
		}
	}}
}
