//go:build !(mpi && cgo && unix)

package mpi

import (
	"fmt"

	"loopc/runtime/transport/rma"
)

// errBuiltWithout says how to build a program with MPI.
var errBuiltWithout = fmt.Errorf("%w: this program was built without it; loopc run --transport mpi builds one, and so does CGO_ENABLED=1 CC=mpicc go build -tags mpi", ErrUnavailable)

// Built returns nil if this program was built with MPI, else an error that says how to
// build it so.
func Built() error { return errBuiltWithout }

// Init returns an error.
func Init() (rank, size int, err error) { return 0, 0, errBuiltWithout }

// Finalize does nothing.
func Finalize() error { return nil }

func broadcast([]byte) error { return errBuiltWithout }

func open() (rma.Fabric, error) { return nil, errBuiltWithout }
