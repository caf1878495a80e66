package simd

import "unsafe"

// past says that copyPast is there.
const past = !race

// copyPast copies n bytes, a multiple of 4, at least 64, from one place to another that
// does not overlap it and lies at a multiple of 4: whole lines past the caches, which
// are in memory for everybody after a fencePast.
//
//go:noescape
func copyPast(to, from unsafe.Pointer, n int)

// copyLines copies n bytes from offset on of each row of f, whole lines, past the caches,
// which are in memory for everybody after a fencePast.
func copyLines(f *outgoingFrame, rows, offset, n int) {
	if AVX512() {
		copyLines512(f, rows, offset, n)
	} else {
		copyLines128(f, rows, offset, n)
	}
}

//go:noescape
func copyLines128(f *outgoingFrame, rows, offset, n int)

//go:noescape
func copyLines512(f *outgoingFrame, rows, offset, n int)

// moveVectors copies n bytes, vectors of 64, from one address to another, which may be within
// them if it is the lower one.
//
//go:noescape
func moveVectors(to, from, n int)

// fetchEnds asks for the first and the last of n bytes to be moved into the first cache.
//
//go:noescape
func fetchEnds(to unsafe.Pointer, n int)

// fetchLines asks for so many lines, at least one, to be moved into the second cache.
//
//go:noescape
func fetchLines(at unsafe.Pointer, lines int)

//go:noescape
func fencePast()
