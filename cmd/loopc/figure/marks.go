package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// reportedGlyph marks values that a paper's text reports.
var reportedGlyph = draw.GlyphStyle{Color: orange, Radius: vg.Points(4.5), Shape: diamond{}}

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

// A diamond is drawn filled with a white rim, visible on bars of any color.
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
