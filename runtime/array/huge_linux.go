package array

import "syscall"

// preferHuge asks for huge pages in b, which begins and ends with one, or for small
// ones. It reports false if the system has none.
func preferHuge(b []byte, huge bool) bool {
	advice := 15 // MADV_NOHUGEPAGE
	if huge {
		advice = 14 // MADV_HUGEPAGE
	}
	return syscall.Madvise(b, advice) == nil
}
