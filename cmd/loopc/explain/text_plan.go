package explain

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"loopc/transform/plan"
)

// matrices writes matrices side by side, each with its name.
func (t *text) matrices(names []string, all ...[][]string) {
	height := 0
	for _, m := range all {
		height = max(height, len(m))
	}
	for i := range height {
		line := "  "
		for k, m := range all {
			label := strings.Repeat(" ", utf8.RuneCountInString(names[k])+3)
			if i == 0 {
				label = names[k] + " = "
			}
			cell := ""
			if i < len(m) {
				cell = label + "[" + matrixRow(m, i) + "]"
			}
			line += pad(cell, matrixWidth(m)+len(label)+3)
		}
		t.b.WriteString(clip(strings.TrimRight(line, " "), textWidth) + "\n")
	}
}

// matrixRow returns the text of row i with the columns of m aligned.
func matrixRow(m [][]string, i int) string {
	var s []string
	for c := range m[i] {
		width := 0
		for _, row := range m {
			width = max(width, len(row[c]))
		}
		s = append(s, strings.Repeat(" ", width-len(m[i][c]))+m[i][c])
	}
	return strings.Join(s, " ")
}

func matrixWidth(m [][]string) int {
	if len(m) == 0 {
		return 2
	}
	return len(matrixRow(m, 0)) + 2
}

// skewed reports whether loops are skewed.
func (r *Report) skewed() bool {
	for k, row := range r.Tiling.Skew {
		for m, x := range row {
			if k != m && x != 0 {
				return true
			}
		}
	}
	return false
}

func (t *text) tiling(r *Report) {
	t.heading("Tiling")
	part := "" // the tiles of a skewed space have corners without iterations
	if r.skewed() && int64(r.Tiling.Size) > int64(r.Points) {
		part = ", fewer where the space is narrower than its box"
	}
	t.line("tile", "%s iterations along %s: %s each%s", by(r.Tile), strings.Join(r.Along(), ", "), count(r.Tiling.Size), part)
	narrow := ""
	for k, first := range r.First {
		if first > 0 {
			narrow += fmt.Sprintf("; the first has %d iterations along %s, the last what is left: a CPU follows the other one sooner", first, r.Along()[k])
		}
	}
	t.line("tiles", "%s%s", by(r.Tiles), narrow)
	t.matrices([]string{"T", "H", "P"}, matrixText(r.Tiling.Skew), r.Tiling.H, matrixText(r.Tiling.P))
	var list []string
	for _, d := range r.Tiling.TileDependences {
		list = append(list, vector(d))
	}
	if len(list) == 0 {
		list = []string{"none: no tile depends on another"}
	}
	t.line("D^S", "%s", strings.Join(list, " "))
}

func (t *text) workers(r *Report) {
	t.heading("Ranks and CPUs")
	t.line("mapping", "tiles along %s share a CPU (%s)", r.Map, r.MapWhy)
	t.line("grid", "%s: %s (%s)", by(r.Grid), of(product(r.Grid), r.Ranks, "rank"), r.GridWhy)
	t.line("mesh", "%s: %s of each rank", by(r.Mesh), of(product(r.Mesh), r.CPUs, "CPU"))
	t.line("assignment", "%s", r.assignment())
	t.line("grouping", "%s", r.grouping())
	t.line("messages", "%s", r.scheme())
	t.line("memory", "%s", r.MemoryText())
}

// MemoryText says how much memory a rank needs.
func (r *Report) MemoryText() string {
	m := r.Memory
	s := lengthText(m.Total())
	if r.Ranks > 1 {
		s = "at most " + s + " of a rank, " + lengthText(r.MemoryOfAll) + " of all"
	}
	for _, part := range []struct {
		bytes int64
		what  string
	}{{m.Given, "given cells"}, {m.Results, "results"}, {m.Levels, "live levels"}, {m.Faces, "faces"}} {
		if part.bytes > 0 {
			s += "; " + lengthText(part.bytes) + " " + part.what
		}
	}
	return s
}

// of says how many of the requested workers are used.
func of(used, asked int, what string) string {
	if used < asked {
		return fmt.Sprintf("%d of %s", used, plural(int64(asked), what))
	}
	return plural(int64(used), what)
}

func product(v []int) int {
	n := 1
	for _, x := range v {
		n *= x
	}
	return n
}

func (r *Report) assignment() string {
	var a plan.Assign
	if err := a.UnmarshalText([]byte(r.Assign)); err != nil {
		return r.Assign // of a report by a newer loopc
	}
	return r.Assign + ": " + plan.AssignText(a)
}

func (r *Report) grouping() string {
	if r.Group == "vertical" {
		if r.Sub > 1 {
			return fmt.Sprintf("vertical: the CPUs of a rank share a tile, cut into %s along %s", plural(int64(r.Sub), "sub-tile"), r.Map)
		}
		return "vertical: the CPUs of a rank share a tile"
	}
	return "hyperplane: the CPUs of a rank run tiles that do not depend on one another"
}

func (r *Report) scheme() string {
	switch r.Comm {
	case "overlap":
		return "overlap: they travel while tiles are computed"
	case "buffered":
		return "buffered: a CPU waits until the system has taken its faces"
	}
	return "blocking: a CPU waits until its faces have arrived"
}
