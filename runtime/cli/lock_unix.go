//go:build linux || darwin

package cli

import (
	"os"
	"syscall"
)

// lock takes the lock of a file, which is given up when f is closed, also by the
// process's end. It returns false if somebody else has it, or if files here have
// none.
func lock(f *os.File) bool {
	c, err := f.SyscallConn()
	if err != nil {
		return false
	}
	var locked error
	err = c.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	return err == nil && locked == nil
}
