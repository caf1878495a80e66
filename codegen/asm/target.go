package asm

// An ISA is an instruction set with vectors.
type ISA int

// The instruction sets. A kernel for the last set that a processor has is preferred.
const (
	AVX2   ISA = iota // 32-byte vectors
	AVX512            // 64-byte vectors: F, BW, DQ and VL
)

// ISAs returns all of them.
func ISAs() []ISA { return []ISA{AVX2, AVX512} }

// String returns the name that users write.
func (i ISA) String() string { return [...]string{"avx2", "avx512"}[i] }

// Bytes is the size of a vector.
func (i ISA) Bytes() int { return 32 << i }

// target returns the description of the processor.
func (i ISA) target() target { return x86Target{i} }

// A target describes a processor for liveness, allocation, printing and costs.
type target interface {
	// has reports whether op is an instruction; the other methods take only instructions.
	has(op string) bool
	// effect says what an instruction does to its last operand; unit is the unit that executes
	// the instruction.
	effect(n *node) effect
	unit(op string) unit
	// forgets reports whether the result does not depend on the operands' content, as in x - x.
	forgets(n *node) bool
	// jump returns the label to which an instruction jumps, if any; ends reports returns.
	jump(n *node) (to Label, conditional bool)
	ends(n *node) bool
	// moves reports whether an instruction only copies integers, or vectors.
	moves(n *node) (integers, vectors bool)
	// spill is the instruction that moves a register of a kind to and from the stack.
	spill(k Kind) string
	// allocatable are the numbers of the registers that virtual ones may get, the preferred
	// ones first. saved reports registers that a function with a stack must save.
	allocatable(k Kind) []int
	saved(r Reg) bool
	name(r Reg) string
	// requires are the processor features that an instruction needs.
	requires(n *node) []string
}

// An effect says what an instruction does to its last operand.
type effect uint8

const (
	writes  effect = iota // it is written
	updates               // it is read and written
	reads                 // it is read
)

// reads returns the registers that an instruction reads.
func (n *node) reads(t target) (all []Reg) {
	if t.forgets(n) {
		return nil
	}
	last := len(n.operands) - 1
	for k, x := range n.operands {
		if _, register := x.(Reg); k < last || !register || t.effect(n) != writes {
			all = appendRegisters(all, x)
		}
	}
	return all
}

// writes returns the register that an instruction writes, or none. Writing the lower half of an
// integer register writes the entire register.
func (n *node) writes(t target) Reg {
	if len(n.operands) == 0 || t.effect(n) == reads {
		return 0
	}
	r, _ := n.operands[len(n.operands)-1].(Reg)
	if r.Kind() == General && r.Bytes() == 4 {
		return r.As(8)
	}
	return r
}

// registers returns all registers of an instruction.
func (n *node) registers() (all []Reg) {
	for _, x := range n.operands {
		all = appendRegisters(all, x)
	}
	return all
}
