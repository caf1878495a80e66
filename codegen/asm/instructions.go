package asm

// Instructions is what a set of instructions can do, for lanes of one width. Operands come before
// results, as in Go assembly. A condition is a register that says of each lane whether something
// holds: lanes of ones and zeros, or a mask register.
type Instructions interface {
	integers
	vectors
	conditions
	floats
	shuffles
}

// integers are instructions on addresses and numbers of 8 bytes.
type integers interface {
	Copy(from, to Operand)
	CopyCell(from, to Mem, through Reg, size int) // size 1, 4 or 8
	Clear(r Reg)
	Address(of Mem, to Reg)
	AddTo(x, to Operand)
	SubFrom(x, from Operand)
	AndTo(x, to Operand)
	MulTo(x, to Operand)
	Scaled(by int, x, to Reg) // to = by·x
	ShiftLeft(by int, x Reg)
	ShiftRight(by int, x Reg)
	Inc(x Operand)
	Dec(x Operand)
	// CopyIf copies if the comparison of two numbers, b not in memory unless a is in a
	// register, comes out so.
	CopyIf(a Operand, test Test, b Operand, from, to Reg)
	Jump(to Label)
	JumpIf(a Operand, test Test, b Operand, to Label)
	// JumpAfter compares the result of the instruction before with 0.
	JumpAfter(test Test, to Label)
	// JumpIfClear tests whether r has none of some bits; JumpIfZero whether it is 0.
	JumpIfClear(bits int, r Reg, to Label)
	JumpIfZero(r Reg, to Label)
	// Fence lets stores from now on come after streaming stores; Prefetch asks for a line.
	Fence()
	Prefetch(at Mem)
	// Return returns; Leave does so after vectors were used.
	Return()
	Leave()
}

// vectors are instructions that move vectors.
type vectors interface {
	Load(x Operand) Reg // of what is not in a register yet
	Move(from, to Operand)
	MoveAligned(from, to Operand)
	MoveIndex(from, to Operand) // int32, as many as a vector has lanes
	Stream(from, to Operand)    // a streaming store
	Zero(r Reg, float bool)
	Broadcast(x Mem) Reg
	BroadcastInt(from Reg, size int, to Reg)
	BroadcastLane(x Mem, to Reg)  // of an integer of a lane's size
	BroadcastIndex(x Mem, to Reg) // of an int32
	BroadcastByte(x Mem, to Reg)  // as int32
	WidenBytes(x Mem, to Reg)     // to int32
	LoadBytes(x Operand) Reg      // the same of bytes, as many as a vector has lanes
	// StoreLane stores a lane; the lowest one takes the fewest instructions.
	StoreLane(r Reg, lane int, to Mem)
}

// conditions are instructions that make conditions, and depend on them.
type conditions interface {
	// Compare compares floats, or int32; Greater integers of a lane's size.
	Compare(test Test, float bool, x, y Operand) Reg
	CompareBytes(test Test, x Reg, y Operand) Reg
	Greater(x, y Reg) Reg
	// Between: first ≤ at ≤ last. Inside: first ≤ q + l < end in lane l, for integer registers.
	Between(at Reg, first, last Mem) Reg
	Inside(q, first, end Reg) Reg
	Negative(x Reg) Reg
	// LaneMask loads a bit for each lane, moved up by some lanes.
	LaneMask(from Mem, up int) Reg
	BitMask(bits Reg, numbers Mem) Reg
	Not(c Reg) Reg
	Logic(op Op, x, y Reg) Reg
	Choose(c Reg, a, b Operand) Reg // a where c holds, else b
	// LoadMasked loads the lanes for which c holds, without touching the memory of the others,
	// which become zero; StoreMasked stores these lanes.
	LoadMasked(x Mem, c Reg) Reg
	StoreMasked(r, c Reg, to Mem)
	// JumpIfAny jumps if a lane has one of some bits.
	JumpIfAny(bits Operand, x Reg, to Label)
}

// floats are instructions that compute, also with integers.
type floats interface {
	// Binary returns x op y; x may be in memory if the operation commutes. Into writes it to a
	// register, of which x may be the same. Bits is that on bits.
	Binary(op Op, float bool, x, y Operand) Reg
	Into(op Op, float bool, x, y Operand, to Reg)
	Bits(op Op, x, y Operand) Reg
	// AddLanes adds integers of a lane's size, AddIndex int32.
	AddLanes(x Operand, y, to Reg)
	AddIndex(x Operand, to Reg)
	// Least returns min(x, y), or max, as Go defines them; Extreme y if they are equal or
	// unordered.
	Least(op Op, float bool, x, y Operand) Reg
	Extreme(op Op, x Reg, y Operand) Reg
	Abs(x Operand) Reg // of int32
	Sqrt(x Operand) Reg
	Floor(x Operand) Reg
	FromIndex(x Operand) Reg  // floats of int32
	FromFloats(x Operand) Reg // float64 of float32
	Truncate(x Operand) Reg   // int32 of float32, as Go does it
	// AddProduct: to += x·y. SubProduct: to -= x·y. ProductMinus: to = x·to - y. Rounded once.
	AddProduct(x Operand, y, to Reg)
	SubProduct(x, y, to Reg)
	ProductMinus(x, y, to Reg)
	// DivideTiny writes x/divisor to q if a lane of x has none of the bits large and is not
	// zero, in code apart.
	DivideTiny(x, q Reg, large, divisor uint64)
}

// shuffles are instructions that move lanes.
type shuffles interface {
	// Rotate moves lanes up by k; those at the top come in below. AVX2 only.
	Rotate(x Operand, k int) Reg
	// Blend returns b in the lanes of the bits of mask, else a. AVX2 only.
	Blend(mask int, b Operand, a Reg) Reg
	// Align moves lanes up by k, with the k top lanes of below under them. AVX-512 only.
	Align(x Reg, below Operand, k int) Reg
	// Raise moves lanes down by one place, which is up by a level, and puts a cell on top.
	Raise(x Reg, cell Mem) Reg
	// PermutePair puts lanes of x and y into index, which says which; Permute replaces x.
	PermutePair(y Operand, x, index Reg)
	Permute(y Operand, index, x Reg)
	// Quarter transposes 16 bytes of each row: row(i) is their memory, and column is called with
	// each column. Columns stay in the registers of into, which are made where there are none
	// yet; without into they last until the next call.
	Quarter(row func(i int) Mem, into []Reg, column func(k int, v Reg))
}
