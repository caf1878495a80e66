package simd

import "unsafe"

// A held row is one of which some cells are still in Laces.cells: those from begin
// up to end, which go to the row from cell done on. A line there is a line of the
// row, so that begin is not 0 only at the row's first cell.
type held struct{ begin, end, done int }

const (
	streamLine  = 64  // bytes that a store past the caches must fill, lest memory be read
	streamSteps = 256 // unlaced at a time: the rows fit the first cache
)

// Stream is Unlace for rows that are not read soon: whole lines go past the caches,
// which saves the memory from being read before it is written. What is stored
// afterwards, also by other goroutines that this one tells, is in order with it
// after Fence.
func (z *Laces[T]) Stream(rows []Row[T], lanes []T, step int) {
	x := z.extent(rows)
	if z.code == nil || x.to-x.from < 2*streamLine {
		z.Unlace(rows, lanes, step)
		return
	}
	line := streamLine / z.size
	if z.cells == nil {
		// Rows a line more apart than they need, lest they compete for a place in
		// the cache.
		z.room = streamSteps + 3*line
		z.cells = make([]T, z.count*z.room+line)
		skip := int(-uintptr(unsafe.Pointer(&z.cells[0]))%streamLine) / z.size
		z.cells = z.cells[skip:]
		z.held, z.parts = make([]held, z.count), make([]Row[T], z.count)
	}
	for l := range rows {
		z.held[l] = held{}
		if len(rows[l].Cells) > 0 {
			at := int(uintptr(unsafe.Pointer(&rows[l].Cells[0]))%streamLine) / z.size
			z.held[l] = held{begin: at, end: at}
		}
	}
	for t := x.from; t < x.to; t += streamSteps {
		for l := range rows {
			row, h := &rows[l], &z.held[l]
			a := max(t-row.First, 0)
			n := max(min(t+streamSteps-row.First, len(row.Cells))-a, 0)
			at := l*z.room + h.end
			z.parts[l] = Row[T]{z.cells[at : at+n], row.First + a}
			h.end += n
		}
		z.Unlace(z.parts[:len(rows)], lanes, step)
		for l := range rows {
			z.flush(l, &rows[l], line)
		}
	}
}

// flush moves what is held of row l to its place: whole lines, and if the row is
// complete the rest.
func (z *Laces[T]) flush(l int, row *Row[T], line int) {
	h := &z.held[l]
	cells := z.cells[l*z.room : (l+1)*z.room]
	to := row.Cells[h.done:]
	last := h.end-h.begin == len(to)
	if h.begin > 0 && h.end >= line {
		n := copy(to, cells[h.begin:line])
		h.begin, h.done, to = line, h.done+n, to[n:]
	}
	if n := (h.end - h.begin) / line; h.begin%line == 0 && n > 0 {
		z.code.stream(uintptr(unsafe.Pointer(&to[0])), uintptr(unsafe.Pointer(&cells[h.begin])), uintptr(n))
		h.begin, h.done, to = h.begin+n*line, h.done+n*line, to[n*line:]
	}
	switch {
	case last:
		*h = held{done: h.done + copy(to, cells[h.begin:h.end])}
	case h.begin >= line:
		h.end = copy(cells, cells[h.begin:h.end])
		h.begin = 0
	}
}

// Fence puts what Stream has stored in order with what is stored after it.
func (z *Laces[T]) Fence() {
	if z.code != nil {
		streamFence()
	}
}
