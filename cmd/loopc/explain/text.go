package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Lengths of the text: for a terminal of 100 columns.
const (
	textWidth = 100
	labelLen  = 15 // of what stands in front of a line
	textRows  = 16 // rows of a table; what is beyond is counted
)

// Text writes the report for a terminal of 100 columns.
func (r *Report) Text(w io.Writer) error {
	t := &text{}
	t.heading("%s", r.title())
	if len(r.Parameters) > 0 {
		t.line("parameters", "%s", r.parameters())
	}
	t.line("space", "%s", r.iterations())
	for k, x := range r.Reductions {
		label := ""
		if k == 0 {
			label = "reductions"
		}
		t.line(label, "%s = %s, %s", x.Name, x.Of, x.Type)
	}
	if r.Empty {
		t.dependences(r)
		_, err := io.WriteString(w, t.b.String())
		return err
	}
	t.line("predicted", "%s", r.verdict())
	if s := r.sharing(); s != "" {
		t.line("sharing", "%s", s)
	}
	t.dependences(r)
	t.tiling(r)
	t.workers(r)
	t.faces(r)
	t.schedule(r)
	t.prediction(r)
	t.alternatives(r)
	if len(r.Kernels) > 0 {
		t.heading("Kernels")
		for _, k := range r.Kernels {
			t.line("", "%s", k)
		}
	}
	t.heading("Roof of the machine")
	t.line("iteration", "%s", r.Roof.text())
	t.line("tile", "%s", r.Roof.cache())
	t.line("figures", "%s", r.figures())
	for _, w := range r.Warnings {
		t.line("warning", "%s", w)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// text collects lines.
type text struct{ b strings.Builder }

func (t *text) heading(format string, args ...any) {
	if t.b.Len() > 0 {
		t.b.WriteByte('\n')
	}
	t.b.WriteString(printable(fmt.Sprintf(format, args...)) + "\n")
}

// line writes a line with a label; one that is too long continues below.
func (t *text) line(label, format string, args ...any) {
	room := textWidth - labelLen - 2
	for k, part := range wrap(printable(fmt.Sprintf(format, args...)), room) {
		if k > 0 {
			label = ""
		}
		t.b.WriteString(strings.TrimRight("  "+pad(label, labelLen)+part, " ") + "\n")
	}
}

// table writes rows with aligned columns; those of right are numbers.
func (t *text) table(right string, rows ...[]string) {
	var width []int
	for _, row := range rows {
		for k, cell := range row {
			if k == len(width) {
				width = append(width, 0)
			}
			width[k] = max(width[k], utf8.RuneCountInString(printable(cell)))
		}
	}
	for _, row := range rows {
		line := "  "
		for k, cell := range row {
			cell = printable(cell)
			switch {
			case k < len(right) && right[k] == 'r':
				line += strings.Repeat(" ", width[k]-utf8.RuneCountInString(cell)) + cell
			case k > 0 && k == len(row)-1:
				t.last(line, cell)
				line = ""
				continue
			default:
				line += pad(cell, width[k])
			}
			line += "  "
		}
		if line != "" {
			t.b.WriteString(clip(strings.TrimRight(line, " "), textWidth) + "\n")
		}
	}
}

// last writes the last cell of a row behind the others; what is too long
// continues below.
func (t *text) last(line, cell string) {
	at := utf8.RuneCountInString(line)
	for _, part := range wrap(cell, max(16, textWidth-at)) {
		t.b.WriteString(clip(strings.TrimRight(line+part, " "), textWidth) + "\n")
		line = strings.Repeat(" ", at)
	}
}

func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-utf8.RuneCountInString(s))) }

// clip shortens a line to n characters.
func clip(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}

// wrap breaks s at spaces into lines of at most n characters; a longer word
// stays whole.
func wrap(s string, n int) []string {
	var out []string
	line := ""
	for word := range strings.SplitSeq(s, " ") {
		switch {
		case line == "":
			line = word
		case utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > n:
			out = append(out, line)
			line = word
		default:
			line += " " + word
		}
	}
	return append(out, line)
}

// Along names the dimensions of lists with an entry per loop: the loops, skewed.
func (r *Report) Along() []string { return r.Dims[len(r.Dims)-len(r.Loops):] }

func (r *Report) title() string { return r.File + ": plan of " + r.Nest }

func (r *Report) parameters() string {
	var s []string
	for _, p := range r.Parameters {
		s = append(s, fmt.Sprintf("%s = %d", p.Name, p.Value))
	}
	return strings.Join(s, ", ")
}

func (r *Report) iterations() string {
	if r.Empty {
		return "none"
	}
	s := count(r.Points)
	if !r.PointsExact {
		s = "about " + s
	}
	var bounds []string
	for k, name := range r.Dims {
		bounds = append(bounds, fmt.Sprintf("%s %d..%d", name, r.Lo[k], r.Hi[k]))
	}
	return s + " iterations in the box " + strings.Join(bounds, ", ")
}

// verdict is the plan in a sentence.
func (r *Report) verdict() string {
	s := fmt.Sprintf("%s in %s on %s with %s each, %s", seconds(r.Seconds), plural(int64(r.Steps), "step"),
		plural(int64(r.Ranks), "rank"), plural(int64(r.CPUs), "CPU"), r.computing())
	if r.Prediction.Estimated {
		s += "; estimated, for there are too many tiles to simulate"
	}
	return s
}

// figures says whose costs were used.
func (r *Report) figures() string {
	if r.Measured == "" {
		return fmt.Sprintf("%s, link %s; loopc calibrate measures this machine", r.Machine, r.Link)
	}
	with := ""
	if r.OtherNest {
		with = " with another nest, not with " + r.Nest
	}
	return fmt.Sprintf("%s, measured %s%s, link %s", r.Machine, r.Measured, with, r.Link)
}

// cache says where the tile lives.
func (r *Roof) cache() string {
	if r.Cached {
		return lengthText(int64(r.Footprint)) + " of live levels, which stay in the cache"
	}
	text := lengthText(int64(r.Footprint)) + " of live levels, more than the caches hold: "
	if r.Together > 1 {
		return text + fmt.Sprintf("they go through memory once for %d levels, which the kernel computes together", r.Together)
	}
	return text + "each level goes through memory"
}

func (t *text) dependences(r *Report) {
	t.heading("Dependences and what they force")
	if len(r.Dependences) == 0 {
		t.line("", "none: iterations are independent")
		return
	}
	rows := [][]string{{"kind", "array", "distance", "skewed", "from", "to", "forces"}}
	for k, d := range r.Dependences {
		if k == textRows && len(r.Dependences) > textRows+2 {
			rows = append(rows, []string{fmt.Sprintf("and %d more", len(r.Dependences)-k)})
			break
		}
		rows = append(rows, []string{d.Kind, d.Array, vector(d.Distance), vector(d.Skewed), d.From.String(), d.To.String(), d.why()})
	}
	t.table("", rows...)
	if r.places() {
		t.line("", "%s", placesText)
	}
}

// placesText says why anti and output dependences force nothing.
const placesText = "Anti and output dependences force nothing: each result has a place of its own."

// places reports whether placesText has to be said.
func (r *Report) places() bool {
	return slices.ContainsFunc(r.Dependences, func(d Dependence) bool { return d.Kind != "flow" })
}

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

// matrixRow prints row i with the columns of m aligned.
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

func (t *text) tiling(r *Report) {
	t.heading("Tiling")
	t.line("tile", "%s iterations along %s: %s each", by(r.Tile), strings.Join(r.Along(), ", "), count(r.Tiling.Size))
	narrow := ""
	for k, first := range r.First {
		if first > 0 {
			narrow += fmt.Sprintf("; the first has %d iterations along %s, the last what is left: a CPU follows the other one sooner", first, r.Along()[k])
		}
	}
	t.line("tiles", "%s%s", by(r.Tiles), narrow)
	t.matrices([]string{"T", "H", "P"}, strung(r.Tiling.Skew), r.Tiling.H, strung(r.Tiling.P))
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

// MemoryText says what a rank needs.
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

// of says how many of the workers asked for are used.
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
	switch r.Assign {
	case "retile":
		return "retile: one column of tiles for each CPU"
	case "cluster":
		return "cluster: a block of neighboring columns for each CPU, one tile of each in a step"
	case "cyclic":
		return "cyclic: ranks take groups of columns in turn"
	}
	return "mirror: ranks take groups of columns in turn, every other round in reverse order"
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
	if r.Comm == "overlap" {
		return "overlap: they travel while tiles are computed"
	}
	return "blocking: a CPU waits until its faces have arrived"
}

func (t *text) faces(r *Report) {
	t.heading("Faces")
	if len(r.Faces) == 0 {
		t.line("", "none: no result leaves its column of tiles")
		return
	}
	rows := [][]string{{"across", "cells wide", "of a tile", "between ranks", "", "between CPUs", ""}}
	for _, f := range r.Faces {
		row := []string{f.Name, f.Widths(), lengthText(int64(f.Tile))}
		if r.FacesCounted {
			row = append(row, plural(f.Messages, "message"), lengthText(f.Bytes), plural(f.LocalMessages, "face"), lengthText(f.LocalBytes))
		}
		rows = append(rows, row)
	}
	t.table("llrrrrr", rows...)
	t.line("in all", "%s between ranks, %s", plural(r.Messages, "message"), exactBytes(r.Bytes))
	if r.FacesFollowed {
		t.line("", "A CPU hands a face over to another one of its rank while it is packed: the tile that gets it follows the one that sends it.")
	}
}

// exactBytes prints a length twice, if it is long: readable, and exact.
func exactBytes(n int64) string {
	if n < 1024 {
		return lengthText(n)
	}
	return lengthText(n) + " (" + count(n) + " B)"
}

// Widths says how much of which value a face holds: "u 2" is two cells of u.
func (f *Face) Widths() string {
	var s []string
	for _, v := range f.Values {
		var w []string
		for k, c := range f.Step {
			if c == 1 {
				w = append(w, fmt.Sprint(v.Width[k]))
			}
		}
		s = append(s, v.Name+" "+strings.Join(w, "×"))
	}
	return strings.Join(s, ", ")
}

func (t *text) schedule(r *Report) {
	t.heading("Schedule")
	t.matrices([]string{"H^G", "P^G", "Π^G"}, r.Grouping.H, strung(r.Grouping.P), strung([][]int{r.Grouping.Pi}))
	t.line("steps", "%s, walking the tiles that have iterations", count(int64(r.Steps)))
	for _, c := range r.Closed {
		t.line("closed form", "%s", c.text())
	}
	if len(r.Closed) == 0 {
		t.line("closed form", "none in the papers for vertical groups in several rounds")
	}
}

func (t *text) prediction(r *Report) {
	p := r.Prediction
	t.heading("Predicted time: %s", seconds(r.Seconds))
	t.b.WriteString("  of the last CPU to finish, and of all " + count(int64(p.Workers)) + " on average\n")
	n := max(1, float64(p.Workers))
	var rows [][]string
	part := func(name string, own, all float64) {
		rows = append(rows, []string{name, seconds(own), percent(own / max(r.Seconds, 1e-300)), seconds(all / n), percent(all / n / max(r.Seconds, 1e-300)), bar(own / max(r.Seconds, 1e-300))})
	}
	part("fill", p.Fill, p.All.Fill)
	part("compute", p.Compute, p.All.Compute)
	part("pack", p.Pack, p.All.Pack)
	part("waiting", p.Waiting, p.All.Waiting)
	part("drain", p.Drain, p.All.Drain)
	t.table("lrrrrl", rows...)
	if r.sharing() != "" {
		t.line("computing", "%s: the part of all CPUs' time in which they compute, in turns", percent(p.Efficiency))
	} else {
		t.line("efficiency", "%s: the part of all CPUs' time in which they compute", percent(p.Efficiency))
	}
}

// bar draws a part as a bar of at most 40 characters.
func bar(part float64) string {
	return strings.Repeat("█", int(min(1, max(0, part))*40+0.5))
}

func (t *text) alternatives(r *Report) {
	t.heading("Alternatives: %s considered, by their differences from the chosen plan", count(int64(r.Chosen.Considered)))
	t.line("chosen", "%s", r.Chosen.Why)
	if len(r.Alternatives) < 2 {
		return
	}
	rows := [][]string{{"time", "more", "steps", "between ranks", "plan"}}
	shown, rest := r.foremost(textRows)
	for _, a := range shown {
		rows = append(rows, []string{a.about(), more(a.More), count(int64(a.Steps)), lengthText(a.Bytes), a.What})
	}
	if rest > 0 {
		rows = append(rows, []string{"…", "", "", "", fmt.Sprintf("and %d more, up to %s", rest, seconds(r.Alternatives[len(r.Alternatives)-1].Seconds))})
	}
	t.table("rrrrl", rows...)
}

// more prints "+12.3 %", and nothing for zero.
func more(x float64) string {
	if x > -0.0005 && x < 0.0005 {
		return ""
	}
	if x > 0 {
		return "+" + percent(x)
	}
	return percent(x)
}
