package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/sched"
	"loopc/runtime/trace"
)

// A traceFacts is what a trace says besides its events.
type traceFacts struct {
	Program, Run, Failure string
	Events                int
	Dropped               int     `json:"dropped_events"`
	Missing               string  `json:"missing_ranks"`
	ClockError            float64 `json:"clock_error_us"`

	processes []string
}

// readTrace reads a trace, which must be JSON that any viewer can read.
func readTrace(t *testing.T, dir, name string) ([]trace.Event, traceFacts) {
	t.Helper()
	text := []byte(read(t, dir, name))
	events, err := trace.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		TraceEvents []struct {
			Name, Ph string
			Args     struct{ Name string }
		}
		OtherData traceFacts
	}
	if err := json.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	for _, e := range file.TraceEvents {
		if e.Name == "process_name" {
			file.OtherData.processes = append(file.OtherData.processes, e.Args.Name)
		}
	}
	return events, file.OtherData
}

// TestTrace checks the traces of runs in one process and in several. They must agree with the
// summary, have every tile once, and have no message that arrives before it was sent, except by the
// uncertainty of the clocks of two ranks.
func TestTrace(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, way := range []string{"inproc overlap", "tcp overlap", "tcp blocking", "tcp buffered", "shm overlap"} {
		transport, comm, _ := strings.Cut(way, " ")
		if !slices.Contains(transports, transport) {
			continue
		}
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "t.json"), 3) // an older file goes
		o := run(t, "diffusion", dir, "-n", "3", "--cpus", "2", "-p", "T=20,N=60", "--tile", "4x10x10", "--random", "1", "--check",
			"--transport", transport, "--comm", comm, "--trace", "t.json", "--summary", "sum.json")
		o.expect(t, 0, "equals")
		expectFiles(t, dir, "sum.json", "t.json")
		var sum sched.Summary
		if err := json.Unmarshal([]byte(read(t, dir, "sum.json")), &sum); err != nil {
			t.Fatal(err)
		}
		events, facts := readTrace(t, dir, "t.json")
		if facts.Program != "diffusion" || !strings.Contains(facts.Run, "N = 60 on 3 ranks x 2 CPUs ("+transport+", "+comm) || facts.Failure != "" ||
			facts.Missing != "" || facts.Dropped != 0 || facts.Events != len(events) {
			t.Errorf("%s: the trace of %d events is about %+v", way, len(events), facts)
		}
		for k, name := range facts.processes {
			if want := fmt.Sprintf("rank %d (%s)", k, host); name != want || len(facts.processes) != 3 {
				t.Errorf("%s: process %d is %q, want %q", way, k, name, want)
			}
		}
		tiles, sent := map[string]bool{}, map[string]trace.Event{}
		points, size, received, syncs := 0, 0, 0, 0
		face := func(from, to int, e *trace.Event) string { return fmt.Sprint(from, to, e.Edge, e.Sequence) }
		for k := range events {
			e := &events[k]
			if e.Begin < -facts.ClockError*1e-6 || e.End > o.took.Seconds() {
				t.Errorf("%s: %+v is outside of the run", way, *e)
			}
			switch e.Kind {
			case trace.Compute:
				tiles[fmt.Sprint(e.Column, e.Tile)] = true
				points += e.Points
			case trace.Send:
				sent[face(e.Rank, e.Peer, e)] = *e
				size += e.Bytes
			case trace.WaitSync:
				syncs++
			}
		}
		computes := count(events, trace.Compute)
		if int64(computes) != sum.Tiles || len(tiles) != computes || int64(points) != sum.Points {
			t.Errorf("%s: %d tiles, %d of them different, with %d points; the run had %d with %d", way, computes, len(tiles), points, sum.Tiles, sum.Points)
		}
		if int64(len(sent)) != sum.Messages || count(events, trace.Send) != len(sent) || int64(size) != sum.Bytes || len(sent) == 0 {
			t.Errorf("%s: %d messages of %d bytes, the run had %d of %d", way, len(sent), size, sum.Messages, sum.Bytes)
		}
		for k := range events {
			e := &events[k]
			if e.Kind != trace.Receive {
				continue
			}
			received++
			s, ok := sent[face(e.Peer, e.Rank, e)]
			if early := s.Begin - e.End; !ok || early > 2*facts.ClockError*1e-6 {
				t.Errorf("%s: a message arrives %v s before it is sent, or never was (%t)", way, early, !ok)
			}
		}
		if want := len(sent); transport == "tcp" && received != want || transport != "tcp" && received != 0 {
			t.Errorf("%s: %d messages of %d are received", way, received, want)
		}
		if (comm != "overlap") != (syncs > 0) {
			t.Errorf("%s: %d waits for the neighbors", way, syncs)
		}
		if transport != "inproc" && (facts.ClockError <= 0 || facts.ClockError > 1000) {
			t.Errorf("%s: the clocks are wrong by %v µs", way, facts.ClockError)
		}
	}
}

// count returns how many events are of a kind.
func count(events []trace.Event, kind trace.Kind) (n int) {
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// TestTraceOfFailure requires that a run that fails leaves a trace until then,
// and that the error is the run's.
func TestTraceOfFailure(t *testing.T) {
	for _, transport := range transports {
		for _, c := range []struct {
			program, want string
			code          int
		}{{"divides", "integer division by zero at ", 1}, {"buggy", "index out of range", 3}} {
			dir := t.TempDir()
			o := run(t, c.program, dir, "-n", "2", "--cpus", "1", "-p", "X=9,Y=14,Z=200", "--tile", "3x7x10", "--transport", transport, "--trace", "t.json", "--out", "A=A.npy")
			o.expect(t, c.code, c.want)
			o.expect(t, c.code, "(?m)^pipeline: note: the trace in t.json shows the run until it failed$")
			expectFiles(t, dir, "t.json")
			events, facts := readTrace(t, dir, "t.json")
			if count(events, trace.Compute) == 0 || !strings.Contains(facts.Failure, c.want) || facts.Missing != "" {
				t.Errorf("%s, %s: %d tiles in a trace about %+v", transport, c.program, count(events, trace.Compute), facts)
			}
		}
	}
}

// TestTraceRefused names files that no trace can go to, and requires a clear
// error before anything runs.
func TestTraceRefused(t *testing.T) {
	for _, transport := range transports {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "sub"), 0o777); err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			args, want string
			code       int
		}{
			{"--trace sub", "^diffusion: trace: sub exists and is not a regular file\n$", 1},
			{"--trace none/t.json", "^diffusion: trace: .*none", 1},
			{"--trace u.npy --out u=./u.npy", "^diffusion: u.npy is named for a result and for the trace\n$", 2},
			{"--trace t.json --verify", "^diffusion: --verify runs many plans, --trace shows one run\n$", 2},
		} {
			args := append([]string{"-n", "2", "-p", "T=3,N=8", "--random", "1", "--transport", transport, "--progress", "json"}, strings.Fields(c.args)...)
			o := run(t, "diffusion", dir, args...)
			o.expect(t, c.code, c.want)
			expectFiles(t, dir, "sub")
		}
	}
}

// A fullDisk is a file on a disk that is full.
type fullDisk struct{ late bool }

var errFull = errors.New("no space left on device")

func (f fullDisk) WriteAt(b []byte, _ int64) (int, error) {
	if f.late {
		return len(b), nil
	}
	return 0, errFull
}

func (f fullDisk) Sync() error { return errFull }

func (fullDisk) Truncate(int64) error { return nil }

// TestProbe requires that a full disk is seen, also by systems that say so late.
func TestProbe(t *testing.T) {
	for _, f := range []fullDisk{{false}, {true}} {
		if err := probe(f); !errors.Is(err, errFull) {
			t.Errorf("%+v: %v", f, err)
		}
	}
}
