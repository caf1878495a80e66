package trace

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
)

// nanos converts seconds.
func nanos(s float64) int64 { return int64(math.Round(s * 1e9)) }

// farthest bounds times in a file, in microseconds: about three years.
const farthest = 1e14

// errNoTrace: the file was not written by a Merger.
var errNoTrace = errors.New("not a trace of loopc")

// Read reads a file that a Merger has written, and returns its events in the order of the
// file. It skips events that other tools may have added.
//
// The error names the faulty event, if there is one.
func Read(r io.Reader) ([]Event, error) {
	events, _, err := ReadAbout(r)
	return events, err
}

// ReadAbout does what Read does, and also returns the file's About. It is zero if it is missing or not in a Merger's format.
func ReadAbout(r io.Reader) ([]Event, About, error) {
	events, other, err := read(json.NewDecoder(r))
	if err != nil {
		return nil, About{}, fmt.Errorf("trace: %w", err)
	}
	var about About
	if json.Unmarshal(other, &about) != nil {
		return events, About{}, nil
	}
	return events, about, nil
}

func read(in *json.Decoder) (events []Event, about json.RawMessage, err error) {
	if err := delim(in, '{'); err != nil {
		return nil, nil, err
	}
	found := false
	for in.More() {
		key, err := in.Token()
		if err != nil {
			return nil, nil, err
		}
		if key != "traceEvents" {
			var other json.RawMessage
			if err := in.Decode(&other); err != nil {
				return nil, nil, err
			}
			if key == "otherData" {
				about = other
			}
			continue
		}
		if found {
			return nil, nil, fmt.Errorf("%w: it has traceEvents twice", errNoTrace)
		}
		found = true
		if events, err = readEvents(in); err != nil {
			return nil, nil, err
		}
	}
	if err := delim(in, '}'); err != nil {
		return nil, nil, err
	}
	if !found {
		return nil, nil, fmt.Errorf("%w: it has no traceEvents", errNoTrace)
	}
	if _, err := in.Token(); !errors.Is(err, io.EOF) {
		return nil, nil, fmt.Errorf("%w: something follows its end", errNoTrace)
	}
	return events, about, nil
}

// delim reads the delimiter d.
func delim(in *json.Decoder, d json.Delim) error {
	t, err := in.Token()
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && t != d {
		err = fmt.Errorf("%w: %v instead of %v", errNoTrace, t, d)
	}
	return err
}

// readEvents reads the array of events.
func readEvents(in *json.Decoder) (events []Event, err error) {
	if err := delim(in, '['); err != nil {
		return nil, err
	}
	for n := 1; in.More(); n++ {
		var x fileEvent
		if err := in.Decode(&x); err != nil {
			return nil, fmt.Errorf("event %d: %w", n, err)
		}
		e, ok, err := x.event()
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", n, err)
		}
		if ok {
			events = append(events, e)
		}
	}
	return events, delim(in, ']')
}

// A fileEvent is an event in the file's format.
type fileEvent struct {
	Category string  `json:"cat"`
	Phase    string  `json:"ph"`
	Begin    float64 `json:"ts"`
	Duration float64 `json:"dur"`
	Process  int     `json:"pid"`
	Track    int     `json:"tid"`
	Args     *fileArgs
}

// fileArgs are the arguments of an event; missing ones are nil.
type fileArgs struct {
	Step, Tile, Points, Peer, Edge, Sequence, Bytes *int
	Column                                          []int
}

// UnmarshalJSON implements json.Unmarshaler. It decodes the arguments of loopc's events only, because arguments of
// other tools' events may have other types.
func (x *fileEvent) UnmarshalJSON(b []byte) error {
	type plain fileEvent
	raw := struct {
		*plain
		Args json.RawMessage `json:"args"`
	}{plain: (*plain)(x)}
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	if _, ours := x.kind(); !ours || raw.Args == nil {
		return nil
	}
	return json.Unmarshal(raw.Args, &x.Args)
}

// kind returns the kind of an event, and whether it is one of loopc's.
func (x *fileEvent) kind() (Kind, bool) {
	if x.Phase == "X" {
		for k, name := range kindNames {
			if x.Category == name {
				return Kind(k), true
			}
		}
	}
	return 0, false
}

// event returns x as an Event, and whether it is one of loopc's.
func (x *fileEvent) event() (e Event, ours bool, err error) {
	kind, ours := x.kind()
	if !ours {
		return e, false, nil
	}
	switch {
	case x.Process < 1 || x.Process > math.MaxInt32:
		return e, false, fmt.Errorf("%w: there is no rank %d", errNoTrace, x.Process-1)
	case x.Track < 1 || x.Track > math.MaxInt32:
		return e, false, fmt.Errorf("%w: there is no track %d", errNoTrace, x.Track)
	case kind < Send != (x.Track < firstMessageTrack):
		return e, false, fmt.Errorf("%w: %v on track %d", errNoTrace, kind, x.Track)
	case math.Abs(x.Begin) > farthest || x.Duration < 0 || x.Duration > farthest:
		return e, false, fmt.Errorf("%w: %v µs from %v µs on", errNoTrace, x.Duration, x.Begin)
	}
	e = Event{Kind: kind, Rank: x.Process - 1, CPU: -1, Step: -1, Tile: -1, Points: -1, Peer: -1, Edge: -1, Sequence: -1, Bytes: -1}
	if x.Track < firstMessageTrack {
		e.CPU = x.Track - 1
	}
	begin := math.Round(x.Begin * 1e3) // ns
	e.Begin, e.End = begin/1e9, (begin+math.Round(x.Duration*1e3))/1e9
	if x.Args == nil {
		return e, true, nil
	}
	a := x.Args
	for _, f := range []struct {
		to   *int
		from *int
	}{
		{&e.Step, a.Step}, {&e.Tile, a.Tile}, {&e.Points, a.Points}, {&e.Peer, a.Peer},
		{&e.Edge, a.Edge}, {&e.Sequence, a.Sequence}, {&e.Bytes, a.Bytes},
	} {
		if f.from == nil {
			continue
		}
		if *f.from < 0 {
			return e, false, fmt.Errorf("%w: a number is %d", errNoTrace, *f.from)
		}
		*f.to = *f.from
	}
	for _, x := range a.Column {
		if x < 0 {
			return e, false, fmt.Errorf("%w: a number is %d", errNoTrace, x)
		}
	}
	e.Column = a.Column
	return e, true, nil
}
