package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// Tracks of a rank in the file: CPU c is track c+1; tracks of messages begin at firstMessageTrack.
const firstMessageTrack = 10001

// A track is a row of spans that do not overlap.
type track struct {
	id   int
	name string
}

// edgeEnd identifies an edge by peer and number, for one of its ranks.
type edgeEnd struct{ peer, edge int32 }

// A view is a rank's log after matching. For each message it has the track, the time when the
// transport had written it, and the tile that waited for it.
type view struct {
	log      *rankLog
	sends    []send
	lastSend map[int32]int // number of tracks of sends, by peer
	reads    map[int32]bool
	ends     map[edgeEnd][]int64 // when message k of an edge was written; -1: unknown
	waits    map[edgeEnd][]waiter
}

// A send is the record of a sent message, and its track.
type send struct {
	lane  *Lane
	rec   *record
	end   int64
	track int
}

// A waiter is the tile that waited for a message.
type waiter struct {
	lane *Lane
	rec  *record
}

// newView matches the records of a rank.
func newView(log *rankLog) *view {
	v := &view{
		log: log, lastSend: map[int32]int{}, reads: map[int32]bool{},
		ends: map[edgeEnd][]int64{}, waits: map[edgeEnd][]waiter{},
	}
	for _, l := range log.lanes {
		l.records(func(x *record) {
			edge := edgeEnd{x.peer, x.edge}
			switch x.kind {
			case Send:
				v.sends = append(v.sends, send{lane: l, rec: x, end: x.end})
			case Receive:
				v.reads[x.peer] = true
			case Written:
				v.ends[edge] = set(v.ends[edge], x.sequence, x.end, -1)
			case WaitData:
				if x.peer >= 0 {
					v.waits[edge] = set(v.waits[edge], x.sequence, waiter{l, x}, waiter{})
				}
			}
		})
	}
	for k := range v.sends {
		s := &v.sends[k]
		if ends := v.ends[edgeEnd{s.rec.peer, s.rec.edge}]; int(s.rec.sequence) < len(ends) {
			s.end = max(s.end, ends[s.rec.sequence])
		}
	}
	slices.SortStableFunc(v.sends, func(a, b send) int {
		return cmp.Or(cmp.Compare(a.rec.begin, b.rec.begin), cmp.Compare(a.end, b.end))
	})
	v.spread()
	return v
}

// set stores x as entry k of s, extending s with none. Entries far beyond the end are ignored: they occur only if events were dropped.
func set[T any](s []T, k uint32, x, none T) []T {
	if int(k) > len(s)+mostChunks*chunkRecords {
		return s
	}
	for int(k) >= len(s) {
		s = append(s, none)
	}
	s[k] = x
	return s
}

// spread puts each send on the first free track of its peer, so that a peer has as many tracks as
// messages are under way to it at the same time.
func (v *view) spread() {
	free := map[int32][]int64{} // end of the last send on each track of a peer
	for k := range v.sends {
		s := &v.sends[k]
		peer := s.rec.peer
		s.track = slices.IndexFunc(free[peer], func(end int64) bool { return end <= s.rec.begin })
		if s.track < 0 {
			s.track = len(free[peer])
			free[peer] = append(free[peer], 0)
		}
		free[peer][s.track] = s.end
		v.lastSend[peer] = len(free[peer])
	}
}

// tracks returns the rank's tracks from top to bottom, and for each peer the number of its first track of sends and of its track of reads.
func (v *view) tracks() (all []track, sendTo, readFrom map[int32]int) {
	cpus := map[int]bool{}
	for _, l := range v.log.lanes {
		if l.cpu >= 0 {
			cpus[l.cpu] = true
		}
	}
	for _, cpu := range slices.Sorted(maps.Keys(cpus)) {
		all = append(all, track{cpu + 1, fmt.Sprintf("CPU %d", cpu)})
	}
	sendTo, readFrom = map[int32]int{}, map[int32]int{}
	id := firstMessageTrack
	for _, peer := range slices.Sorted(maps.Keys(v.lastSend)) {
		sendTo[peer] = id
		for k := range v.lastSend[peer] {
			name := fmt.Sprintf("to rank %d", peer)
			if k > 0 {
				name += fmt.Sprintf(" (%d)", k+1)
			}
			all = append(all, track{id, name})
			id++
		}
	}
	for _, peer := range slices.Sorted(maps.Keys(v.reads)) {
		readFrom[peer] = id
		all = append(all, track{id, fmt.Sprintf("from rank %d", peer)})
		id++
	}
	return all, sendTo, readFrom
}

// each calls span with every event and its track, except for waits shorter than leastWait. The events of a track are in order of time.
// After a tile's event, each calls arrow for each message from another rank for which the tile waited: viewers attach an arrow to the span
// that is open at the arrow's time, and process simultaneous events in the order of lines.
func (v *view) each(sendTo, readFrom map[int32]int, span func(e *Event, track int), arrow func(e *Event, message *Event)) {
	var e Event
	var came []Event
	for _, l := range v.log.lanes {
		came = came[:0]
		l.records(func(x *record) {
			switch x.kind {
			case Written, Send:
				return
			case Receive:
				v.event(&e, l, x)
				v.waited(&e, x)
				span(&e, readFrom[x.peer])
				return
			}
			v.event(&e, l, x)
			if x.kind == WaitData && x.peer >= 0 {
				came = append(came, e)
			}
			if x.kind == Compute || x.end-x.begin >= int64(leastWait) {
				span(&e, l.cpu+1)
			}
			if x.kind == Compute {
				for k := range came {
					arrow(&e, &came[k])
				}
				came = came[:0]
			}
		})
	}
	for k := range v.sends {
		s := &v.sends[k]
		v.event(&e, s.lane, s.rec)
		e.CPU, e.End = -1, seconds(s.end)
		span(&e, sendTo[s.rec.peer]+s.track)
	}
}

// waited adds, to the event of a received message, the tile that waited for it.
func (v *view) waited(e *Event, x *record) {
	waits := v.waits[edgeEnd{x.peer, x.edge}]
	if int(x.sequence) >= len(waits) || waits[x.sequence].rec == nil {
		return
	}
	w := waits[x.sequence]
	e.Step, e.Tile, e.Column = int(w.rec.step), int(w.rec.tile), w.lane.column(w.rec)
}

// event sets *e to the event of a record.
func (v *view) event(e *Event, l *Lane, x *record) {
	*e = Event{
		Kind: x.kind, Nest: l.nest, Rank: v.log.rank, CPU: l.cpu, Step: int(x.step), Column: l.column(x), Tile: int(x.tile),
		Points: -1, Peer: -1, Edge: -1, Sequence: -1, Bytes: -1, Begin: seconds(x.begin), End: seconds(x.end),
	}
	if x.kind == Compute {
		e.Points = int(x.amount)
	}
	if x.peer >= 0 {
		e.Peer, e.Edge, e.Sequence, e.Bytes = int(x.peer), int(x.edge), int(x.sequence), int(x.amount)
		if x.kind == WaitCredit {
			e.Bytes = -1
		}
	}
}

// column returns the column of a record.
func (l *Lane) column(x *record) []int {
	if x.column < 0 || int(x.column) >= len(l.columns) {
		return nil
	}
	return l.columns[x.column]
}

// seconds converts nanoseconds.
func seconds(ns int64) float64 { return float64(ns) / 1e9 }

// Events returns the recorded events, by rank, without waits shorter than leastWait. The ranks must have ended.
func (r *Recorder) Events() []Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var all []Event
	for _, rank := range slices.Sorted(maps.Keys(r.ranks)) {
		v := newView(r.ranks[rank])
		_, sendTo, readFrom := v.tracks()
		v.each(sendTo, readFrom, func(e *Event, _ int) { all = append(all, *e) }, func(*Event, *Event) {})
	}
	return all
}
