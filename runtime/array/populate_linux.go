package array

import (
	"os"
	"syscall"
	"unsafe"
)

// populateWrite is MADV_POPULATE_WRITE, of Linux 5.14; older ones refuse it.
const populateWrite = 23

// populateLeast is how many bytes are worth a call of the system.
const populateLeast = 64 << 10

// Populate has the system supply the pages of b, which will all be written: in one
// call, which takes a third less time than a fault for each page.
func Populate(b []byte) {
	if len(b) < populateLeast {
		return
	}
	page := os.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & uintptr(page-1))
	whole := b[skip : skip+(len(b)-skip)/page*page]
	_ = syscall.Madvise(whole, populateWrite) // pages that are not there come when they are touched
}
