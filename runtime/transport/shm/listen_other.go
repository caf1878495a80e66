//go:build !linux

package shm

import (
	"errors"

	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

// ErrNeedsLinux is why there is no shared memory here.
var ErrNeedsLinux = errors.New("shm: needs linux")

// Supported says whether this system has what Listen needs.
func Supported() error { return ErrNeedsLinux }

// Listen fails with ErrNeedsLinux.
func Listen(int, auth.Secret) (tcp.Local, error) { return nil, ErrNeedsLinux }
