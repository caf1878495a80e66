package array

import "unsafe"

// hugePage is what the system maps at a time where it can: then a block of many
// megabytes takes hundreds of page faults instead of many thousands, and its rows few
// of the processor's translations.
const hugePage = 2 << 20

// LargeBytes is Bytes for memory that is used throughout: from some megabytes on it is
// asked for in huge pages.
func LargeBytes(n int) []byte {
	if n < 2*hugePage || n > 1<<62 {
		return Bytes(n)
	}
	b := make([]byte, n+2*hugePage)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1))
	preferHuge(b[skip : skip+(n+hugePage-1)&^(hugePage-1)])
	return b[skip : skip+n : skip+n]
}
