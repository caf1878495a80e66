package simd

import "unsafe"

// past says that copyPast can be used: amd64 has streaming stores; the race detector would not see them.
const past = !race

// copyPast copies n bytes, a multiple of 4 and at least 64, to an address that is a multiple of
// 4; the two ranges must not overlap. It writes entire lines with streaming stores: other CPUs
// see them after a fencePast.
//
//go:noescape
func copyPast(to, from unsafe.Pointer, n int)

// copyLines copies n bytes, entire lines, from offset on of each row of f, with streaming stores: other CPUs see them after a fencePast.
func copyLines(f *streamedFrame, rows, offset, n int) {
	if AVX512() {
		copyLines512(f, rows, offset, n)
	} else {
		copyLines128(f, rows, offset, n)
	}
}

//go:noescape
func copyLines128(f *streamedFrame, rows, offset, n int)

//go:noescape
func copyLines512(f *streamedFrame, rows, offset, n int)

// moveVectors copies n bytes, in vectors of 64. The ranges may overlap if to is the lower
// address.
//
//go:noescape
func moveVectors(to, from, n int)

// fetchEnds prefetches the first and the last of n bytes into the first cache.
//
//go:noescape
func fetchEnds(to unsafe.Pointer, n int)

// fetchLines prefetches at least one line into the second cache.
//
//go:noescape
func fetchLines(at unsafe.Pointer, lines int)

//go:noescape
func fencePast()
