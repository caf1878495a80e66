package asm

// Instructions are the instructions of a set, for lanes of one width. Operands come before
// results, as in Go assembly. A condition is a register that holds a truth value per lane:
// lanes of ones and zeros, or a mask register.
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
	CopyCell(from, to Mem, through Reg, size int) // size 1, 2, 4 or 8
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
	// CopyIf copies if the test of two numbers is true. b may be in memory only if a is in a
	// register.
	CopyIf(a Operand, test Test, b Operand, from, to Reg)
	Jump(to Label)
	JumpIf(a Operand, test Test, b Operand, to Label)
	// JumpAfter compares the result of the preceding instruction with 0.
	JumpAfter(test Test, to Label)
	// JumpIfClear jumps if none of the bits is set in r; JumpIfZero jumps if r is 0.
	JumpIfClear(bits int, r Reg, to Label)
	JumpIfZero(r Reg, to Label)
	// Fence orders all later stores after earlier streaming stores; Prefetch prefetches a line.
	Fence()
	Prefetch(at Mem)
	// Return returns; Leave returns from code that used vectors.
	Return()
	Leave()
}

// vectors are instructions that move vectors.
type vectors interface {
	Load(x Operand) Reg // loads x unless it is in a register
	Move(from, to Operand)
	MoveAligned(from, to Operand)
	MoveIndex(from, to Operand) // int32, one per lane
	Stream(from, to Operand)    // a streaming store
	Zero(r Reg, float bool)
	Broadcast(x Mem) Reg
	BroadcastInt(from Reg, size int, to Reg)
	BroadcastLane(x Mem, to Reg)  // of an integer of a lane's size
	BroadcastIndex(x Mem, to Reg) // of an int32
	// Widen returns integers of from bytes as integers of a lane's size, which is greater. Narrow
	// returns the low bits of greater integers.
	Widen(x Operand, from int, unsigned bool) Reg
	Narrow(x Operand, from int) Reg
	LoadBytes(x Operand) Reg // loads bytes, one per lane
	// Gather loads the cell of a lane's size at base + index·size for each lane; indexes are int32.
	Gather(base, index Reg) Reg
	// StoreLane stores one lane. The lowest lane takes the fewest instructions.
	StoreLane(r Reg, lane int, to Mem)
}

// conditions are instructions that make conditions or depend on them.
type conditions interface {
	// Compare compares floats, or integers of a lane's size; Greater compares signed integers.
	Compare(test Test, float bool, x, y Operand) Reg
	// CompareWithin is Compare where c holds, and false elsewhere. AVX-512 only.
	CompareWithin(c Reg, test Test, float bool, x, y Operand) Reg
	CompareBytes(test Test, x Reg, y Operand) Reg
	Greater(x, y Reg) Reg
	// Between is the condition first ≤ at ≤ last. Inside is, in lane l, first ≤ q + l < end, for
	// integer registers, and Below is l < end.
	Between(at Reg, first, last Mem) Reg
	Inside(q, first, end Reg) Reg
	Below(end Reg) Reg
	Negative(x Reg) Reg
	// LaneMask loads a mask with a bit for each lane, moved up by some lanes.
	LaneMask(from Mem, up int) Reg
	BitMask(bits Reg, numbers Mem) Reg
	Not(c Reg) Reg
	Logic(op Op, x, y Reg) Reg
	Choose(c Reg, a, b Operand) Reg // a where c holds, else b
	// LoadMasked loads the lanes for which c holds, and sets the others to zero without reading
	// their memory. StoreMasked stores the lanes for which c holds.
	LoadMasked(x Mem, c Reg) Reg
	StoreMasked(r, c Reg, to Mem)
	// JumpIfAny jumps if some lane has one of the bits set.
	JumpIfAny(bits Operand, x Reg, to Label)
}

// floats are arithmetic instructions, also on integers.
type floats interface {
	// Binary returns x op y; x may be in memory if the operation commutes. Into writes x op y
	// to a register, which may be x. Bits returns x op y for operations on bits.
	Binary(op Op, float bool, x, y Operand) Reg
	Into(op Op, float bool, x, y Operand, to Reg)
	Bits(op Op, x, y Operand) Reg
	// AddLanes adds integers of a lane's size, AddIndex int32.
	AddLanes(x Operand, y, to Reg)
	AddIndex(x Operand, to Reg)
	// Least returns min(x, y), or max, as Go defines them. Extreme returns y if they are equal
	// or unordered.
	Least(op Op, float bool, x, y Operand) Reg
	Extreme(op Op, x Reg, y Operand) Reg
	Abs(x Operand) Reg // of integers
	// Quotient divides integers of 1 or 4 bytes by a number that is not 0, as Go does.
	Quotient(x Reg, by int) Reg
	// QuotientUpTo is Quotient for numbers from 0 to most.
	QuotientUpTo(x Reg, by, most int) Reg
	// ShiftLanes moves the bits of integers of a lane's size to higher places, ShiftLanesDown those of
	// integers of more than a byte to lower ones.
	ShiftLanes(by int, x Operand) Reg
	ShiftLanesDown(by int, x Operand) Reg
	Sqrt(x Operand) Reg
	Floor(x Operand) Reg
	Ceil(x Operand) Reg
	Trunc(x Operand) Reg
	FromIndex(x Operand) Reg  // floats of int32
	FromFloats(x Operand) Reg // float64 of float32
	Round(x Operand) Reg      // float32 of float64
	Truncate(x Operand) Reg   // int32 of floats, as Go does it
	// AddProduct: to += x·y. SubProduct: to -= x·y. ProductMinus: to = x·to - y. Each rounds once.
	AddProduct(x Operand, y, to Reg)
	SubProduct(x, y, to Reg)
	ProductMinus(x, y, to Reg)
	// DivideTiny sets q to x/divisor if some lane of x is not zero and has none of the bits
	// large set. It does so outside the usual path.
	DivideTiny(x, q Reg, large, divisor uint64)
}

// shuffles are instructions that move lanes.
type shuffles interface {
	// Rotate moves lanes up by k; the top lanes come in at the bottom. AVX2 only.
	Rotate(x Operand, k int) Reg
	// Blend returns the lanes of b whose bits are set in mask, and the other lanes of a. AVX2
	// only.
	Blend(mask int, b Operand, a Reg) Reg
	// Align moves lanes up by k; the k top lanes of below come in at the bottom. AVX-512 only.
	Align(x Reg, below Operand, k int) Reg
	// Up moves lanes up by k; the k top lanes of below come in at the bottom.
	Up(x, below Reg, k int) Reg
	// Upper returns the upper half of the lanes; Join puts lanes above others.
	Upper(x Reg) Reg
	Join(low, high Reg) Reg
	// Reverse puts lanes into the opposite order.
	Reverse(x Operand) Reg
	// Raise moves lanes down by one place, which is up by one level, and puts a cell into the
	// top place.
	Raise(x Reg, cell Mem) Reg
	// PermutePair replaces index by the lanes of x and y that it selects; Permute replaces x.
	PermutePair(y Operand, x, index Reg)
	Permute(y Operand, index, x Reg)
	// Quarter transposes 16 bytes of each row: row(i) is the memory of row i, and column is
	// called with each column. Columns stay in the registers of into, which it makes if there
	// are none; if into is nil, they are valid until the next call.
	Quarter(row func(i int) Mem, into []Reg, column func(k int, v Reg))
}
