//go:build unix

package auth

import (
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private returns an error if another user has access to the file.
func private(name string, info fs.FileInfo) error {
	owner := -1
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(s.Uid)
	}
	return privateTo(os.Geteuid(), name, info.Mode(), owner)
}

// privateTo does what private does, for the given user, mode and owner.
func privateTo(user int, name string, mode fs.FileMode, owner int) error {
	open := mode.Perm() &^ 0o700
	if owner == 0 { // a group may read files of root: Kubernetes mounts secrets like that
		open &^= 0o040
	}
	switch {
	case !mode.IsRegular():
		return fmt.Errorf("%s is not a file", name)
	case owner != user && owner != 0:
		return fmt.Errorf("%s belongs to user %d, not to user %d", name, owner, user)
	case open != 0:
		return fmt.Errorf("%s has mode %04o: others have access; chmod 600 %s", name, mode.Perm(), name)
	}
	return nil
}
