// Package mpi is a fabric made of the nonblocking messages of MPI, for machines
// whose only fast path is their own MPI. A face is packed where MPI sends from and
// received where it is read. Programs are built with it by
//
//	CC=mpicc go build -tags mpi
//
// and started by the mpiexec of the same installation. Without the tag New returns
// an error.
//
// A rank has one endpoint, which receives heads of writes ahead (shim.c); packages
// rma and shim see to it that one thread at a time calls MPI: MPI_THREAD_SERIALIZED.
// Within a process, several endpoints can talk to one another, which is how tests
// run whole meshes in a single process of MPI.
//
// MPI is trusted: whoever takes part in MPI_COMM_WORLD is believed within bounds,
// and what is sent is neither encrypted nor signed. Ranks know one another by the
// control all the same, and a write must name a key of the region that it is for.
package mpi

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"loopc/runtime/transport"
	"loopc/runtime/transport/rma"
)

// ErrUnavailable is the error of a program, or of a machine, without MPI.
var ErrUnavailable = errors.New("no MPI")

// New connects to the peers: every rank calls it at the same time, in processes
// that have called Init.
func New(ctx context.Context, cfg rma.Config) (transport.Transport, error) {
	return rma.New(ctx, cfg, open)
}

// mostBroadcast bounds what Broadcast passes on.
const mostBroadcast = 4096

// Broadcast returns the text that process 0 gives. Every process calls it at the
// same time, after Init.
func Broadcast(text string) (string, error) {
	buffer := make([]byte, mostBroadcast)
	if len(text) > mostBroadcast-2 {
		return "", fmt.Errorf("mpi: %d bytes are too many to broadcast", len(text))
	}
	binary.LittleEndian.PutUint16(buffer, uint16(len(text)))
	copy(buffer[2:], text)
	if err := broadcast(buffer); err != nil {
		return "", err
	}
	n := int(binary.LittleEndian.Uint16(buffer))
	if n > mostBroadcast-2 {
		return "", fmt.Errorf("mpi: process 0 broadcasts %d bytes", n)
	}
	return string(buffer[2 : 2+n]), nil
}
