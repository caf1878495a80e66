package explain

import (
	"fmt"
	"html"
	"strings"
)

// A textBox is the quadrangle that a text takes in a picture. Text boxes must not overlap.
type textBox [4]point

// fontSize is the font size of a class of texts in page.css.
func fontSize(class string) float64 {
	for c := range strings.FieldsSeq(class) {
		switch c {
		case "label":
			return 13
		case "tiny":
			return 11
		case "mini":
			return 9
		}
	}
	return 12
}

// Heights of a line above and below its baseline, as fractions of the font size.
const ascent, descent = 0.94, 0.25

// textLength is an upper bound for the length of a text, in the widest of the fonts that
// page.css names.
func textLength(s, class string) float64 {
	sum := 0.0
	for _, r := range printable(s) {
		switch {
		case strings.ContainsRune("ijlIJ.,:;'|! ·", r):
			sum += 0.34
		case strings.ContainsRune(`frt()-[]{}"/`, r):
			sum += 0.43
		case r > 126 && r < 0x2000 && r != '×':
			sum += 0.85
		case r > 126 || strings.ContainsRune("mwMW@%+<>=", r):
			sum += 1
		case r >= 'A' && r <= 'Z':
			sum += 0.79
		default:
			sum += 0.645
		}
	}
	if strings.Contains(class, "strong") {
		sum *= 1.13
	}
	return sum * fontSize(class)
}

// longest is the textLength of the longest of some texts.
func longest(class string, texts ...string) float64 {
	most := 0.0
	for _, s := range texts {
		most = max(most, textLength(s, class))
	}
	return most
}

// short returns s if it fits into the room. Otherwise it returns n characters of s with "…" between
// them, for the largest n that fits, at least 2: two thirds of them are the beginning of s, and the
// others its end.
func short(s, class string, room float64) string {
	r := []rune(s)
	for n := len(r) - 1; n > 1 && textLength(s, class) > room; n-- {
		s = string(r[:(2*n+2)/3]) + "…" + string(r[len(r)-n/3:])
	}
	return s
}

// boxOf returns the box of a text in the picture.
func boxOf(p point, anchor, class, s string) textBox {
	w, size := textLength(s, class), fontSize(class)
	left := p.x
	switch anchor {
	case "middle":
		left -= w / 2
	case "end":
		left -= w
	}
	top, bottom := p.y-ascent*size, p.y+descent*size
	return textBox{{left, top}, {left + w, top}, {left + w, bottom}, {left, bottom}}
}

// free reports whether a text box lies inside the picture and overlaps no other.
func (g *picture) free(b textBox) bool {
	lo, hi := extremes(b[:])
	if lo.x < g.left || lo.y < g.top || hi.x > g.left+g.width || hi.y > g.top+g.height {
		return false
	}
	for k := range g.texts {
		if meet(b[:], g.texts[k][:]) {
			return false
		}
	}
	return true
}

// meet reports whether two convex polygons overlap: no side of one separates it from the
// other.
func meet(a, b []point) bool {
	return !apart(a, b) && !apart(b, a)
}

// apart reports whether the normal of a side of a separates a from b: their projections on it do
// not overlap.
func apart(a, b []point) bool {
	for k, p := range a {
		q := a[(k+1)%len(a)]
		n := point{q.y - p.y, p.x - q.x}
		leastA, mostA := along(n, a)
		leastB, mostB := along(n, b)
		if mostA <= leastB || mostB <= leastA {
			return true
		}
	}
	return false
}

// along returns the range of the points' projections on a direction.
func along(n point, at []point) (least, most float64) {
	for k, p := range at {
		v := n.x*p.x + n.y*p.y
		if k == 0 {
			least, most = v, v
		}
		least, most = min(least, v), max(most, v)
	}
	return least, most
}

// text writes s with its anchor (start, middle or end) at p.
func (g *picture) text(p point, anchor, class, s string) {
	g.titled(p, anchor, class, s, "")
}

// titled writes s, with a tooltip unless title is "".
func (g *picture) titled(p point, anchor, class, s, title string) {
	g.texts = append(g.texts, boxOf(p, anchor, class, s))
	if title != "" {
		title = "<title>" + html.EscapeString(printable(title)) + "</title>"
	}
	fmt.Fprintf(&g.b, `<text x="%s" y="%s" text-anchor="%s" class="%s">%s%s</text>`, num(p.x), num(p.y), anchor, class, title, html.EscapeString(printable(s)))
}

// perhaps writes s at p if there is room for it, and reports whether there is.
func (g *picture) perhaps(p point, anchor, class, s string) bool {
	if !g.free(boxOf(p, anchor, class, s)) {
		return false
	}
	g.text(p, anchor, class, s)
	return true
}

// name writes a name, shortened in the middle if it does not fit the room; the tooltip has
// the full name.
func (g *picture) name(p point, anchor, class, s string, room float64) {
	if cut := short(s, class, room); cut != s {
		g.titled(p, anchor, class, cut, s)
		return
	}
	g.text(p, anchor, class, s)
}

// inside reports whether all points lie in a convex polygon.
func inside(points, polygon []point) bool {
	for _, p := range points {
		var left, right bool
		for k, a := range polygon {
			b := polygon[(k+1)%len(polygon)]
			turn := (b.x-a.x)*(p.y-a.y) - (b.y-a.y)*(p.x-a.x)
			left, right = left || turn < 0, right || turn > 0
		}
		if left && right {
			return false
		}
	}
	return true
}
