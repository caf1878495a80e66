package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestLimit requires that a rank keeps no more events than it may, counts the
// others, says so in the file, and does not stand in another's way.
func TestLimit(t *testing.T) {
	r := New()
	r.chunks = 3
	const tiles = 5 * chunkRecords
	var all sync.WaitGroup
	for rank := range 2 {
		for cpu := range 2 {
			l := r.Lane(rank, cpu, "")
			all.Go(func() {
				for k := range tiles / (1 + 9*rank) { // rank 1 has few
					l.Add(Compute, r.base, r.base.Add(time.Duration(k)), Place{-1, k, k}, Face{Peer: -1}, 1)
				}
			})
		}
	}
	all.Wait()
	kept := map[int]int{}
	for _, e := range r.Events() {
		kept[e.Rank]++
	}
	if kept[0] != 3*chunkRecords || kept[1] != 2*(tiles/10) {
		t.Errorf("the ranks keep %v events", kept)
	}
	if got := r.Dropped(0); got != 2*tiles-3*chunkRecords || r.Dropped(1) != 0 {
		t.Errorf("dropped are %d and %d", got, r.Dropped(1))
	}
	f := parse(t, merged(t, r, 2))
	if got := f.OtherData["dropped_events"]; got != float64(r.Dropped(0)) {
		t.Errorf("the file counts %v dropped events", got)
	}
	said := false
	for _, e := range f.TraceEvents {
		said = said || e.Ph == "i" && e.Pid == 1 && e.Name == fmt.Sprintf("%d events are missing: a rank records %d at most", r.Dropped(0), 3*chunkRecords)
	}
	if !said {
		t.Error("the track does not say what is missing")
	}
}

// TestAllocations requires that recording allocates once in a chunk, and that a
// nil lane does nothing.
func TestAllocations(t *testing.T) {
	r := New()
	for name, l := range map[string]*Lane{"on": r.Lane(0, 0, ""), "off": (*Recorder)(nil).Lane(0, 0, "")} {
		now := time.Now()
		n := testing.AllocsPerRun(10, func() {
			for k := range chunkRecords {
				l.Add(Compute, now, now, Place{0, k, k}, Face{Peer: -1}, 1)
			}
		})
		if name == "off" && n > 0 || n > 2 { // a chunk, and the list of chunks
			t.Errorf("%s: %v allocations for %d events", name, n, chunkRecords)
		}
	}
}

// TestCutParts requires that a part that was cut anywhere, or damaged, makes a
// file that is whole, and that it says which rank is missing.
func TestCutParts(t *testing.T) {
	r := invented(3)
	var part bytes.Buffer
	if err := r.WritePart(&part, 1, "host"); err != nil {
		t.Fatal(err)
	}
	whole := part.Bytes()
	all, err := Read(bytes.NewReader(merged(t, r, 3)))
	if err != nil {
		t.Fatal(err)
	}
	add := func(b []byte) (missing bool, events []Event) {
		t.Helper()
		var out, other bytes.Buffer
		if err := r.WritePart(&other, 0, "host"); err != nil {
			t.Fatal(err)
		}
		m := NewMerger(&out)
		if err := errors.Join(m.Add(1, bytes.NewReader(b)), m.Add(0, &other), m.Close(About{})); err != nil {
			t.Fatal(err)
		}
		events, err := Read(&out)
		if err != nil {
			t.Fatalf("a part of %d bytes, cut to %d, spoils the file: %v", len(whole), len(b), err)
		}
		return len(m.Missing()) == 1 && m.Missing()[0] == 1, events
	}
	if missing, events := add(whole); missing || len(events) >= len(all) || len(events) == 0 {
		t.Errorf("a whole part is missing (%t), or not: %d events of %d", missing, len(events), len(all))
	}
	last := 0
	for n := 0; n < len(whole); n += 97 {
		missing, events := add(whole[:n])
		if !missing || len(events) < last {
			t.Fatalf("cut to %d of %d bytes: missing %t, %d events", n, len(whole), missing, len(events))
		}
		last = len(events)
	}
	damaged := bytes.Clone(whole)
	damaged[len(damaged)/2] = 0
	if missing, _ := add(damaged); !missing {
		t.Error("a damaged part counts as whole")
	}
	if missing, _ := add(append(bytes.Clone(whole), "{}\n"...)); missing {
		t.Error("what follows a whole part matters")
	}
}

// TestErrors: an error of the disk is returned, for the part of a rank and for the merged file.
func TestErrors(t *testing.T) {
	r := invented(1)
	full := errors.New("no space left on device")
	if err := r.WritePart(&limited{left: 5000, err: full}, 0, "host"); !errors.Is(err, full) {
		t.Errorf("a part: %v", err)
	}
	var part bytes.Buffer
	if err := r.WritePart(&part, 0, "host"); err != nil {
		t.Fatal(err)
	}
	for _, left := range []int{0, 5000} {
		m := NewMerger(&limited{left: left, err: full})
		if err := errors.Join(m.Add(0, bytes.NewReader(part.Bytes())), m.Close(About{})); !errors.Is(err, full) {
			t.Errorf("the file, after %d bytes: %v", left, err)
		}
	}
	broken := errors.New("input/output error")
	if err := NewMerger(io.Discard).Add(3, io.MultiReader(bytes.NewReader(part.Bytes()[:100]), failing{broken})); !errors.Is(err, broken) || !strings.Contains(err.Error(), "rank 3") {
		t.Errorf("reading: %v", err)
	}
}

// A limited writer takes some bytes, and then has an error.
type limited struct {
	left int
	err  error
}

func (l *limited) Write(b []byte) (int, error) {
	n := min(len(b), l.left)
	l.left -= n
	if n < len(b) {
		return n, l.err
	}
	return n, nil
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestClock requires that two recorders of one origin, made at different times, differ about an
// instant by at most the sum of their clockErrors, and that these are more than 0.
func TestClock(t *testing.T) {
	before := time.Now()
	origin := Origin()
	after := time.Now()
	for range 20 {
		r := NewAt(origin)
		if r.base.Before(before.Add(-r.clockError)) || r.base.After(after.Add(r.clockError)) {
			t.Errorf("the run began %v after a time before its origin, and %v before one after it, but for %v", r.base.Sub(before), after.Sub(r.base), r.clockError)
		}
		if r.clockError <= 0 || r.clockError > time.Millisecond {
			t.Errorf("the clock is wrong by %v", r.clockError)
		}
		time.Sleep(time.Millisecond)
		later := NewAt(origin)
		if apart := r.base.Sub(later.base).Abs(); apart > r.clockError+later.clockError {
			t.Errorf("two recorders are %v apart, and should be %v", apart, r.clockError+later.clockError)
		}
	}
}
