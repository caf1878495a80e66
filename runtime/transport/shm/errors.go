package shm

import "errors"

// ErrNeedsLinux is the error of systems other than Linux.
var ErrNeedsLinux = errors.New("shm: needs linux")
