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
// It copies as many cells as both rows have. See Copied.
func Copy[T any](to, from []T, all int) {
	var cell T
	size := int(unsafe.Sizeof(cell))
	n := min(len(to), len(from))
	if n*size >= pastLeast && goesPast(size, all) {
		copyPast(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), n*size)
		return
	}
	copy(to, from)
}

// Copied waits until rows that Copy has copied to an array are in memory, as others see
// it. It is called after many rows, for whoever waits computes nothing meanwhile.
func Copied[T any](array []T) {
	if goesPast(int(unsafe.Sizeof(*new(T))), len(array)) {
		fencePast()
	}
}

// goesPast reports whether rows of an array with so many cells of a size go past the caches.
func goesPast(size, all int) bool { return past && size%4 == 0 && all*size >= pastBytes }

// Fetch asks for the first and the last byte of b to be moved into the first cache, where
// the processor can do that.
func Fetch(b []byte) {
	if past && len(b) > 0 {
		fetchEnds(unsafe.Pointer(unsafe.SliceData(b)), len(b))
	}
}

// FetchLines asks for so many cache lines, from the one of at on, to be moved into the
// second cache, where the processor can do that. They need not be memory of this process.
func FetchLines(at unsafe.Pointer, lines int) {
	if past && lines > 0 {
		fetchLines(at, lines)
	}
}
