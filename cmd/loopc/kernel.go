package main

import (
	"slices"

	"loopc/codegen"
	"loopc/runtime/simd"
)

// portableKernel is kernel.Portable.
const portableKernel = "portable"

// hasKernel returns the usage error of an emitted program for --kernel name, or nil if some
// nest has this kernel and the processor can run it.
func (l *lowered) hasKernel(name string) error {
	usable := map[string]bool{"": true, portableKernel: true, "avx2": simd.AVX2(), "avx512": simd.AVX512()}
	can, known := usable[name]
	switch {
	case !known:
		return usagef("no such kernel: %q; there are avx512, avx2 and %s", name, portableKernel)
	case name == "" || name == portableKernel:
		return nil
	}
	var why []string // by nest: why it has no vector kernel; "": it has one
	for k, n := range l.program.Nests {
		why = append(why, codegen.Scalar(n, l.lower[k], l.nests[k]))
	}
	switch {
	case !slices.Contains(why, ""):
		return usagef("there is no %s kernel, only the %s one: %s", name, portableKernel, why[0])
	case !can:
		return usagef("this processor cannot run the %s kernel", name)
	}
	return nil
}
