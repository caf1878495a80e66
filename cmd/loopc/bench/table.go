package bench

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// JSON writes the report as one object.
func (r *Report) JSON(w io.Writer) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	_, err = w.Write(append(text, '\n'))
	return err
}

// A column is a heading, and a function that writes the cell of a row, "" if the row has no such
// figure.
type column[R any] struct {
	heading string
	cell    func(row R) string
}

// tableLines returns the headings and the cells of the rows. It leaves out columns that are empty
// in all rows. In the others, "-" stands for an empty cell.
func tableLines[R any](columns []column[R], rows []R) [][]string {
	lines := make([][]string, len(rows)+1)
	for _, c := range columns {
		cells := []string{c.heading}
		used := false
		for _, row := range rows {
			cell := c.cell(row)
			used = used || cell != ""
			cells = append(cells, cmp.Or(cell, "-"))
		}
		if !used {
			continue
		}
		for k, cell := range cells {
			lines[k] = append(lines[k], cell)
		}
	}
	return lines
}

// reportColumns are all possible columns of a report's table, after the name of the nest. Row says
// what the figures mean.
var reportColumns = []column[*Row]{
	{"class", func(r *Row) string { return r.Class }},
	{"size", func(r *Row) string { return r.Size + " " + r.Params }},
	{"kernel", func(r *Row) string { return r.Kernel }},
	{"scheme", func(r *Row) string { return r.Schemes }},
	{"CPUs", func(r *Row) string { return fmt.Sprint(r.CPUs) }},
	{"loopc ns/point", func(r *Row) string { return fmt.Sprintf("%.3f", r.NsPerPoint) }},
	{"predicted", func(r *Row) string { return decimals(r.PredictedNs, 3) }},
	{"prepared in ms", func(r *Row) string { return fmt.Sprintf("%.1f", r.PrepareMs) }},
	{"best peer", func(r *Row) string { return r.BestPeer }},
	{"ns/point", func(r *Row) string { return fmt.Sprintf("%.3f", r.PeerNsPerPoint) }},
	{"times faster", func(r *Row) string { return ratioText(r.Ratio, r.RatioLow, r.RatioHigh) }},
	{"plain C loop", func(r *Row) string { return r.BestPlain }},
	{"ns/point", func(r *Row) string { return decimals(r.PlainNsPerPoint, 3) }},
	{"times faster", func(r *Row) string { return ratioText(r.PlainRatio, r.PlainRatioLow, r.PlainRatioHigh) }},
	{"strict C loop", func(r *Row) string { return r.BestStrict }},
	{"ns/point", func(r *Row) string { return decimals(r.StrictNsPerPoint, 3) }},
	{"times faster", func(r *Row) string { return ratioText(r.StrictRatio, r.StrictRatioLow, r.StrictRatioHigh) }},
	{"roof ns/point", func(r *Row) string { return fmt.Sprintf("%.3f (%s)", r.RoofNs, r.RoofLimit) }},
	{"of roof", func(r *Row) string { return fmt.Sprintf("%.0f %%", 100*r.RoofFraction) }},
	{"scaling", func(r *Row) string { return decimals(r.Efficiency, 2) }},
	{"of shares", func(r *Row) string { return decimals(r.Shares, 2) }},
	{"bits", func(r *Row) string {
		if !r.SameBits {
			return "OTHER"
		}
		return "same"
	}},
}

// ratioText returns the text of a ratio and its interval, or "" if there is none.
func ratioText(ratio, low, high float64) string {
	if ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", ratio, low, high)
}

// lines returns the headings and the rows of the table. name is what a row is called: its nest or
// its title.
func (r *Report) lines(name func(r *Row) string) [][]string {
	var rows []*Row
	for k := range r.Rows {
		rows = append(rows, &r.Rows[k])
	}
	return tableLines(append([]column[*Row]{{"nest", name}}, reportColumns...), rows)
}

// Text writes the table in columns, followed by the classes, and notes on machine and
// compilers.
func (r *Report) Text(w io.Writer) error {
	print := func(lines [][]string) error {
		t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
		for _, line := range lines {
			fmt.Fprintln(t, strings.Join(line, "\t"))
		}
		return t.Flush()
	}
	if err := print(r.lines(func(x *Row) string { return x.Nest })); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if err := print(classLines(r.recorded())); err != nil {
		return err
	}
	return r.notes(w, "\n", "")
}

// Markdown writes the table of the rows, the table of the classes, and the notes.
func (r *Report) Markdown(w io.Writer) error {
	var page strings.Builder
	writeTable(&page, r.lines(func(x *Row) string { return cmp.Or(x.Title, x.Nest) }))
	page.WriteByte('\n')
	writeTable(&page, classLines(r.recorded()))
	if _, err := io.WriteString(w, page.String()); err != nil {
		return err
	}
	return r.notes(w, "\n", "- ")
}

// notes writes what a reader of the table should know, one note a line after the given bullet.
func (r *Report) notes(w io.Writer, before, bullet string) error {
	notes := []string{fmt.Sprintf("%s, %s, %s", r.Date, r.Processor, cpuCount(r.CPUs)), r.pairsNote()}
	if r.Load.Median > 0 {
		notes = append(notes, fmt.Sprintf("load of the host: a reference kernel, a millisecond of vector arithmetic on the CPUs of each row at once, took %.2f times its best time in the median, and %.2f times in the ninth decile; 1.00 is an idle host", r.Load.Median, r.Load.Decile9))
	}
	notes = append(notes, r.Compilers...)
	notes = append(notes, scalarNotes(r.recorded())...)
	notes = append(notes, r.dividerNotes()...)
	for _, m := range r.Missing {
		notes = append(notes, "missing: "+m)
	}
	for _, u := range r.Untimed {
		notes = append(notes, "not timed: "+u)
	}
	for k := range notes {
		notes[k] = bullet + notes[k] + "\n"
	}
	_, err := io.WriteString(w, before+strings.Join(notes, ""))
	return err
}

// fewestForInterval is the number of pairs of runs from which an interval of 95 % can be told.
const fewestForInterval = 6

// pairsNote says how times and ratios were measured. All rows have the same number of pairs of
// runs.
func (r *Report) pairsNote() string {
	pairs := 0
	if len(r.Rows) > 0 {
		pairs = r.Rows[0].Pairs
	}
	if pairs < fewestForInterval {
		return fmt.Sprintf("medians of %d runs in turn; times faster with the whole range, since an interval of 95 %% takes six pairs", pairs)
	}
	return fmt.Sprintf("medians of %d runs in turn; times faster with the interval of 95 %%", pairs)
}

// dividerNotes says how long divisions would take in rows that the divider does not limit.
func (r *Report) dividerNotes() (notes []string) {
	for k := range r.Rows {
		if x := &r.Rows[k]; x.DividerNs > 0 && x.RoofLimit != "divider" {
			notes = append(notes, fmt.Sprintf("%s, %s, %s: its divisions would take the divider %.3f ns/point", x.Nest, x.Params, cpuCount(x.CPUs), x.DividerNs))
		}
	}
	return notes
}

// cpuCount says how many CPUs: "1 CPU", "2 CPUs".
func cpuCount(n int) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%d CPUs", n)
}
