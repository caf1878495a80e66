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

// fetchEnds asks for the first and the last of n bytes to be moved into the first cache.
//
//go:noescape
func fetchEnds(to unsafe.Pointer, n int)

//go:noescape
func fencePast()
