//go:build !(ofi && linux && cgo)

package ofi

import (
	"fmt"

	"loopc/runtime/transport/rma"
)

// errBuiltWithout says how to build a program with libfabric.
var errBuiltWithout = fmt.Errorf("%w: this program was built without libfabric; loopc run --transport ofi builds one on Linux, and so does CGO_ENABLED=1 go build -tags ofi, with a C compiler and libfabric's headers (Debian: libfabric-dev)", ErrUnavailable)

// Built returns nil if this program was built with libfabric, else an error that says how
// to build it so.
func Built() error { return errBuiltWithout }

// open returns an error.
func open(string, string) (rma.Fabric, error) { return nil, errBuiltWithout }
