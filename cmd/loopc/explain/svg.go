package explain

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// A picture collects the elements of an SVG drawing. Colors that depend on light
// or dark come from classes in page.css; all text is escaped.
type picture struct {
	b             strings.Builder
	width, height float64
	title         string  // read to those who do not see it
	least         float64 // part of its width below which it is not scaled but scrolled
}

// svg returns the drawing, as wide as there is room for.
func (g *picture) svg() template.HTML {
	least := ""
	if g.least > 0 {
		least = ";min-width:" + num(g.least*g.width) + "px"
	}
	head := fmt.Sprintf(`<svg viewBox="0 0 %s %s" style="max-width:%spx%s" role="img" aria-label="%s">`, num(g.width), num(g.height), num(g.width*1.25), least, html.EscapeString(g.title))
	return template.HTML(head + g.b.String() + "</svg>")
}

// A point is a place in a picture, in its units.
type point struct{ x, y float64 }

// num prints a coordinate with one digit behind the point at most.
func num(x float64) string {
	s := strconv.FormatFloat(x, 'f', 1, 64)
	return strings.TrimSuffix(s, ".0")
}

// polygon returns the path of a closed polygon.
func polygon(at []point) string {
	var b strings.Builder
	for k, p := range at {
		if k == 0 {
			b.WriteByte('M')
		} else {
			b.WriteByte('L')
		}
		b.WriteString(num(p.x) + " " + num(p.y))
	}
	b.WriteByte('z')
	return b.String()
}

// path draws a path; attributes are written as they are.
func (g *picture) path(d, attributes string) {
	fmt.Fprintf(&g.b, `<path d="%s" %s/>`, d, attributes)
}

// line draws a line.
func (g *picture) line(a, b point, class string) {
	fmt.Fprintf(&g.b, `<path class="%s" d="M%s %sL%s %s"/>`, class, num(a.x), num(a.y), num(b.x), num(b.y))
}

// text writes s with its anchor (start, middle or end) at p.
func (g *picture) text(p point, anchor, class, s string) {
	fmt.Fprintf(&g.b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s</text>`, num(p.x), num(p.y), anchor, class, html.EscapeString(printable(s)))
}

// box draws a rectangle with round corners.
func (g *picture) box(x, y, w, h, r float64, attributes string) {
	fmt.Fprintf(&g.b, `<rect x="%s" y="%s" width="%s" height="%s" rx="%s" %s/>`, num(x), num(y), num(w), num(h), num(r), attributes)
}

// arrow draws an arrow from a to b.
func (g *picture) arrow(a, b point, class string) {
	dx, dy := b.x-a.x, b.y-a.y
	n := math.Hypot(dx, dy)
	if n < 1 {
		return
	}
	dx, dy = dx/n, dy/n
	const long, wide = 9, 4
	end := point{b.x - long*dx, b.y - long*dy}
	g.line(a, end, class)
	head := []point{b, {end.x - wide*dy, end.y + wide*dx}, {end.x + wide*dy, end.y - wide*dx}}
	g.path(polygon(head), `class="`+class+` head"`)
}

// ramp are the colors of time steps, from the first to the last: their
// brightness rises all the way, so that they keep their order in grey.
var ramp = [][3]float64{
	{88, 72, 168}, {61, 106, 196}, {36, 143, 190}, {38, 174, 152}, {110, 199, 98}, {199, 210, 62}, {250, 226, 90},
}

// A shade is a color.
type shade [3]float64

// stepShade returns the color at t from 0 to 1.
func stepShade(t float64) shade {
	t = min(1, max(0, t)) * float64(len(ramp)-1)
	k := min(int(t), len(ramp)-2)
	var c shade
	for x := range c {
		c[x] = ramp[k][x] + (t-float64(k))*(ramp[k+1][x]-ramp[k][x])
	}
	return c
}

// times makes c darker, below 1, or brighter.
func (c shade) times(f float64) shade {
	for x := range c {
		c[x] = min(255, c[x]*f)
	}
	return c
}

func (c shade) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(c[0]+0.5), int(c[1]+0.5), int(c[2]+0.5))
}

// ink is the class of text that can be read on c.
func (c shade) ink() string {
	if 0.299*c[0]+0.587*c[1]+0.114*c[2] > 135 {
		return "on-bright"
	}
	return "on-dark"
}

// legend draws the colors of the steps from first to last.
func (g *picture) legend(x, y float64, first, last int) {
	const w, h, parts = 150, 10, 30
	for k := range parts {
		c := stepShade(float64(k) / (parts - 1))
		g.box(x+float64(k)*w/parts, y, w/parts+0.4, h, 0, fmt.Sprintf(`fill="%v"`, c))
	}
	g.text(point{x - 6, y + 9}, "end", "small", "step "+count(int64(first)))
	g.text(point{x + w + 6, y + 9}, "start", "small", count(int64(last)))
}
