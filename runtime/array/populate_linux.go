package array

import (
	"os"
	"syscall"
	"unsafe"
)

// populateWrite is MADV_POPULATE_WRITE of Linux 5.14; older versions refuse it.
const populateWrite = 23

// populateLeast is the least number of bytes for which a system call is worthwhile.
const populateLeast = 64 << 10

// Populate makes the system supply the pages of b, which will all be written, in one call. That takes less time than a fault for each page.
func Populate(b []byte) {
	if len(b) < populateLeast {
		return
	}
	page := os.Getpagesize()
	skip := int(-uintptr(unsafe.Pointer(&b[0])) & uintptr(page-1))
	whole := b[skip : skip+(len(b)-skip)/page*page]
	_ = syscall.Madvise(whole, populateWrite) // if it fails, pages come when they are touched
}
