package simd

import "unsafe"

// Lines are rows that are streamed while their vectors are computed, so that the processor
// drains the stores meanwhile: square by square, of which each completes a line of each row,
// and LinesAtOnce at a time, for lines beside one another. Unless each line has the same
// steps of all rows, a square ends some cells of each row behind the line that it completes:
// these are held for the next one.
type Lines[T Lane] struct {
	z                *Laces[T]
	head, tail       []Row[T] // what is before the first lines, and after the last
	frame            [frameHolds + 1]uintptr
	from, next, stop int            // steps: of the first squares, of the next ones, after the last
	behind           int            // cells of a row that one square holds for the next, at most
	held             []T            // of each row: a line of cells, and one of where its next line takes its cells from
	shifts           [mostLanes]int // by how many cells the indices of each row say that it is held
	lanes            []T
	step             int
	begun            bool // with the head
}

// LinesAtOnce is how many squares are streamed together, and so how many lines of a row
// that lie beside one another are stored one after the other [note streaming-stores].
const LinesAtOnce = 2

// Words of what Frame leads to, for kernels that store lines by themselves.
const (
	LinesVectors = frameVectors // address of the first vector of the next squares
	LinesRows    = frameRows    // address of the first line of each row
	LinesOffset  = frameOffset  // bytes from there to the next lines
	LinesHeld    = frameHolds   // address of the first row's cells of the square before; 0: squares are lines

	// LinesHeldRow is how many bytes these are from the next row's. Behind them are the
	// indices, for VPERMI2D, of the cells in the line that a square completes: first those
	// of the square, then those of the square before.
	LinesHeldRow = 2 * streamLine
)

// Frame is the address of these words.
func (s *Lines[T]) Frame() int { return int(uintptr(unsafe.Pointer(&s.frame[0]))) }

// together returns how many steps the squares have that are streamed together.
func (s *Lines[T]) together() int { return LinesAtOnce * s.z.count }

// Left returns how many times squares are left when all that was complete has been streamed;
// none before the first.
func (s *Lines[T]) Left() int {
	if !s.begun {
		return 0
	}
	return (s.stop - s.next) / s.together()
}

// Moved says that a kernel has stored squares so many times.
func (s *Lines[T]) Moved(times int) {
	s.next += times * s.together()
	s.z.streamed = true
}

// Begin prepares to stream rows, as Stream would. It returns false if there are not squares
// with lines of each row, or vectors are not lines.
func (s *Lines[T]) Begin(z *Laces[T], rows []Row[T]) bool {
	if z.code == nil || z.code.lines == nil || len(rows) < z.count {
		return false
	}
	x := z.extent(rows)
	s.z, s.from = z, x.full
	for l := range rows {
		s.from = max(s.from, s.firstLine(&rows[l])) // from where rows have all cells of their lines
	}
	times := (x.end - s.from) / s.together()
	if times <= 0 {
		return false
	}
	s.next, s.stop, s.begun = s.from, s.from+times*s.together(), false
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
	size := unsafe.Sizeof(*new(T))
	at := uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells))) + uintptr(s.from-row.First)*size
	return int(at % streamLine / size)
}

// firstLine returns the first step of a row that begins a line.
func (s *Lines[T]) firstLine(row *Row[T]) int {
	at := uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells)))
	return row.First + int(-at%streamLine/unsafe.Sizeof(*new(T)))
}

// From returns the first step of the first squares.
func (s *Lines[T]) From() int { return s.from }

// End returns the first step that is not streamed of all rows before Finish.
func (s *Lines[T]) End() int { return s.stop - s.behind }

// Rest returns how many of the steps before a step, at which all rows have lines, do not make up
// squares that are streamed together.
func (s *Lines[T]) Rest(step int) int {
	rest := (step - s.from) % s.together()
	if rest < 0 {
		rest += s.together()
	}
	return rest
}

// Lay says where the vectors of the rows' lanes are going to be, as Stream has it.
func (s *Lines[T]) Lay(lanes []T, step int) {
	s.lanes, s.step = lanes, step
	all := lanes[s.from*step : (s.stop-1)*step+s.z.count] // must hold what the function touches
	s.frame[frameVectors], s.frame[frameStep], s.frame[frameOffset] = uintptr(unsafe.Pointer(&all[0])), uintptr(step*s.z.size), 0
}

// LayAgain says that the vectors from the one at an address on are going to be some steps
// further on, at least as many as are moved, or back, and moves those before it that have not
// been streamed, and history ones at least. It moves vectors as they were stored, and will be loaded: a load of what was
// stored in parts would wait until all that has been stored before is in memory.
func (s *Lines[T]) LayAgain(at, steps, history int) {
	vector := s.step * s.z.size
	first := min(int(s.frame[frameVectors]), at-history*vector)
	moveVectors(first+steps*vector, first, at-first)
	s.frame[frameVectors] += uintptr(steps * vector)
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
	if times := (min(step, s.stop) - s.next) / s.together(); times > 0 {
		s.frame[frameSquares] = uintptr(times)
		s.z.code.lines(&s.frame[0])
		s.Moved(times)
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
		for l := range s.shifts {
			s.shifts[l] = -1
		}
	}
	s.frame[frameHolds] = uintptr(unsafe.Pointer(&s.held[0]))
	for l := range s.tail {
		cells := s.held[l*LinesHeldRow/s.z.size:]
		before := s.stop - s.tail[l].First
		if s.shifts[l] != before { // rows a multiple of the lanes further on are alike
			s.shifts[l] = before
			lanes := cells[n : 2*n]
			for k := range lanes {
				if lanes[k] = T(k - before); k < before {
					lanes[k] += T(2 * n)
				}
			}
		}
		for k := n - before; k < n; k++ {
			cells[k] = s.lanes[(s.from-n+k)*s.step+l]
		}
	}
}

// Finish streams the rows' ends.
func (s *Lines[T]) Finish() {
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
