package cost

import (
	"math"
	"slices"

	"loopc/runtime/trace"
	"loopc/transform/plan"
)

// hands is the number of portions of w's tile for its face in direction d: 1 if the face can
// only be read when the tile has ended, 0 if there is no face.
func (s *simulation) hands(w *simWorker, d int) int {
	e := &s.edges[w.columns[w.at]*len(s.p.Directions())+d]
	switch {
	case !s.sends(e, w.what, d, w.tile):
		return 0
	case e.link == 1 || s.c.links[0].Complete:
		return 1
	}
	return portions(s.p, s.contents.lanes, d, w.what.edge.levels)
}

// hand posts the first portion of the face of w's tile in direction d, and returns the receiving column.
func (s *simulation) hand(w *simWorker, d int, now float64) int {
	e := &s.edges[w.columns[w.at]*len(s.p.Directions())+d]
	link, bytes := &s.c.links[0], w.what.faces[d]
	when := now + link.Latency
	if link.Bandwidth > 0 {
		when += float64(bytes) / link.Bandwidth
	}
	s.slots[e.slot+e.sent%e.slots] = simSlot{when: when, bytes: bytes, copied: w.what.copied[d], runs: w.what.runs[d], begin: w.tile, end: w.tile}
	e.sent++
	return int(e.to)
}

// post sends those faces of the worker's tile, of column c, whose first portions were not posted before.
func (s *simulation) post(w *simWorker, c int, what *content) {
	k, dirs := w.tile, len(s.p.Directions())
	out := s.edges[c*dirs : (c+1)*dirs]
	arrived := math.Inf(-1)
	for d := range out {
		e := &out[d]
		if !s.sends(e, what, d, k) {
			continue
		}
		begin, bytes := k, what.faces[d]
		if s.batched(e) {
			var ends bool
			if begin, bytes, ends = s.message(e, c, d, k); !ends {
				continue
			}
		}
		link := &s.c.links[e.link]
		s.spend(w, trace.Pack, &w.Pack, link.Start+link.Byte*float64(bytes))
		from, transfer := w.now, 0.0
		if link.Bandwidth > 0 {
			transfer = float64(bytes) / link.Bandwidth
		}
		if e.link == 1 {
			from = s.nic[w.rank].send(from, transfer)
			s.out.Messages++
			s.out.Bytes += int64(bytes)
		}
		s.spend(w, trace.Pack, &w.Pack, (1-link.Overlap)*transfer)
		if s.hands(w, d) > 1 {
			continue
		}
		m := &s.slots[e.slot+e.sent%e.slots]
		*m = simSlot{when: from + transfer + link.Latency, bytes: bytes, copied: what.copied[d], runs: what.runs[d], begin: begin, end: k}
		e.sent++
		if e.link == 1 {
			arrived = max(arrived, m.when)
			if s.listen != nil {
				s.p.ColumnAt(int(e.to), s.col)
				peer, _ := s.p.Worker(s.col)
				s.listen(Span{Kind: trace.Send, Rank: w.rank, CPU: w.cpu, Step: s.stepOf(c, k), Column: c, Tile: k, Begin: from, End: m.when, Peer: peer, Bytes: bytes})
			}
		}
	}
	if s.p.Comm == plan.Blocking && !math.IsInf(arrived, 0) {
		s.until(w, trace.WaitSync, arrived+s.c.links[1].Sync)
	}
}

// sends reports whether tile k has a face for edge e, in direction d.
func (s *simulation) sends(e *simEdge, what *content, d, k int) bool {
	if e.to < 0 || what.faces[d] == 0 {
		return false
	}
	to := &s.columns[e.to]
	return k >= to.first && k <= to.last
}

// batched reports whether the faces of several tiles are one message.
func (s *simulation) batched(e *simEdge) bool { return s.p.Sub > 1 && e.link == 1 }

// face returns the content of tile k of column c. It returns nil if the tile has no face for edge e,
// because it does not run or nobody reads the face.
func (s *simulation) face(e *simEdge, c, k int) *content {
	col, to := &s.columns[c], &s.columns[e.to]
	switch {
	case k < to.first || k > to.last || k < col.first || k > col.last:
		return nil
	case k < col.wholeFirst || k > col.wholeLast:
		s.p.ColumnAt(c, s.col)
		return s.contents.at(s.col, k)
	}
	return col.whole
}

// faceBytes returns the length of the face of tile k of column c for edge e, in direction d.
func (s *simulation) faceBytes(e *simEdge, c, d, k int) int {
	if what := s.face(e, c, k); what != nil {
		return what.faces[d]
	}
	return 0
}

// begins reports whether the face of tile k is the first one of its message.
func (s *simulation) begins(e *simEdge, c, d, k int) bool {
	for t := k - 1; t >= plan.FloorDiv(k, s.p.Sub)*s.p.Sub; t-- {
		if s.faceBytes(e, c, d, t) > 0 {
			return false
		}
	}
	return true
}

// message reports whether the face of tile k is the last one of its message. If so, it also returns
// the first tile of the message and the message's length in bytes.
func (s *simulation) message(e *simEdge, c, d, k int) (begin, bytes int, ends bool) {
	low := plan.FloorDiv(k, s.p.Sub) * s.p.Sub
	for t := k + 1; t < low+s.p.Sub; t++ {
		if b := s.faceBytes(e, c, d, t); b > 0 {
			return 0, 0, false
		}
	}
	begin = k
	for t := k; t >= low; t-- {
		if b := s.faceBytes(e, c, d, t); b > 0 {
			begin, bytes = t, bytes+b
		}
	}
	return begin, bytes, true
}

// A nic is the interface of a rank, which sends one message at a time. A CPU takes some time to
// post a message, so a message of another CPU may go before messages that were posted earlier.
type nic struct{ sending []interval } // ascending, with gaps between

type interval struct{ begin, end float64 }

// mostGaps bounds the gaps that a nic remembers; earlier gaps are closed.
const mostGaps = 16

// send returns the time, t or later, at which a transfer of length x can begin.
func (n *nic) send(t, x float64) (begin float64) {
	if x <= 0 {
		return t
	}
	at := len(n.sending)
	for at > 0 && n.sending[at-1].end > t {
		at--
	}
	for ; at < len(n.sending) && n.sending[at].begin < t+x; at++ {
		t = max(t, n.sending[at].end)
	}
	switch {
	case at > 0 && n.sending[at-1].end == t:
		n.sending[at-1].end = t + x
	case at < len(n.sending) && n.sending[at].begin == t+x:
		n.sending[at].begin = t
		return t
	default:
		n.sending = slices.Insert(n.sending, at, interval{t, t + x})
	}
	if len(n.sending) > mostGaps {
		n.sending[1].begin = n.sending[0].begin
		n.sending = slices.Delete(n.sending, 0, 1)
	}
	return t
}
