//go:build unix

package main

import (
	"io/fs"
	"os"
	"syscall"
)

// owners returns the user of this process, and the owner of a file.
func owners(info fs.FileInfo) (user, owner int) {
	owner = -1
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(s.Uid)
	}
	return os.Geteuid(), owner
}
