//go:build !linux && !darwin

package files

import "io/fs"

// isSticky returns false: the sticky bit is not checked here.
func isSticky(fs.FileInfo, string) bool { return false }
