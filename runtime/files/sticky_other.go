//go:build !linux && !darwin

package files

import "io/fs"

// isSticky returns false: these systems have no sticky bit, or it is not checked.
func isSticky(fs.FileInfo, string) bool { return false }
