package files

import (
	"os"
	"syscall"
)

// errAlignment is the error of a write past the page cache for which position, length or memory
// are not aligned as this file system wants.
const errAlignment = syscall.EINVAL

// setDirect lets the system write f past its page cache, or as usual.
func setDirect(f *os.File, direct bool) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed syscall.Errno
	err = conn.Control(func(fd uintptr) {
		var flags uintptr
		if flags, _, failed = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0); failed != 0 {
			return
		}
		flags &^= syscall.O_DIRECT
		if direct {
			flags |= syscall.O_DIRECT
		}
		_, _, failed = syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_SETFL, flags)
	})
	if failed != 0 {
		return failed
	}
	return err
}
