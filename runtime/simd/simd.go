// Package simd tells which vector instructions the processor has and the
// operating system saves. In builds with the race detector, which does not see
// what assembly does, there are none.
package simd

import "sync"

// AVX2 reports whether kernels with 32-byte vectors can run: AVX2, and fused products and
// sums, which divisions by constants take.
func AVX2() bool { return !race && features().avx2 }

// AVX512 reports whether kernels with 64-byte vectors can run: AVX-512 F, BW, DQ
// and VL.
func AVX512() bool { return !race && features().avx512 }

// StoresLines reports whether a single line that is stored past the caches takes no longer
// than one of several that lie beside one another: on processors of AMD with AVX-512 (16
// rows in turn, Zen 4: 0.155 ns for 4 bytes, with bursts of 4 lines 0.155), not on Intel's
// (0.21 to 0.25, and 0.16).
func StoresLines() bool { return AVX512() && features().amd }

// features are found once: a virtual machine takes long over the instruction.
var features = sync.OnceValue(detect)

type set struct{ avx2, avx512, amd bool }
