// Package rma moves faces over a network with remote writes that notify the target: a
// Fabric. The sender writes a face from the slot in which it was packed into the slot from
// which the neighbor reads it. No CPU copies the face, unless the network's software does.
// Packages ofi and mpi have fabrics.
//
// # Who does what
//
// Two ranks are first connected by another transport, the control. Over it they exchange
// the addresses of their endpoints, and for each edge the address of its slots and the key
// for writing into them. The control also notices ranks that are gone or give up. Faces,
// credits and acknowledgements are writes with a 4-byte immediate, which the target finds
// in its completion queue (immediate.go). The immediate is the only valid sign of arrival:
// neither the local completion of a write nor the last byte in memory means that a face has
// arrived.
//
// Credits travel in the headers of faces in the opposite direction, if there are such faces
// (credit.go).
//
// Most fabrics make progress only inside calls. A goroutine therefore serves the completion
// queue (progress.go). A waiting worker serves the queue itself, which saves waking the
// worker, and the goroutine sleeps meanwhile.
//
// The fabric is trusted. A region's key controls who may write into it; the key is random
// if the fabric lets us choose it, and is sent over the control only. Every immediate is
// checked before use.
package rma

import (
	"context"

	"loopc/runtime/transport"
)

// Config configures a transport over a fabric.
type Config struct {
	// Control is a transport that already connects the same ranks. New takes it over: it is
	// closed with the new transport, and when New fails.
	Control transport.Transport

	// Peers are the ranks with which edges are shared; nil means all.
	Peers []int
}

// New connects to the peers over the fabric that open returns, which the transport closes.
// It is collective: every rank calls it.
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
	_ = cfg.Control.Close(err) // its error adds nothing
	return nil, err
}
