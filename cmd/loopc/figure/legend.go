package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// seriesNumber counts the distinct names before that of series i. All kinds with one name
// share a style.
func seriesNumber(panel *Panel, i int) int {
	seen := map[string]int{}
	for _, s := range panel.Series[:i+1] {
		if _, ok := seen[s.Name]; !ok {
			seen[s.Name] = len(seen)
		}
	}
	return seen[panel.Series[i].Name]
}

// The bars of one category: the scheduling-aware grid, and the communication-aware grid by
// theory and simulated.
var barStyles = []struct {
	series string
	kind   Kind
	color  color.RGBA
	legend string
}{
	{schedulingAware, Simulated, palebar, "scheduling-aware grid"},
	{communicationAware, Theory, skybar, "communication-aware, theory"},
	{communicationAware, Simulated, blue, "the same, simulated"},
}

// bars adds a group of bars per category, the paper's reported values, and the names of the
// grids above the bars.
func (f *Figure) bars(p *plot.Plot, panel *Panel) error {
	const width = 24 // points
	for k, style := range barStyles {
		s := panel.series(style.series, style.kind)
		values := make(plotter.Values, len(s.Points))
		for i, at := range s.Points {
			values[i] = at.Y
		}
		bars, err := plotter.NewBarChart(values, vg.Points(width))
		if err != nil {
			return err
		}
		bars.Color, bars.LineStyle.Width = style.color, 0
		bars.Offset = vg.Points(width) * vg.Length(k-1)
		p.Add(bars)
	}
	simulated := panel.series(communicationAware, Simulated)
	theory := panel.series(communicationAware, Theory)
	for i := range f.Bars.Categories {
		top := max(theory.Points[i].Y, simulated.Points[i].Y)
		first := plotter.XYLabels{XYs: plotter.XYs{{X: float64(i), Y: 1}}, Labels: []string{f.Bars.Over[i][0]}}
		second := plotter.XYLabels{XYs: plotter.XYs{{X: float64(i), Y: top}}, Labels: []string{f.Bars.Over[i][1]}}
		for k, l := range []plotter.XYLabels{first, second} {
			labels, err := plotter.NewLabels(l)
			if err != nil {
				return err
			}
			labels.TextStyle[0] = textStyle(tickSize, ink)
			labels.TextStyle[0].XAlign = draw.XCenter
			labels.Offset = vg.Point{X: vg.Points([]float64{-width, width / 2}[k]), Y: vg.Points(3)}
			p.Add(labels)
		}
	}
	if s := panel.series(communicationAware, Reported); s != nil {
		xys := make(plotter.XYs, len(s.Points))
		for i, at := range s.Points {
			xys[i].X, xys[i].Y = at.X, at.Y
		}
		p.Add(&reportedMarks{xys, vg.Points(width) / 2})
	}
	p.NominalX(f.Bars.Categories...)
	p.X.Padding, p.Y.Padding = 0, 0 // NominalX moves the axis away
	p.X.Tick.Label.YAlign = draw.YTop
	p.X.Width, p.X.Tick.Length, p.X.Tick.LineStyle.Color = vg.Points(0.5), vg.Points(4), color.White
	p.X.Min, p.X.Max = -0.6, float64(len(f.Bars.Categories))-0.4
	return nil
}

// legend draws two rows: the series, and the meaning of lines and markers.
func (f *Figure) legend(c draw.Canvas) {
	type item struct {
		label string
		mark  func(x, y, width vg.Length)
	}
	line := func(col color.Color, dashes []vg.Length) func(x, y, w vg.Length) {
		return func(x, y, w vg.Length) { c.StrokeLine2(stroke(col, dashes), x, y, x+w, y) }
	}
	mark := func(g draw.GlyphStyle) func(x, y, w vg.Length) {
		return func(x, y, w vg.Length) { c.DrawGlyph(g, vg.Point{X: x + w/2, Y: y}) }
	}
	box := func(col color.Color) func(x, y, w vg.Length) {
		return func(x, y, w vg.Length) {
			r := vg.Rectangle{Min: vg.Point{X: x + w/4, Y: y - 4}, Max: vg.Point{X: x + w, Y: y + 4}}
			c.SetColor(col)
			c.Fill(r.Path())
		}
	}
	var rows [2][]item
	panel := &f.Panels[0]
	if f.Bars != nil {
		for _, s := range barStyles {
			rows[0] = append(rows[0], item{s.legend, box(s.color)})
		}
		rows[1] = append(rows[1], item{"labels: the grid of processes", func(_, _, _ vg.Length) {}})
		if panel.series(communicationAware, Reported) != nil {
			rows[1] = append(rows[1], item{"measured, as the paper's text reports", mark(reportedGlyph)})
		}
	} else {
		seen := map[string]bool{}
		for i, s := range panel.Series {
			if seen[s.Name] {
				continue
			}
			seen[s.Name] = true
			style := styles[seriesNumber(panel, i)]
			rows[0] = append(rows[0], item{s.Name, func(x, y, w vg.Length) {
				line(style.color, style.dashes)(x, y, w)
				mark(glyph(style.color, style.marker))(x, y, w)
			}})
		}
		rows[1] = []item{
			{"lines: theory, the closed forms", line(soft, nil)},
			{"markers: simulated runs of the plans", mark(glyph(soft, draw.CircleGlyph{}))},
		}
	}
	const thumb, gap, apart = 24, 5, 20
	style := textStyle(labelSize, ink)
	style.YAlign = draw.YCenter
	for i, row := range rows {
		width := vg.Length(-apart)
		for _, it := range row {
			width += thumb + gap + apart + style.Width(it.label)
		}
		x := c.Center().X - width/2
		y := c.Max.Y - vg.Points(labelSize*1.7)*(vg.Length(i)+0.5) - 2
		for _, it := range row {
			it.mark(x, y, thumb)
			x += thumb + gap
			c.FillText(style, vg.Point{X: x, Y: y}, it.label)
			x += style.Width(it.label) + apart
		}
	}
}
