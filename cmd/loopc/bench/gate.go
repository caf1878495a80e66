package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// recordsSchema is the version of the file of records.
const recordsSchema = 1

// Records are ratios that were measured, by kind of machine.
type Records struct {
	Schema   int             `json:"schema"`
	Machines []MachineRecord `json:"machines"`
}

// A MachineRecord has the rows that were measured on one kind of machine.
type MachineRecord struct {
	Processor string        `json:"processor"`
	Date      string        `json:"date"`
	Compilers []string      `json:"compilers,omitempty"`
	Rows      []RecordedRow `json:"rows"`
}

// A RecordedRow is the recorded part of a Row. The gate compares Ratio. The other figures are
// for tables, have the same meaning as in a Row, and are zero if unknown.
type RecordedRow struct {
	Nest   string  `json:"nest"`
	Size   string  `json:"size"`
	Kernel string  `json:"kernel"`
	CPUs   int     `json:"cpus"`
	Ratio  float64 `json:"ratio,omitempty"`

	Date           string  `json:"date,omitempty"`
	Pairs          int     `json:"pairs,omitempty"`
	NsPerPoint     float64 `json:"ns_per_point,omitempty"`
	BestPlain      string  `json:"best_plain,omitempty"`
	PlainNs        float64 `json:"plain_ns_per_point,omitempty"`
	PlainRatio     float64 `json:"plain_ratio,omitempty"`
	PlainRatioLow  float64 `json:"plain_ratio_low,omitempty"`
	PlainRatioHigh float64 `json:"plain_ratio_high,omitempty"`
	StrictNs       float64 `json:"strict_ns_per_point,omitempty"`
	StrictRatio    float64 `json:"strict_ratio,omitempty"`
	Class          string  `json:"class,omitempty"`
	Schemes        string  `json:"schemes,omitempty"`
	PredictedNs    float64 `json:"predicted_ns_per_point,omitempty"`
	BestTiled      string  `json:"best_tiled,omitempty"` // of the peers other than plain loops, MPI's included
	TiledNs        float64 `json:"tiled_ns_per_point,omitempty"`
	RoofNs         float64 `json:"roof_ns_per_point,omitempty"`
	RoofLimit      string  `json:"roof_limit,omitempty"`
	Efficiency     float64 `json:"efficiency,omitempty"`
	Shares         float64 `json:"shares,omitempty"`
	Loaded         float64 `json:"loaded,omitempty"` // HostLoad.Median of the report
}

// set copies the figures of a row of the report.
func (x *RecordedRow) set(report *Report, row *Row) {
	*x = RecordedRow{
		Nest: row.Nest, Size: row.Size, Kernel: row.Kernel, CPUs: row.CPUs, Ratio: row.Ratio,
		Date: report.Date, Pairs: row.Pairs, NsPerPoint: row.NsPerPoint,
		BestPlain: row.BestPlain, PlainNs: row.PlainNsPerPoint,
		PlainRatio: row.PlainRatio, PlainRatioLow: row.PlainRatioLow, PlainRatioHigh: row.PlainRatioHigh,
		StrictNs: row.StrictNsPerPoint, StrictRatio: row.StrictRatio, Class: row.Class, Schemes: row.Schemes, PredictedNs: row.PredictedNs,
		RoofNs: row.RoofNs, RoofLimit: row.RoofLimit, Efficiency: row.Efficiency, Shares: row.Shares, Loaded: report.Load.Median,
	}
	for _, p := range row.Peers {
		if plain := strings.Contains(p.Name, "plain"); !plain && (x.TiledNs == 0 || p.NsPerPoint < x.TiledNs) {
			x.BestTiled, x.TiledNs = p.Name, p.NsPerPoint
		}
	}
}

// ReadRecords reads a file of records. A missing file has no records.
func ReadRecords(name string) (*Records, error) {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return &Records{Schema: recordsSchema}, nil
	}
	if err != nil {
		return nil, err
	}
	var r Records
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if r.Schema != recordsSchema {
		return nil, fmt.Errorf("%s has schema %d, not %d", name, r.Schema, recordsSchema)
	}
	return &r, nil
}

// machine returns the record of a kind of machine, or nil.
func (r *Records) machine(processor string) *MachineRecord {
	for k := range r.Machines {
		if r.Machines[k].Processor == processor {
			return &r.Machines[k]
		}
	}
	return nil
}

// row returns what was recorded for a row, or nil.
func (m *MachineRecord) row(row *Row) *RecordedRow {
	for k := range m.Rows {
		if x := &m.Rows[k]; x.Nest == row.Nest && x.Size == row.Size && x.Kernel == row.Kernel && x.CPUs == row.CPUs {
			return x
		}
	}
	return nil
}

// Add replaces the records of the report's rows.
func (r *Records) Add(report *Report) {
	m := r.machine(report.Processor)
	if m == nil {
		r.Machines = append(r.Machines, MachineRecord{Processor: report.Processor})
		m = &r.Machines[len(r.Machines)-1]
	}
	m.Date, m.Compilers = report.Date, report.Compilers
	for k := range report.Rows {
		row := &report.Rows[k]
		x := m.row(row)
		if x == nil {
			m.Rows = append(m.Rows, RecordedRow{})
			x = &m.Rows[len(m.Rows)-1]
		}
		x.set(report, row)
	}
}

// Write writes the records to a file.
func (r *Records) Write(name string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(text, '\n'), 0o666)
}

// tolerance is the fraction of the recorded ratio that a row must reach.
const tolerance = 0.7

// A Slower is a row that fell behind its record.
type Slower struct {
	Row      *Row
	Recorded float64
}

func (s Slower) String() string {
	return fmt.Sprintf("%s, %s, on %s: %.2f times faster than %s (at most %.2f), %.2f were recorded",
		s.Row.Nest, s.Row.Size, cpuCount(s.Row.CPUs), s.Row.Ratio, s.Row.BestPeer, s.Row.RatioHigh, s.Recorded)
}

// Slower returns the rows whose whole interval lies 30 % or more below the record for this
// kind of machine, and how many rows have a record.
func (r *Records) Slower(report *Report) (slower []Slower, compared int) {
	m := r.machine(report.Processor)
	if m == nil {
		return nil, 0
	}
	for k := range report.Rows {
		row := &report.Rows[k]
		x := m.row(row)
		if x == nil {
			continue
		}
		compared++
		if row.RatioHigh < tolerance*x.Ratio {
			slower = append(slower, Slower{row, x.Ratio})
		}
	}
	return slower, compared
}

// SlowerNests returns the nests of the rows, sorted, each once.
func SlowerNests(slower []Slower) []string {
	var names []string
	for _, s := range slower {
		names = append(names, s.Row.Nest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// List returns the text of the rows, one per line.
func List(slower []Slower) string {
	var lines []string
	for _, s := range slower {
		lines = append(lines, s.String())
	}
	return strings.Join(lines, "\n")
}
