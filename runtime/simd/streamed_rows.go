package simd

import "unsafe"

// mostStreamedRows is the most rows that can be stored together: as many as the portable kernel computes together (codegen's mostRows).
const mostStreamedRows = 8

// StreamedRowBytes is how many bytes of each row are computed between two calls of Upto: memory takes
// this many in that time, but no more [note kernel-constants].
const StreamedRowBytes = 256

// StreamedRows copies rows of results to the returned array while they are computed. Like Copy, it
// uses streaming stores for large arrays: each complete line is stored at once.
type StreamedRows[T any] struct {
	to, from [mostStreamedRows][]T
	rows     int // the rows begun, if they have streaming stores; else 0
	next     int // bytes of each row's lines that are stored
	frame    streamedFrame
}

// A streamedFrame has, per row, the address of its first entire line in the array, and the address of the cells for it.
type streamedFrame struct {
	to, from [mostStreamedRows]unsafe.Pointer
}

// Begin announces a row, numbered within its group; row 0 begins a new group. All rows of a group have the same length. When the row is
// computed, its cells will be copied from src to dst. The number of cells of dst's array is all. The first and the last cache line of dst
// may also hold cells of other rows, so they are prefetched now.
func (o *StreamedRows[T]) Begin(row int, dst, src []T, all int) {
	if row == 0 {
		o.rows, o.next = 0, 0
	}
	o.to[row], o.from[row] = dst, src
	size := int(unsafe.Sizeof(*new(T)))
	n := len(dst) * size
	if n < pastLeast || !Streams(size, all) {
		return
	}
	first := unsafe.Pointer(unsafe.SliceData(dst))
	fetchEnds(first, n)
	head := beforeLine(first)
	o.frame.to[row] = unsafe.Add(first, head)
	o.frame.from[row] = unsafe.Add(unsafe.Pointer(unsafe.SliceData(src)), head)
	o.rows = row + 1
}

// Upto stores the lines that are complete when at least the given number of cells of each row is computed.
func (o *StreamedRows[T]) Upto(cells int) {
	// The first entire line begins less than a line after the row's start. So cells that would fill k lines complete at least k-1 lines.
	n := cells*int(unsafe.Sizeof(*new(T)))/streamLine*streamLine - streamLine
	if o.rows > 0 && n > o.next {
		copyLines(&o.frame, o.rows, o.next, n-o.next)
		o.next = n
	}
}

// End copies the rest of a computed row. all is the same as in the row's Begin. Copied waits until rows are in memory.
func (o *StreamedRows[T]) End(row, all int) {
	to, from := o.to[row], o.from[row]
	if o.next > 0 {
		size := int(unsafe.Sizeof(*new(T)))
		head := beforeLine(unsafe.Pointer(unsafe.SliceData(to))) / size
		gone := head + o.next/size
		copy(to[:head], from[:head])
		to, from = to[gone:], from[gone:]
		if n := len(to) * size; n >= streamLine { // even for few lines: they are not prefetched
			copyPast(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), n)
			return
		}
	}
	Copy(to, from, all)
}

// beforeLine returns the number of bytes from an address to the next beginning of a line.
func beforeLine(at unsafe.Pointer) int { return int(-uintptr(at) % streamLine) }
