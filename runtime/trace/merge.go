package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A Merger merges the parts of a run into one file. It holds only one line in memory.
type Merger struct {
	out     *bufio.Writer
	events  int64
	dropped int64
	missing []int // ranks whose parts are incomplete
	lines   int
	worst   float64 // clock error, µs
}

// NewMerger returns a Merger that writes to w.
func NewMerger(w io.Writer) *Merger {
	m := &Merger{out: bufio.NewWriterSize(w, 1<<16)}
	m.text("{\"traceEvents\":[\n") // later writes return the error again
	return m
}

// text writes s.
func (m *Merger) text(s string) { _, _ = m.out.WriteString(s) }

// Add adds the complete lines of a rank's part. The part of a rank that was killed may be
// truncated or empty. Errors are errors of reading and of writing.
func (m *Merger) Add(rank int, part io.Reader) error {
	in := bufio.NewReaderSize(part, 1<<16)
	var note *rankNote
	for {
		line, err := in.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return fmt.Errorf("part of rank %d: %w", rank, err)
		}
		// A line without a newline, or that is not valid JSON, was truncated.
		if err != nil || note != nil || !json.Valid(line) {
			break
		}
		if m.lines++; m.lines > 1 {
			m.text(",\n")
		}
		if _, err := m.out.Write(bytes.TrimSuffix(line, []byte("\n"))); err != nil {
			return err
		}
		note = parseNote(line)
	}
	if note == nil {
		m.missing = append(m.missing, rank)
		return nil
	}
	m.events += note.Events
	m.dropped += note.Dropped
	m.worst = max(m.worst, note.ClockError)
	return nil
}

// parseNote returns the note of the last line of a part, or nil for any other line.
func parseNote(line []byte) *rankNote {
	if !bytes.Contains(line, []byte(partEnd)) {
		return nil
	}
	var end struct {
		Name string    `json:"name"`
		Args *rankNote `json:"args"`
	}
	if json.Unmarshal(line, &end) != nil || end.Name != partEnd {
		return nil
	}
	return end.Args
}

// Missing returns the ranks whose parts are incomplete.
func (m *Merger) Missing() []int { return m.missing }

// Events returns the number of events in the complete parts.
func (m *Merger) Events() int64 { return m.events }

// Dropped returns the number of events that the ranks dropped.
func (m *Merger) Dropped() int64 { return m.dropped }

// About describes the run that a file shows.
type About struct {
	Program string `json:"program"`
	Run     string `json:"run"`               // parameters and plan, in words
	Failure string `json:"failure,omitempty"` // why the run failed; "" if it succeeded
	Plan    *Plan  `json:"plan,omitempty"`
}

// Plan has the properties that determine tiles and their workers: two runs with equal Plans have the
// same tiles on the same workers. Lists have an entry per dimension of the nest, see plan.Plan.
type Plan struct {
	Nest       string         `json:"nest"` // plan.Nest.Digest
	Parameters map[string]int `json:"parameters"`
	Grid       []int          `json:"grid"` // ranks
	Mesh       []int          `json:"mesh"` // CPUs of a rank
	Tile       []int          `json:"tile"` // sides in iterations
	Map        string         `json:"map"`
	Group      string         `json:"group"`
	Sub        int            `json:"sub"`
	Assign     string         `json:"assign"`
	Comm       string         `json:"comm"`
	Transport  string         `json:"transport"`
}

// Close completes the file. It does not close the writer.
func (m *Merger) Close(about About) error {
	other := struct {
		About
		Events     int64   `json:"events"`
		Dropped    int64   `json:"dropped_events"`
		Missing    string  `json:"missing_ranks,omitempty"`
		ClockError float64 `json:"clock_error_us"` // largest of all ranks
	}{about, m.events, m.dropped, strings.Trim(fmt.Sprint(m.missing), "[]"), m.worst}
	b, err := json.Marshal(other)
	if err != nil {
		panic("BUG: " + err.Error())
	}
	m.text("\n],\"displayTimeUnit\":\"ms\",\"otherData\":")
	m.text(string(b))
	m.text("}\n")
	return m.out.Flush()
}
