package kernel

import (
	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// Temporal describes a kernel that computes several levels of a tile together. Lane l computes level p_0 + l, and at step v column v - s·l
// of the row, where the skew s makes the lanes of a step independent of one another. In vectors, and wherever memory holds an entry per
// lane, the highest lane comes first (LaneIndex), so that a vector can be stored as it is when values leave a slab for the levels above. A
// dependence d reads the vector of step v - (d_b + s·d_0) of row r - d_r, shifted up by d_0 lanes, where b is the last dimension and r are
// the dimensions between. This is the vectorized wavefront with levels as lanes: memory is read and written once for all levels of a slab.
//
// A slab is as many levels as there are lanes. A stream computes a row of a slab. Several streams are interleaved so that their latencies
// overlap: rows of one slab, each some steps behind the row above, or rows of successive slabs, each one row behind the slab below. Planes
// hold the levels between slabs, one level each, as wide as the tile.
//
// A row of lanes holds a cell for each step: the vectors of that step that other iterations read. There are two kinds of rows. Rows that
// later rows read are kept in a circular buffer (Buffered); no other row reads the current row (Current). A row may overwrite the farthest
// row that it reads (InPlace): a step then reads the cell of that row before it writes its own, and keeps in registers what later steps
// need of it. So the rows of the buffer stay in the cache.
//
// Exterior cells and cells of other tiles are written to the current row before it is computed
// (LaneValue.Fill); masked steps take them from there.
type Temporal struct {
	Count   int // number of lanes, V
	Size    int // bytes of a lane: 4 or 8
	Skew    int // s
	Streams int // streams that Many computes together; 1: there is no Many
	// Cycles is about the number of processor cycles that an iteration takes, if Streams streams compute together and no lane is idle.
	Cycles float64
	// One computes some steps of a row of one stream. Many computes them for Streams streams: each turn of its loop computes one or two
	// steps of each stream, in their order. Frame's methods describe the frame.
	One, Many func(frame *int)
	// Streaming is Many, or One if there is no Many, for steps in which all lanes are active: a multiple of LinesAtOnce·Count. For each
	// LinesAtOnce·Count steps it also stores, with streaming stores, the next squares of each stream's simd.Lines. nil: there is none.
	Streaming func(frame *int)

	Buffered int // vectors per cell of a buffered row; 0 if no row reads another
	Current  int // vectors per cell of the current row
	// Rows are the distinct distances d_r, in coordinates 1 to n-2, at which buffered rows are read; Rows[0] is the row itself.
	Rows [][]int
	// InPlace is the index in Rows of the row that the new row overwrites; 0: there is none.
	InPlace int
	// Values has an entry for each value of the nest.
	Values []LaneValue
	// CarryIn are the planes whose cells move into the lowest lanes.
	CarryIn []LanePlane
	// CarryOut are the planes that a stream writes. With TailMask, One and Many can write them
	// from a lower lane while the highest lanes are idle: see FrameTail.
	CarryOut []LanePlane
	TailMask bool
	// Given are the sequences of given arrays that iterations read.
	Given []LaneGiven
	// Indices are the loop indices that iterations read, and Params the parameters.
	Indices []LoopIndex
	Params  []LaneParam
	// Reduces is the number of reductions. Each step adds its values to one accumulator per lane.
	Reduces int
	// Places are the places of reductions.
	Places []PlaceGroup
	// Checks is the place, in the source, of the first lookup; "" if there is none. With lookups, there is one more
	// accumulator, behind those of reductions: its lanes are not 0 if a subscript was beyond the bounds of its array.
	// Again says that the same subscripts are wrong if the iterations are computed again.
	Checks string
	Again  bool
}

// Accumulators is the number of vectors of accumulators of a stream.
func (l *Temporal) Accumulators() int {
	if l.Checks != "" {
		return l.Reduces + 1
	}
	return l.Reduces
}

// LaneIndex returns the position of a lane in a vector.
func (l *Temporal) LaneIndex(lane int) int { return l.Count - 1 - lane }

// A LaneValue says where the vector of a value's results lies: in the buffered row if InBuffer, else in the current row, at vector At of
// the cell. At is -1 if nobody needs the results after the iteration. Lanes masked out in a step take their content from vector Fill of the
// current row. The value's planes hold its results plus Plus, which is 0 unless the value is an int32.
//
// Elem is the type in which lanes hold the results, float64 or int32, if it is wider than the type of the array; else it is empty. It has
// all values of the array's type.
type LaneValue struct {
	InBuffer bool
	At       int
	Fill     int
	Plus     int
	Elem     string
}

// A LanePlane is a plane of a value. Level counts downwards, from 1: in CarryIn from the first level of the slab, so that Level 1 is the
// level right below; the plane moves into the lowest lane together with the vector that moved by Level-1. In CarryOut it counts from the
// first level of the next slab: lane Count-Level computes the plane.
type LanePlane struct{ Value, Level int }

// A LaneKind is the layout in which a kernel reads the cells of a given array in a row. All cells have the lanes' type of their size.
type LaneKind int

// Same: all lanes read the same cell, a scalar that moves by Step cells per step, 0 or 1. Fixed: each lane reads a cell of its own, in all
// steps the same. Window: at step v lane l reads cell v - l of a sequence. Interleaved: any other, one vector per step.
const (
	Same LaneKind = iota
	Fixed
	Window
	Interleaved
)

// A LaneGiven is a sequence of cells of a given array. Subs are its subscripts over the skewed coordinates. The cells are converted from
// the array's type to Elem (float32, float64 or int32); a Fixed or a Window may stay bytes (uint8).
type LaneGiven struct {
	Array int
	Subs  []plan.Affine
	Elem  string
	Kind  LaneKind
	Step  int // Same: cells from a step to the next
	// Guarded says that the array may not have all cells of a row that lanes read. Nothing uses the others.
	Guarded bool
}

// OneCell reports whether all lanes read one cell in all steps of a row.
func (g *LaneGiven) OneCell() bool { return g.Kind == Same && g.Step == 0 }

// Bytes reports whether the cells are bytes.
func (g *LaneGiven) Bytes() bool { return g.Elem == "uint8" }

// A LoopIndex is a loop index, as an affine form over the skewed coordinates; lanes hold it as int32.
type LoopIndex struct{ At plan.Affine }

// A LaneParam is a parameter converted to a type: int32, float32 or float64. If Float is set, it is
// a float parameter. If Part is set, it is that number of dimension Dim of the table that is array Param.
type LaneParam struct {
	Param int
	Float bool
	Elem  string
	Part  TablePart
	Dim   int
}

// The frame of a call: words that all streams share, then the words of each stream.
const (
	FrameSteps = 0 // steps to compute, at least one
	FrameFull0 = 1 // first step in which all lanes are active; bounds tell which lanes are active in other steps
	FrameFull1 = 2 // first step after these; not before FrameFull0
	// FrameNeeded is the first unmasked step whose cell in the current row somebody reads after the call. For earlier unmasked steps, a
	// kernel may leave out stores that it does not read itself. Not after FrameFull1.
	FrameNeeded = 3
	// FrameTail is 0 or, for a kernel with TailMask while the highest lanes of all streams are
	// idle, 1 << LaneIndex(l), where l is the highest active lane.
	FrameTail   = 4
	frameParams = 5
)

// Words of a stream, counted from FrameStream.
const (
	StreamStep    = 0 // number v of the first step, as bounds count it
	StreamBounds  = 1 // address of the first step of each lane, Count integers of Size bytes, followed by the last step of each
	StreamCurrent = 2 // address of the first step's cell in the current row
	streamRows    = 3
)

// FrameParam is the word with the bits of Params[k].
func (l *Temporal) FrameParam(k int) int { return frameParams + k }

// FrameStream is the first word of stream c.
func (l *Temporal) FrameStream(c int) int { return frameParams + len(l.Params) + c*l.StreamWords() }

// StreamRow is the word with the address of the first step's cell in the buffered row at distance Rows[k].
func (l *Temporal) StreamRow(k int) int { return streamRows + k }

// StreamCarryIn is the word with the address of the cell of CarryIn[k] that the first step moves into lane 0: column v + s·Level.
func (l *Temporal) StreamCarryIn(k int) int { return l.StreamRow(len(l.Rows)) + k }

// StreamCarryOut is the word with the address of the cell of CarryOut[k] that the first step computes: column v - s·(Count-Level). With
// FrameTail, lane l+1-Level computes this cell, not lane Count-Level. The kernel then stores the vector under a mask, so the address is
// that of the vector: LaneIndex(l+1-Level) cells before the cell.
func (l *Temporal) StreamCarryOut(k int) int { return l.StreamCarryIn(len(l.CarryIn)) + k }

// StreamGiven is the word with the address of Given[k] in the first step: of a cell (Same), or
// of a vector (Fixed, Interleaved, Window: in each next step one cell further).
func (l *Temporal) StreamGiven(k int) int { return l.StreamCarryOut(len(l.CarryOut)) + k }

// StreamIndex is the word with the value of Indices[k] in lane 0 of the first step.
func (l *Temporal) StreamIndex(k int) int { return l.StreamGiven(len(l.Given)) + k }

// StreamLines is the word with the address of the frame of simd.Lines; only Streaming reads it.
func (l *Temporal) StreamLines() int { return l.StreamIndex(len(l.Indices)) }

// StreamReduced is the word with the address of the accumulators, if there are any: see Accumulators.
func (l *Temporal) StreamReduced() int { return l.StreamLines() + 1 }

// StreamWords is the number of words of a stream.
func (l *Temporal) StreamWords() int { return l.StreamReduced() + min(1, l.Accumulators()) }

// FrameWords is the size of the frame.
func (l *Temporal) FrameWords() int { return l.FrameStream(l.Streams) }

// LinesAtOnce is the number of squares that Streaming stores together.
const LinesAtOnce = simd.LinesAtOnce

// Words of the frame at StreamLines.
const (
	LinesVectors = simd.LinesVectors // address of the first vector of the next squares
	LinesRows    = simd.LinesRows    // address of the first line of each row, in the order of lanes in a vector
	LinesOffset  = simd.LinesOffset  // bytes from the first lines to the next ones
	LinesHeld    = simd.LinesHeld    // address of the held cells of rows, or 0: see simd.LinesHeld
	LinesHeldRow = simd.LinesHeldRow
)
