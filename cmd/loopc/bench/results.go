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
func (x *RecordedRow) kind() tableKind {
	return tableKind{x.Size, x.Kernel == portable && !scalar(x.Schemes), x.CPUs}
}

// best returns the time of the fastest C program, or 0 if no time is known.
func (x *RecordedRow) best() float64 {
	if x.TiledNs == 0 || x.PlainNs > 0 && x.PlainNs < x.TiledNs {
		return x.PlainNs
	}
	return x.TiledNs
}

// A listedRow is a recorded row, and its nest, which has the title and the sizes.
type listedRow struct {
	*RecordedRow
	nest *nest
}

// resultColumns are all possible columns of a table of recorded rows.
var resultColumns = []column[listedRow]{
	{"nest", func(x listedRow) string { return cmp.Or(x.nest.title, x.Nest) }},
	{"parameters", func(x listedRow) string { return x.nest.sizes[x.Size].String() }},
	{"class", func(x listedRow) string { return x.Class }},
	{"scheme", func(x listedRow) string { return x.Schemes }},
	{"kernel", func(x listedRow) string { return x.Kernel }},
	{"loopc, ns/point", func(x listedRow) string { return decimals(x.NsPerPoint, 3) }},
	{"predicted", func(x listedRow) string { return decimals(x.PredictedNs, 3) }},
	{"strict C", func(x listedRow) string { return decimals(x.StrictNs, 3) }},
	{"times faster than strict C", func(x listedRow) string { return decimals(x.StrictRatio, 2) }},
	{"plain C", func(x listedRow) string { return withSource(x.PlainNs, x.BestPlain) }},
	{"times faster", func(x listedRow) string { return ratioText(x.PlainRatio, x.PlainRatioLow, x.PlainRatioHigh) }},
	{"tiled C", func(x listedRow) string { return withSource(x.TiledNs, x.BestTiled) }},
	{"than the best C", func(x listedRow) string { return quotient(x.best(), x.NsPerPoint) }},
	{"roof", func(x listedRow) string { return withSource(x.RoofNs, x.RoofLimit) }},
	{"scaling", func(x listedRow) string { return decimals(x.Efficiency, 2) }},
	{"of shares", func(x listedRow) string { return decimals(x.Shares, 2) }},
	{"loaded", func(x listedRow) string { return decimals(x.Loaded, 2) }},
	{"pairs", func(x listedRow) string { return decimals(float64(x.Pairs), 0) }},
	{"date", func(x listedRow) string { return x.Date }},
}

// decimals returns the text of v, or "" if v is 0.
func decimals(v float64, places int) string {
	if v == 0 {
		return ""
	}
	return fmt.Sprintf("%.*f", places, v)
}

// withSource returns the text of v, followed by its source in parentheses, if it has one.
func withSource(v float64, source string) string {
	if v == 0 || source == "" {
		return decimals(v, 3)
	}
	return fmt.Sprintf("%.3f (%s)", v, source)
}

// quotient returns the text of a/b, or "" if one of them is 0.
func quotient(a, b float64) string {
	if a == 0 || b == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f", a/b)
}

// Tables writes everything that is recorded as a page in Markdown: the summary of the first
// processor, which README.md shows, and a table for each processor, size, number of CPUs and kind of
// kernel. Titles and order of the nests are those of the lists in the folders.
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
		if k == 0 && slices.ContainsFunc(m.Rows, func(x RecordedRow) bool { return x.Nest == summaryNests[0].name }) {
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

// listed returns the nests in the lists of the folders, and then the recorded nests that are in
// no list. A folder without a list is skipped.
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

// kinds returns the kinds of tables that have rows: portable kernels last, large sizes before
// small ones, and few CPUs before many.
func (m *MachineRecord) kinds() []tableKind {
	var all []tableKind
	for k := range m.Rows {
		if kind := m.Rows[k].kind(); !slices.Contains(all, kind) {
			all = append(all, kind)
		}
	}
	slices.SortFunc(all, func(a, b tableKind) int {
		return cmp.Or(a.last()-b.last(), slices.Index(Sizes, b.size)-slices.Index(Sizes, a.size), a.cpus-b.cpus)
	})
	return all
}

// last is 1 for portable kernels, else 0.
func (k tableKind) last() int {
	if k.portable {
		return 1
	}
	return 0
}

// table writes the rows of one kind, in the order of the nests, and their classes if they have
// any.
func (m *MachineRecord) table(page *strings.Builder, kind tableKind, nests []*nest) {
	var rows []listedRow
	var recorded []*RecordedRow
	for _, n := range nests {
		for i := range m.Rows {
			if x := &m.Rows[i]; x.Nest == n.name && x.kind() == kind {
				rows, recorded = append(rows, listedRow{x, n}), append(recorded, x)
			}
		}
	}
	writeTable(page, tableLines(resultColumns, rows))
	if slices.ContainsFunc(recorded, func(x *RecordedRow) bool { return x.Class != "" }) {
		writeClasses(page, recorded)
	}
}

// writeClasses writes the table of classes, and notes on rows without vector kernels.
func writeClasses(page *strings.Builder, rows []*RecordedRow) {
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
func (m *MachineRecord) Summary() string {
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
