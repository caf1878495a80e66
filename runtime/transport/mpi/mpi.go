// Package mpi is a fabric on top of nonblocking MPI messages, for machines whose only fast
// network interface is their MPI. Faces are sent from the slot in which they were packed,
// and received in the slot from which they are read. Programs are built with it by
//
//	CC=mpicc go build -tags mpi
//
// and started by the mpiexec of the same installation. Without the tag New returns
// an error.
//
// A rank has one endpoint, with receives posted ahead for the headers of writes (shim.c).
// A mutex in shim.c lets only one thread at a time call MPI (MPI_THREAD_SERIALIZED). A process
// may have several ranks, so tests run a complete mesh in a single MPI process.
//
// MPI is trusted: messages in MPI_COMM_WORLD are checked against bounds, but neither
// encrypted nor signed. Ranks still authenticate one another over the control connections,
// and a write must name a key of its target region.
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

// New connects to the peers. It is collective: every rank calls it, in processes that have
// called Init.
func New(ctx context.Context, cfg rma.Config) (transport.Transport, error) {
	return rma.New(ctx, cfg, open)
}

// mostBroadcast bounds the text of Broadcast.
const mostBroadcast = 4096

// Broadcast returns the text of process 0. It is collective: every process calls it, after
// Init.
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
