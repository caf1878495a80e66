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

	// Provider is the name of a provider of libfabric, such as "tcp;ofi_rxm";
	// "" is the first that can do what is needed, on any host.
	Provider string

	// Address is that of the interface to use, where the provider's addresses
	// are those of IP; "" leaves it to libfabric.
	Address string
}

// ErrUnavailable is the error of a program, or of a machine, that cannot do RDMA.
var ErrUnavailable = errors.New("no RDMA")

// New connects to the peers: every rank calls it at the same time.
func New(ctx context.Context, cfg Config) (transport.Transport, error) {
	address := cfg.Address
	if cfg.Provider == "shm" {
		address = "" // its addresses are names
	}
	return rma.New(ctx, cfg.Config, func() (rma.Fabric, error) { return open(cfg.Provider, address) })
}
