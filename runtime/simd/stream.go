package simd

import "unsafe"

// What is streamed of a row at a time, in bytes: see codegen/lacing.
const (
	streamLine = 64
	burst      = 4 * streamLine
	heldRow    = burst + 2*streamLine
)

// Stream is Unlace for rows that are not read soon: whole lines go past the caches,
// so that no memory is read before it is written, and what is in the caches stays.
// Rows pass through a few lines of the first cache, where they get the place in a
// line that they have in memory.
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
		at := int(uintptr(unsafe.Pointer(&cells[0]))%streamLine) / z.size
		held := z.held[l*heldRow/z.size:]
		copy(held, cells[line-at:line])
		f[frameRows+l] = uintptr(unsafe.Pointer(&cells[line-at]))
		f[frameParts+l] = uintptr(unsafe.Pointer(&held[at]))
	}
	z.code.stream(&f[0])
	for l := range rows {
		at := int(f[frameParts+l]%streamLine) / z.size
		to := end - rows[l].First
		copy(rows[l].Cells[to-at:to], z.held[l*heldRow/z.size:])
	}
	if end < x.to {
		z.unlace(rows, lanes, step, extent{min(end, x.to-z.count), x.to, x.full, x.end})
	}
}
