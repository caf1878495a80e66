//go:build !(ofi && linux && cgo)

package ofi

import (
	"fmt"

	"loopc/runtime/transport/rma"
)

// open refuses: this program was built without libfabric.
func open(string, string) (rma.Fabric, error) {
	return nil, fmt.Errorf("%w: this program was built without libfabric; build it on Linux with cgo and go build -tags ofi", ErrUnavailable)
}
