package array

import (
	"sync"
	"time"
	"unsafe"
)

// hugePage is the size of a huge page: with huge pages, a block of many megabytes takes hundreds of page faults instead of many thousands,
// and its rows need few entries of the processor's translation cache.
const (
	hugePage = 2 << 20
	// smallPages is the time that small pages take for the memory of a huge page [note kernel-constants].
	smallPages = 600 * time.Microsecond
)

// LargeBytes does what Bytes does, for memory that several workers use completely. As many goroutines touch the memory, in huge pages from
// some megabytes on. A goroutine goes on with small pages when its huge pages have lost, against small ones, a quarter of the time that
// small ones take in all: a virtual machine may have returned its large free blocks to its host, which then finds memory for them again bit
// by bit.
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

// MakeLarge is the function Make, with memory of LargeBytes.
func MakeLarge(elem string, lo, hi []int, workers int) (View, error) {
	return makeView(elem, lo, hi, func(n int) []byte { return LargeBytes(n, workers) })
}

// touchHuge touches the huge pages of b as long as they come fast enough, and returns the remaining memory.
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
