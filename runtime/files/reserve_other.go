//go:build !linux

package files

import "os"

// reserve reserves nothing: the standard library has no call for it on these systems. Windows reserves space when the length of a
// file is set.
func reserve(*os.File, int64, int64) error { return errUnsupported }
