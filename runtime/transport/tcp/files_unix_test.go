//go:build unix

package tcp

import "syscall"

// openFiles returns how many files a process may have open; 0 if that is not
// known.
func openFiles() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Max), 1<<30)) // package os raises it so far
}
