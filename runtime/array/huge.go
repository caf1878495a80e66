package array

import (
	"sync"
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

// LargeBytes is Bytes for memory that is used throughout, by some workers: from some
// megabytes on it is asked for in huge pages, and touched, by as many goroutines. As
// soon as one of them takes long to come, the others are to be small ones: a virtual
// machine may have given back its large free blocks to its host, which finds memory for
// them again piece by piece.
func LargeBytes(n, workers int) []byte {
	if n < 4*hugePage || n > 1<<62 {
		return Bytes(n)
	}
	b := make([]byte, n+2*hugePage)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1))
	whole := b[skip : skip+(n+hugePage-1)&^(hugePage-1)]
	if preferHuge(whole, true) {
		pages := len(whole) / hugePage
		var all sync.WaitGroup
		for k := range workers {
			part := whole[k*pages/workers*hugePage : (k+1)*pages/workers*hugePage]
			all.Go(func() { touchHuge(part) })
		}
		all.Wait()
	}
	return b[skip : skip+n : skip+n]
}

// touchHuge touches every huge page of b, until one takes long.
func touchHuge(b []byte) {
	for k := 0; k < len(b); k += hugePage {
		began := time.Now()
		b[k] = 0
		if time.Since(began) > hugeSlow {
			preferHuge(b[k:], false)
			return
		}
	}
}
