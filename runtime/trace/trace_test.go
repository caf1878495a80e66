package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

// nowhere is the Place of what a transport does.
var nowhere = Place{-1, -1, -1}

// invented is a recorder of a run of three ranks with two CPUs each that never
// took place: every worker computes tiles, waits, and sends several messages at
// a time to both neighbors; the transport writes some of them later.
func invented(seed uint64) *Recorder {
	rng := rand.New(rand.NewPCG(seed, 2))
	r := New()
	at := func(ns int64) time.Time { return r.base.Add(time.Duration(ns)) }
	for rank := range 3 {
		out := r.Lane(rank, -1, "")
		var sent [2]uint64
		for cpu := range 2 {
			l := r.Lane(rank, cpu, "")
			var columns []int
			for c := range 2 {
				columns = append(columns, l.Column([]int{0, 2*rank + cpu, c}))
			}
			now := rng.Int64N(1000)
			step := func() (begin, end time.Time) {
				begin = at(now)
				now += rng.Int64N(5000)
				return begin, at(now)
			}
			for k := range 20 {
				place := Place{Column: columns[k%2], Tile: k / 2, Step: k + rank}
				begin, end := step()
				if k%3 == 0 {
					l.Waited(WaitData, begin, end, place, Face{Peer: (rank + 1) % 3, Edge: cpu, Sequence: uint64(k / 3), Bytes: 8 * k})
				} else {
					l.Waited(WaitCredit, begin, end, place, Face{Peer: -1})
				}
				begin, end = step()
				l.Add(Compute, begin, end, place, Face{Peer: -1}, 100+k)
				for range rng.IntN(3) {
					begin, end = step()
					f := Face{Peer: (rank + 2) % 3, Edge: cpu, Sequence: sent[cpu], Bytes: 8 * rng.IntN(100)}
					sent[cpu]++
					l.Add(Send, begin, end, place, f, f.Bytes)
					if rng.IntN(4) > 0 {
						out.Add(Written, end, end.Add(time.Duration(rng.Int64N(20000))), nowhere, f, f.Bytes)
					}
				}
			}
		}
		in := r.Lane(rank, -1, "")
		for k := range 5 {
			in.Add(Receive, at(int64(k)*2000), at(int64(k)*2000+500), nowhere, Face{Peer: (rank + 1) % 3, Edge: 0, Sequence: uint64(k), Bytes: 24 * k}, 24*k)
		}
	}
	return r
}

// merged returns the file of the first n ranks of r.
func merged(t testing.TB, r *Recorder, n int) []byte {
	t.Helper()
	var b bytes.Buffer
	m := NewMerger(&b)
	for rank := range n {
		var part bytes.Buffer
		if err := r.WritePart(&part, rank, `a "host"`); err != nil {
			t.Fatal(err)
		}
		if err := m.Add(rank, &part); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Close(About{Program: "invented", Run: "N = 3"}); err != nil {
		t.Fatal(err)
	}
	if len(m.Missing()) > 0 {
		t.Fatalf("parts of ranks %v are not whole", m.Missing())
	}
	return b.Bytes()
}

// TestRoundTrip: Read returns the recorded events, one by one.
func TestRoundTrip(t *testing.T) {
	for seed := range uint64(20) {
		r := invented(seed)
		want := r.Events()
		got, err := Read(bytes.NewReader(merged(t, r, 3)))
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != len(want) || len(got) < 3*2*40 {
			t.Fatalf("%d events are read, %d were recorded", len(got), len(want))
		}
		for k := range got {
			if !reflect.DeepEqual(got[k], want[k]) {
				t.Fatalf("event %d is %+v, was %+v", k, got[k], want[k])
			}
		}
	}
}

// A lines is a file as any reader of JSON sees it.
type lines struct {
	TraceEvents []struct {
		Name, Cat, Ph, Bp, ID string
		Ts, Dur               float64
		Pid, Tid              int
		Args                  map[string]any
	}
	OtherData map[string]any
}

func parse(t *testing.T, file []byte) (f lines) {
	t.Helper()
	if err := json.Unmarshal(file, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestTracks requires that spans of one track do not overlap, that every track
// has a name, that a second track to a peer is there only where it is needed, and
// that the waits are where they belong.
func TestTracks(t *testing.T) {
	several := 0
	for seed := range uint64(20) {
		f := parse(t, merged(t, invented(seed), 3))
		type track struct{ pid, tid int }
		names, ends := map[track]string{}, map[track]float64{}
		for _, e := range f.TraceEvents {
			at := track{e.Pid, e.Tid}
			switch {
			case e.Name == "thread_name":
				names[at] = e.Args["name"].(string)
			case e.Ph == "X":
				if last, ok := ends[at]; ok && e.Ts < last-1e-4 {
					t.Fatalf("%s at %v on %q, whose last span ends at %v", e.Name, e.Ts, names[at], last)
				}
				ends[at] = e.Ts + e.Dur
				switch name := names[at]; {
				case e.Name == "send":
					if !strings.HasPrefix(name, fmt.Sprintf("to rank %v", e.Args["peer"])) {
						t.Fatalf("%v on track %q", e, name)
					}
					if strings.HasSuffix(name, "(2)") {
						several++
					}
				case e.Name == "receive":
					if name != fmt.Sprintf("from rank %v", e.Args["peer"]) {
						t.Fatalf("%v on track %q", e, name)
					}
				case name != fmt.Sprintf("CPU %d", e.Tid-1):
					t.Fatalf("%v on track %q", e, name)
				}
			}
		}
		for at := range ends {
			if names[at] == "" {
				t.Errorf("track %v has no name", at)
			}
		}
	}
	if several < 20 {
		t.Errorf("only %d sends needed a second track; the test proves nothing", several)
	}
}

// TestSpread requires the least number of tracks: as many as sends to a peer are
// under way at once.
func TestSpread(t *testing.T) {
	for seed := range uint64(20) {
		r := invented(seed)
		v := newView(r.ranks[1])
		for k, s := range v.sends {
			if s.track == 0 {
				continue
			}
			// Each of the tracks before it was taken.
			taken := map[int]bool{}
			for _, o := range v.sends[:k] {
				if o.rec.peer == s.rec.peer && o.end > s.rec.begin {
					taken[o.track] = true
				}
			}
			for k := range s.track {
				if !taken[k] {
					t.Fatalf("a send is on track %d though %d is free", s.track, k)
				}
			}
		}
	}
}

// TestArrows requires an arrow from every send, and to every tile that waited
// for a message from another rank, each with the number of the message.
func TestArrows(t *testing.T) {
	r := invented(7)
	f := parse(t, merged(t, r, 3))
	starts, ends := map[string]int{}, map[string]int{}
	open := -1 // the span before
	for k, e := range f.TraceEvents {
		if e.Ph == "s" || e.Ph == "f" {
			s := f.TraceEvents[open]
			if want := map[string]string{"s": "send", "f": "compute"}[e.Ph]; s.Name != want || s.Pid != e.Pid || s.Tid != e.Tid || s.Ts != e.Ts {
				t.Errorf("the arrow %+v is not tied to a span %q, but to %+v", e, want, s)
			}
		}
		switch e.Ph {
		case "X":
			open = k
		case "s":
			starts[fmt.Sprint(e.ID, e.Pid)]++
		case "f":
			if e.Bp != "e" {
				t.Errorf("%+v ends at the next span, not at its own", e)
			}
			ends[fmt.Sprint(e.ID, e.Pid)]++
		}
	}
	var sends, waits int
	for _, e := range r.Events() {
		switch {
		case e.Kind == Send:
			sends++
			if id := fmt.Sprintf("%x", faceID(e.Rank, e.Peer, &e)); starts[fmt.Sprint(id, e.Rank+1)] != 1 {
				t.Errorf("%d arrows start at %+v", starts[id], e)
			}
		case e.Kind == WaitData && e.Peer >= 0:
			waits++
			if id := fmt.Sprintf("%x", faceID(e.Peer, e.Rank, &e)); ends[fmt.Sprint(id, e.Rank+1)] != 1 {
				t.Errorf("%d arrows end at %+v", ends[id], e)
			}
		}
	}
	if len(starts) != sends || len(ends) < waits || sends == 0 || waits == 0 {
		t.Errorf("%d arrows start at %d sends, %d end at %d waits", len(starts), sends, len(ends), waits)
	}
}

// TestFaceID requires that messages that differ have numbers that differ.
func TestFaceID(t *testing.T) {
	seen := map[uint64]bool{}
	values := []int{0, 1, 2, 4095}
	n := 0
	for _, from := range values {
		for _, to := range values {
			for _, edge := range []int{0, 1, 4096, 1<<15 - 1} {
				for _, sequence := range []int{0, 1, 1 << 15, 1<<25 - 1} {
					seen[faceID(from, to, &Event{Edge: edge, Sequence: sequence})] = true
					n++
				}
			}
		}
	}
	if len(seen) != n {
		t.Errorf("%d messages have %d numbers", n, len(seen))
	}
}

// TestJoined: a send lasts until it is written, and a received message names the tile that waited
// for it.
func TestJoined(t *testing.T) {
	r := New()
	at := func(us int) time.Time { return r.base.Add(time.Duration(us) * time.Microsecond) }
	w, out, in := r.Lane(4, 0, ""), r.Lane(4, -1, ""), r.Lane(4, -1, "")
	place := Place{Column: w.Column([]int{0, 3}), Tile: 5, Step: 9}
	w.Waited(WaitData, at(10), at(10), place, Face{Peer: 2, Edge: 7, Sequence: 1, Bytes: 16})
	w.Add(Compute, at(11), at(20), place, Face{Peer: -1}, 64)
	w.Add(Send, at(21), at(22), place, Face{Peer: 6, Edge: 3, Sequence: 0, Bytes: 8}, 8)
	out.Add(Written, at(25), at(40), nowhere, Face{Peer: 6, Edge: 3, Sequence: 0, Bytes: 8}, 8)
	in.Add(Receive, at(2), at(8), nowhere, Face{Peer: 2, Edge: 7, Sequence: 1, Bytes: 16}, 16)
	in.Add(Receive, at(28), at(29), nowhere, Face{Peer: 2, Edge: 7, Sequence: 2, Bytes: 16}, 16)
	w.Waited(WaitSync, at(22), at(45), place, Face{Peer: -1})
	want := []Event{
		// Nothing was to be waited for at 10 µs: no span.
		{Kind: Compute, Rank: 4, CPU: 0, Step: 9, Column: []int{0, 3}, Tile: 5, Points: 64, Peer: -1, Edge: -1, Sequence: -1, Bytes: -1, Begin: 11e-6, End: 20e-6},
		{Kind: WaitSync, Rank: 4, CPU: 0, Step: 9, Column: []int{0, 3}, Tile: 5, Points: -1, Peer: -1, Edge: -1, Sequence: -1, Bytes: -1, Begin: 22e-6, End: 45e-6},
		{Kind: Receive, Rank: 4, CPU: -1, Step: 9, Column: []int{0, 3}, Tile: 5, Points: -1, Peer: 2, Edge: 7, Sequence: 1, Bytes: 16, Begin: 2e-6, End: 8e-6},
		{Kind: Receive, Rank: 4, CPU: -1, Step: -1, Tile: -1, Points: -1, Peer: 2, Edge: 7, Sequence: 2, Bytes: 16, Begin: 28e-6, End: 29e-6},
		{Kind: Send, Rank: 4, CPU: -1, Step: 9, Column: []int{0, 3}, Tile: 5, Points: -1, Peer: 6, Edge: 3, Sequence: 0, Bytes: 8, Begin: 21e-6, End: 40e-6},
	}
	got := r.Events()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("events are\n%+v\nnot\n%+v", got, want)
	}
}
