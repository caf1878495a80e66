//go:build !linux && !darwin

package cli

import (
	"errors"
	"io/fs"
	"os"
)

// lock returns an error: files of these systems have no locks that end with their process.
func lock(*os.File) error { return errors.ErrUnsupported }

// ours returns false: without locks, leftovers cannot be recognized.
func ours(fs.FileInfo) bool { return false }
