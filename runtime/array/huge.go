package array

import (
	"time"
	"unsafe"
)

// hugePage is what the system maps at a time where it can: then a block of many
// megabytes takes hundreds of page faults instead of many thousands, and its rows few
// of the processor's translations.
const (
	hugePage = 2 << 20
	hugeSlow = time.Millisecond // of a page: it takes 0.1 to 0.3 to clear one
)

// LargeBytes is Bytes for memory that is used throughout: from some megabytes on it is
// asked for in huge pages, and touched. As soon as one of them takes long to come, the
// others are to be small ones: a virtual machine may have given back its large free
// blocks to its host, which finds memory for them again piece by piece.
func LargeBytes(n int) []byte {
	if n < 4*hugePage || n > 1<<62 {
		return Bytes(n)
	}
	b := make([]byte, n+2*hugePage)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1))
	whole := b[skip : skip+(n+hugePage-1)&^(hugePage-1)]
	if preferHuge(whole, true) {
		for k := 0; k < len(whole); k += hugePage {
			began := time.Now()
			whole[k] = 0
			if time.Since(began) > hugeSlow {
				preferHuge(whole[k:], false)
				break
			}
		}
	}
	return b[skip : skip+n : skip+n]
}
