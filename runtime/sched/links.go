package sched

import (
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/halo"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// A link is the rank's part of an edge of its plan: one end, or both ends if the edge joins two columns of the rank. It serves several runs
// of the plan: at the end of a run, every message has been received.
type link struct {
	plan.EdgeOf
	send  transport.SendEdge // nil: the edge begins on another rank
	recv  transport.RecvEdge // nil: the edge ends on another rank
	early *earlySend         // nil: between ranks, or in skewed storage, whose links carry no cells
	// slots is the memory of the first slots of a ring. It is nil once the system has supplied its
	// pages; the pages of other slots come when they are touched.
	slots []byte
}

// openLinks opens the rank's ends of every edge of p that carries messages, and makes a ring for each edge between two columns of the rank.
// Edges between ranks are numbered from base.
func openLinks(p *plan.Plan, tr transport.Transport, base int) ([]link, error) {
	rank := tr.Rank()
	dirs := p.Directions()
	var all []link
	for _, e := range p.EdgesOf(rank) {
		if _, ok := p.Stream(&e); !ok {
			continue
		}
		capacity := p.MessageCapacity(&dirs[e.Dir], e.Remote())
		l := link{EdgeOf: e}
		id := base + e.ID
		var err error
		switch {
		case !e.Remote():
			ring := transport.NewRing(capacity, e.Slots)
			ring.Patient(p.CPUs)
			l.send, l.recv = ring.Sender(rank, rank, e.ID), ring.Receiver(rank, rank, e.ID)
			l.slots = ring.Memory()
			l.slots = l.slots[:len(l.slots)/e.Slots*min(e.Slots, plan.LeastSlots)] // that of LeastSlots slots
			if !p.KeepsWhole() {
				l.early = newEarlySend(p)
			}
		case id >= transport.MaxEdges:
			err = fmt.Errorf("rank %d needs more than %d edges to rank %d; make the tiles larger", e.Rank[0], transport.MaxEdges, e.Rank[1])
		case e.Rank[0] == rank:
			l.send, err = tr.OpenSend(transport.Edge{Peer: e.Rank[1], ID: id, Capacity: capacity, Slots: e.Slots})
		default:
			l.recv, err = tr.OpenRecv(transport.Edge{Peer: e.Rank[0], ID: id, Capacity: capacity, Slots: e.Slots})
		}
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, tr.Flush()
}

// attach gives columns their ends of the links, for one run of p.
func attach(p *plan.Plan, links []link, columns map[int]*column) {
	if p.Empty { // in this repetition: there are no columns
		return
	}
	dirs := p.Directions()
	for i := range links {
		l := &links[i]
		dir := &dirs[l.Dir]
		array.Populate(l.slots)
		l.slots = nil
		if l.send != nil {
			c := columns[l.From]
			stream, _ := p.Stream(&l.EdgeOf) // each end has a stream of its own
			out := outStream{Stream: stream, remote: l.Remote(), edge: l.send, face: halo.NewFace(p, dir), trail: newTrail(l.Remote(), l.Rank[1], l.ID)}
			if l.early != nil {
				out.early = &l.early.packer
			}
			c.out = append(c.out, out)
			c.Out = append(c.Out, out.face)
		}
		if l.recv != nil {
			c := columns[l.To]
			stream, _ := p.Stream(&l.EdgeOf)
			in := inStream{Stream: stream, remote: l.Remote(), edge: l.recv, face: halo.NewFace(p, dir), trail: newTrail(l.Remote(), l.Rank[0], l.ID)}
			if l.early != nil {
				in.early = &l.early.reader
			}
			c.in = append(c.in, in)
			c.In = append(c.In, in.face)
		}
	}
}
