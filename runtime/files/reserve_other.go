//go:build !linux

package files

import "os"

// reserve reserves nothing: the standard library has no call for it here. Windows reserves
// space where a file gets its length.
func reserve(*os.File, int64, int64) error { return errUnsupported }
