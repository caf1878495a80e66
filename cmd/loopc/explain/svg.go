package explain

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A picture collects the elements of an SVG drawing. Colors that depend on light
// or dark come from classes in page.css; all text is escaped.
type picture struct {
	b             strings.Builder
	left, top     float64 // of the upper left corner
	width, height float64
	title         string    // for screen readers
	texts         []textBox // of all texts so far
}

// leastScale is the least scale of a picture. A larger picture is scrolled, so that its
// letters stay readable.
const leastScale = 0.72

// svg returns the drawing, scaled to the width of the page.
func (g *picture) svg() template.HTML {
	head := fmt.Sprintf(`<svg viewBox="%s %s %s %s" style="max-width:%spx;min-width:%spx" role="img" aria-label="%s">`,
		num(g.left), num(g.top), num(g.width), num(g.height), num(g.width*1.25), num(g.width*leastScale), html.EscapeString(g.title))
	return template.HTML(head + g.b.String() + "</svg>")
}

// crop sets the size of the picture so that it holds its texts and some points, with a
// margin.
func (g *picture) crop(points []point, margin float64) {
	all := slices.Clone(points)
	for _, b := range g.texts {
		all = append(all, b[:]...)
	}
	lo, hi := extremes(all)
	g.left, g.top = lo.x-margin, lo.y-margin
	g.width, g.height = hi.x-lo.x+2*margin, hi.y-lo.y+2*margin
}

// A point is a place in a picture, in its units.
type point struct{ x, y float64 }

// num returns the text of a coordinate with at most one decimal.
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

// path draws a path; attributes are not escaped.
func (g *picture) path(d, attributes string) {
	fmt.Fprintf(&g.b, `<path d="%s" %s/>`, d, attributes)
}

// line draws a line.
func (g *picture) line(a, b point, class string) {
	fmt.Fprintf(&g.b, `<path class="%s" d="M%s %sL%s %s"/>`, class, num(a.x), num(a.y), num(b.x), num(b.y))
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

// times returns c with red, green and blue multiplied by f: darker if f is below 1, brighter
// if it is above 1.
func (c shade) times(f float64) shade {
	for x := range c {
		c[x] = min(255, c[x]*f)
	}
	return c
}

func (c shade) String() string {
	return fmt.Sprintf("#%02x%02x%02x", int(c[0]+0.5), int(c[1]+0.5), int(c[2]+0.5))
}

// luminance is the relative luminance of a color (WCAG 2.1), from 0 to 1.
func (c shade) luminance() float64 {
	sum := 0.0
	for k, part := range []float64{0.2126, 0.7152, 0.0722} {
		v := c[k] / 255
		if v <= 0.04045 {
			v /= 12.92
		} else {
			v = math.Pow((v+0.055)/1.055, 2.4)
		}
		sum += part * v
	}
	return sum
}

// contrast is the ratio of the luminances of two colors, from 1 to 21.
func contrast(a, b shade) float64 {
	x, y := a.luminance(), b.luminance()
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// The colors of text on tiles, as in page.css.
var onDark, onBright = shade{255, 255, 255}, shade{20, 32, 43}

// ink is the class of text that can be read on c.
func (c shade) ink() string {
	if contrast(c, onBright) > contrast(c, onDark) {
		return "on-bright"
	}
	return "on-dark"
}

// legend draws the colors of the steps from first to last.
func (g *picture) legend(x, y float64, first, last int) {
	const w, h, parts = 150, 10, 30
	if first == last {
		g.box(x+w-h, y, h, h, 0, fmt.Sprintf(`fill="%v"`, stepShade(0)))
		g.text(point{x + w - h - 6, y + 9}, "end", "small", "all at step "+count(int64(first)))
		return
	}
	for k := range parts {
		c := stepShade(float64(k) / (parts - 1))
		g.box(x+float64(k)*w/parts, y, w/parts+0.4, h, 0, fmt.Sprintf(`fill="%v"`, c))
	}
	g.text(point{x - 6, y + 9}, "end", "small", "step "+count(int64(first)))
	g.text(point{x + w + 6, y + 9}, "start", "small", count(int64(last)))
}
