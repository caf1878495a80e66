// Package simd tells which vector instructions the processor has and the
// operating system saves, and has the functions in assembly that do not depend on a
// nest: transpositions between vectors and rows, and stores that go past the caches.
//
// In builds with the race detector, which does not see what assembly does, there are
// no vector instructions. Where there are none, Go code gives the same results.
// The transpositions are written by package codegen/interleave.
package simd

import "sync"

// AVX2 reports whether kernels with 32-byte vectors can run: AVX2, and fused products and
// sums, which divisions by constants take.
func AVX2() bool { return !race && features().avx2 }

// AVX512 reports whether kernels with 64-byte vectors can run: AVX-512 F, BW, DQ
// and VL.
func AVX512() bool { return !race && features().avx512 }

// features are found once: a virtual machine takes long over the instruction.
var features = sync.OnceValue(detect)

type set struct{ avx2, avx512 bool }
