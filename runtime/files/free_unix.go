//go:build linux || darwin

package files

import (
	"os"
	"syscall"
)

// Free returns how many bytes this user may still write to the file system of f, or -1 if
// this is unknown.
func Free(f *os.File) int64 {
	conn, err := f.SyscallConn()
	if err != nil {
		return -1
	}
	var s syscall.Statfs_t
	var said error
	err = conn.Control(func(fd uintptr) { said = syscall.Fstatfs(int(fd), &s) })
	if err != nil || said != nil || s.Blocks == 0 { // a file system without blocks has no limit of its own
		return -1
	}
	return int64(s.Bavail) * int64(s.Bsize)
}
