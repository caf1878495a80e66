package files

import (
	"os"
	"syscall"
)

// mostInterrupts is how often a signal may interrupt one reservation, which then starts
// again.
const mostInterrupts = 100

// reserve reserves space for bytes of f.
func reserve(f *os.File, at, bytes int64) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var said error
	err = conn.Control(func(fd uintptr) {
		for range mostInterrupts {
			if said = syscall.Fallocate(int(fd), 0, at, bytes); said != syscall.EINTR {
				return
			}
		}
	})
	switch said {
	case syscall.EOPNOTSUPP, syscall.ENOSYS, syscall.EINVAL, syscall.EPERM, syscall.EINTR:
		return errUnsupported
	}
	if err == nil {
		err = said
	}
	return err
}
