package array

import "syscall"

// preferHuge asks the system for huge pages in b, which begins and ends with one, or for small
// pages. It returns false if the system has no huge pages.
func preferHuge(b []byte, huge bool) bool {
	advice := 15 // MADV_NOHUGEPAGE
	if huge {
		advice = 14 // MADV_HUGEPAGE
	}
	return syscall.Madvise(b, advice) == nil
}
