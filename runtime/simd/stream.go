package simd

import "unsafe"

// Sizes in bytes of the pieces in which a row is streamed: see codegen/interleave.
const (
	streamLine = 64
	burst      = 4 * streamLine
	heldRow    = streamLine + burst
)

// Stream does what Deinterleave does, with streaming stores, for rows that are not read soon: memory is not
// read before it is written, and the caches keep their content. Streaming stores write entire lines,
// so transposed cells are first collected in a few lines of the first cache. The first and the last
// line of a row may be partial.
//
// Stream reads up to a square of lanes beyond the last step of the rows: it transposes entire
// squares, and does not store the cells that belong to no row.
func (z *Interleaver[T]) Stream(rows []Row[T], lanes []T, step int) {
	x := z.extent(rows)
	if x.from >= x.to {
		return
	}
	if z.code == nil || x.to-x.from < z.count {
		z.Deinterleave(rows, lanes, 0, step)
		return
	}
	z.fetch(rows)
	z.stream(rows, lanes, step, x)
}

// stream does what Stream does, for an extent of at least a square. The first and last lines of the rows must have been prefetched.
func (z *Interleaver[T]) stream(rows []Row[T], lanes []T, step int, x extent) {
	f := &z.frame
	line, steps := streamLine/z.size, burst/z.size
	z.hold(rows, x.from)
	f[frameStep] = uintptr(step * z.size)
	// The burst at step t transposes steps from t on, stores the lines within steps t-line+1 to t+steps-1, and holds the rest for the next.
	for t := x.from; t < x.to+line-1; {
		n := 0
		if t-line+1 >= x.full { // every row has all cells that the burst may store
			n = (x.end - t) / steps // so many bursts need no masks
		}
		if n > 0 {
			all := lanes[t*step : (t+n*steps-1)*step+z.count] // panics unless lanes hold all that the function touches
			f[frameVectors], f[frameSquares] = uintptr(unsafe.Pointer(&all[0])), uintptr(n)
			z.code.stream(&f[0])
			t += n * steps
			continue
		}
		squares := min((max(0, x.to-t)+z.count-1)/z.count, steps/z.count)
		f[frameVectors], f[frameSquares] = 0, uintptr(squares)
		if squares > 0 {
			all := lanes[t*step : (t+squares*z.count-1)*step+z.count]
			f[frameVectors] = uintptr(unsafe.Pointer(&all[0]))
		}
		for l := range rows {
			first := rows[l].First - (t - line + int(f[frameBefore+l]))
			f[frameMasks+l] = within(first, first+len(rows[l].Cells), steps)
		}
		z.code.streamEdge(&f[0])
		t += steps
	}
	z.streamed = true
}

// Drain waits until the streamed rows are visible to other CPUs.
func (z *Interleaver[T]) Drain() {
	if z.streamed {
		z.code.fence()
		z.streamed = false
	}
}

// fetch prefetches the lines that rows cover in part: they come from memory while other lines are stored.
func (z *Interleaver[T]) fetch(rows []Row[T]) {
	f, square := &z.frame, uintptr(unsafe.Pointer(&z.square[0]))
	for l := range mostLanes {
		f[frameRows+l], f[frameEnds+l] = square, square
		if l < len(rows) && len(rows[l].Cells) > 0 {
			cells := rows[l].Cells
			f[frameRows+l], f[frameEnds+l] = uintptr(unsafe.Pointer(&cells[0])), uintptr(unsafe.Pointer(&cells[len(cells)-1]))
		}
	}
	z.code.fetch(&f[0])
}

// hold prepares to stream rows from step t on. No row may begin before step t.
func (z *Interleaver[T]) hold(rows []Row[T], t int) {
	line := streamLine / z.size
	if z.held == nil {
		z.held = make([]T, (z.count*heldRow+streamLine)/z.size)
		skip := int(-uintptr(unsafe.Pointer(&z.held[0]))%streamLine) / z.size
		z.held = z.held[skip:]
	}
	f := &z.frame
	f[frameHeld] = uintptr(unsafe.Pointer(&z.held[0]))
	for l := range z.count {
		f[frameRows+l], f[frameBefore+l], f[frameMasks+l] = 0, 1, 0 // a row with nothing to store
		if l >= len(rows) || len(rows[l].Cells) == 0 {
			continue
		}
		// The address of the cell of step t-line, and its index in its cache line.
		at := uintptr(unsafe.Pointer(&rows[l].Cells[0])) - uintptr((rows[l].First-(t-line))*z.size)
		into := int(at % streamLine / unsafe.Sizeof(*new(T)))
		f[frameBefore+l] = uintptr(line - into)
		f[frameRows+l] = at + uintptr((line-into)*z.size)
	}
}
