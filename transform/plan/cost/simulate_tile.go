package cost

import "loopc/runtime/trace"

// begin starts the next tile of w: w waits for its faces and for slots, then computes. If another worker has to post or read something
// first, w is blocked. It reports whether the tile computes from w.now on.
func (s *simulation) begin(w *simWorker) bool {
	if w.blocked = !s.ready(w); w.blocked {
		return false
	}
	k, c := w.tile, w.columns[w.at]
	dirs := len(s.p.Directions())
	bytes, pieces := 0, 0 // packed and unpacked
	handling := 0.0       // CPU time for messages
	for d, back := range s.back {
		e, m := s.arriving(c, d, back)
		if m == nil || k < m.begin {
			continue
		}
		link := &s.c.links[e.link]
		if k == m.begin {
			s.wait(w, trace.WaitData, m.when, link)
			handling += link.Receive + link.Byte*float64(m.bytes)
		}
		face, copied, runs := m.bytes, m.copied, m.runs
		if s.batched(e) {
			face, copied, runs = 0, 0, 0
			if from := s.face(e, c-back, k); from != nil {
				face, copied, runs = from.faces[d], from.copied[d], from.runs[d]
			}
		}
		pieces += runs
		if w.what.slabs {
			bytes += copied
		} else {
			bytes += face
		}
	}
	out := s.edges[c*dirs : (c+1)*dirs]
	for d := range out {
		e := &out[d]
		if !s.sends(e, w.what, d, k) {
			continue
		}
		bytes, pieces = bytes+w.what.copied[d], pieces+w.what.runs[d]
		if !s.batched(e) || s.begins(e, c, d, k) {
			s.wait(w, trace.WaitCredit, s.slots[e.slot+e.sent%e.slots].when, &s.c.links[e.link])
		}
	}
	if !w.began {
		w.began = true
		w.Fill, w.Waiting = w.now-s.c.fresh, 0
		w.Compute += s.c.fresh
	}
	s.out.Tiles++
	s.spend(w, trace.Pack, &w.Pack, handling)
	col := &s.columns[c]
	w.packing = s.c.kernel.Byte*float64(bytes) + s.c.kernel.Piece*float64(pieces)
	w.work = w.packing + s.c.tile(s.p, w.what, k == col.first, k == col.last)
	return true
}

// ready reports whether everything that the next tile of w waits for has a known time: its faces are posted, its slots free or read.
func (s *simulation) ready(w *simWorker) bool {
	k, c := w.tile, w.columns[w.at]
	dirs := len(s.p.Directions())
	for d, back := range s.back {
		if e, m := s.arriving(c, d, back); e == nil || m != nil {
			continue // no column there, or the face is not the next
		} else if done := s.columns[c-back].done > k; !done || s.batched(e) {
			if s.faceBytes(e, c-back, d, k) > 0 {
				return false
			}
		}
	}
	out := s.edges[c*dirs : (c+1)*dirs]
	for d := range out {
		if e := &out[d]; e.sent-e.read >= e.slots && s.sends(e, w.what, d, k) && (!s.batched(e) || s.begins(e, c, d, k)) {
			return false
		}
	}
	return true
}

// arriving returns the edge into column c in direction d, from column c - back, and the edge's next unread message; nil if there is none.
// Column c - back is the neighbor only if its edge leads to c.
func (s *simulation) arriving(c, d, back int) (*simEdge, *simSlot) {
	if back > c {
		return nil, nil
	}
	e := &s.edges[(c-back)*len(s.p.Directions())+d]
	switch {
	case int(e.to) != c:
		return nil, nil
	case e.read == e.sent:
		return e, nil
	}
	return e, &s.slots[e.slot+e.read%e.slots]
}

// finish ends the tile of w, which began at time from and took the given core time: it frees slots and sends faces. It calls wake for
// workers that may wait for these.
func (s *simulation) finish(w *simWorker, from, core float64, wake func(worker int)) {
	k, c, end := w.tile, w.columns[w.at], w.now
	// All activities have the same pace: packing takes its part of the time.
	w.now = from
	s.out.Work += end - from
	if w.work > 0 {
		s.spend(w, trace.Pack, &w.Pack, (end-from)*w.packing/w.work)
		s.out.Core += core * (1 - w.packing/w.work)
	}
	s.spend(w, trace.Compute, &w.Compute, end-w.now)
	w.now = end
	for d, back := range s.back {
		e, m := s.arriving(c, d, back)
		if m == nil || k != m.end {
			continue
		}
		e.read++
		m.when = w.now + s.c.links[e.link].Credit
		wake(s.columns[c-back].worker)
	}
	s.columns[c].done = k + 1
	s.post(w, c, w.what)
	for _, e := range s.edges[c*len(s.p.Directions()) : (c+1)*len(s.p.Directions())] {
		if e.to >= 0 {
			wake(s.columns[e.to].worker)
		}
	}
}
