package simd

import "unsafe"

// pastBytes is the size of an array from which rows are written past the caches:
// more than the caches of a core, less than what is shared.
const pastBytes = 4 << 20

// pastLeast is how many bytes of a row are worth that.
const pastLeast = 256

// Copy copies a row of results, of numbers, to where it is given back, cells of an array with as
// many as all says. If the array is large the row goes past the caches, where the
// processor can do that: memory is not read then for cells that are overwritten.
// It copies as many cells as both rows have.
func Copy[T any](to, from []T, all int) {
	var cell T
	size := int(unsafe.Sizeof(cell))
	n := min(len(to), len(from))
	if past && size%4 == 0 && n*size >= pastLeast && all*size >= pastBytes {
		copyPast(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), n*size)
		return
	}
	copy(to, from)
}
