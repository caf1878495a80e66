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

// Colors that people who confuse red and green can tell apart (Okabe and Ito), and markers
// that can be told apart without color. A series looks the same in every figure of its
// paper.
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

// styles are the color, the marker and the dashes of a series, by its position in the
// panel. Later series are dashed, so that coinciding curves can both be seen.
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

// texts are the text elements of an SVG file as vgsvg writes them: the submatches are
// everything up to the font size, the font size, and the text.
var texts = regexp.MustCompile(`<text ([^>]*font-family:)Liberation Sans(;[^>]*font-size:([0-9.]+)px[^">]*")>([^<]*)</text>`)

// portable fixes the width of every text, because readers rarely have the font with which
// the text was laid out.
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

// span returns the range of the vertical axis of a panel. Panels that do not begin at 0
// share one range, so that they can be compared.
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
