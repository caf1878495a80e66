// Package rma moves faces over any network that lets a rank write into the memory
// of another and tell it so: a Fabric. The sender writes a face from the slot where
// it was packed into the slot where the neighbor reads it, and neither side's CPU
// copies it, if the network does not. Packages ofi and mpi have fabrics.
//
// # Who does what
//
// Two ranks first know one another through another transport, the control: over
// it they exchange where their endpoints are, and for each edge where its slots
// lie and the key to write there. Whoever is gone or gives up is noticed there,
// too. Faces, credits and acknowledgements then are writes with a 4-byte
// immediate, which the target finds in its completion queue (immediate.go); that
// is the only sign of arrival, because neither the local completion of a write nor
// the last byte in memory means that a face is there.
//
// Credits travel in the headers of faces the other way, if there are any (credit.go).
//
// Most fabrics move nothing while their user makes no call. A goroutine
// therefore serves the completion queue (progress.go); a worker
// that waits serves it itself, which saves waking it, and the goroutine keeps out of
// its way.
//
// The fabric is trusted: who may write into a region is decided by its key, which
// is random where the fabric lets us choose it, and travels over the control
// only. Every immediate is checked before it is believed.
package rma

import (
	"context"

	"loopc/runtime/transport"
)

// Config says how a rank gets to its fabric.
type Config struct {
	// Control connects the same ranks already. The transport takes it over: it
	// closes Control when it is closed, and when New fails.
	Control transport.Transport

	// Peers are the ranks with which edges are shared; nil means all.
	Peers []int
}

// New connects to the peers over a fabric, which open returns and which the
// transport closes: every rank calls it at the same time.
func New(ctx context.Context, cfg Config, open func() (Fabric, error)) (transport.Transport, error) {
	fabric, err := open()
	if err == nil {
		var m *mesh
		if m, err = newMesh(ctx, cfg, fabric); err == nil {
			return m, nil
		}
		fabric.Close()
	}
	err = &transport.Error{Op: "connect", Rank: cfg.Control.Rank(), Peer: -1, Edge: -1, Step: -1, Err: err}
	_ = cfg.Control.Close(err) // it has nothing to add
	return nil, err
}
