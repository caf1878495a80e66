package kernel

import (
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Temporal describes a kernel that computes several levels of a tile together: lane
// l has level p_0 + l, and at step v column v - s·l of the row, so that the lanes of
// a step are independent of one another. In a vector, and wherever in memory there is
// something for each lane, the highest comes first (LaneIndex): what leaves a slab for the
// levels above is stored as it is. A dependence d is the
// vector of step v - (d_b + s·d_0) of row r - d_o, moved up by d_0 lanes, where b
// is the last dimension and o are those between. (The vector wavefront, with
// levels as lanes: memory is touched once for all of them.)
//
// A slab is as many levels as there are lanes. A chain computes a row of a slab;
// several chains run interleaved, so that their latencies overlap: rows of one
// slab, each some steps behind the one above it, or rows of slabs that follow one
// another, each a row behind the slab below it. What lies between slabs is kept in
// planes, one level each, as wide as the tile.
//
// Rows of lanes hold, for each step, the vectors that other iterations need: a
// cell. There are two kinds of rows: those that rows to come read, which are
// kept in a ring (Buffered), and one that is only of this row (Current). A row may take
// the place of the one that is the farthest distance before it (InPlace): then a
// step reads that row's cell before it writes its own, and holds in registers
// what later steps need of it. So the rows of a ring stay in the cache.
//
// Cells outside the space, or of other tiles, are in the row that is not kept
// before a row begins (LaneValue.Fill), from where masked steps take them.
type Temporal struct {
	Count   int // V, the lanes of a vector
	Size    int // bytes of a lane: 4 or 8
	Skew    int // s
	Streams int // computed together by Many; 1: there is no Many
	// One and Many compute some steps of a row of one chain, and of Chains
	// chains: in each turn of a loop, a step or two of each chain, in their order. The
	// frame is described by Frame's methods.
	One, Many func(frame *int)
	// Streaming is Many, or One if there is none, for a multiple of LinesAtOnce times Count
	// steps, in which all lanes take part; in so many it also streams squares of each chain's
	// results, those that its lines have next. nil: there is none.
	Streaming func(frame *int)

	Buffered int // vectors of a cell of a ring row; 0 if no row reads another
	Current  int // vectors of a cell of the row that is not kept
	// Rows are the distinct distances d_o, coordinates 1 to n-2, at which ring
	// rows are read; Rows[0] is the row itself.
	Rows [][]int
	// InPlace is the one of Rows whose row lies where the row itself goes; 0: none
	// does.
	InPlace int
	// Values has an entry for each value of the nest.
	Values []LaneValue
	// CarryIn are the planes whose cells are moved into the lowest lanes.
	CarryIn []LanePlane
	// CarryOut are the planes that a chain writes. If TailMask, One and Many can take what they
	// write from lower lanes, where the highest are idle: see FrameTail.
	CarryOut []LanePlane
	TailMask bool
	// Given are the sequences of given arrays that are read.
	Given []LaneGiven
	// Indices are the loops whose values are read; Params the parameters.
	Indices []LoopIndex
	Params  []LaneParam
	// Reduces is how many reductions the nest has: each step adds their values to
	// accumulators of each lane.
	Reduces int
}

// LaneIndex is where in a vector lane l lies.
func (l *Temporal) LaneIndex(lane int) int { return l.Count - 1 - lane }

// A LaneValue says where the vector of a value's results lies: in the cell of the
// ring row if InBuffer, else in that of the row that is not kept, at vector At. At is
// -1 for a value whose results nobody needs after the iteration. Lanes of
// iterations that do not take part come from vector Fill of the row that is not
// kept. Planes of the value, an int32 then, have Plus added to their cells.
type LaneValue struct {
	InBuffer bool
	At       int
	Fill     int
	Plus     int
}

// A LanePlane is a plane of value Value, of the level Level below the slab's first
// (CarryIn: Level ≥ 1, what is moved into the lowest lane along with the vector
// that was moved by Level-1), or below the first of the slab after it (CarryOut:
// Level ≥ 1, what lane Count-Level computes).
type LanePlane struct{ Value, Level int }

// A LaneKind says how the cells of a given array that a row reads are laid out
// for the kernel. All are of the type of lanes of their size.
type LaneKind int

// Same: all lanes read the same cell, the one of a scalar that moves by Step
// cells for each step, 0 or 1. Fixed: each lane reads a cell of its own, the same
// for all steps. Window: lane l reads, in step v, cell v - l of a sequence. Interleaved:
// anything else, a vector for each step.
const (
	Same LaneKind = iota
	Fixed
	Window
	Interleaved
)

// A LaneGiven is a sequence of cells of a given array: Subs are its subscripts,
// over the skewed coordinates. The cells are converted from the array's type to
// Elem (float32, float64 or int32); a Fixed or a Window may be of bytes, as the array is (uint8).
type LaneGiven struct {
	Array int
	Subs  []plan.Affine
	Elem  string
	Kind  LaneKind
	Step  int // Same: cells from a step to the next
}

// Bytes reports whether cells are bytes.
func (g *LaneGiven) Bytes() bool { return g.Elem == "uint8" }

// A LoopIndex is a loop, as an affine form over the skewed coordinates, held in
// lanes of int32.
type LoopIndex struct{ At plan.Affine }

// A LaneParam is a parameter in a type: int32, float32 or float64.
type LaneParam struct {
	Param int
	Elem  string
}

// The frame of a call: words that are common to all chains, then those of each
// chain.
const (
	FrameSteps = 0 // to compute, at least one
	FrameFull0 = 1 // first step in which all lanes take part, of those to compute: else bounds say which do
	FrameFull1 = 2 // first step after these; not before FrameFull0
	// FrameNeeded is the first step of those without masks whose cell in the row that is
	// not kept somebody reads after the call: a kernel may leave out the stores of those
	// before that it does not read itself. Not after FrameFull1.
	FrameNeeded = 3
	// FrameTail is 0; or, for a kernel with TailMask, if the highest lanes of all chains are idle,
	// 1 << LaneIndex(l), where l is the highest that is not.
	FrameTail   = 4
	frameParams = 5
)

// Words of a chain, from FrameStream on.
const (
	StreamStep    = 0 // the number v of the first step, which bounds refer to
	StreamBounds  = 1 // address of the first and the last step of each lane: Count integers of Size bytes, and Count more
	StreamCurrent = 2 // address of the first step's cell of the row that is not kept
	streamRows    = 3
)

// FrameParam is the word with the bits of Params[k].
func (l *Temporal) FrameParam(k int) int { return frameParams + k }

// FrameStream is the first word of chain c.
func (l *Temporal) FrameStream(c int) int { return frameParams + len(l.Params) + c*l.StreamWords() }

// StreamRow is the word with the address of the first step's cell of the ring row
// at distance Rows[k].
func (l *Temporal) StreamRow(k int) int { return streamRows + k }

// StreamCarryIn is the word with the address of the cell of CarryIn[k] that the first
// step moves into lane 0: column v + s·Level of the row.
func (l *Temporal) StreamCarryIn(k int) int { return l.StreamRow(len(l.Rows)) + k }

// StreamCarryOut is the word with the address of the cell of CarryOut[k] that the first step
// computes: column v - s·(Count-Level) of the row. With FrameTail lane l+1-Level, for
// Count-Level, computes it, and the address is so many cells before it as lanes lie before
// that one in a vector, which is stored under a mask.
func (l *Temporal) StreamCarryOut(k int) int { return l.StreamCarryIn(len(l.CarryIn)) + k }

// StreamGiven is the word with the address for Given[k] in the first step: of a
// cell (Same), of a vector (Fixed, Interleaved, Window: the next step's is one cell
// further).
func (l *Temporal) StreamGiven(k int) int { return l.StreamCarryOut(len(l.CarryOut)) + k }

// StreamIndex is the word with the value of Indices[k] in lane 0 of the first step.
func (l *Temporal) StreamIndex(k int) int { return l.StreamGiven(len(l.Given)) + k }

// StreamLines is the word with the address of simd.Lines' frame: of Streaming alone.
func (l *Temporal) StreamLines() int { return l.StreamIndex(len(l.Indices)) }

// StreamReduced is the word with the address of the accumulators of reductions, a vector
// for each, if there are any.
func (l *Temporal) StreamReduced() int { return l.StreamLines() + 1 }

// StreamWords is the number of words of a chain.
func (l *Temporal) StreamWords() int { return l.StreamReduced() + min(1, l.Reduces) }

// FrameWords is the size of the frame.
func (l *Temporal) FrameWords() int { return l.FrameStream(l.Streams) }

// LinesAtOnce is how many squares Streaming streams together.
const LinesAtOnce = simd.LinesAtOnce

// Words that StreamLines leads to.
const (
	LinesVectors = simd.LinesVectors // address of the first vector of the next squares
	LinesRows    = simd.LinesRows    // address of the first line of each row, as they lie in a vector
	LinesOffset  = simd.LinesOffset  // bytes from there to the next lines
	LinesHeld    = simd.LinesHeld    // address of what is held of rows, or 0: see simd.LinesHeld
	LinesHeldRow = simd.LinesHeldRow
)
