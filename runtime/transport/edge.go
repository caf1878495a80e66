package transport

import "fmt"

// Check returns an error if rank of size cannot open e: the peer must be another rank of the run, the number must be in range, and there
// must be at least one slot, with all slots fitting into memory.
func (e Edge) Check(rank, size int) error {
	var err error
	switch {
	case e.Peer < 0 || e.Peer >= size:
		err = fmt.Errorf("no rank %d among %d", e.Peer, size)
	case e.Peer == rank:
		err = fmt.Errorf("rank %d has an edge to itself", rank)
	case e.ID < 0 || e.ID >= MaxEdges:
		err = fmt.Errorf("edge number %d is not below %d", e.ID, MaxEdges)
	default:
		err = checkSlots(e.Capacity, e.Slots)
	}
	if err != nil {
		return &Error{Op: "open", Rank: rank, Peer: e.Peer, Edge: e.ID, Step: -1, Err: err}
	}
	return nil
}

// Mismatch returns ErrMismatch with the numbers of both sides: ours is the edge as opened here, theirs as the peer opened it.
func Mismatch(ours, theirs Edge) error {
	return fmt.Errorf("%w: here %d slots of %d bytes, there %d of %d",
		ErrMismatch, ours.Slots, ours.Capacity, theirs.Slots, theirs.Capacity)
}
