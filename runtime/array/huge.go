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
	// smallPages is what the same memory takes in small pages [note kernel-constants].
	smallPages = 600 * time.Microsecond
)

// LargeBytes is Bytes for memory that is used throughout, by some workers: it is
// touched, by as many goroutines, and from some megabytes on in huge pages. Where these
// take longer to come than small ones would, by a quarter of what all of them would take
// so, the others are to be small ones: a virtual machine may have given back its large
// free blocks to its host, which finds memory for them again piece by piece.
func LargeBytes(n, workers int) []byte {
	if n < 2*hugePage || n > 1<<62 {
		b := Bytes(n)
		Populate(b)
		return b
	}
	b := make([]byte, n+hugePage)
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & (hugePage - 1))
	b = b[skip : skip+n : skip+n]
	pages := n / hugePage
	huge := preferHuge(b[:pages*hugePage], true)
	var all sync.WaitGroup
	for k := range workers {
		part := b[k*pages/workers*hugePage : (k+1)*pages/workers*hugePage]
		all.Go(func() {
			if huge {
				part = touchHuge(part)
			}
			Populate(part)
		})
	}
	Populate(b[pages*hugePage:])
	all.Wait()
	return b
}

// touchHuge touches the huge pages of b, as long as they come fast enough, and returns
// the others.
func touchHuge(b []byte) []byte {
	began, worth := time.Now(), max(time.Millisecond, time.Duration(len(b)/hugePage)*smallPages/4)
	for len(b) > 0 {
		b[0] = 0
		b = b[hugePage:]
		if worth += smallPages; time.Since(began) > worth && len(b) > 0 {
			preferHuge(b, false)
			break
		}
	}
	return b
}
