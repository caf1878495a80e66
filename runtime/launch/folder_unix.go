//go:build !windows

package launch

import (
	"io/fs"
	"os"
	"syscall"
)

// ownerOnly says whether the mode gives nothing to group and others.
func ownerOnly(info fs.FileInfo) bool { return info.Mode().Perm()&0o077 == 0 }

// ownedByUs says whether the file belongs to this user or to root.
func ownedByUs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (int(stat.Uid) == os.Geteuid() || stat.Uid == 0)
}
