// Package ofi is a fabric on top of libfabric: the sender's network card writes a face from
// the slot in which it was packed into the slot from which the neighbor reads it. It
// reaches InfiniBand, RoCE, EFA, shared memory and plain TCP through libfabric, which it
// opens at run time; programs are built with it by
//
//	go build -tags ofi
//
// with cgo and the headers of libfabric (Debian: libfabric-dev). Without the tag
// New returns an error.
package ofi

import (
	"context"
	"errors"

	"loopc/runtime/transport"
	"loopc/runtime/transport/rma"
)

// Config selects the fabric of a rank.
type Config struct {
	rma.Config

	// Provider is the name of a libfabric provider, such as "tcp;ofi_rxm"; "" selects the
	// first suitable provider that reaches other hosts.
	Provider string

	// Address is the IP address of the interface to use, for providers with IP addresses;
	// "" leaves the choice to libfabric.
	Address string
}

// ErrUnavailable is the error of a program or a machine without RDMA.
var ErrUnavailable = errors.New("no RDMA")

// New connects to the peers. It is collective: every rank calls it.
func New(ctx context.Context, cfg Config) (transport.Transport, error) {
	address := cfg.Address
	if cfg.Provider == "shm" {
		address = "" // its addresses are names
	}
	return rma.New(ctx, cfg.Config, func() (rma.Fabric, error) { return open(cfg.Provider, address) })
}
