package explain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"loopc/runtime/trace"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// shown says which workers the chart shows, "" if all.
func (c *Chart) shown() string {
	ranks := product(c.p.Grid)
	workers := ranks * c.cpus
	if workers <= mostRows {
		return ""
	}
	return fmt.Sprintf("Only the first %s of %s are drawn: those of ranks 0 to %d, of %d.",
		plural(mostRows, "CPU"), count(int64(workers)), (mostRows-1)/c.cpus, ranks)
}

// Limits of the Gantt chart.
const (
	mostRows  = 32      // workers
	mostKept  = 400_000 // spans kept while the run is simulated or read
	mostSpans = 16_000  // spans in the page; short spans are merged until at most this many are left
	ticks     = 1 << 20 // the run is divided into so many units of time
)

// A Chart collects the spans of a Gantt chart, predicted and measured.
type Chart struct {
	p    *plan.Plan
	cpus int
	rows map[rowKey][]cost.Span
	end  [2]float64 // of the last span: predicted, measured
	kept [2]int     // spans: predicted, measured
	cut  [2]bool    // spans beyond mostKept were dropped
	late float64    // by how much measured spans were shifted, see Measure
}

// A rowKey is a row of the chart: the work of a CPU, or the messages of a rank.
type rowKey struct {
	rank, cpu int // cpu -1: messages
	measured  bool
}

// NewChart returns an empty chart for p.
func NewChart(p *plan.Plan) *Chart {
	return &Chart{p: p, cpus: max(1, product(p.Mesh)), rows: map[rowKey][]cost.Span{}}
}

// Add takes a span; times are from the start of the run.
func (c *Chart) Add(s cost.Span, measured bool) {
	k := 0
	if measured {
		k = 1
	}
	c.end[k] = max(c.end[k], s.End)
	if s.Rank < 0 || s.Rank*c.cpus+max(0, s.CPU) >= mostRows || s.End < s.Begin {
		return
	}
	if c.kept[k] == mostKept {
		c.cut[k] = true
		return
	}
	c.kept[k]++
	row := rowKey{s.Rank, s.CPU, measured}
	if s.Kind == trace.Send {
		row.cpu = -1
	}
	c.rows[row] = append(c.rows[row], s)
}

// Measure adds the spans of a run that was measured. Their times count from the launch of
// the run. They are shifted so that the first span of a CPU begins at 0, as in a
// prediction, because processes take a while to start.
func (c *Chart) Measure(spans []cost.Span) {
	first := math.Inf(1)
	for _, s := range spans {
		if s.Kind != trace.Send {
			first = min(first, s.Begin)
		}
	}
	if math.IsInf(first, 1) {
		first = 0
	}
	c.late = first
	for _, s := range spans {
		s.Begin, s.End = s.Begin-first, s.End-first
		c.Add(s, true)
	}
}

// chartData is the chart as page.js reads it.
type chartData struct {
	Tick     float64    `json:"tick"` // seconds
	End      [2]float64 `json:"end"`  // seconds: predicted, measured
	Measured bool       `json:"measured"`
	Kinds    []string   `json:"kinds"`
	Rows     []chartRow `json:"rows"`
}

// A chartRow has four numbers for each span: its kind, the ticks since the end of the
// previous span, its length in ticks, and its step minus the previous span's step.
type chartRow struct {
	Name     string `json:"name"`
	Sends    bool   `json:"sends"`
	Measured bool   `json:"measured"`
	Spans    []int  `json:"spans"`
}

// data returns the chart as JSON that is safe within a script element; note says what the
// chart leaves out.
func (c *Chart) data() (text []byte, note string) {
	end := max(c.end[0], c.end[1], 1e-12)
	d := chartData{Tick: end / ticks, End: c.end, Measured: c.kept[1] > 0, Rows: []chartRow{}}
	for _, k := range kinds {
		d.Kinds = append(d.Kinds, k.Class)
	}
	keys := make([]rowKey, 0, len(c.rows))
	for k, spans := range c.rows {
		slices.SortStableFunc(spans, func(a, b cost.Span) int { return cmp.Compare(a.Begin, b.Begin) })
		keys = append(keys, k)
	}
	// A rank's CPUs, then its messages; measured rows below predicted ones.
	slices.SortFunc(keys, func(a, b rowKey) int {
		order := func(k rowKey) []int {
			o := []int{k.rank, k.cpu, 0}
			if k.cpu < 0 {
				o[1] = 1 << 30
			}
			if k.measured {
				o[2] = 1
			}
			return o
		}
		return slices.Compare(order(a), order(b))
	})
	shortest := c.shortest(end)
	for _, k := range keys {
		row := chartRow{Name: workerName(c.p, k.rank, k.cpu), Sends: k.cpu < 0, Measured: k.measured, Spans: []int{}}
		if row.Sends {
			row.Name = fmt.Sprintf("rank %d sends", k.rank)
		}
		at, step := 0, 0
		for _, s := range merge(c.rows[k], shortest) {
			begin, until := int(s.Begin/d.Tick+0.5), int(s.End/d.Tick+0.5)
			row.Spans = append(row.Spans, int(s.Kind), begin-at, until-begin, s.Step-step)
			at, step = until, s.Step
		}
		d.Rows = append(d.Rows, row)
	}
	if c.kept[1] > 0 && c.late > 0 {
		note += fmt.Sprintf("Measured times are shifted by %s, the time from the launch of the run to the first tile or wait of a rank: predicted times begin there, too. ", seconds(c.late))
	}
	if shortest > 0 {
		note += fmt.Sprintf("Spans of less than %s are merged with their neighbors. ", seconds(shortest))
	}
	if c.cut[0] || c.cut[1] {
		note += "The chart is cut where it has too many spans. "
	}
	text, err := json.Marshal(d)
	if err != nil {
		panic("BUG: chart: " + err.Error())
	}
	return text, note
}

// shortest returns the length below which spans are merged so that at most mostSpans are
// left; 0 if nothing needs merging.
func (c *Chart) shortest(end float64) float64 {
	if c.kept[0]+c.kept[1] <= mostSpans {
		return 0
	}
	for least := end / 16384; ; least *= 1.5 {
		left := 0
		for _, spans := range c.rows {
			left += len(merge(spans, least))
		}
		if left <= mostSpans {
			return least
		}
	}
}

// merge returns the spans of a row, with groups of neighboring spans shorter than least merged. A group
// ends before a span that is not short, or that begins least or more after the group began. The
// merged span has the kind that takes most of the time of the group's spans.
func merge(spans []cost.Span, least float64) []cost.Span {
	if least == 0 {
		return spans
	}
	var out []cost.Span
	var share [len(kinds)]float64 // per kind, of the short spans being merged
	open := -1                    // the first of these short spans; -1: there is none
	flush := func(next int) {
		if open < 0 {
			return
		}
		s := spans[open]
		for k, t := range share {
			if t > share[s.Kind] {
				s.Kind = trace.Kind(k)
			}
		}
		s.End = spans[next-1].End
		out = append(out, s)
		open, share = -1, [len(kinds)]float64{}
	}
	for i, s := range spans {
		if open >= 0 && s.Begin-spans[open].Begin >= least {
			flush(i)
		}
		if s.End-s.Begin >= least {
			flush(i)
			out = append(out, s)
			continue
		}
		if open < 0 {
			open = i
		}
		share[s.Kind] += s.End - s.Begin
	}
	flush(len(spans))
	return out
}
