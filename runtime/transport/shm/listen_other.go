//go:build !linux

package shm

import (
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/tcp"
)

// Supported returns ErrNeedsLinux.
func Supported() error { return ErrNeedsLinux }

// Listen fails with ErrNeedsLinux.
func Listen(int, auth.Secret) (tcp.Local, error) { return nil, ErrNeedsLinux }
