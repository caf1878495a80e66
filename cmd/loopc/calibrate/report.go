package calibrate

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// WriteFigures prints the figures of m and how well they explain the samples.
func WriteFigures(w io.Writer, m *cost.Machine, samples []*Sample) error {
	p := &printer{w: w}
	p.linef("memory         %.1f GB/s by one core", m.Stream/1e9)
	for _, key := range keysOf(samples) {
		k := m.Kernels[key]
		s := samples[slices.IndexFunc(samples, func(s *Sample) bool { return cost.KernelKey(s.Plan) == key })]
		name := s.Plan.Nest.Name
		if s.Plan.KeepsWhole() {
			name += ", whole levels"
		}
		var points []string
		for _, r := range k.Point {
			points = append(points, fmt.Sprintf("%.2f (%d KiB)", r.Seconds*1e9, r.Bytes>>10))
		}
		p.linef("%-14s ns per iteration, by the footprint of a tile: %s", name, strings.Join(points, ", "))
		p.linef("%-14s ns per tile %.0f, level %.0f, row %.1f, byte packed %.2f; at the edge: row %.0f, cell %.2f; result %.2f; iteration of vectors outside groups of rows %.2f",
			"", k.Tile*1e9, k.Level*1e9, k.Row*1e9, k.Byte*1e9, k.Check*1e9, k.Fill*1e9, k.Store*1e9, k.Lone*1e9)
		p.linef("%-14s ns per contiguous piece packed %.1f; row of vectors with idle lanes %.1f, iteration of vectors with idle lanes %.2f, iteration by itself %.2f; µs per run of the program %.0f",
			"", k.Piece*1e9, k.Run*1e9, k.Mask*1e9, k.Scalar*1e9, k.Open*1e6)
		if n := len(k.Contention); n > 1 {
			p.linef("%-14s x %.3f when %d CPUs compute", "", k.Contention[n-1], n)
		}
	}
	for _, name := range []string{cost.LinkLocal, cost.LinkInproc, cost.LinkTCP} {
		l := m.Links[name]
		p.linef("%-14s µs: start of a run %.0f, message %.2f, latency %.1f, wake-up %.1f, acknowledgement %.1f; %.2f ns a byte of the CPU", name, l.Open*1e6, (l.Start+l.Receive)*1e6, l.Latency*1e6, l.Wakeup*1e6, l.Sync*1e6, l.Byte*1e9)
	}
	t := newTable(rowsOf(samples, m))
	p.linef("%d runs are explained with a median error of %s; nine of ten with %s at most", t.Summary.Rows, percentage(t.Summary.Median), percentage(t.Summary.Decile9))
	return p.err
}

// A printer remembers its first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) linef(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) grid(g *grid, markdown bool) {
	if p.err == nil {
		p.err = g.write(p.w, markdown)
	}
}

// Write prints the report, as text or as a page in Markdown.
func (r *Report) Write(w io.Writer, markdown bool) error {
	p := &printer{w: w}
	head := func(text string) {
		if markdown {
			text = "## " + text
		}
		p.linef("\n%s\n", text)
	}
	if markdown {
		p.linef("# How well predictions hold")
		p.linef("\nMade by `loopc accuracy --markdown`; see `loopc accuracy --help`.\n")
	}
	p.linef("Measured on %s, on %s, in %.0f s. Each time is the median of the runs that other programs did not disturb or, if all were disturbed, the least time. IQR is the interquartile range of the runs.", r.When, r.Machine.Name, r.Seconds)
	head("Summary")
	p.grid(r.Table.groups(), markdown)
	p.linef("\nThe figures were calibrated with %d other runs. For those, the median error of the predictions is %s, and nine of ten errors are at most %s.",
		r.Fit.Summary.Rows, percentage(r.Fit.Summary.Median), percentage(r.Fit.Summary.Decile9))
	if len(r.Choices) > 0 {
		head("The planner's choice against the best plans tried")
		p.linef("The choice is the plan that the planner chooses after a race (`loopc calibrate --try`) with these parameters. It is measured again, alternately with the three best other plans of the race.\n")
		p.grid(choiceGrid(r.Choices), markdown)
	}
	head("Runs")
	p.grid(r.Table.rows(), markdown)
	return p.err
}

// choiceGrid returns the choices as a table, with a line for each plan. The first plan of a choice is the planner's.
func choiceGrid(choices []Choice) *grid {
	g := &grid{head: []string{"nest", "size", "on", "plan", "tile", "predicted, ms", "measured, ms", "IQR", "choice : best (quartiles)", "predictions' choice : best"}}
	for _, c := range choices {
		for i, t := range c.Plans {
			ratio, untried, what := "", "", t.What
			if what == "" {
				what = "predictions' choice"
			}
			if i == 0 {
				ratio = fmt.Sprintf("%.3f (%.3f to %.3f), %d rounds", c.Ratio, c.Low, c.High, c.Rounds)
				untried = fmt.Sprintf("%.3f", c.Untried)
				what = fmt.Sprintf("the choice of %d tried: %s", c.Tried, what)
			}
			g.body = append(g.body, []string{c.Nest, c.Params, c.Setup, what, t.Tile, milliseconds(t.Predicted), milliseconds(t.Measured), milliseconds(t.Spread), ratio, untried})
		}
	}
	return g
}

// Write prints the plans of the last heat.
func (r *Race) Write(w io.Writer) error {
	p := &printer{w: w}
	p.linef("\n%s, %s on %s: the best of %d plans tried", r.Program.Nest.Name, r.Finals[0].params(), r.Setup, r.Tried)
	g := &grid{head: []string{"tile", "map", "scheme", "measured, ms", "IQR", "differs from what predictions choose"}}
	for _, s := range r.Finals {
		what := r.What[s.Config]
		if what == "" {
			what = "-"
		}
		g.body = append(g.body, []string{plan.Times(s.Plan.PerLoop(s.Plan.Side)), s.Plan.Nest.Dims[s.Plan.Map], fmt.Sprintf("%s, %s, %s", s.Plan.Group, s.Plan.Assign, s.Plan.Comm), milliseconds(s.Typical()), milliseconds(s.Spread()), what})
	}
	p.grid(g, false)
	return p.err
}
