package trace

import (
	"bytes"
	"math"
	"reflect"
	"strings"
	"testing"
)

// TestReadRefuses gives Read files that are not traces of loopc. Read must return no events, and an
// error that says what is wrong.
func TestReadRefuses(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, "unexpected EOF"},
		{`[]`, "[ instead of {"},
		{`{}`, "it has no traceEvents"},
		{`{"traceEvents":{}}`, "{ instead of ["},
		{`{"traceEvents":[]`, "unexpected EOF"},
		{`{"traceEvents":[`, "unexpected EOF"},
		{`{"traceEvents":[]}[]`, "something follows"},
		{`{"traceEvents":[],"traceEvents":[]}`, "twice"},
		{`{"traceEvents":[{},5]}`, "event 2: "},
		{`{"traceEvents":[{"cat":"compute","ph":"X","tid":1}]}`, "event 1: not a trace of loopc: there is no rank -1"},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1}]}`, "there is no track 0"},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":10001}]}`, "compute on track 10001"},
		{`{"traceEvents":[{"cat":"send","ph":"X","pid":1,"tid":1}]}`, "send on track 1"},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"dur":-1}]}`, "-1 µs from 0 µs on"},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"ts":1e300}]}`, "from 1e+300 µs on"},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"ts":1e999}]}`, "event 1: "},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"args":{"step":-4}}]}`, "a number is -4"},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"args":{"step":1.5}}]}`, "event 1: "},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"args":[]}]}`, "event 1: "},
		{`{"traceEvents":[{"cat":"compute","ph":"X","pid":1,"tid":1,"args":{"column":[1,-1]}}]}`, "a number is -1"},
		{`{"traceEvents":[{"ph":"M"},{"cat":"compute"`, "event 2: unexpected EOF"},
	} {
		events, err := Read(strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "trace: ") || events != nil {
			t.Errorf("%s: %d events, %v, want %q", c.text, len(events), err, c.want)
		}
	}
}

// TestReadSkips reads a file to which events of other programs were added.
func TestReadSkips(t *testing.T) {
	events, err := Read(strings.NewReader(`{"displayTimeUnit":"ns","x":[{"y":1}],"traceEvents":[
		{"name":"other","cat":"other","ph":"X","ts":"when?","pid":1,"tid":1}]}`))
	if err == nil {
		t.Errorf("a time that is a text makes %d events", len(events))
	}
	events, err = Read(strings.NewReader(`{"displayTimeUnit":"ns","x":[{"y":1}],"traceEvents":[
		{"name":"mine","cat":"mine","ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"args":{"step":"third"}},
		{"name":"compute","cat":"compute","ph":"B","ts":1,"pid":1,"tid":1},
		{"name":"my tile","cat":"compute","ph":"X","ts":-1.5,"dur":2,"pid":1,"tid":3,"args":{"step":3,"by":"me"}},
		{"name":"compute","cat":"compute","ph":"X","ts":1,"dur":2,"pid":2,"tid":1}],"otherData":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []Event{
		{Kind: Compute, Rank: 0, CPU: 2, Step: 3, Tile: -1, Points: -1, Peer: -1, Edge: -1, Sequence: -1, Bytes: -1, Begin: -1.5e-6, End: 0.5e-6},
		{Kind: Compute, Rank: 1, CPU: 0, Step: -1, Tile: -1, Points: -1, Peer: -1, Edge: -1, Sequence: -1, Bytes: -1, Begin: 1e-6, End: 3e-6},
	}
	if !reflect.DeepEqual(events, want) {
		t.Errorf("events are %+v", events)
	}
}

// FuzzRead: Read refuses what is no trace, and the events that it returns are plausible and can be
// written and read again.
func FuzzRead(f *testing.F) {
	r := New()
	l := r.Lane(1, 0, "")
	l.Add(Compute, r.base, r.base.Add(3000), Place{l.Column([]int{0, 2}), 4, 5}, Face{Peer: -1}, 6)
	l.Add(Send, r.base, r.base.Add(5), Place{0, 4, 5}, Face{0, 1, 2, 3}, 3)
	f.Add(merged(f, r, 2))
	f.Add([]byte(`{"traceEvents":[]}`))
	f.Add([]byte(`{"traceEvents":[{"cat":"receive","ph":"X","ts":-1e3,"dur":0.5,"pid":9,"tid":10002,"args":{"column":[],"peer":0}}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		events, err := Read(bytes.NewReader(file))
		if err != nil {
			if events != nil || !strings.HasPrefix(err.Error(), "trace: ") {
				t.Fatalf("%d events and %v", len(events), err)
			}
			return
		}
		var again bytes.Buffer
		m := NewMerger(&again)
		for k := range events {
			e := &events[k]
			for _, x := range append([]int{e.Step, e.Tile, e.Points, e.Peer, e.Edge, e.Sequence, e.Bytes, e.CPU}, e.Column...) {
				if x < -1 {
					t.Fatalf("%+v has the number %d", e, x)
				}
			}
			if e.Rank < 0 || e.End < e.Begin || math.IsNaN(e.Begin) || e.Kind > Receive || e.Kind < Send == (e.CPU < 0) {
				t.Fatalf("%+v makes no sense", e)
			}
			if len(e.Column) == 0 {
				e.Column = nil
			}
			track := e.CPU + 1
			if e.CPU < 0 {
				track = firstMessageTrack
			}
			var part bytes.Buffer
			p := newPartWriter(&part, e.Rank)
			p.span(e, track)
			if err := p.out.Flush(); err != nil {
				t.Fatal(err)
			}
			if err := m.Add(e.Rank, &part); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Close(About{}); err != nil {
			t.Fatal(err)
		}
		second, err := Read(&again)
		if err != nil || len(second) != len(events) {
			t.Fatalf("%d events of %d are read again, %v", len(second), len(events), err)
		}
		for k := range events {
			// Nanoseconds of three years are more than a float64 holds.
			a, b := &events[k], &second[k]
			if near := 1e-9 + 1e-12*math.Abs(a.Begin) + 1e-12*math.Abs(a.End); math.Abs(a.Begin-b.Begin) > near || math.Abs(a.End-b.End) > 2*near {
				t.Fatalf("%+v becomes %+v", *a, *b)
			}
			b.Begin, b.End = a.Begin, a.End
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%+v becomes %+v", *a, *b)
			}
		}
	})
}
