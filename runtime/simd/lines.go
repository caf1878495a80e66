package simd

import "unsafe"

// Lines are rows that are streamed while their vectors are computed, square by square,
// where each square is a line of each row: so processors whose stores of single lines
// past the caches take no longer than those of several drain them while they compute.
type Lines[T Lane] struct {
	z                *Laces[T]
	head, tail       []Row[T] // what is before the first square, and after the last
	frame            [frameOffset + 1]uintptr
	from, next, stop int // steps: of the first square, of the next one, after the last
	lanes            []T
	step             int
	begun            bool // with the head
}

// Words of what Frame leads to, for kernels that store lines by themselves.
const (
	LinesVectors = frameVectors // address of the first vector of the next square
	LinesRows    = frameRows    // address of the first line of each row
	LinesOffset  = frameOffset  // bytes from there to the next line
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
// square that is a line of each row, or it would take longer.
func (s *Lines[T]) Begin(z *Laces[T], rows []Row[T]) bool {
	if z.code == nil || z.code.lines == nil || !z.lines || len(rows) < z.count {
		return false
	}
	x := z.extent(rows)
	if x.end-x.full < z.count {
		return false
	}
	at := z.origin(&rows[0])
	for l := range rows {
		if (z.origin(&rows[l])-at)%streamLine != 0 {
			return false
		}
	}
	s.from = x.full + int(-(at+uintptr(x.full*z.size))%streamLine)/z.size
	squares := (x.end - s.from) / z.count
	if squares <= 0 {
		return false
	}
	s.z, s.next, s.stop, s.begun = z, s.from, s.from+squares*z.count, false
	s.head, s.tail = s.head[:0], s.tail[:0]
	for l, row := range rows {
		s.frame[frameRows+l] = uintptr(unsafe.Pointer(&row.Cells[s.from-row.First]))
		s.head = append(s.head, Row[T]{row.Cells[:s.from-row.First], row.First})
		s.tail = append(s.tail, Row[T]{row.Cells[s.stop-row.First:], s.stop})
	}
	z.fetch(rows)
	return true
}

// origin returns where the cell of step 0 of a row with cells would be.
func (z *Laces[T]) origin(row *Row[T]) uintptr {
	return uintptr(unsafe.Pointer(unsafe.SliceData(row.Cells))) - uintptr(row.First*z.size)
}

// Squares returns the first step of the first square and the one after the last.
func (s *Lines[T]) Squares() (from, stop int) { return s.from, s.stop }

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
	}
	if squares := (min(step, s.stop) - s.next) / s.z.count; squares > 0 {
		s.frame[frameSquares] = uintptr(squares)
		s.z.code.lines(&s.frame[0])
		s.next += squares * s.z.count
		s.z.streamed = true
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
