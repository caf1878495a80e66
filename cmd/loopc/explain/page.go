package explain

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"strings"

	"loopc/runtime/trace"
	"loopc/transform/plan"
)

var (
	//go:embed page.html
	pageText string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// pageTemplate escapes whatever comes from the user: names, paths, source.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"count": func(n any) string {
		switch n := n.(type) {
		case int:
			return count(int64(n))
		case int64:
			return count(n)
		}
		panic("BUG: page: not a count")
	},
	"seconds": seconds, "percent": percent, "bytes": lengthText, "by": by, "vector": vector, "more": more,
	"matrixText": matrixText, "bytesOf": func(n int) string { return lengthText(int64(n)) },
	"row":   func(v []int) [][]string { return matrixText([][]int{v}) },
	"about": func(a Alternative) string { return a.about() },
	"why":   func(d Dependence) string { return d.why() },
	"prose": prose,
	"brief": func(s string) string { return short(s, "", mostArrayName) },
}).Parse(pageText))

// mostArrayName is the greatest length of an array's name in the table of dependences: a
// longer name would push the rest of its row out of sight.
const mostArrayName = 110.0

// A page is what the template shows: one nest, or several that run one after
// another.
type page struct {
	Style   template.CSS
	Script  template.JS
	Title   string
	Several bool
	Order   string // in which several nests run
	Nests   []*section
}

// A section has the texts and pictures of the part of a page that shows one nest.
type section struct {
	*Report
	Level               int // of its headings
	Space, Mesh         template.HTML
	SpaceNote           string
	MeshNote            string
	LastStep            int
	Written, Skewed     template.HTML // dependence vectors
	WrittenNote         string
	SkewedNote          string
	IsSkewed            bool
	Chart               template.JS
	ChartNote           string
	ChartShown          string // which CPUs the chart shows; "": all
	HasChart            bool
	Measured            bool
	Split               []part
	Bars                []barOf
	BarsNote            string
	Text                string
	Kinds               []kind
	RoofText            string
	CacheText           string
	Figures             string
	SharingText         string // "": each CPU has a core
	Places              string // placesText, or "" if all dependences are flow dependences
	AssignText          string
	GroupText           string
	CommText            string
	ClosedText          []string
	ParameterText       string
	IterationText       string
	UsedRanks, UsedCPUs int // ranks, and CPUs per rank, that the plan uses
}

// Heading returns a heading within the section, as HTML.
func (d *section) Heading(s string) template.HTML {
	return template.HTML(fmt.Sprintf("<h%d>%s</h%d>", d.Level, html.EscapeString(s), d.Level))
}

// prose renders text whose commands are in backticks.
func prose(s string) template.HTML {
	parts := strings.Split(printable(s), "`")
	var b strings.Builder
	for k, part := range parts {
		part = html.EscapeString(part)
		switch {
		case k%2 == 1 && k < len(parts)-1:
			part = "<code>" + part + "</code>"
		case k%2 == 1: // an unpaired backtick
			part = "`" + part
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// A kind is an entry of the legend.
type kind struct{ Class, Name string }

// kinds are the kinds of spans in the chart.
var kinds = [...]kind{
	trace.Compute:    {"compute", "compute"},
	trace.Pack:       {"pack", "pack, unpack"},
	trace.WaitData:   {"wait-data", "wait for a face"},
	trace.WaitCredit: {"wait-credit", "wait for a slot"},
	trace.WaitSync:   {"sync", "wait for an acknowledgement"},
	trace.Send:       {"send", "message on its way"},
}

// A part is a share of the predicted time, such as that of computing.
type part struct {
	Class, Name string
	Seconds     float64 // of the last CPU to finish
	Part        float64 // Seconds as a fraction of the run
	Mean        float64 // mean of all CPUs, in seconds
	All         float64 // Mean as a fraction of the run
	Width       float64 // percent
}

// A barOf is the bar of an alternative.
type barOf struct {
	Alternative
	Width float64 // percent of the longest
}

// mostBars bounds the alternatives that are drawn.
const mostBars = 14

// A NestPage is a nest that a page shows.
type NestPage struct {
	Report *Report
	Plan   *plan.Plan
	Chart  *Chart // may be nil
}

// Page writes the report on a nest as an HTML page that needs nothing else: no network, no
// other file.
func Page(w io.Writer, n NestPage) error {
	return fillPage(w, &page{Title: n.Report.title()}, []NestPage{n})
}

// Pages writes the reports on the nests of a program as one page. order is the order in
// which they run.
func Pages(w io.Writer, title, order string, nests []NestPage) error {
	return fillPage(w, &page{Title: title, Several: true, Order: strings.TrimRight(order, "\n")}, nests)
}

func fillPage(w io.Writer, p *page, nests []NestPage) error {
	level := 2 // of headings: <h2>
	if p.Several {
		level = 3
	}
	for _, n := range nests {
		d, err := newSection(n, level)
		if err != nil {
			return err
		}
		p.Nests = append(p.Nests, d)
	}
	p.Style, p.Script = template.CSS(pageStyle), template.JS(pageScript)
	return pageTemplate.Execute(w, p)
}

// newSection returns the section of a nest, with headings of the given level.
func newSection(n NestPage, level int) (*section, error) {
	r, p, chart := n.Report, n.Plan, n.Chart
	var text strings.Builder
	if err := r.Text(&text); err != nil {
		return nil, err
	}
	d := &section{
		Report: r, Level: level, Text: text.String(), ParameterText: r.parameters(), IterationText: r.iterations(),
		RoofText: r.Roof.text(true), CacheText: r.Roof.cache(), Figures: r.figures(),
	}
	if r.Empty {
		return d, nil
	}
	d.SharingText = r.sharing()
	d.AssignText, d.GroupText, d.CommText = r.assignment(), r.grouping(), r.scheme()
	d.UsedRanks, d.UsedCPUs = product(r.Grid), product(r.Mesh)
	d.Space, d.SpaceNote, d.LastStep = spacePicture(p)
	d.Mesh, d.MeshNote = meshPicture(p)
	d.Written, d.WrittenNote = vectorsPicture(r, p, false)
	d.Skewed, d.SkewedNote = vectorsPicture(r, p, true)
	for k, row := range r.Tiling.Skew {
		for x, c := range row {
			d.IsSkewed = d.IsSkewed || k != x && c != 0 || k == x && c != 1 // not the identity
		}
	}
	for _, c := range r.Closed {
		d.ClosedText = append(d.ClosedText, c.text())
	}
	if r.places() {
		d.Places = placesText
	}
	d.Split = r.split()
	d.bars()
	if chart != nil && len(chart.rows) > 0 {
		data, note := chart.data()
		d.Chart, d.ChartNote, d.HasChart, d.Measured = template.JS(data), note, true, chart.kept[1] > 0
		d.ChartShown = chart.shown()
		d.Kinds = kinds[:]
	}
	return d, nil
}

// split splits the predicted time.
func (r *Report) split() (split []part) {
	p := r.Prediction
	n := float64(max(1, p.Workers))
	total := max(p.Seconds, 1e-300)
	add := func(class, name string, own, all float64) {
		split = append(split, part{class, name, own, own / total, all / n, all / n / total, min(100, max(0, 100*own/total))})
	}
	add("fill", "fill", p.Fill, p.All.Fill)
	add("compute", "compute", p.Compute, p.All.Compute)
	add("pack", "pack", p.Pack, p.All.Pack)
	add("wait-data", "waiting", p.Waiting, p.All.Waiting)
	add("drain", "drain", p.Drain, p.All.Drain)
	return split
}

// bars sets d.Bars to the alternatives, and d.BarsNote.
func (d *section) bars() {
	longest := 0.0
	shown, rest := d.foremost(mostBars)
	for _, a := range shown {
		longest = max(longest, a.Seconds)
	}
	for _, a := range shown {
		d.Bars = append(d.Bars, barOf{a, 100 * a.Seconds / max(longest, 1e-300)})
	}
	if rest > 0 {
		d.BarsNote = plural(int64(rest), "more plan") + " considered, up to " + seconds(d.Alternatives[len(d.Alternatives)-1].Seconds) + "."
	}
}
