// Package simd tells which vector instructions the processor has and the operating system
// saves. It also has the assembly functions that do not depend on a nest: transpositions
// between vectors and rows, and streaming stores.
//
// Builds with the race detector use no vector instructions, because the detector does not see
// what assembly does. Without vector instructions, Go code gives the same results. Package
// codegen/interleave writes the transpositions.
package simd

import "sync"

// AVX2 reports whether kernels with 32-byte vectors can run: the processor needs AVX2, and FMA, which divisions by constants use.
func AVX2() bool { return !race && features().avx2 }

// AVX512 reports whether kernels with 64-byte vectors can run: the processor needs AVX-512 F, BW, DQ and VL.
func AVX512() bool { return !race && features().avx512 }

// WideDivider reports whether the processor divides a vector of 64 bytes in the time of one of 32: those of AMD from family 26 on do.
// Others divide the halves one after the other (note vector-constants).
func WideDivider() bool { return features().wideDivider }

// features are detected once, because a virtual machine is slow to execute CPUID.
var features = sync.OnceValue(detect)

type set struct{ avx2, avx512, wideDivider bool }
