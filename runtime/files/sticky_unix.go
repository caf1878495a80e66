//go:build linux || darwin

package files

import (
	"io/fs"
	"os"
	"syscall"
)

// isSticky reports whether the sticky bit of the folder dir protects a file in it from this
// user. It does not bind root, nor the owners of the folder and of the file.
func isSticky(file fs.FileInfo, dir string) bool {
	folder, err := os.Stat(dir)
	if err != nil || folder.Mode()&fs.ModeSticky == 0 || os.Geteuid() == 0 {
		return false
	}
	return !isOurs(file) && !isOurs(folder)
}

// isOurs reports whether a file belongs to the effective user.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
