package bench

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
)

// summaryNests are the rows of the summary, which README.md shows: one nest of each kind,
// and the nest with the smallest speedup is among them.
var summaryNests = []struct{ name, title string }{
	{"seidel5", "Gauss-Seidel, 5 points, float64"},
	{"seidel9", "Gauss-Seidel, 9 points, float64"},
	{"sw_affine", "Smith-Waterman, affine gaps, int32"},
	{"pipeline_whole", "Pipeline kernel, whole array out, float32"},
	{"jacobi3d", "Jacobi, 7 points in 3-D and time, float64"},
	{"adi", "ADI, float32"},
}

// A tableKind has the properties that all rows of a table share.
type tableKind struct {
	size     string
	portable bool
	cpus     int
}

// kind returns the table that the row belongs to. Rows for which the portable kernel was asked for
// have tables of their own; a nest that has no other kernel is in the ordinary tables.
func (x *Recorded) kind() tableKind {
	return tableKind{x.Size, x.Kernel == portable && !scalar(x.Schemes), x.CPUs}
}

// best returns the time of the fastest C program, or 0 if no time is known.
func (x *Recorded) best() float64 {
	if x.TiledNs == 0 || x.PlainNs > 0 && x.PlainNs < x.TiledNs {
		return x.PlainNs
	}
	return x.TiledNs
}

// A column is a heading, and a function that writes the cell of a row, "" if the row has no
// such figure.
type column struct {
	heading string
	cell    func(x *Recorded, n *nest) string
}

// columns are all possible columns. A table leaves out the empty ones.
var columns = []column{
	{"nest", func(x *Recorded, n *nest) string { return cmp.Or(n.title, x.Nest) }},
	{"parameters", func(x *Recorded, n *nest) string { return n.sizes[x.Size].String() }},
	{"class", func(x *Recorded, _ *nest) string { return x.Class }},
	{"scheme", func(x *Recorded, _ *nest) string { return x.Schemes }},
	{"kernel", func(x *Recorded, _ *nest) string { return x.Kernel }},
	{"loopc, ns/point", func(x *Recorded, _ *nest) string { return decimals(x.NsPerPoint, 3) }},
	{"predicted", func(x *Recorded, _ *nest) string { return decimals(x.PredictedNs, 3) }},
	{"strict C", func(x *Recorded, _ *nest) string { return decimals(x.StrictNs, 3) }},
	{"times faster than strict C", func(x *Recorded, _ *nest) string { return decimals(x.StrictRatio, 2) }},
	{"plain C", func(x *Recorded, _ *nest) string { return by(x.PlainNs, x.BestPlain) }},
	{"times faster", func(x *Recorded, _ *nest) string {
		if x.PlainRatio == 0 {
			return ""
		}
		return fmt.Sprintf("%.2f (%.2f to %.2f)", x.PlainRatio, x.PlainRatioLow, x.PlainRatioHigh)
	}},
	{"tiled C", func(x *Recorded, _ *nest) string { return by(x.TiledNs, x.BestTiled) }},
	{"than the best C", func(x *Recorded, _ *nest) string { return quotient(x.best(), x.NsPerPoint) }},
	{"roof", func(x *Recorded, _ *nest) string { return by(x.RoofNs, x.RoofLimit) }},
	{"scaling", func(x *Recorded, _ *nest) string { return decimals(x.Efficiency, 2) }},
	{"of shares", func(x *Recorded, _ *nest) string { return decimals(x.Shares, 2) }},
	{"loaded", func(x *Recorded, _ *nest) string { return decimals(x.Loaded, 2) }},
	{"pairs", func(x *Recorded, _ *nest) string {
		if x.Pairs == 0 {
			return ""
		}
		return fmt.Sprint(x.Pairs)
	}},
	{"date", func(x *Recorded, _ *nest) string { return x.Date }},
}

// decimals writes v, or "" if v is 0.
func decimals(v float64, places int) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.*f", places, v)
}

// by writes v, followed by its source in parentheses.
func by(v float64, whose string) string {
	if v == 0 || whose == "" {
		return decimals(v, 3)
	}
	return fmt.Sprintf("%.3f (%s)", v, whose)
}

// quotient writes a/b.
func quotient(a, b float64) string {
	if a == 0 || b == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", a/b)
}

// Tables writes everything that is recorded as a page in Markdown: the summary, and a
// table for each processor, size, number of CPUs and kind of kernel. The lists of the folders
// have the titles and the order of the nests.
func (r *Records) Tables(w io.Writer, folders []string) error {
	nests := listed(r, folders)
	var page strings.Builder
	page.WriteString("# Results\n\nPrinted by `loopc bench --tables`; do not edit. The [README](README.md) says what is measured, how, and what the columns mean.\n")
	for k := range r.Machines {
		m := &r.Machines[k]
		fmt.Fprintf(&page, "\n## %s\n", m.Processor)
		if len(m.Compilers) > 0 {
			fmt.Fprintf(&page, "\n%s.\n", strings.Join(m.Compilers, ", "))
		}
		if k == 0 && slices.ContainsFunc(m.Rows, func(x Recorded) bool { return x.Nest == summaryNests[0].name }) {
			fmt.Fprintf(&page, "\n### Summary\n\n%s", m.Summary())
		}
		for _, kind := range m.kinds() {
			fmt.Fprintf(&page, "\n### %s\n\n", kind)
			m.table(&page, kind, nests)
		}
	}
	_, err := io.WriteString(w, page.String())
	return err
}

// listed returns the nests of the folders that have a list, and then those of records that no
// list has.
func listed(r *Records, folders []string) (all []*nest) {
	for _, folder := range folders {
		if list, err := readNests(folder); err == nil {
			all = append(all, list...)
		}
	}
	for k := range r.Machines {
		for _, x := range r.Machines[k].Rows {
			if !slices.ContainsFunc(all, func(n *nest) bool { return n.name == x.Nest }) {
				all = append(all, &nest{name: x.Nest})
			}
		}
	}
	return all
}

func (k tableKind) String() string {
	portable := ""
	if k.portable {
		portable = ", portable kernel"
	}
	return fmt.Sprintf("Size %s, %s%s", k.size, cpuCount(k.cpus), portable)
}

// kinds returns the kinds of tables that have rows, large sizes first.
func (m *Record) kinds() []tableKind {
	var all []tableKind
	for k := range m.Rows {
		if kind := m.Rows[k].kind(); !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	slices.SortFunc(all, func(a, b tableKind) int {
		switch {
		case a.portable != b.portable && b.portable:
			return -1
		case a.portable != b.portable:
			return 1
		}
		return cmp.Or(slices.Index(Sizes, b.size)-slices.Index(Sizes, a.size), a.cpus-b.cpus)
	})
	return all
}

// table writes the rows of one kind, in the order of the nests.
func (m *Record) table(page *strings.Builder, kind tableKind, nests []*nest) {
	var rows []*Recorded
	var of []*nest
	for _, n := range nests {
		for i := range m.Rows {
			if x := &m.Rows[i]; x.Nest == n.name && x.kind() == kind {
				rows, of = append(rows, x), append(of, n)
			}
		}
	}
	lines := make([][]string, len(rows)+1)
	for _, c := range columns {
		used := false
		cells := []string{c.heading}
		for k, x := range rows {
			cell := c.cell(x, of[k])
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
	writeTable(page, lines)
	if !slices.ContainsFunc(rows, func(x *Recorded) bool { return x.Class != "" }) {
		return
	}
	page.WriteByte('\n')
	writeTable(page, classLines(rows))
	for k, note := range scalarNotes(rows) {
		if k == 0 {
			page.WriteByte('\n')
		}
		fmt.Fprintf(page, "- %s\n", note)
	}
}

// writeTable writes a table in Markdown whose first line has the headings.
func writeTable(page *strings.Builder, lines [][]string) {
	for k, cells := range lines {
		fmt.Fprintf(page, "| %s |\n", strings.Join(cells, " | "))
		if k == 0 {
			fmt.Fprintf(page, "|%s\n", strings.Repeat("---|", len(cells)))
		}
	}
}

// Summary returns the table of README.md: loopc and the fastest C program on summaryNests,
// on one CPU and on two.
func (m *Record) Summary() string {
	lines := [][]string{{"nest", "one CPU: loopc", "best C", "times faster", "two CPUs: loopc", "best C", "times faster"}}
	for _, s := range summaryNests {
		line := []string{s.title}
		for _, cpus := range []int{1, 2} {
			cells := []string{"-", "-", "-"}
			for k := range m.Rows {
				if x := &m.Rows[k]; x.Nest == s.name && x.kind() == (tableKind{"large", false, cpus}) {
					cells = []string{decimals(x.NsPerPoint, 3), decimals(x.best(), 3), quotient(x.best(), x.NsPerPoint)}
				}
			}
			line = append(line, cells...)
		}
		lines = append(lines, line)
	}
	var text strings.Builder
	writeTable(&text, lines)
	return text.String()
}
