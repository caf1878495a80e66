package bench

import (
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

// headings are the headings of the table.
var headings = []string{
	"nest", "size", "kernel", "CPUs", "loopc ns/point", "prepared in ms", "best peer", "ns/point", "times faster",
	"plain C loop", "ns/point", "times faster", "roof ns/point", "of roof", "scaling", "of shares", "bits",
}

// title returns the name of a nest for readers.
func title(name string) string {
	for k := range nests {
		if nests[k].name == name {
			return nests[k].title
		}
	}
	return name
}

// cells returns the cells of a row under headings.
func (r *Row) cells() []string {
	faster := func(ratio, low, high float64) string {
		return fmt.Sprintf("%.2f (%.2f to %.2f)", ratio, low, high)
	}
	bits := "same"
	if !r.SameBits {
		bits = "OTHER"
	}
	plain := []string{"-", "-", "-"}
	if r.BestPlain != "" {
		plain = []string{r.BestPlain, fmt.Sprintf("%.3f", r.PlainNsPerPoint), faster(r.PlainRatio, r.PlainRatioLow, r.PlainRatioHigh)}
	}
	quotient := func(q float64) string {
		if q == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", q)
	}
	cells := []string{
		r.Nest, r.Size + " " + r.Params, r.Kernel, fmt.Sprint(r.CPUs), fmt.Sprintf("%.3f", r.NsPerPoint),
		fmt.Sprintf("%.1f", r.PrepareMs),
		r.BestPeer, fmt.Sprintf("%.3f", r.PeerNsPerPoint), faster(r.Ratio, r.RatioLow, r.RatioHigh),
	}
	cells = append(cells, plain...)
	return append(cells, fmt.Sprintf("%.3f (%s)", r.RoofNs, r.RoofLimit), fmt.Sprintf("%.0f %%", 100*r.RoofFraction), quotient(r.Efficiency), quotient(r.Shares), bits)
}

// Text writes the table in columns, followed by notes on machine and compilers.
func (r *Report) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(headings, "\t"))
	for k := range r.Rows {
		fmt.Fprintln(t, strings.Join(r.Rows[k].cells(), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return r.notes(w, "\n", "")
}

// Markdown writes the table for a README.
func (r *Report) Markdown(w io.Writer) error {
	fmt.Fprintf(w, "| %s |\n|%s\n", strings.Join(headings, " | "), strings.Repeat("---|", len(headings)))
	for k := range r.Rows {
		cells := r.Rows[k].cells()
		cells[0] = title(cells[0])
		fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | "))
	}
	return r.notes(w, "\n", "- ")
}

// notes writes machine, compilers and what was left out.
func (r *Report) notes(w io.Writer, before, bullet string) error {
	pairs := 0
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
