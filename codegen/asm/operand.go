package asm

import (
	"fmt"
	"math/bits"
)

// A Kind is a file of registers.
type Kind uint8

// The kinds. Special registers are the assembler's: they lead to memory, and are not allocated.
const (
	Special Kind = iota
	General
	Vector
	Mask
	kinds
)

// A Reg is a register, or its lowest bytes. It is virtual until File.Allocate. Equal Regs are
// the same bytes of the same register; 0 is none.
type Reg uint32

// The fields of a Reg: the logarithm of its size, its kind, whether it is physical, and a
// number. regUsed distinguishes the first register from none.
const (
	regSize     = 7
	regKind     = 3
	regPhysical = 1 << 5
	regUsed     = 1 << 6
	regNumber   = 8
)

func newReg(k Kind, bytes, number int) Reg {
	return Reg(number<<regNumber | regUsed | int(k)<<regKind | bits.TrailingZeros(uint(bytes)))
}

// The special registers: pointers to the arguments, to constants and to the stack.
const (
	arguments Reg = regUsed | regPhysical | iota<<regNumber
	constants
	stack
)

// Kind is the file that the register is in.
func (r Reg) Kind() Kind { return Kind(r >> regKind & 3) }

// Bytes is the size of the register, or of the part.
func (r Reg) Bytes() int { return 1 << (r & regSize) }

// As is the part of the same register with the given size.
func (r Reg) As(bytes int) Reg { return r&^regSize | Reg(bits.TrailingZeros(uint(bytes))) }

// whole is the entire register that r is a part of.
func (r Reg) whole() Reg { return r &^ regSize }

func (r Reg) virtual() bool { return r&regPhysical == 0 }

// number is the register's number: the target's if it is physical, else the function's.
func (r Reg) number() int { return int(r >> regNumber) }

// mask tells which bytes of the register r has: bit 0 is the lowest byte, and bit k > 0 stands for
// bytes 2^(k-1) to 2^k - 1.
func (r Reg) mask() uint8 { return 1<<(r&regSize+1) - 1 }

// An Operand is a Reg, a Mem, an Int, a Hex or a Label.
type Operand interface{ operand() }

// A Mem is memory at Base + Index·Scale + Disp, or at a symbol.
type Mem struct {
	Symbol      string
	Base, Index Reg
	Scale       int
	Disp        int
}

// Offset is the memory that lies bytes further.
func (m Mem) Offset(bytes int) Mem {
	m.Disp += bytes
	return m
}

// An Int is a signed constant.
type Int int

// A Hex is an unsigned constant of the given number of bytes.
type Hex struct {
	Value uint64
	Bytes int
}

// Imm returns x with the fewest bytes that can hold it.
func Imm(x uint64) Hex {
	bytes := 1
	for bytes < 8 && x>>(8*bytes) != 0 {
		bytes *= 2
	}
	return Hex{x, bytes}
}

// A Label is a place in a function.
type Label string

func (Reg) operand()   {}
func (Mem) operand()   {}
func (Int) operand()   {}
func (Hex) operand()   {}
func (Label) operand() {}

// text returns an operand as the assembler writes it.
func text(t target, x Operand) string {
	switch x := x.(type) {
	case Reg:
		return t.name(x)
	case Int:
		return fmt.Sprintf("$%+d", int(x))
	case Hex:
		return fmt.Sprintf("$0x%0*x", 2*x.Bytes, x.Value)
	case Label:
		return string(x)
	}
	m, s := x.(Mem), ""
	if m.Symbol != "" {
		s = fmt.Sprintf("%s%+d", m.Symbol, m.Disp)
	} else if m.Disp != 0 {
		s = fmt.Sprint(m.Disp)
	}
	s += "(" + t.name(m.Base) + ")"
	if m.Index != 0 {
		s += fmt.Sprintf("(%s*%d)", t.name(m.Index), m.Scale)
	}
	return s
}

// appendRegisters appends the registers of an operand, without special ones.
func appendRegisters(to []Reg, x Operand) []Reg {
	add := func(r Reg) {
		if r != 0 && r.Kind() != Special {
			to = append(to, r)
		}
	}
	switch x := x.(type) {
	case Reg:
		add(x)
	case Mem:
		add(x.Base)
		add(x.Index)
	}
	return to
}
