package asm

// x86 writes the instructions of AVX2 and AVX-512, for lanes of one width. Its exported methods are
// the instructions that kernels know. Operands come before results, as in Go assembly. A condition is
// a register that holds a truth value per lane: in AVX2 a vector of lanes of all ones or zeros, in
// AVX-512 a mask register.
type x86 struct {
	*Machine
	square []Reg // see Quarter
}

// The endings of mnemonics, by the size of a lane: vectors of floats (ps), one float (ss), and
// integers (d).
func (m *x86) ps() string { return [...]string{"PS", "PD"}[m.lane/8] }
func (m *x86) ss() string { return [...]string{"SS", "SD"}[m.lane/8] }
func (m *x86) d() string  { return letters[m.lane] }

// letters are the endings of instructions on integers, by their size.
var letters = map[int]string{1: "B", 2: "W", 4: "D", 8: "Q"}

// u is part of instructions on unsigned integers.
func (m *x86) u() string {
	if m.unsigned {
		return "U"
	}
	return ""
}

// k ends instructions on masks with a bit for each lane.
func (m *x86) k() string {
	switch m.lanes {
	case 64:
		return "Q"
	case 32:
		return "D"
	}
	return "W"
}

func (m *x86) Copy(from, to Operand)   { m.Emit("MOVQ", from, to) }
func (m *x86) Clear(r Reg)             { m.Emit("XORQ", r, r) }
func (m *x86) Address(of Mem, to Reg)  { m.Emit("LEAQ", of, to) }
func (m *x86) AddTo(x, to Operand)     { m.Emit("ADDQ", x, to) }
func (m *x86) SubFrom(x, from Operand) { m.Emit("SUBQ", x, from) }
func (m *x86) AndTo(x, to Operand)     { m.Emit("ANDQ", x, to) }
func (m *x86) MulTo(x, to Operand)     { m.Emit("IMULQ", x, to) }

// Scaled computes to = by·x.
func (m *x86) Scaled(by int, x, to Reg) { m.Emit("IMUL3Q", Int(by), x, to) }
func (m *x86) ShiftLeft(by int, x Reg)  { m.Emit("SHLQ", Imm(uint64(by)), x) }
func (m *x86) ShiftRight(by int, x Reg) { m.Emit("SHRQ", Imm(uint64(by)), x) }
func (m *x86) Inc(x Operand)            { m.Emit("INCQ", x) }
func (m *x86) Dec(x Operand)            { m.Emit("DECQ", x) }
func (m *x86) Jump(to Label)            { m.Emit("JMP", to) }

// Return returns from code that used no vectors: see Leave.
func (m *x86) Return() { m.Emit("RET") }

// Fence orders all later stores after earlier streaming stores.
func (m *x86) Fence() { m.Emit("SFENCE") }

// Prefetch prefetches a cache line.
func (m *x86) Prefetch(at Mem) { m.Emit("PREFETCHT0", at) }

// CopyCell copies 8 bytes, 4, 2, or one.
func (m *x86) CopyCell(from, to Mem, through Reg, size int) {
	switch size {
	case 8:
		m.Emit("MOVQ", from, through)
		m.Emit("MOVQ", through, to)
	case 4:
		m.Emit("MOVL", from, through.As(4))
		m.Emit("MOVL", through.As(4), to)
	case 2:
		m.Emit("MOVWLZX", from, through.As(4))
		m.Emit("MOVW", through.As(2), to)
	default:
		m.Emit("MOVBLZX", from, through.As(4))
		m.Emit("MOVB", through.As(1), to)
	}
}

// CopyIf copies if the test of a and b, Gt or Ge, is true. b may be in memory only if a is in a register.
func (m *x86) CopyIf(a Operand, test Test, b Operand, from, to Reg) {
	m.Emit("CMPQ", a, b)
	m.Emit(map[Test]string{Gt: "CMOVQGT", Ge: "CMOVQGE"}[test], from, to)
}

func (m *x86) JumpIf(a Operand, test Test, b Operand, to Label) {
	m.Emit("CMPQ", a, b)
	m.JumpAfter(test, to)
}

// JumpAfter jumps if what the preceding instruction compared passes the test: two operands, or a result and 0.
func (m *x86) JumpAfter(test Test, to Label) {
	m.Emit([...]string{Eq: "JEQ", Ne: "JNE", Lt: "JLT", Le: "JLE", Gt: "JGT", Ge: "JGE", Eq1: "JE"}[test], to)
}

// JumpIfClear jumps if none of the bits is set in r.
func (m *x86) JumpIfClear(bits int, r Reg, to Label) {
	m.Emit("TESTQ", Int(bits), r)
	m.JumpAfter(Eq1, to)
}

// JumpIfZero jumps if r is 0.
func (m *x86) JumpIfZero(r Reg, to Label) {
	m.Emit("TESTQ", r, r)
	m.JumpAfter(Eq, to)
}

// Leave returns from code that used vectors: dirty upper halves would slow down the code that follows.
func (m *x86) Leave() {
	m.Emit("VZEROUPPER")
	m.Return()
}
