//go:build !linux

package files

import (
	"errors"
	"os"
)

// errAlignment is no error of these systems.
var errAlignment = errors.New("not aligned")

// setDirect fails: these systems write as usual.
func setDirect(*os.File, bool) error { return errors.ErrUnsupported }
