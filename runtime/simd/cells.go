package simd

import "unsafe"

// A cellCode converts vectors of cells. A word of the frame has their number, at least one.
type cellCode struct {
	run   func(frame *uintptr)
	size  int // bytes of the narrow cells
	frame [frameRows + 1]uintptr
}

// cellLanes is how many cells are converted at a time.
const cellLanes = 8

// Converts returns functions that convert rows of cells of a type, by its name, to int32 and back, each to
// rows of the same length that lie elsewhere; nil if the processor has none. Cells that have no number
// of the narrow type lose their high bits. The functions belong to one goroutine.
func Converts(elem string) (widen func(to []int32, from []byte), narrow func(to []byte, from []int32)) {
	in, out, ok := cellCodeFor(elem)
	if !ok {
		return nil, nil
	}
	widen = func(to []int32, from []byte) {
		in.convertRow(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), len(to))
	}
	narrow = func(to []byte, from []int32) {
		out.convertRow(unsafe.Pointer(unsafe.SliceData(from)), unsafe.Pointer(unsafe.SliceData(to)), len(from))
	}
	return widen, narrow
}

// convertRow converts n cells; n is cellLanes or more. The last vector begins where it has all of its
// cells, so that some cells may be converted twice.
func (c *cellCode) convertRow(wide, narrow unsafe.Pointer, n int) {
	vectors := func(first, count int) {
		c.frame[frameVectors] = uintptr(wide) + uintptr(4*first)
		c.frame[frameRows] = uintptr(narrow) + uintptr(c.size*first)
		c.frame[frameSquares] = uintptr(count)
		c.run(&c.frame[0])
	}
	vectors(0, n/cellLanes)
	if n%cellLanes > 0 {
		vectors(n-cellLanes, 1)
	}
}

// ConvertLeast is the least length of rows that Converts' functions convert.
const ConvertLeast = cellLanes
