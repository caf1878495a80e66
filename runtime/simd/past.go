package simd

import "unsafe"

// StreamBytes is the size from which on a result's rows are written with streaming stores: more than the caches of a core, less than a
// shared cache. A second-level cache could not hold such a result until the run ends.
const StreamBytes = 4 << 20

// pastLeast is the least length, in bytes, of a row that is written with streaming stores, past the caches.
const pastLeast = 256

// Copy copies a row of results to the returned array, as many cells as both rows have. all is the number of cells of the array. Rows of
// large arrays are written with streaming stores, if the processor has them: then memory is not read before it is overwritten. See Copied.
func Copy[T any](to, from []T, all int) {
	var cell T
	size := int(unsafe.Sizeof(cell))
	n := min(len(to), len(from))
	if n*size >= pastLeast && Streams(size, all) {
		copyPast(unsafe.Pointer(unsafe.SliceData(to)), unsafe.Pointer(unsafe.SliceData(from)), n*size)
		return
	}
	copy(to, from)
}

// Copied waits until the rows that Copy has copied to an array are visible to other CPUs. It is
// called once after many rows, because it waits.
func Copied[T any](array []T) {
	if Streams(int(unsafe.Sizeof(*new(T))), len(array)) {
		fencePast()
	}
}

// Streams reports whether rows of a result are written with streaming stores. The result has the given number of cells, of size bytes each.
func Streams(size, cells int) bool { return past && size%4 == 0 && cells*size >= StreamBytes }

// FetchLines prefetches cache lines into the second cache, if the processor can do that. at is an
// address in the first of the lines. The addresses need not belong to this process.
func FetchLines(at unsafe.Pointer, lines int) {
	if past && lines > 0 {
		fetchLines(at, lines)
	}
}
