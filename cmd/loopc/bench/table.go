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

// A reportColumn is a heading of a report's table, and a function that writes the cell of a
// row, "" if the row has no such figure. A table leaves out the empty columns.
type reportColumn struct {
	heading string
	cell    func(r *Row) string
}

// reportColumns are all possible columns of a report's table, after the name of the nest.
var reportColumns = []reportColumn{
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
	{"times faster", func(r *Row) string { return faster(r.Ratio, r.RatioLow, r.RatioHigh) }},
	{"plain C loop", func(r *Row) string { return r.BestPlain }},
	{"ns/point", func(r *Row) string { return decimals(r.PlainNsPerPoint, 3) }},
	{"times faster", func(r *Row) string { return faster(r.PlainRatio, r.PlainRatioLow, r.PlainRatioHigh) }},
	{"strict C loop", func(r *Row) string { return r.BestStrict }},
	{"ns/point", func(r *Row) string { return decimals(r.StrictNsPerPoint, 3) }},
	{"times faster", func(r *Row) string { return faster(r.StrictRatio, r.StrictRatioLow, r.StrictRatioHigh) }},
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

// faster writes a ratio and its interval, or "" if there is none.
func faster(ratio, low, high float64) string {
	if ratio == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", ratio, low, high)
}

// lines returns the headings and the rows of the table. name is what a row is called: its nest or
// its title.
func (r *Report) lines(name func(r *Row) string) [][]string {
	lines := [][]string{{"nest"}}
	for k := range r.Rows {
		lines = append(lines, []string{name(&r.Rows[k])})
	}
	for _, c := range reportColumns {
		used := false
		cells := []string{c.heading}
		for k := range r.Rows {
			cell := c.cell(&r.Rows[k])
			used = used || cell != ""
			cells = append(cells, cmp.Or(cell, "-"))
		}
		for k := range cells {
			if used {
				lines[k] = append(lines[k], cells[k])
			}
		}
	}
	return lines
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

// Markdown writes both tables for a page.
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

// notes writes the machine, how times were measured, the compilers, and why rows and peers are
// missing.
func (r *Report) notes(w io.Writer, before, bullet string) error {
	pairs := 0 // the same in all rows
	for k := range r.Rows {
		pairs = r.Rows[k].Pairs
	}
	notes := []string{
		fmt.Sprintf("%s, %s, %s", r.Date, r.Processor, cpuCount(r.CPUs)),
		fmt.Sprintf("medians of %d runs in turn; times faster with the interval of 95 %%", pairs),
	}
	if pairs < 6 {
		notes[1] = fmt.Sprintf("medians of %d runs in turn; times faster with the whole range, since an interval of 95 %% takes six pairs", pairs)
	}
	if r.Even.Half > 0 {
		notes = append(notes, fmt.Sprintf("load of the host: a reference kernel, a millisecond of vector arithmetic on the CPUs of each row at once, took %.2f times its best time in the median, and %.2f times in the ninth decile; 1.00 is an idle host", r.Even.Half, r.Even.Tenth))
	}
	notes = append(notes, r.Compilers...)
	notes = append(notes, scalarNotes(r.recorded())...)
	for k := range r.Rows {
		if x := &r.Rows[k]; x.DividerNs > 0 && x.RoofLimit != "divider" {
			notes = append(notes, fmt.Sprintf("%s, %s, %s: its divisions would take the divider %.3f ns/point", x.Nest, x.Params, cpuCount(x.CPUs), x.DividerNs))
		}
	}
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

// cpuCount says how many CPUs: "1 CPU", "2 CPUs".
func cpuCount(n int) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%d CPUs", n)
}
