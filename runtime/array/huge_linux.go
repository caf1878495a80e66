package array

import "syscall"

// preferHuge asks for huge pages in b, which begins and ends with one. The system need
// not have them: then nothing changes.
func preferHuge(b []byte) {
	const madvHugePage = 14
	_ = syscall.Madvise(b, madvHugePage)
}
