package calibrate

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// A Row compares the measured and the predicted time of a configuration.
type Row struct {
	Nest      string  `json:"nest"`
	Params    string  `json:"params"`
	Ranks     int     `json:"ranks"`
	CPUs      int     `json:"cpus"`
	Tile      string  `json:"tile"`              // sides, per loop
	Transport string  `json:"transport"`         // local: one rank
	Comm      string  `json:"comm"`              // overlap or blocking; "-": no messages between ranks
	Virtual   float64 `json:"virtual,omitempty"` // time of an iteration on a virtual CPU, s; 0: real CPUs
	Runs      int     `json:"runs"`
	Measured  float64 `json:"measured"`  // Sample.Typical: median, s
	Spread    float64 `json:"spread"`    // interquartile range, s
	Predicted float64 `json:"predicted"` // s
	Error     float64 `json:"error"`     // (predicted − measured)/measured
}

// newRow compares a sample with the prediction of m.
func newRow(s *Sample, m *cost.Machine) Row {
	p := s.Plan
	predicted := s.predict(m)[inRun]
	r := Row{
		Nest: p.Nest.Name, Params: s.params(), Ranks: p.Ranks, CPUs: p.CPUs, Tile: plan.Times(p.PerLoop(p.Side)), Transport: s.Link, Comm: p.Comm.String(), Virtual: s.Virtual,
		Runs: len(s.Seconds), Measured: s.Typical(), Spread: s.Spread(), Predicted: predicted,
	}
	if p.Ranks == 1 {
		r.Transport, r.Comm = cost.LinkLocal, "-"
	}
	r.Error = r.Predicted/r.Measured - 1
	return r
}

// within reports whether the prediction is as good as the measurement: its error is at most
// 5 %, or at most the spread of the runs.
func (r *Row) within() bool {
	return math.Abs(r.Error) <= math.Max(0.05, r.Spread/r.Measured)
}

// A Summary says how good the predictions of a table are.
type Summary struct {
	Rows    int     `json:"rows"`
	Median  float64 `json:"median_error"` // of the absolute errors
	Decile9 float64 `json:"p90_error"`    // ninth decile of the absolute errors
	Within  int     `json:"within"`       // rows for which Row.within holds
	Bias    float64 `json:"bias"`         // median of the signed errors
	Spread  float64 `json:"spread"`       // median of the spreads, relative to the times
}

// summarize describes the errors of rows.
func summarize(rows []Row) Summary {
	s := Summary{Rows: len(rows)}
	var size, signed, spread []float64
	for i := range rows {
		r := &rows[i]
		size, signed, spread = append(size, math.Abs(r.Error)), append(signed, r.Error), append(spread, r.Spread/r.Measured)
		if r.within() {
			s.Within++
		}
	}
	for _, x := range [][]float64{size, signed, spread} {
		slices.Sort(x)
	}
	s.Median, s.Decile9, s.Bias, s.Spread = quantile(size, 0.5), quantile(size, 0.9), quantile(signed, 0.5), quantile(spread, 0.5)
	return s
}

// A Table is the rows of a report and their summaries.
type Table struct {
	Rows    []Row              `json:"rows"`
	Summary Summary            `json:"summary"`
	Groups  map[string]Summary `json:"groups"` // of one nest, one transport or one scheme each, by name
}

// newTable adds the summaries to rows.
func newTable(rows []Row) Table {
	t := Table{Rows: rows, Summary: summarize(rows), Groups: map[string]Summary{}}
	groups := map[string][]Row{}
	for _, r := range rows {
		how := r.Transport
		if r.Virtual > 0 {
			how = "virtual CPUs, " + how
		}
		for _, name := range []string{r.Nest, how, "scheme " + r.Comm} {
			groups[name] = append(groups[name], r)
		}
	}
	delete(groups, "scheme -")
	for name, rows := range groups {
		t.Groups[name] = summarize(rows)
	}
	return t
}

// milliseconds returns the text of a time.
func milliseconds(s float64) string { return fmt.Sprintf("%.2f", s*1e3) }

// signedPercentage returns the text of a relative error with its sign.
func signedPercentage(x float64) string { return fmt.Sprintf("%+.1f %%", 100*x) }

// percentage returns the text of a relative amount.
func percentage(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// A grid is a table of text, printed as aligned columns or in Markdown.
type grid struct {
	head []string
	body [][]string
}

func (g *grid) write(w io.Writer, markdown bool) error {
	if markdown {
		rule := make([]string, len(g.head))
		for k := range rule {
			rule[k] = "---"
		}
		for _, line := range append([][]string{g.head, rule}, g.body...) {
			if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(line, " | ")); err != nil {
				return err
			}
		}
		return nil
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, line := range append([][]string{g.head}, g.body...) {
		fmt.Fprintln(t, strings.Join(line, "\t")) // Flush returns its error
	}
	return t.Flush()
}

// rows returns the rows of the table as text.
func (t *Table) rows() *grid {
	g := &grid{head: []string{"nest", "size", "ranks x CPUs", "tile", "transport", "scheme", "runs", "measured, ms", "IQR", "predicted, ms", "error"}}
	for _, r := range t.Rows {
		cpus := fmt.Sprintf("%d x %d", r.Ranks, r.CPUs)
		if r.Virtual > 0 {
			cpus += fmt.Sprintf(" virtual, %g ns", r.Virtual*1e9)
		}
		g.body = append(g.body, []string{
			r.Nest, r.Params, cpus, r.Tile, r.Transport, r.Comm, fmt.Sprint(r.Runs),
			milliseconds(r.Measured), milliseconds(r.Spread), milliseconds(r.Predicted), signedPercentage(r.Error),
		})
	}
	return g
}

// groups returns the summaries of the table as text.
func (t *Table) groups() *grid {
	g := &grid{head: []string{"of", "rows", "median error", "9 of 10 below", "median with sign", "within max(5 %, IQR)", "median IQR"}}
	line := func(name string, s Summary) {
		g.body = append(g.body, []string{name, fmt.Sprint(s.Rows), percentage(s.Median), percentage(s.Decile9), signedPercentage(s.Bias), fmt.Sprint(s.Within), percentage(s.Spread)})
	}
	line("all", t.Summary)
	var names []string
	for name := range t.Groups {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		line(name, t.Groups[name])
	}
	return g
}
