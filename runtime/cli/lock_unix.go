//go:build linux || darwin

package cli

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lock takes the lock of a file, which closing f or the end of the process releases. It returns
// errLocked if another process holds the lock, and another error if files have none here.
func lock(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	err = c.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), syscall.LOCK_EX|syscall.LOCK_NB) })
	if errors.Is(locked, syscall.EWOULDBLOCK) {
		return errLocked
	}
	return errors.Join(err, locked)
}

// ours reports whether a file belongs to this user.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
