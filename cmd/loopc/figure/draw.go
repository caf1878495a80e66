package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"math"
	"regexp"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Colors that people who confuse red and green can tell apart (Okabe and Ito), and
// markers that can be told apart without color. A series has the same in every
// figure of its paper.
var (
	ink     = color.RGBA{0x22, 0x22, 0x22, 0xff}
	soft    = color.RGBA{0x77, 0x77, 0x77, 0xff}
	rule    = color.RGBA{0xe4, 0xe4, 0xe4, 0xff}
	blue    = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	orange  = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	green   = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	purple  = color.RGBA{0xaa, 0x4f, 0x8c, 0xff}
	palebar = color.RGBA{0xc9, 0xc9, 0xc9, 0xff}
	skybar  = color.RGBA{0x9c, 0xcb, 0xe6, 0xff}
)

// styles are the color, the marker and the dashes of a series by its place in the
// panel. Later ones are dashed, so that curves that coincide are both seen.
var styles = []struct {
	color  color.RGBA
	marker draw.GlyphDrawer
	dashes []vg.Length
}{
	{blue, draw.CircleGlyph{}, nil},
	{orange, draw.SquareGlyph{}, []vg.Length{7, 5}},
	{green, draw.PyramidGlyph{}, []vg.Length{2, 3}},
	{purple, draw.CrossGlyph{}, []vg.Length{4, 6}},
}

// Sizes of text and of the drawing.
const (
	titleSize  = 12
	labelSize  = 10
	tickSize   = 9
	panelWidth = 12 * vg.Centimeter
	panelDepth = 8.5 * vg.Centimeter
)

// SVG returns the drawing of the figure as SVG, on white.
func (f *Figure) SVG() ([]byte, error) {
	w, h := f.size()
	c := vgsvg.New(w, h)
	if err := f.draw(draw.NewCanvas(c, w, h)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	return portable(out.Bytes()), nil
}

// texts are the text elements of an SVG file as vgsvg writes them: all up to the
// size of the font, that size, and the text.
var texts = regexp.MustCompile(`<text ([^>]*font-family:)Liberation Sans(;[^>]*font-size:([0-9.]+)px[^">]*")>([^<]*)</text>`)

// portable lets every text have the width that it was laid out with: the font is
// seldom installed where the file is looked at.
func portable(svg []byte) []byte {
	return texts.ReplaceAllFunc(svg, func(element []byte) []byte {
		m := texts.FindSubmatch(element)
		size, err := strconv.ParseFloat(string(m[3]), 64)
		if err != nil {
			panic("BUG: a font size in SVG: " + err.Error())
		}
		width := textStyle(size, ink).Width(html.UnescapeString(string(m[4])))
		return fmt.Appendf(nil, `<text %s'Liberation Sans',Arimo,Arial,Helvetica,sans-serif%s textLength="%.2f" lengthAdjust="spacingAndGlyphs">%s</text>`, m[1], m[2], width.Points(), m[4])
	})
}

// PNG returns the drawing of the figure as PNG, on white, at 150 dots per inch.
func (f *Figure) PNG() ([]byte, error) {
	w, h := f.size()
	c := vgimg.NewWith(vgimg.UseWH(w, h), vgimg.UseDPI(150))
	if err := f.draw(draw.New(c)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(&out); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// rows returns how panels are laid out: two side by side.
func (f *Figure) rows() (rows, columns int) {
	if len(f.Panels) == 1 {
		return 1, 1
	}
	return (len(f.Panels) + 1) / 2, 2
}

func (f *Figure) size() (w, h vg.Length) {
	rows, columns := f.rows()
	w = panelWidth * vg.Length(columns)
	if columns == 1 {
		w = panelWidth * 1.5
	}
	return w, panelDepth*vg.Length(rows) + f.titleHeight() + f.legendHeight()
}

func (f *Figure) titleHeight() vg.Length  { return vg.Points(titleSize * 2) }
func (f *Figure) legendHeight() vg.Length { return vg.Points(labelSize*1.7*2 + 4) }

// textStyle returns the style of text of that size.
func textStyle(size float64, c color.Color) text.Style {
	return text.Style{
		Color: c, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, vg.Points(size)),
		Handler: plot.DefaultTextHandler,
	}
}

// draw draws title, panels and legend from top to bottom.
func (f *Figure) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	const margin = 8
	c = draw.Crop(c, margin, -margin, margin/2, -margin/2)

	style := textStyle(titleSize, ink)
	style.YAlign = draw.YTop
	paper, number, _ := strings.Cut(f.Name, ".")
	c.FillText(style, vg.Point{X: c.Min.X, Y: c.Max.Y - 2}, fmt.Sprintf("[%s] figure %s: %s", paper, number, f.Title))

	rows, columns := f.rows()
	plots := make([][]*plot.Plot, rows)
	for i := range f.Panels {
		p, err := f.panel(&f.Panels[i])
		if err != nil {
			return err
		}
		plots[i/columns] = append(plots[i/columns], p)
	}
	body := draw.Crop(c, 0, 0, f.legendHeight(), -f.titleHeight())
	canvases := plot.Align(plots, draw.Tiles{Rows: rows, Cols: columns, PadX: vg.Points(14), PadY: vg.Points(10)}, body)
	for i, row := range plots {
		for k, p := range row {
			p.Draw(canvases[i][k])
		}
	}
	f.legend(draw.Crop(c, 0, 0, 0, -(c.Max.Y - c.Min.Y - f.legendHeight())))
	return nil
}

// panel returns the plot of one panel.
func (f *Figure) panel(panel *Panel) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = panel.Title
	p.Title.TextStyle = textStyle(labelSize, ink)
	p.Title.TextStyle.XAlign, p.Title.TextStyle.YAlign = draw.XCenter, draw.YTop
	p.Title.Padding = vg.Points(3)
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		x, y, r := axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign, axis.Label.TextStyle.Rotation
		axis.Label.TextStyle = textStyle(labelSize, ink)
		axis.Label.TextStyle.XAlign, axis.Label.TextStyle.YAlign, axis.Label.TextStyle.Rotation = x, y, r
		x, y, r = axis.Tick.Label.XAlign, axis.Tick.Label.YAlign, axis.Tick.Label.Rotation
		axis.Tick.Label = textStyle(tickSize, ink)
		axis.Tick.Label.XAlign, axis.Tick.Label.YAlign, axis.Tick.Label.Rotation = x, y, r
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = soft, soft
		axis.Tick.Length = vg.Points(4)
		axis.Padding = 0
		axis.Label.Padding = vg.Points(3)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = rule, rule
	if f.Bars != nil {
		grid.Vertical.Width = 0
	}
	p.Add(grid)
	p.Y.Tick.Marker = even{}
	if f.Bars != nil {
		if err := f.bars(p, panel); err != nil {
			return nil, err
		}
		p.Y.Min, p.Y.Max = 0, 1.15
		return p, nil
	}
	if err := curves(p, panel); err != nil {
		return nil, err
	}
	p.Y.Min, p.Y.Max = even{}.limits(f.span(panel))
	if f.LogX {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = doublings{}
		p.X.Min, p.X.Max = p.X.Min/1.1, p.X.Max*1.1
	} else {
		p.X.Tick.Marker = even{}
		p.X.Min, p.X.Max = even{}.limits(0, p.X.Max)
	}
	return p, nil
}

// span returns the values that the vertical axis of a panel must show: panels that
// do not begin at 0 have the same, so that they can be compared.
func (f *Figure) span(panel *Panel) (low, high float64) {
	panels := f.Panels
	low, high = math.Inf(1), math.Inf(-1)
	if f.FromZero {
		panels, low = []Panel{*panel}, 0
	}
	for _, p := range panels {
		for _, s := range p.Series {
			for _, at := range s.Points {
				low, high = min(low, at.Y), max(high, at.Y)
			}
		}
	}
	return low, high
}

// curves adds theory as lines, and simulated runs as markers over them.
func curves(p *plot.Plot, panel *Panel) error {
	var marks []plot.Plotter
	for i, s := range panel.Series {
		style := styles[seriesNumber(panel, i)]
		xys := make(plotter.XYs, len(s.Points))
		for k, at := range s.Points {
			xys[k].X, xys[k].Y = at.X, at.Y
		}
		if s.Kind == Theory {
			line, err := plotter.NewLine(xys)
			if err != nil {
				return err
			}
			line.LineStyle = stroke(style.color, style.dashes)
			p.Add(line)
			continue
		}
		points, err := plotter.NewScatter(xys)
		if err != nil {
			return err
		}
		points.GlyphStyle = glyph(style.color, style.marker)
		marks = append(marks, points)
	}
	p.Add(marks...)
	return nil
}

func stroke(c color.Color, dashes []vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(1.4), Dashes: dashes}
}

func glyph(c color.Color, marker draw.GlyphDrawer) draw.GlyphStyle {
	return draw.GlyphStyle{Color: c, Radius: vg.Points(3), Shape: marker}
}

// seriesNumber counts the names before that of series i: kinds of one name share
// their style.
func seriesNumber(panel *Panel, i int) int {
	seen := map[string]int{}
	for _, s := range panel.Series[:i+1] {
		if _, ok := seen[s.Name]; !ok {
			seen[s.Name] = len(seen)
		}
	}
	return seen[panel.Series[i].Name]
}

// The bars of one category: the scheduling-aware grid, and the other one by theory
// and simulated.
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

// reportedGlyph marks what a paper's text reports.
var reportedGlyph = draw.GlyphStyle{Color: orange, Radius: vg.Points(4.5), Shape: diamond{}}

// bars adds a group of bars per category, what the paper reports, and the grids
// over the bars.
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

// reportedMarks are diamonds beside the middle of their categories.
type reportedMarks struct {
	at     plotter.XYs
	offset vg.Length
}

// Plot implements plot.Plotter.
func (m *reportedMarks) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	for _, at := range m.at {
		c.DrawGlyph(reportedGlyph, vg.Point{X: x(at.X) + m.offset, Y: y(at.Y)})
	}
}

// A diamond is a filled one with a white rim, legible on bars of any color.
type diamond struct{}

// DrawGlyph implements draw.GlyphDrawer.
func (diamond) DrawGlyph(c *draw.Canvas, style draw.GlyphStyle, at vg.Point) {
	shape := func(r vg.Length) vg.Path {
		var p vg.Path
		p.Move(vg.Point{X: at.X, Y: at.Y + r})
		p.Line(vg.Point{X: at.X + r, Y: at.Y})
		p.Line(vg.Point{X: at.X, Y: at.Y - r})
		p.Line(vg.Point{X: at.X - r, Y: at.Y})
		p.Close()
		return p
	}
	c.SetColor(color.White)
	c.Fill(shape(style.Radius + 1.5))
	c.SetColor(style.Color)
	c.Fill(shape(style.Radius))
}

// legend draws two rows: the series, and what lines and markers are.
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

// doublings ticks the powers of two.
type doublings struct{}

// Ticks implements plot.Ticker.
func (doublings) Ticks(low, high float64) []plot.Tick {
	var out []plot.Tick
	for x := 1.0; x <= high; x *= 2 {
		if x < low {
			continue
		}
		label := number(x)
		if x >= 1<<10 {
			label = number(x/(1<<10)) + "k"
		}
		out = append(out, plot.Tick{Value: x, Label: label})
	}
	return out
}

// even ticks multiples of 1, 2, 2.5 or 5 times a power of ten, some six of them.
type even struct{}

func (even) step(low, high float64) float64 {
	if !(high > low) {
		return 1
	}
	wish := (high - low) / 6
	power := math.Pow(10, math.Floor(math.Log10(wish)))
	for _, f := range []float64{1, 2, 2.5, 5} {
		if f*power >= wish {
			return f * power
		}
	}
	return 10 * power
}

// limits returns low and high moved out to ticks.
func (e even) limits(low, high float64) (float64, float64) {
	s := e.step(low, high)
	return math.Floor(low/s) * s, math.Ceil(high/s) * s
}

// Ticks implements plot.Ticker.
func (e even) Ticks(low, high float64) []plot.Tick {
	s := e.step(low, high)
	var out []plot.Tick
	for k := math.Ceil(low/s - 1e-9); k*s <= high*(1+1e-9); k++ {
		out = append(out, plot.Tick{Value: k * s, Label: number(k*s + 0)}) // +0: no -0
	}
	return out
}
