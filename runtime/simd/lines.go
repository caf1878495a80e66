package simd

import "unsafe"

// Lines streams rows while their vectors are computed, so that memory drains the stores meanwhile. It streams LinesAtOnce squares at a
// time; each square completes one cache line of each row. If the lines of different rows begin at different steps, a square has some cells
// of each row beyond the line that it completes; these cells are held for the next square.
type Lines[T Lane] struct {
	z                *Interleaver[T]
	head, tail       []Row[T] // the cells before the first lines, and after the last
	frame            [frameHolds + 1]uintptr
	from, next, stop int            // steps: of the first square, of the next square, and after the last
	behind           int            // the most cells of a row that are held for the next square
	held             []T            // per row: a line of held cells, and a line of indices that tell from where its next line takes its cells
	shifts           [mostLanes]int // the number of held cells for which the indices of each row are set; -1: none
	lanes            []T
	step             int
	begun            bool // the head is streamed
}

// LinesAtOnce is how many squares are streamed together, so that as many adjacent lines of a
// row are stored one after the other [note streaming-stores].
const LinesAtOnce = 2

// Words of the memory at Frame, for kernels that store lines by themselves.
const (
	LinesVectors = frameVectors // address of the first vector of the next squares
	LinesRows    = frameRows    // address of the first line of each row
	LinesOffset  = frameOffset  // bytes from the first line to the next one
	LinesHeld    = frameHolds   // address of the held cells of the first row; 0: squares are lines, and nothing is held

	// LinesHeldRow is the distance in bytes to the held cells of the next row. Behind the held cells are the indices for VPERMI2D of the
	// cells in the next line: indices below the lane count select cells of the next square, the others held cells.
	LinesHeldRow = 2 * streamLine
)

// Frame returns the address of these words.
func (s *Lines[T]) Frame() int { return int(uintptr(unsafe.Pointer(&s.frame[0]))) }

// groupSteps returns the number of steps of the squares that are streamed together.
func (s *Lines[T]) groupSteps() int { return LinesAtOnce * s.z.count }

// Left returns the number of groups of LinesAtOnce squares that are not yet streamed. It is 0
// until Upto has streamed the heads of the rows.
func (s *Lines[T]) Left() int {
	if !s.begun {
		return 0
	}
	return (s.stop - s.next) / s.groupSteps()
}

// Moved records that a kernel has streamed the given number of groups of LinesAtOnce squares.
func (s *Lines[T]) Moved(times int) {
	s.next += times * s.groupSteps()
	s.z.streamed = true
}

// Begin prepares to stream rows. It returns false if vectors are not lines, or if the rows are
// too short for squares in which each row has a line.
func (s *Lines[T]) Begin(z *Interleaver[T], rows []Row[T]) bool {
	if z.code == nil || z.code.lines == nil || len(rows) < z.count {
		return false
	}
	x := z.extent(rows)
	s.z, s.from = z, x.full
	for l := range rows {
		s.from = max(s.from, s.firstLine(&rows[l])) // from here on, rows have all cells of their lines
	}
	times := (x.end - s.from) / s.groupSteps()
	if times <= 0 {
		return false
	}
	s.next, s.stop, s.begun = s.from, s.from+times*s.groupSteps(), false
	s.head, s.tail, s.behind = s.head[:0], s.tail[:0], 0
	for l := range rows {
		row, before := &rows[l], s.before(&rows[l])
		first, end := s.from-before, s.stop-before
		s.frame[frameRows+l] = uintptr(unsafe.Pointer(&row.Cells[first-row.First]))
		s.head = append(s.head, Row[T]{row.Cells[:first-row.First], row.First})
		s.tail = append(s.tail, Row[T]{row.Cells[end-row.First:], end})
		s.behind = max(s.behind, before)
	}
	z.fetch(rows)
	return true
}

// before returns the number of cells of a row between the start of the cache line that holds step s.from and that step.
func (s *Lines[T]) before(row *Row[T]) int {
	size := unsafe.Sizeof(*new(T))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells))) + uintptr(s.from-row.First)*size
	return int(at % streamLine / size)
}

// firstLine returns the first step of a row whose cell begins a line.
func (s *Lines[T]) firstLine(row *Row[T]) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells)))
	return row.First + int(-at%streamLine/unsafe.Sizeof(*new(T)))
}

// From returns the first step of the first square.
func (s *Lines[T]) From() int { return s.from }

// End returns a step: Finish streams the cells of all rows from s.stop on, and those of some rows from this step on.
func (s *Lines[T]) End() int { return s.stop - s.behind }

// Incomplete returns the number of steps from the end of the last complete group of LinesAtOnce squares to
// the given step, at which all rows must have lines.
func (s *Lines[T]) Incomplete(step int) int {
	rest := (step - s.from) % s.groupSteps()
	if rest < 0 {
		rest += s.groupSteps()
	}
	return rest
}

// Lay tells where the vectors of the rows will be, as in Stream.
func (s *Lines[T]) Lay(lanes []T, step int) {
	s.lanes, s.step = lanes, step
	all := lanes[s.from*step : (s.stop-1)*step+s.z.count] // must hold what the function touches
	s.frame[frameVectors], s.frame[frameStep], s.frame[frameOffset] = uintptr(unsafe.Pointer(&all[0])), uintptr(step*s.z.size), 0
}

// LayAgain moves the place of the vectors by the given number of steps, forward or back. address is the address of the vector that is
// computed next. The vectors before it that are not streamed yet, and in any case the last history ones, are copied to their new place. If
// they move forward, it must be by at least as many steps as there are such vectors. The copy uses stores as wide as the later loads:
// otherwise each load would wait until all earlier streaming stores are in memory.
func (s *Lines[T]) LayAgain(address, steps, history int) {
	vector := s.step * s.z.size
	first := min(int(s.frame[frameVectors]), address-history*vector)
	moveVectors(first+steps*vector, first, address-first)
	s.frame[frameVectors] += uintptr(steps * vector)
}

// Upto streams the squares that are complete when all steps before the given one are computed. Finish streams the ends of the rows.
func (s *Lines[T]) Upto(step int) {
	if step < s.from {
		return
	}
	if !s.begun {
		s.begun = true
		s.part(s.head)
		s.hold()
	}
	if times := (min(step, s.stop) - s.next) / s.groupSteps(); times > 0 {
		s.frame[frameSquares] = uintptr(times)
		s.z.code.lines(&s.frame[0])
		s.Moved(times)
	}
}

// hold prepares the held cells of rows, unless squares are lines.
func (s *Lines[T]) hold() {
	s.frame[frameHolds] = 0
	if s.behind == 0 {
		return
	}
	n := s.z.count
	if s.held == nil {
		s.held = make([]T, n*LinesHeldRow/s.z.size+n)
		s.held = s.held[int(-uintptr(unsafe.Pointer(&s.held[0]))%streamLine)/s.z.size:]
		for l := range s.shifts {
			s.shifts[l] = -1
		}
	}
	s.frame[frameHolds] = uintptr(unsafe.Pointer(&s.held[0]))
	for l := range s.tail {
		cells := s.held[l*LinesHeldRow/s.z.size:]
		before := s.stop - s.tail[l].First
		if s.shifts[l] != before { // the indices change only with the number of held cells
			s.shifts[l] = before
			lanes := cells[n : 2*n]
			for k := range lanes {
				lanes[k] = T(k - before)
				if k < before {
					lanes[k] += T(2 * n)
				}
			}
		}
		for k := n - before; k < n; k++ {
			cells[k] = s.lanes[(s.from-n+k)*s.step+l]
		}
	}
}

// Finish streams the ends of the rows.
func (s *Lines[T]) Finish() {
	if s.next != s.stop {
		panic("BUG: simd: rows end before they have been streamed")
	}
	s.part(s.tail)
}

// part streams rows that are shorter than a line, or little longer, whose first and last lines have been prefetched.
func (s *Lines[T]) part(rows []Row[T]) {
	if x := s.z.extent(rows); x.to-x.from < s.z.count {
		s.z.Deinterleave(rows, s.lanes, 0, s.step)
	} else {
		s.z.stream(rows, s.lanes, s.step, x)
	}
}
