package shm

import "errors"

// ErrNeedsLinux is why there is no shared memory on other systems.
var ErrNeedsLinux = errors.New("shm: needs linux")
