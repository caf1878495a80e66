package kernel

import (
	"slices"

	"loopc/runtime/simd"
	"loopc/transform/plan"
)

// A Front describes functions that compute groups of rows in entire arrays, in the order of the loops: each lane computes
// a row, some columns behind the row above; or, if Lanes is 1, lanes lie along a row, and rows are computed one by one.
// Coordinates are the loops, each counted in its own direction; a row goes along the last one, and a call computes rows that
// are neighbors along the last but one. A nest of one loop has a coordinate of one level before it.
//
// Rows may have different columns. With lanes across rows, a call computes rows of which each begins, and ends, a fixed number of columns
// after the row above.
type Front struct {
	// One computes as many rows at a time as a vector has lanes, and Many as many as all interleaved vectors have; Many
	// is nil if vectors are not interleaved. Both take any number of rows.
	One, Many   func(frame *int)
	Lanes, Rows int
	Skew        int     // columns by which a row is behind the row above
	Cycles      float64 // of an iteration, where all lanes compute
	Along       int     // iterations of a vector that lies along a row
	Waits       float64 // cycles from the results of a row to those of the next one, if a part of such a vector is masked
	Steps       []int   // of the loops: 1 or -1
	Streams     []FrontStream
	Indices     []int // coordinates of loops whose values the body uses
	Strided     []int // streams whose cells of a row are as far apart as the frame says
	Params      []LaneParam
	Reduces     int // reductions of the nest
	Strips      []FrontStrip
	Small       []int // parameters that lanes hold up to MostLaneParameter only
	LooksUp     bool  // a call may find a wrong subscript: see Wrong
	Before      int   // steps that a group begins before the step of its first iteration
	Places      []PlaceGroup

	// Folded is the number of iterations of the last loop if it and the loop before are one, along whose iterations cells follow one another
	// in memory: rows go along both, and rows that are neighbors along the loop before these. 0: a row goes along the last loop.
	Folded int

	// Narrow is the Front of a version with shorter vectors that can run here, too: see For. nil: there is none.
	Narrow *Front
}

// For returns the functions for the runs of plan p: those with shorter vectors if these clearly take fewer cycles, since more lanes
// of long ones are idle where rows are few or short.
func (f *Front) For(p *plan.Plan) *Front {
	if f != nil && f.Narrow != nil && f.Narrow.cycles(p) < clearlyNarrow*f.cycles(p) {
		return f.Narrow
	}
	return f
}

// clearlyNarrow times the cycles of long vectors is the most that shorter ones may take to compute in their place.
const clearlyNarrow = 0.85

// WithNarrow returns v with a Front that may leave runs to narrow, of a version with shorter vectors.
func (v Version) WithNarrow(narrow *Front) Version {
	if v.Front != nil && narrow != nil && !simd.WideDivider() {
		front := *v.Front
		front.Narrow = narrow
		v.Front = &front
	}
	return v
}

// MostLaneParameter bounds the parameters that lanes of 4 bytes hold.
const MostLaneParameter = 1 << 26

// A FrontStream is the cells of an array that iterations access. Subs are over the coordinates.
type FrontStream struct {
	Array int
	Subs  []plan.Affine // of its cell at an iteration
	Above int           // rows before the first row of a group that its vectors need
}

// A FrontStrip is an internal array of a nest with two loops of which only some rows are stored: those that a call computes,
// and Above rows before them. Rows of the array have different indices along Dim. Subs, over the coordinates, are the
// subscripts of the cell that an iteration writes; the iterations of a row access the cells that these write, Left cells more at
// their beginning (a number ≤ 0), and Right cells more at their end. Once says that no cell is read before it is written.
type FrontStrip struct {
	Array, Dim, Above, Left, Right int
	Once                           bool
	Subs                           []plan.Affine
}

// The words of the frame: rows, columns of the first row, and, with lanes along rows, whether stores are streaming; then for each stream the
// address of its cell at the first iteration, and the bytes from a row to the next; the values of loops; parameters; the addresses of the
// values that reductions have so far; the bytes from an iteration to the next in strided streams; words that are not all 0 after a wrong
// subscript; and, with lanes across rows, by how many steps a row begins after the row above, and by how many it ends after that one, and
// for each stream where the memory of its array begins and ends.
const (
	FrontFrameRows  = 0
	FrontFrameWidth = 1
	frontFrameFirst = 3
)

// FrameAt is the word with the address of stream k, FrameStep the one with its bytes from row to row.
func (f *Front) FrameAt(k int) int   { return frontFrameFirst + k }
func (f *Front) FrameStep(k int) int { return frontFrameFirst + len(f.Streams) + k }

// FrameIndex is the word with the value of loop Indices[k], FrameParam the one with Params[k], FrameReduced the one for reduction k.
func (f *Front) FrameIndex(k int) int { return frontFrameFirst + 2*len(f.Streams) + k }
func (f *Front) FrameParam(k int) int { return f.FrameIndex(0) + len(f.Indices) + k }

func (f *Front) FrameReduced(k int) int { return f.FrameParam(len(f.Params)) + k }

// FrameStride is the word with the bytes from an iteration to the next in the k-th strided stream.
func (f *Front) FrameStride(k int) int { return f.FrameReduced(f.Reduces) + k }

// frameWrong is the first word that tells of wrong subscripts.
func (f *Front) frameWrong() int { return f.FrameStride(len(f.Strided)) }

// FrameSlope is the word with the slope of beginnings (k = 0) or of ends (1); FrameMemory is the first of two words with addresses, between
// which the memory of stream k is.
func (f *Front) FrameSlope(k int) int {
	if f.LooksUp {
		k += wrongWords
	}
	return f.frameWrong() + k
}

func (f *Front) FrameMemory(k int) int { return f.FrameSlope(2) + 2*k }

// Idle returns at most how many steps of a group have no iteration of the group's first row. A call computes so many rows at a time.
func (f *Front) Idle(frame []int, together int) (steps int) {
	if f.Lanes == 1 {
		return f.Before
	}
	begins, ends := frame[f.FrameSlope(0)], frame[f.FrameSlope(1)]
	return max(0, (ends-begins)*frame[FrontFrameRows]) + max(0, ends*(together-1)) - min(0, begins*(together-1)) + f.Before
}

// Words is the size of the frame.
func (f *Front) Words() int {
	switch {
	case f.Lanes > 1:
		return f.FrameMemory(len(f.Streams))
	case f.LooksUp:
		return f.frameWrong() + wrongWords
	}
	return f.frameWrong()
}

// wrongWords are the words of the longest vector.
const wrongWords = 8

// Wrong reports whether a call with this frame has computed a subscript beyond the bounds of a table.
func (f *Front) Wrong(frame []int) bool {
	return slices.ContainsFunc(frame[f.frameWrong():][:wrongWords], func(word int) bool { return word != 0 })
}

// RowsAlong is the coordinate along which rows are neighbors.
func (f *Front) RowsAlong() int {
	if f.Folded > 0 {
		return len(f.Steps) - 3
	}
	return len(f.Steps) - 2
}

// Coordinates returns the matrix that turns coordinates of f into coordinates of the plans of n.
func (f *Front) Coordinates(n *plan.Nest) (t [][]int) {
	for _, row := range n.Skew {
		var coordinates []int
		for k, c := range row {
			coordinates = append(coordinates, c*f.Steps[k])
		}
		t = append(t, coordinates)
	}
	return t
}

// sides returns the numbers of rows and of columns, the last two coordinates, where each earlier coordinate is in the middle of its range,
// and by how many columns a row there begins, and ends, after the row above.
func (f *Front) sides(p *plan.Plan) (rows, width int, slopes [2]int) {
	t, depth := f.Coordinates(p.Nest), len(f.Steps)
	at, above := make([]int, depth), 0
	for x := range depth {
		lo, hi := -1<<40, 1<<40
		slopes = [2]int{}
		for _, form := range Bounds(p.Nest) {
			value, by, slope := form.Eval(p.Params, nil), 0, 0
			later := false
			for y := range depth {
				c := 0
				for k, a := range form.Iters {
					c += a * t[k][y]
				}
				switch {
				case y == x:
					by = c
				case y > x:
					later = later || c != 0
				default:
					value += c * at[y]
					slope = c // of the coordinate before
				}
			}
			switch {
			case later: // the form bounds a later coordinate
			case by > 0 && -value > lo:
				lo, slopes[0] = -value, -slope
			case by < 0 && value < hi:
				hi, slopes[1] = value, slope
			}
		}
		at[x] = lo + (hi-lo)/2
		above, rows, width = rows, width, max(0, hi-lo+1)
	}
	if f.Folded > 0 {
		rows, width = above, rows*width
	}
	return rows, width, slopes
}

// Figures of lanes across rows of entire arrays, for cycles.
const (
	idleLanes   = 2.5   // factor on the time of a step with idle lanes
	frontCall   = 180.0 // cycles of a call
	lonelyFront = 1.3   // factor on the time of an iteration if One computes it in place of Many
	beginRow    = 15.0  // cycles, if lanes lie along it
	unevenRow   = 150.0 // of rows of different lengths, each of which needs a call

	// Cycles of a strip: of its first rows, and of each row.
	beginStrip, stripRow = 1200.0, 50.0
)

// cycles returns the average number of cycles of an iteration; 0 if the plan has no iterations.
func (f *Front) cycles(p *plan.Plan) float64 {
	rows, width, slopes := f.sides(p)
	if rows == 0 || width == 0 {
		return 0
	}
	all := frontCall + float64(len(f.Strips))*(beginStrip+float64(rows)*stripRow)
	if f.Lanes == 1 {
		all += float64(rows) * beginRow
		if !Even(p.Nest) {
			all += float64(rows) * unevenRow
		}
	}
	begins, ends := slopes[0]+f.Skew, slopes[1]+f.Skew // in steps: see FrameSlope
	steps := func(rows int) int {                      // whole chunks of them: see package vector
		all := f.Before + width + max(0, ends*(rows-1)) - min(0, begins*(rows-1))
		return (all + f.Lanes - 1) / f.Lanes * f.Lanes
	}
	groups := func(rows, lanes int, each float64) {
		full := float64(max(0, width+min(0, ends*(lanes-1))-max(0, begins*(lanes-1))-f.Lanes)) // all lanes have an iteration
		edges := float64(steps(lanes)) - full
		all += float64(rows/lanes) * float64(lanes) * each * (full + idleLanes*edges)
		if rows%lanes > 0 {
			all += float64(lanes) * each * idleLanes * float64(steps(rows%lanes))
		}
	}
	single := f.Cycles
	if f.Rows > f.Lanes {
		single *= lonelyFront
	}
	groups(rows/f.Rows*f.Rows, f.Rows, f.Cycles)
	groups(rows%f.Rows, f.Lanes, single)
	if f.Along > 0 && width%f.Along != 0 {
		all = max(all, float64(rows)*f.Waits)
	}
	return all / float64(rows*width)
}
