package asm

// An Op is an operation on two vectors.
type Op uint8

// The operations: arithmetic, then those on bits.
const (
	Add Op = iota
	Sub
	Mul
	Div
	Min
	Max
	And
	Or
	Xor
)

// A Test compares two numbers.
type Test uint8

// The tests. Eq1 is Eq with another spelling, JE instead of JEQ: files that have it must not change.
const (
	Eq Test = iota
	Ne
	Lt
	Le
	Gt
	Ge
	Eq1
)

// A Machine writes a function with the instructions of one set, for lanes of one width. It
// handles registers, labels and the frame alike for all sets.
type Machine struct {
	*Function
	*x86
	Pool     *Pool
	set      ISA
	lane     int // bytes
	lanes    int
	unsigned bool        // integers in lanes have no sign
	held     map[Mem]Reg // constants that are in registers
}

// NewMachine adds a function to a file. The function has one argument, a pointer to its frame.
func NewMachine(f *File, pool *Pool, set ISA, lane int, name string) *Machine {
	x := &Function{name: name, signature: "(frame *int)", target: set.target(), labels: map[string]int{}, spills: f.Spills}
	f.sections = append(f.sections, x)
	m := &Machine{Function: x, Pool: pool, set: set, lane: lane, lanes: set.Bytes() / lane, held: map[Mem]Reg{}}
	m.x86 = &x86{Machine: m}
	return m
}

// NewLeaf does what NewMachine does, for a function with the given signature. It is marked NOSPLIT: it
// does not check for stack, of which it needs little.
func NewLeaf(f *File, set ISA, lane int, name, signature string) *Machine {
	m := NewMachine(f, NewPool(f, name), set, lane, name)
	m.signature, m.noSplit = signature, true
	return m
}

// In returns a machine that writes the same function for lanes of another size. Vectors have the same
// number of lanes, so vectors of narrower values are shorter.
func (m *Machine) In(lane int, unsigned bool) *Machine {
	if lane == m.lane && unsigned == m.unsigned {
		return m
	}
	return m.with(lane, m.lanes, unsigned)
}

// Half returns a machine that writes the same function for half as many lanes of twice the size.
func (m *Machine) Half() *Machine {
	return m.with(2*m.lane, m.lanes/2, false)
}

func (m *Machine) with(lane, lanes int, unsigned bool) *Machine {
	v := *m
	v.lane, v.lanes, v.unsigned = lane, lanes, unsigned
	v.x86 = &x86{Machine: &v}
	return &v
}

// Filled returns a machine that writes the same function for as many lanes of a size as a register holds.
func (m *Machine) Filled(lane int) *Machine {
	return m.with(lane, m.set.Bytes()/lane, false)
}

// Short reports whether vectors are shorter than a register. A short vector in memory cannot be an
// operand: it is loaded first.
func (m *Machine) Short() bool { return m.Bytes() < shortest }

// Masks reports whether vectors with lanes of the given size can be loaded and stored in part. Only
// sets that move lanes can do that with lanes of less than 4 bytes.
func (m *Machine) Masks(size int) bool { return m.MovesLanes() || size >= 4 }

// Deinterleaves reports whether shuffles bring cells that lie so many cells apart (by) side by side faster than Pick does.
// The cells of 16 bytes of lanes must span at least 8 bytes of memory.
func (m *Machine) Deinterleaves(by int) bool {
	far := max(by, -by)
	n := min(m.lanes, 16/m.lane)
	if m.permutes() {
		return far >= 2 && far <= 4
	}
	return far >= 2 && far <= 4 && (m.lane < 4 || m.lane == 4 && far == 2) && ((n-1)*far+1)*m.lane >= 8
}

// permutes reports whether an instruction picks any lanes of two vectors.
func (m *Machine) permutes() bool { return m.MovesLanes() && m.lane >= 4 && m.Bytes() == m.set.Bytes() }

// ISA is the instruction set.
func (m *Machine) ISA() ISA { return m.set }

// Bytes is the size of a vector.
func (m *Machine) Bytes() int { return m.lanes * m.lane }

// LaneSize is the size of a lane, in bytes.
func (m *Machine) LaneSize() int { return m.lane }

// Lanes is the number of lanes of a vector.
func (m *Machine) Lanes() int { return m.lanes }

// MovesLanes reports whether lanes can move from one vector to another in one instruction: see Align.
func (m *Machine) MovesLanes() bool { return m.set == AVX512 }

// Vec returns a new vector register.
func (m *Machine) Vec() Reg { return m.Make(Vector, max(shortest, m.Bytes())) }

// shortest is the size of the shortest vector register. Shorter vectors are the low bytes of one.
const shortest = 16

// Index returns a new register for a vector of lane indices: an int32 for each lane.
func (m *Machine) Index() Reg { return m.Make(Vector, 4*m.Lanes()) }

// Each returns the memory of a vector of constants of size bytes: of(l) in lane l. A short vector
// is repeated, so that it may be an operand.
func (m *Machine) Each(size int, of func(l int) int) Mem {
	lanes := make([]uint64, max(m.lanes, shortest/size))
	for l := range lanes {
		lanes[l] = uint64(of(l%m.lanes)) << (64 - 8*size) >> (64 - 8*size)
	}
	return m.Pool.Constant(lanes, size)
}

// eachByte returns the memory of a vector with the same 16 bytes in each part: of(b) in byte b.
func (m *Machine) eachByte(of func(b int) int) Mem {
	bytes := make([]uint64, max(shortest, m.Bytes()))
	for b := range bytes {
		bytes[b] = uint64(of(b % shortest))
	}
	return m.Pool.Constant(bytes, 1)
}

// Splat returns the memory of a vector with the same bits in every lane.
func (m *Machine) Splat(bits uint64) Mem {
	return m.Each(m.lane, func(int) int { return int(bits) })
}

// Rotation is the order of lanes moved up by k, as int32.
func (m *Machine) Rotation(k int) Mem {
	return m.Each(4, func(l int) int { return (l - k + m.Lanes()) % m.Lanes() })
}

// SignBit is the bit pattern of a lane with only the sign bit set.
func (m *Machine) SignBit() uint64 { return 1 << (8*m.lane - 1) }

// AllOnes is a lane of ones.
func (m *Machine) AllOnes() uint64 { return 1<<(8*m.lane-1)<<1 - 1 }

// HoldConstant keeps a constant in a register.
func (m *Machine) HoldConstant(at Mem) {
	if m.held[at] == 0 {
		m.held[at] = m.Load(at)
	}
}

// HeldConstants is the number of constants in registers.
func (m *Machine) HeldConstants() int { return len(m.held) }

// HeldOrMemory returns the register that holds a constant or, if none does, its memory.
func (m *Machine) HeldOrMemory(at Mem) Operand {
	if r := m.held[at]; r != 0 {
		return r
	}
	return at
}

// Transpose writes the transposition of a square of lanes. row(i, o) is the memory of row i, o bytes
// from its start. column is called with each column, in order; the column's register is valid until
// the next call.
func (m *Machine) Transpose(row func(i, offset int) Mem, column func(i int, v Reg)) {
	const quarter = 16 // bytes
	for q := range m.Bytes() / quarter {
		first := q * quarter / m.lane
		m.Quarter(func(i int) Mem { return row(i, quarter*q) }, nil, func(k int, v Reg) { column(first+k, v) })
	}
}

// JoinLines composes two lines from three vectors in the order of their cells: the held vector, and
// one of each of two squares. earlier becomes the line of held and first, later that of first and
// second. Then second is the held vector, for the next squares. The memory behind the held vector has
// the lane indices of a line among the lanes of two vectors, which PermutePair takes.
func (m *Machine) JoinLines(held Mem, first, second, earlier, later Reg) {
	indices := held.Offset(m.Bytes())
	m.MoveAligned(indices, later)
	m.MoveAligned(later, earlier)
	m.PermutePair(held, first, earlier)
	m.PermutePair(first, second, later)
	m.MoveAligned(second, held)
}

// Strided is the memory at a byte offset from the start of the i-th of four rows. by holds the bytes
// from a row to the next, and by3 three times as many.
func Strided(p, by, by3 Reg, i, offset int) Mem {
	at := Mem{Base: p, Disp: offset}
	switch i {
	case 1, 2:
		at.Index, at.Scale = by, i
	case 3:
		at.Index, at.Scale = by3, 1
	}
	return at
}

// Reserve reserves bytes on the stack and returns their offset. All memory is reserved before Enter.
func (m *Machine) Reserve(bytes int) int {
	return m.reserve((bytes+m.Bytes()-1)/m.Bytes()*m.Bytes(), m.Bytes())
}

// Enter begins the function: it loads the frame pointer and aligns the stack. It copies each of
// count words of the frame, of size(k) bytes, to all lanes of a vector on the stack, and returns
// these vectors.
func (m *Machine) Enter(count int, word, size func(k int) int) (splats []Operand) {
	from := m.stack
	m.Reserve(count * m.Bytes())
	if m.spills {
		m.align() // first: the address of the frame may live on the stack
	}
	m.frame = m.General()
	m.Copy(Mem{Symbol: "frame", Base: arguments}, m.frame)
	if m.stack > 0 && !m.spills {
		m.align()
	}
	for k := range count {
		at := m.Local(from + k*m.Bytes())
		lanes := m.In(size(k), false)
		lanes.Move(lanes.Broadcast(m.Word(word(k))), at)
		splats = append(splats, at)
	}
	return splats
}

// align sets the base of the stack.
func (m *Machine) align() {
	m.padding = m.Bytes()
	m.stack += m.padding
	m.base = m.General()
	m.Address(Mem{Base: stack}, m.base)
	m.AddTo(Imm(uint64(m.Bytes()-1)), m.base)
	m.AndTo(Int(-m.Bytes()), m.base)
}

// End returns, and writes the code at the end of the function.
func (m *Machine) End() {
	m.Leave()
	for _, x := range m.later {
		x.write()
	}
	m.later = nil
}

// CountDown subtracts 1 from x, and jumps unless the result is 0.
func (m *Machine) CountDown(x Operand, to Label) {
	m.Dec(x)
	m.JumpAfter(Ne, to)
}
