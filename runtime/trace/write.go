package trace

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
)

// The file is an object of the Trace Event Format:
//
//	{"traceEvents":[
//	{"name":"process_name","ph":"M","pid":4,"tid":0,"args":{"name":"rank 3 (host)"}},
//	{"name":"compute","cat":"compute","ph":"X","ts":1834.502,"dur":97.113,"pid":4,"tid":1,"args":{"step":7,"column":[0,3],"tile":2,"points":4096}},
//	...
//	],"displayTimeUnit":"ms","otherData":{...}}
//
// Times are in microseconds from the start of the run. The pid is the rank plus one,
// because viewers treat process 0 as the system's. Each rank writes a part of the file, with lines
// like those between the brackets, without the commas. A part without the line partEnd is incomplete.

// partEnd is the name of the last line of a part.
const partEnd = "loopc_rank"

// WritePart writes the part of a rank, which must have ended. host is the name of its host.
func (r *Recorder) WritePart(w io.Writer, rank int, host string) error {
	log := r.log(rank)
	if log == nil {
		log = &rankLog{rank: rank} // the rank failed before it recorded anything
	}
	v := newView(log)
	tracks, sendTo, readFrom := v.tracks()
	p := newPartWriter(w, rank)
	p.meta("process_name", 0, "name", fmt.Sprintf("rank %d (%s)", rank, host))
	p.meta("process_sort_index", 0, "sort_index", rank)
	for _, t := range tracks {
		p.meta("thread_name", t.id, "name", t.name)
		p.meta("thread_sort_index", t.id, "sort_index", t.id)
	}
	latest := 0.0
	span := func(e *Event, track int) {
		latest = max(latest, e.End)
		p.span(e, track)
		if e.Kind == Send {
			p.arrow("s", e.Begin, track, rank, e.Peer, e)
		}
	}
	v.each(sendTo, readFrom, span, func(tile, received *Event) {
		p.arrow("f", tile.Begin, tile.CPU+1, received.Peer, rank, received) // the track of a CPU is its number plus one
	})
	dropped := r.Dropped(rank)
	if dropped > 0 {
		p.line(map[string]any{"name": fmt.Sprintf("%d events are missing: a rank records %d at most", dropped, r.chunks*chunkRecords),
			"ph": "i", "s": "p", "ts": latest * 1e6, "pid": rank + 1, "tid": 1})
	}
	p.line(map[string]any{"name": partEnd, "ph": "M", "pid": rank + 1, "tid": 0, "args": rankNote{
		Rank: rank, Events: p.events, Dropped: dropped, ClockError: float64(r.clockError.Nanoseconds()) / 1e3,
	}})
	if p.err == nil {
		p.err = p.out.Flush()
	}
	return p.err
}

// A rankNote is the content of the last line of a part.
type rankNote struct {
	Rank       int     `json:"rank"`
	Events     int64   `json:"events"`
	Dropped    int64   `json:"dropped"`
	ClockError float64 `json:"clock_error_us"`
}

// A partWriter writes the lines of a part. It keeps its first error.
type partWriter struct {
	out    *bufio.Writer
	rank   int
	events int64
	b      []byte // scratch
	err    error
}

// newPartWriter returns a partWriter that writes to w.
func newPartWriter(w io.Writer, rank int) *partWriter {
	return &partWriter{out: bufio.NewWriterSize(w, 1<<16), rank: rank}
}

// put writes p.b as a line.
func (p *partWriter) put() {
	if p.err == nil {
		_, p.err = p.out.Write(append(p.b, '\n'))
	}
}

// line writes a rare event, for which allocation does not matter.
func (p *partWriter) line(what map[string]any) {
	b, err := json.Marshal(what)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	p.b = append(p.b[:0], b...)
	p.put()
}

// meta writes the name or another property of the process or a track.
func (p *partWriter) meta(name string, track int, key string, value any) {
	p.line(map[string]any{"name": name, "ph": "M", "pid": p.rank + 1, "tid": track, "args": map[string]any{key: value}})
}

// span writes an event.
func (p *partWriter) span(e *Event, track int) {
	p.events++
	p.b = append(p.b[:0], `{"name":"`...)
	p.b = append(p.b, e.Kind.String()...)
	if e.Nest != "" && e.Kind == Compute { // a nest's tiles have one name, so that viewers add up their times
		p.b = append(append(p.b, ": "...), e.Nest...)
	}
	p.b = append(p.b, `","cat":"`...)
	p.b = append(p.b, e.Kind.String()...)
	p.b = append(p.b, `","ph":"X","ts":`...)
	p.b = appendMicros(p.b, e.Begin)
	p.b = append(p.b, `,"dur":`...)
	p.b = appendMicros(p.b, e.End-e.Begin)
	p.where(track)
	p.b = append(p.b, `,"args":{`...)
	first := len(p.b)
	number := func(key string, x int) {
		if x < 0 {
			return
		}
		p.key(key, first)
		p.b = strconv.AppendInt(p.b, int64(x), 10)
	}
	number("step", e.Step)
	if len(e.Column) > 0 {
		p.key("column", first)
		for k, x := range e.Column {
			p.b = append(p.b, "[,"[min(k, 1)]) // a bracket before the first number, a comma before the others
			p.b = strconv.AppendInt(p.b, int64(x), 10)
		}
		p.b = append(p.b, ']')
	}
	number("tile", e.Tile)
	number("points", e.Points)
	number("peer", e.Peer)
	number("edge", e.Edge)
	number("sequence", e.Sequence)
	number("bytes", e.Bytes)
	p.b = append(p.b, "}}"...)
	p.put()
}

// key starts a key of an object that begins at offset first.
func (p *partWriter) key(key string, first int) {
	if len(p.b) > first {
		p.b = append(p.b, ',')
	}
	p.b = append(p.b, '"')
	p.b = append(p.b, key...)
	p.b = append(p.b, `":`...)
}

// where writes the process and the track of an event.
func (p *partWriter) where(track int) {
	p.b = append(p.b, `,"pid":`...)
	p.b = strconv.AppendInt(p.b, int64(p.rank)+1, 10)
	p.b = append(p.b, `,"tid":`...)
	p.b = strconv.AppendInt(p.b, int64(track), 10)
}

// arrow writes one end of the arrow of a message between ranks: "s" at its send, "f" at the span of the tile that waited for it.
func (p *partWriter) arrow(end string, at float64, track, from, to int, message *Event) {
	p.b = append(p.b[:0], `{"name":"face","cat":"face","ph":"`...)
	p.b = append(p.b, end...)
	if end == "f" {
		p.b = append(p.b, `","bp":"e`...) // the arrow ends at the enclosing span
	}
	p.b = append(p.b, `","id":"`...)
	p.b = strconv.AppendUint(p.b, faceID(from, to, message), 16)
	p.b = append(p.b, `","ts":`...)
	p.b = appendMicros(p.b, at)
	p.where(track)
	p.b = append(p.b, '}')
	p.put()
}

// faceID is a unique number of a message, which both its ranks compute: 12 bits for each rank (the limit of the command line), 15 for the
// edge (transport.MaxEdges), and 25 for the sequence (more than are recorded).
func faceID(from, to int, message *Event) uint64 {
	return uint64(from&0xfff)<<52 | uint64(to&0xfff)<<40 | uint64(message.Edge&0x7fff)<<25 | uint64(message.Sequence&0x1ffffff)
}

// appendMicros appends a time in seconds as microseconds, to the nanosecond.
func appendMicros(b []byte, s float64) []byte {
	ns := nanos(s)
	if ns < 0 {
		b, ns = append(b, '-'), -ns
	}
	b = strconv.AppendInt(b, ns/1000, 10)
	ns %= 1000
	return append(b, '.', byte('0'+ns/100), byte('0'+ns/10%10), byte('0'+ns%10))
}
