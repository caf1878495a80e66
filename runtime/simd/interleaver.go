package simd

import (
	"unsafe"

	_ "loopc/runtime/wideint"
)

// A Lane is a type as wide as a lane. Cells are copied bit by bit, whatever they mean.
type Lane interface{ int32 | int64 }

// A Row is the row of one lane: Cells[x] is the lane's cell in the vector of step First+x.
type Row[T Lane] struct {
	Cells []T
	First int
}

// Interleaver copies cells between rows and vectors of lanes: row l belongs to lane l. It transposes
// squares in registers. A square has as many steps as there are lanes; it is stored under masks if a
// row does not cover it. Rows may be empty, and may begin and end at different steps, as rows do that
// are skewed against one another.
//
// An Interleaver belongs to one goroutine.
type Interleaver[T Lane] struct {
	count int // lanes
	size  int // bytes of a lane
	code  *interleaverCode
	frame [frameWords]uintptr

	square  []T                    // scratch of Interleave: the rows of a square
	lost    []T                    // scratch of Deinterleave: cells of lanes without a row
	changes [mostLanes + 1]uintptr // scratch of Interleave: lanes that begin or end at a step

	streamed bool // rows were streamed since the last Drain
	held     []T  // scratch of Stream: rows of heldRow bytes, aligned to lines
}

// lostSquares are the most squares that Deinterleave transposes together if a lane has no row.
const lostSquares = 32

// interleaverCode are the functions for vectors and lanes of given sizes. Each takes a frame.
type interleaverCode struct {
	deinterleave, deinterleaveEdge, interleave, interleaveEdge, stream, streamEdge, fetch func(frame *uintptr)

	fence func()
	lines func(frame *uintptr) // nil: a vector is not a cache line
}

// Words of a frame: see codegen/interleave.
const (
	frameVectors = 0  // address of the first step's vector
	frameStep    = 1  // bytes from a step to the next
	frameSquares = 2  // squares to transpose, at least one; stream: bursts; streamEdge: squares, possibly none; lines: groups of LinesAtOnce squares
	frameRows    = 3  // addresses of the rows' cells of the first step; fetch: of the rows' first cells; stream: of the lines where the rows are stored next; lines: of the rows' first lines
	frameEnds    = 19 // fetch: addresses of the rows' last cells
	frameMasks   = 19 // masks of the stores: per row or, to vectors, per step, a bit for each lane; streamEdge: per row, a bit for each cell of the burst
	frameHeld    = 35 // stream: address of the held rows, of heldRow bytes each, which begin with a line of earlier cells
	frameBefore  = 36 // stream: per row, the index of the held cell that is stored next, at the beginning of a cache line of the row; 1 or more
	frameOffset  = 19 // lines: bytes of each row that are stored already
	frameHolds   = 20 // lines: address of the held cells of rows, or 0: see LinesHeld
	frameWords   = frameBefore + mostLanes
	mostLanes    = 16
)

// NewInterleaver returns an Interleaver for vectors of count lanes.
func NewInterleaver[T Lane](count int) *Interleaver[T] {
	z := &Interleaver[T]{count: count, size: int(unsafe.Sizeof(*new(T)))}
	if z.code = codeFor(count*z.size, z.size); z.code != nil {
		z.square, z.lost = make([]T, count*count), make([]T, lostSquares*count)
	}
	return z
}

// Deinterleave copies from vectors to rows. Lane l of step t is lanes[at+t*step+l]; step may be negative.
func (z *Interleaver[T]) Deinterleave(rows []Row[T], lanes []T, at, step int) {
	x := z.extent(rows)
	if x.from >= x.to {
		return
	}
	if z.code == nil || x.to-x.from < z.count {
		for l := range rows {
			from := at + rows[l].First*step + l
			for k := range rows[l].Cells {
				rows[l].Cells[k] = lanes[from]
				from += step
			}
		}
		return
	}
	x.end = x.met // what lanes without cells have is lost
	z.squares(rows, lanes, at, step, x, z.code.deinterleave, func(t int) {
		for l := range z.count {
			z.frame[frameMasks+l] = 0
			if l < len(rows) {
				z.frame[frameMasks+l] = within(rows[l].First-t, rows[l].First+len(rows[l].Cells)-t, z.count)
			}
		}
		z.code.deinterleaveEdge(&z.frame[0])
	})
}

// Interleave copies from rows to vectors. Lane l of step t is lanes[at+t*step+l]; step may be
// negative. Lanes without a row keep their content.
func (z *Interleaver[T]) Interleave(lanes []T, at, step int, rows []Row[T]) {
	x := z.extent(rows)
	if x.from >= x.to {
		return
	}
	if z.code == nil || x.to-x.from < z.count {
		for l := range rows {
			to := at + rows[l].First*step + l
			for _, c := range rows[l].Cells {
				lanes[to] = c
				to += step
			}
		}
		return
	}
	z.squares(rows, lanes, at, step, x, z.code.interleave, func(t int) {
		// Memory outside the rows must not be read, so the rows are first copied to a square that may be read entirely.
		square, changes := z.square, &z.changes
		clear(changes[:])
		for l := range rows {
			row := &rows[l]
			if a, b := max(0, row.First-t), min(z.count, row.First+len(row.Cells)-t); a < b {
				copy(square[l*z.count+a:l*z.count+b], row.Cells[t+a-row.First:])
				changes[a] ^= 1 << l
				changes[b] ^= 1 << l
			}
		}
		mask := uintptr(0)
		for k := range z.count {
			mask ^= changes[k]
			z.frame[frameMasks+k] = mask
			z.frame[frameRows+k] = uintptr(unsafe.Pointer(&square[k*z.count]))
		}
		z.code.interleaveEdge(&z.frame[0])
	})
}

// within returns a mask of n bits, in which the bits from first up to end are set.
func within(first, end, n int) uintptr {
	first, end = max(first, 0), min(end, n)
	if first >= end {
		return 0
	}
	return 1<<end - 1<<first
}

// An extent says at which steps rows have cells: none before step from or from step to on; every row
// at steps full up to, but not including, end. met is what end would be without the empty rows.
type extent struct{ from, to, full, end, met int }

func (z *Interleaver[T]) extent(rows []Row[T]) extent {
	if len(rows) > z.count {
		panic("BUG: simd: more rows than lanes")
	}
	const far = 1 << 62
	x := extent{far, -far, -far, far, far}
	if len(rows) < z.count {
		x.end = -far
	}
	for l := range rows {
		if n := len(rows[l].Cells); n > 0 {
			first := rows[l].First
			x.from, x.to = min(x.from, first), max(x.to, first+n)
			x.full, x.end, x.met = max(x.full, first), min(x.end, first+n), min(x.met, first+n)
		} else {
			x.end = -far
		}
	}
	return x
}

// squares calls whole for runs of squares that all rows cover, and edge for each other square. Together these squares cover the steps of x.
// x must be at least a square long. In a run, the cells of empty rows are in z.lost.
func (z *Interleaver[T]) squares(rows []Row[T], lanes []T, at, step int, x extent, whole func(*uintptr), edge func(t int)) {
	f := &z.frame
	f[frameStep] = uintptr(step * z.size)
	first, last := at+x.from*step, at+(x.to-1)*step
	_ = lanes[min(first, last) : max(first, last)+z.count] // panics unless lanes hold all that the functions touch
	for t := x.from; t < x.to; {
		n := 0
		if t >= x.full {
			n = max(0, (x.end-t)/z.count)
		}
		if n == 0 {
			t = min(t, x.to-z.count)
		}
		f[frameVectors] = uintptr(unsafe.Pointer(&lanes[at+t*step]))
		filled := 0
		for l := range z.count {
			f[frameRows+l] = uintptr(unsafe.Pointer(&z.lost[0])) // a valid address for a row with nothing to store
			if l < len(rows) && len(rows[l].Cells) > 0 {
				f[frameRows+l] = uintptr(unsafe.Pointer(&rows[l].Cells[0])) + uintptr((t-rows[l].First)*z.size)
				filled++
			}
		}
		if filled < z.count {
			n = min(n, lostSquares)
		}
		if n == 0 {
			edge(t)
			t += z.count
			continue
		}
		f[frameSquares] = uintptr(n)
		whole(&f[0])
		t += n * z.count
	}
}
