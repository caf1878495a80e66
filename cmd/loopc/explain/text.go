package explain

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Lengths of the text: for a terminal of 100 columns.
const (
	textWidth = 100
	labelLen  = 15 // of the label of a line
	textRows  = 16 // rows of a table; further rows are only counted
)

// Text writes the report for a terminal of 100 columns.
func (r *Report) Text(w io.Writer) error {
	t := &text{}
	t.heading("%s", r.title())
	if len(r.Parameters)+len(r.Floats) > 0 {
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
	if r.AsWritten > 0 {
		by := ""
		if r.InArrays {
			by = ", their rows in vectors"
		}
		t.line("predicted", "%s for the loops as they are written%s, which a run chooses: tiles would take %s, with all that begins and ends them", seconds(r.AsWritten), by, seconds(r.InTiles))
		t.line("tiles", "none; --json and --html describe those of a run with --trace or --checkpoint")
		t.dependences(r)
	} else {
		t.line("predicted", "%s", r.verdict())
		t.tiles(r)
	}
	if len(r.Kernels) > 0 {
		t.heading("Kernels")
		for _, k := range r.Kernels {
			t.line("", "%s", k)
		}
	}
	t.heading("Roof of the machine")
	t.line("iteration", "%s", r.Roof.text(r.AsWritten == 0))
	if r.AsWritten == 0 {
		t.line("tile", "%s", r.Roof.cache())
	}
	t.line("figures", "%s", r.figures())
	if r.AsWritten == 0 { // warnings are about tiles
		for _, w := range r.Warnings {
			t.line("warning", "%s", w)
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

// tiles prints the sections on tiles, and the dependences, for a run in tiles.
func (t *text) tiles(r *Report) {
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
}

// Along names the dimensions of lists with an entry per loop: the loops, skewed.
func (r *Report) Along() []string { return r.Dims[len(r.Dims)-len(r.Loops):] }

func (r *Report) title() string { return r.File + ": plan of " + r.Nest }

func (r *Report) parameters() string {
	var s []string
	for _, p := range r.Parameters {
		s = append(s, fmt.Sprintf("%s = %d", p.Name, p.Value))
	}
	for _, p := range r.Floats {
		s = append(s, fmt.Sprintf("%s = %v", p.Name, p.Value))
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
	what := " iterations in the box "
	if r.skewed() {
		what = " iterations in the skewed box "
	}
	return s + what + strings.Join(bounds, ", ")
}

// verdict describes the plan in a sentence.
func (r *Report) verdict() string {
	s := fmt.Sprintf("%s in %s on %s with %s each, %s", seconds(r.Prediction.Seconds), plural(int64(r.Steps), "step"),
		plural(int64(r.Ranks), "rank"), plural(int64(r.CPUs), "CPU"), r.computing())
	if r.Prediction.Estimated {
		s += "; estimated, for there are too many tiles to simulate"
	}
	return s
}

// figures says from which machine the costs are.
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

// cache says whether a tile fits the caches.
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

// places reports whether the report needs placesText.
func (r *Report) places() bool {
	return slices.ContainsFunc(r.Dependences, func(d Dependence) bool { return d.Kind != "flow" })
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

// exactBytes returns the text of a long length twice: rounded with a unit, and exact.
func exactBytes(n int64) string {
	if n < 1024 {
		return lengthText(n)
	}
	return lengthText(n) + " (" + count(n) + " B)"
}

// Widths says how many cells of each value a face holds: "u 2" is two cells of u.
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
	t.matrices([]string{"H^G", "P^G", "Π^G"}, r.Grouping.H, matrixText(r.Grouping.P), matrixText([][]int{r.Grouping.Pi}))
	t.line("steps", "%s, walking the tiles that have iterations", count(int64(r.Steps)))
	if r.Epochs > 0 {
		t.line("epochs", "%d of %s each; tiles, steps and messages are those of one", r.Epochs, plural(int64(r.Epoch), "level"))
	}
	for _, c := range r.Closed {
		t.line("closed form", "%s", c.text())
	}
	if len(r.Closed) == 0 {
		t.line("closed form", "none in the papers for this plan")
	}
}

func (t *text) prediction(r *Report) {
	p := r.Prediction
	t.heading("Predicted time: %s", seconds(p.Seconds))
	t.b.WriteString("  of the last CPU to finish, and of all " + count(int64(p.Workers)) + " on average\n")
	var rows [][]string
	for _, x := range r.split() {
		rows = append(rows, []string{x.Name, seconds(x.Seconds), percent(x.Part), seconds(x.Mean), percent(x.All), bar(x.Part)})
	}
	t.table("lrrrrl", rows...)
	if r.sharing() != "" {
		t.line("computing", "%s: the part of all CPUs' time in which they compute, in turns", percent(p.Efficiency))
	} else {
		t.line("efficiency", "%s: the part of all CPUs' time in which they compute", percent(p.Efficiency))
	}
}

// bar draws a fraction as a bar of at most 40 characters.
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

// more returns text such as "+12.3 %", or nothing for zero.
func more(x float64) string {
	if x > -0.0005 && x < 0.0005 {
		return ""
	}
	if x > 0 {
		return "+" + percent(x)
	}
	return percent(x)
}
