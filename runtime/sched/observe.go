package sched

import (
	"time"

	"loopc/runtime/trace"
	"loopc/runtime/transport"
)

// A trail counts the messages at one end of an edge, to name them in traces.
type trail struct {
	peer, id int
	count    uint64 // messages so far
}

// newTrail returns the trail of edge id to or from a peer.
func newTrail(remote bool, peer, id int) trail {
	if !remote {
		peer = -1 // no message leaves the rank
	}
	return trail{peer: peer, id: id}
}

// next names the next message, of the given length.
func (t *trail) next(bytes int) trace.Face {
	f := trace.Face{Peer: t.peer, Edge: t.id, Sequence: t.count, Bytes: bytes}
	t.count++
	return f
}

// observe gives each peer of an observable transport a lane per direction: one goroutine writes to the peer, and another reads.
func observe(tr transport.Transport, record *trace.Recorder) {
	o, ok := tr.(transport.Observable)
	if !ok || record == nil {
		return
	}
	out, in := make([]*trace.Lane, tr.Size()), make([]*trace.Lane, tr.Size())
	for peer := range out {
		if peer != tr.Rank() {
			out[peer], in[peer] = record.Lane(tr.Rank(), -1, ""), record.Lane(tr.Rank(), -1, "")
		}
	}
	face := func(p transport.Passage) trace.Face {
		return trace.Face{Peer: p.Peer, Edge: p.Edge, Sequence: p.Sequence, Bytes: p.Bytes}
	}
	nowhere := trace.Place{Column: -1, Tile: -1, Step: -1}
	o.Observe(transport.Observer{
		Written:  func(p transport.Passage) { out[p.Peer].Add(trace.Written, p.Begin, p.End, nowhere, face(p), p.Bytes) },
		Received: func(p transport.Passage) { in[p.Peer].Add(trace.Receive, p.Begin, p.End, nowhere, face(p), p.Bytes) },
	})
}

// now is the time, if the worker is observed.
func (w *worker) now() time.Time {
	if w.lane == nil {
		return time.Time{}
	}
	return time.Now()
}

// place records which tile is next, for the trace.
func (w *worker) place(c *column, k int) {
	if w.lane != nil {
		w.at = trace.Place{Column: c.number, Tile: k, Step: w.plan.StepOf(c.At(), k)}
	}
}

// waited records the time since began as waiting of the given kind, for face f.
func (w *worker) waited(kind trace.Kind, began time.Time, f trace.Face) {
	if w.lane != nil {
		w.lane.Waited(kind, began, time.Now(), w.at, f)
	}
}

// computed records a tile. The tile may have waited for faces several times since it
// began; the trace shows all of that as one wait before the computation.
func (w *worker) computed(began time.Time, waited time.Duration, points int) {
	if w.lane != nil {
		w.lane.Waited(trace.WaitData, began, began.Add(waited), w.at, trace.Face{Peer: -1})
		w.lane.Add(trace.Compute, began.Add(waited), time.Now(), w.at, trace.Face{Peer: -1}, points)
	}
}

// posted records that a message to another rank was posted.
func (w *worker) posted(began time.Time, out *outStream) {
	if f := out.trail.next(out.n); w.lane != nil && out.remote {
		w.lane.Add(trace.Send, began, time.Now(), w.at, f, f.Bytes)
	}
}
