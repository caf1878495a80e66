package simd

import "unsafe"

// Lines are rows that are streamed while their vectors are computed, square by square,
// of which each completes a line of each row: so processors whose stores of single lines
// past the caches take no longer than those of several drain them while they compute.
// Unless each line has the same steps of all rows, a square ends some cells of each row
// behind the line that it completes: these are held for the next one.
type Lines[T Lane] struct {
	z                *Laces[T]
	head, tail       []Row[T] // what is before the first lines, and after the last
	frame            [frameHolds + 1]uintptr
	from, next, stop int // steps: of the first square, of the next one, after the last
	behind           int // cells of a row that one square holds for the next, at most
	held             []T // of each row: a line of cells, and one of where its next line takes its cells from
	lanes            []T
	step             int
	begun            bool // with the head
}

// Words of what Frame leads to, for kernels that store lines by themselves.
const (
	LinesVectors = frameVectors // address of the first vector of the next square
	LinesRows    = frameRows    // address of the first line of each row
	LinesOffset  = frameOffset  // bytes from there to the next line
	LinesHeld    = frameHolds   // address of the first row's cells of the square before; 0: squares are lines

	// LinesHeldRow is how many bytes these are from the next row's. Behind them are the
	// indices, for VPERMI2D, of the cells in the line that the square completes: first those
	// of the square, then those of the square before.
	LinesHeldRow = 2 * streamLine
)

// Frame is the address of these words.
func (s *Lines[T]) Frame() int { return int(uintptr(unsafe.Pointer(&s.frame[0]))) }

// Left returns how many squares are left when all that was complete has been streamed; none
// before the first.
func (s *Lines[T]) Left() int {
	if !s.begun {
		return 0
	}
	return (s.stop - s.next) / s.z.count
}

// Moved says that a kernel has stored so many squares.
func (s *Lines[T]) Moved(squares int) {
	s.next += squares * s.z.count
	s.z.streamed = true
}

// Begin prepares to stream rows, as Stream would. It returns false if there is not a
// square with a line of each row, or it would take longer.
func (s *Lines[T]) Begin(z *Laces[T], rows []Row[T]) bool {
	if z.code == nil || z.code.lines == nil || !z.lines || len(rows) < z.count {
		return false
	}
	x := z.extent(rows)
	if x.end-x.full < z.count {
		return false
	}
	s.z, s.from = z, x.full
	for l := range rows {
		s.from = max(s.from, s.firstLine(&rows[l])) // from where rows have all cells of their lines
	}
	squares := (x.end - s.from) / z.count
	if squares <= 0 {
		return false
	}
	s.next, s.stop, s.begun = s.from, s.from+squares*z.count, false
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

// before returns how many cells of a row are before the first square in the line that this
// completes.
func (s *Lines[T]) before(row *Row[T]) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells))) + uintptr((s.from-row.First)*s.z.size)
	return int(at%streamLine) / s.z.size
}

// firstLine returns the first step of a row that begins a line.
func (s *Lines[T]) firstLine(row *Row[T]) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells)))
	return row.First + int(-at%streamLine)/s.z.size
}

// Steps returns the first step of the first square and the first one that is not streamed
// of all rows before End.
func (s *Lines[T]) Steps() (from, end int) { return s.from, s.stop - s.behind }

// Lay says where the vectors of the rows' lanes are going to be, as Stream has it.
func (s *Lines[T]) Lay(lanes []T, step int) {
	s.lanes, s.step = lanes, step
	all := lanes[s.from*step : (s.stop-1)*step+s.z.count] // must hold what the function touches
	s.frame[frameVectors], s.frame[frameStep], s.frame[frameOffset] = uintptr(unsafe.Pointer(&all[0])), uintptr(step*s.z.size), 0
}

// Upto streams what is complete when the steps before a step have been computed, but for
// the rows' ends.
func (s *Lines[T]) Upto(step int) {
	if step < s.from {
		return
	}
	if !s.begun {
		s.begun = true
		s.part(s.head)
		s.hold()
	}
	if squares := (min(step, s.stop) - s.next) / s.z.count; squares > 0 {
		s.frame[frameSquares] = uintptr(squares)
		s.z.code.lines(&s.frame[0])
		s.next += squares * s.z.count
		s.z.streamed = true
	}
}

// hold prepares what squares hold of rows, unless they are lines.
func (s *Lines[T]) hold() {
	s.frame[frameHolds] = 0
	if s.behind == 0 {
		return
	}
	n := s.z.count
	if s.held == nil {
		s.held = make([]T, n*LinesHeldRow/s.z.size+n)
		s.held = s.held[int(-uintptr(unsafe.Pointer(&s.held[0]))%streamLine)/s.z.size:]
	}
	s.frame[frameHolds] = uintptr(unsafe.Pointer(&s.held[0]))
	for l := range s.tail {
		cells := s.held[l*LinesHeldRow/s.z.size:]
		lanes := cells[n:]
		before := s.stop - s.tail[l].First
		for k := range n {
			if lanes[k] = T(k - before); k < before {
				lanes[k] += T(2 * n)
			}
		}
		for k := n - before; k < n; k++ {
			cells[k] = s.lanes[(s.from-n+k)*s.step+l]
		}
	}
}

// End streams the rows' ends.
func (s *Lines[T]) End() {
	if s.next != s.stop {
		panic("BUG: simd: rows end before they have been streamed")
	}
	s.part(s.tail)
}

// part streams rows of less than a line, or a little more. Their first and last lines have
// been asked for.
func (s *Lines[T]) part(rows []Row[T]) {
	if x := s.z.extent(rows); x.to-x.from < s.z.count {
		s.z.Unlace(rows, s.lanes, s.step)
	} else {
		s.z.stream(rows, s.lanes, s.step, x)
	}
}
