package simd

import "unsafe"

// What is streamed of a row at a time, in bytes: see codegen/lacing.
const (
	streamLine = 64
	burst      = 4 * streamLine
	heldRow    = streamLine + burst
)

// Stream is Unlace for rows that are not read soon: whole lines go past the caches,
// so that no memory is read before it is written, and what is in the caches stays.
// Rows pass through a few lines of the first cache, from which they are moved as
// the lines that they are in memory.
func (z *Laces[T]) Stream(rows []Row[T], lanes []T, step int) {
	x := z.extent(rows)
	line := streamLine / z.size
	// From the first step on before which all rows have a line.
	t := x.full + line
	n := (x.end - t) * z.size / burst
	if z.code == nil || n <= 0 {
		z.Unlace(rows, lanes, step)
		return
	}
	end := t + n*burst/z.size
	z.unlace(rows, lanes, step, extent{x.from, t, x.full, t})
	if z.held == nil {
		z.held = make([]T, (z.count*heldRow+streamLine)/z.size)
		skip := int(-uintptr(unsafe.Pointer(&z.held[0]))%streamLine) / z.size
		z.held = z.held[skip:]
	}
	f := &z.frame
	all := lanes[t*step : (end-1)*step+z.count] // must hold what the function touches
	f[frameVectors], f[frameStep], f[frameSquares] = uintptr(unsafe.Pointer(&all[0])), uintptr(step*z.size), uintptr(n)
	f[frameHeld] = uintptr(unsafe.Pointer(&z.held[0]))
	for l := range rows {
		cells := rows[l].Cells[t-rows[l].First-line:]
		before := line - int(uintptr(unsafe.Pointer(&cells[0]))%streamLine)/z.size
		copy(z.held[l*heldRow/z.size:], cells[:line])
		f[frameRows+l] = uintptr(unsafe.Pointer(&cells[before]))
		f[frameBefore+l] = uintptr(before)
	}
	z.code.stream(&f[0])
	for l := range rows {
		before, to := int(f[frameBefore+l]), end-rows[l].First
		copy(rows[l].Cells[to-line+before:to], z.held[l*heldRow/z.size+before:])
	}
	if end < x.to {
		z.unlace(rows, lanes, step, extent{min(end, x.to-z.count), x.to, x.full, x.end})
	}
}
