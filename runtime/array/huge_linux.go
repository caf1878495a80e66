package array

import "syscall"

// preferHuge asks the system for huge pages in b, or, if huge is false, for small pages. b begins
// and ends at a boundary of huge pages. The result is false if the system has no huge pages.
func preferHuge(b []byte, huge bool) bool {
	advice := 15 // MADV_NOHUGEPAGE
	if huge {
		advice = 14 // MADV_HUGEPAGE
	}
	return syscall.Madvise(b, advice) == nil
}
