//go:build !linux && !darwin

package files

import "io/fs"

// isSticky returns false: folders have no sticky bit here.
func isSticky(fs.FileInfo, string) bool { return false }
