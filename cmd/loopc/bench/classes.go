package bench

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// schemes lists the kernels that the lines of loopc plan name: "vectors across levels", "vectors
// along j", or "portable: " and the reason. A line "loops ..." says that loops run as they are
// written; it counts, too.
func schemes(kernels []string) string {
	var all []string
	for _, line := range kernels {
		name, vector := line, strings.HasPrefix(line, "vectors ")
		if vector {
			name = line[:strings.IndexAny(line+";", ",;")]
		}
		if (vector || scalar(line) || strings.HasPrefix(line, "loops ")) && !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return strings.Join(all, "; ")
}

// scalar reports whether a line of loopc plan, or the list of a row's schemes, has a nest
// without a vector kernel.
func scalar(schemes string) bool {
	return slices.ContainsFunc(strings.Split(schemes, "; "), func(s string) bool {
		why, ok := strings.CutPrefix(s, "portable: ")
		return ok && !strings.Contains(why, " rows together") // "portable: 4 rows together" describes a kernel, and gives no reason
	})
}

// A Class summarizes the rows of a class, or of all classes.
type Class struct {
	Name string
	Rows int
	// compared is how many rows have been compared with both kinds of plain loops.
	compared int
	// Vector is how many rows have vector kernels for all of their nests.
	Vector int
	// Ratio and Strict are the geometric means of PlainRatio and StrictRatio.
	Ratio, Strict float64
	Worst         *RecordedRow // by StrictRatio
}

// classesOf summarizes the classes in the order of their first rows, and then all rows. Rows
// without a class belong to "other".
func classesOf(rows []*RecordedRow) []Class {
	var names []string
	for _, x := range rows {
		if name := cmp.Or(x.Class, "other"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	var all []Class
	for _, name := range append(names, "") {
		c := Class{Name: cmp.Or(name, "all")}
		for _, x := range rows {
			if name != "" && cmp.Or(x.Class, "other") != name {
				continue
			}
			c.Rows++
			if !scalar(x.Schemes) {
				c.Vector++
			}
			if x.PlainRatio == 0 || x.StrictRatio == 0 {
				continue
			}
			c.compared++
			c.Ratio += math.Log(x.PlainRatio)
			c.Strict += math.Log(x.StrictRatio)
			if c.Worst == nil || x.StrictRatio < c.Worst.StrictRatio {
				c.Worst = x
			}
		}
		c.Ratio, c.Strict = math.Exp(c.Ratio/float64(c.compared)), math.Exp(c.Strict/float64(c.compared))
		all = append(all, c)
	}
	return all
}

// recorded returns what is recorded of the rows.
func (r *Report) recorded() (all []*RecordedRow) {
	for k := range r.Rows {
		x := &RecordedRow{}
		x.set(r, &r.Rows[k])
		all = append(all, x)
	}
	return all
}

// classLines are the headings and rows of the table of classes.
func classLines(rows []*RecordedRow) [][]string {
	lines := [][]string{{"class", "rows", "with vector kernels", "times faster than plain C", "than strict C", "least", "of"}}
	for _, c := range classesOf(rows) {
		line := []string{c.Name, fmt.Sprint(c.Rows), fmt.Sprint(c.Vector), "-", "-", "-", "-"}
		if c.compared > 0 {
			line = append(line[:3], decimals(c.Ratio, 2), decimals(c.Strict, 2), decimals(c.Worst.StrictRatio, 2), c.Worst.Nest+" "+c.Worst.Size)
		}
		lines = append(lines, line)
	}
	return lines
}

// scalarNotes tells how many rows have no vector kernel, by reason.
func scalarNotes(rows []*RecordedRow) []string {
	count := map[string]int{}
	var reasons []string
	for _, x := range rows {
		for s := range strings.SplitSeq(x.Schemes, "; ") {
			if !scalar(s) {
				continue
			}
			if count[s]++; count[s] == 1 {
				reasons = append(reasons, s)
			}
		}
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
	var notes []string
	for _, s := range reasons {
		notes = append(notes, fmt.Sprintf("of the rows, %d have a nest that is %s", count[s], s))
	}
	return notes
}
