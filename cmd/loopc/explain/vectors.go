package explain

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"loopc/transform/plan"
)

// vectorsPicture draws dependence vectors along the axes of the picture of the
// iteration space: those that are carried, skewed or as written.
func vectorsPicture(r *Report, p *plan.Plan, skewed bool) template.HTML {
	shift := len(r.Dims) - len(r.Loops)
	axes := axesOf(p)
	if len(r.Loops) == 1 {
		axes = []int{shift}
	}
	if !skewed && !p.Nest.Triangular() {
		axes = loopAxes(axes, len(r.Dims)) // dimensions are sums of loops: none is one of them
	}
	var all [][]int // along axes
	names := map[string]string{}
	for _, d := range r.Dependences {
		v := d.Skewed
		if !skewed {
			v = append(make([]int, shift), d.Distance...)
		}
		var on []int
		for _, x := range axes {
			on = append(on, v[x])
		}
		names[vector(on)] = vector(v[shift:])
		if d.Carried && slices.ContainsFunc(on, func(c int) bool { return c != 0 }) && !slices.ContainsFunc(all, func(o []int) bool { return slices.Equal(o, on) }) {
			all = append(all, on)
		}
	}
	const size, margin = 180.0, 74.0
	g := &picture{title: "dependence vectors"}
	// In the picture, one iteration along an axis is one unit long.
	unit := [][]point{{{1, 0}}, {{1, 0}, {0, 1}}, {{cos30, -sin30}, {-cos30, -sin30}, {0, 1}}}[len(axes)-1]
	at := func(v []int) point {
		var q point
		for k, c := range v {
			q.x += float64(c) * unit[k].x
			q.y += float64(c) * unit[k].y
		}
		return q
	}
	tips := []point{{0, 0}}
	for _, v := range all {
		tips = append(tips, at(v))
	}
	reach := make([]float64, len(unit)) // of the axes
	for k, u := range unit {
		for _, v := range all {
			reach[k] = max(reach[k], float64(v[k]))
		}
		reach[k] = 1.15*reach[k] + 0.6
		tips = append(tips, point{reach[k] * u.x, reach[k] * u.y})
	}
	lo, hi := extremes(tips)
	scale := size / max(hi.x-lo.x, hi.y-lo.y, 1)
	g.width, g.height = (hi.x-lo.x)*scale+2*margin, (hi.y-lo.y)*scale+2*margin-10
	if extra := 280 - g.width; extra > 0 {
		lo.x -= extra / 2 / scale
		g.width = 280
	}
	place := func(q point) point {
		return point{margin + (q.x-lo.x)*scale, margin - 5 + (q.y-lo.y)*scale}
	}
	from := place(point{})
	for k, u := range unit {
		to := place(point{reach[k] * u.x, reach[k] * u.y})
		g.line(from, to, "faint")
		n := math.Hypot(to.x-from.x, to.y-from.y)
		name := axisName(p, axes[k])
		if !skewed {
			name = (append(r.Dims[:shift:shift], r.Loops...))[axes[k]]
		}
		q := point{to.x + 12*(to.x-from.x)/n, to.y + 10*(to.y-from.y)/n + 4}
		g.text(q, anchorOf(to.x-from.x), "label", name)
	}
	// A vector that others continue is drawn last.
	slices.SortFunc(all, func(a, b []int) int { return length(b) - length(a) })
	for _, v := range all {
		tip := place(at(v))
		g.arrow(from, tip, "dep")
	}
	var labels []point
	for _, v := range all {
		tip := place(at(v))
		dx, dy := tip.x-from.x, tip.y-from.y
		n := max(1, math.Hypot(dx, dy))
		q := point{tip.x + 9*dx/n, tip.y + 14*dy/n + 4}
		anchor := anchorOf(dx)
		if math.Abs(dy) < 0.3*n { // level: above the arrow
			q = point{tip.x - 6*dx/n, tip.y - 9}
		} else if len(axes) > 1 && math.Abs(dx) < 0.1*n { // upright: beside it
			q, anchor = point{tip.x + 10, tip.y - 2}, "start"
		}
		// One that would stand on another moves down.
		for slices.ContainsFunc(labels, func(o point) bool { return math.Abs(o.x-q.x) < 48 && math.Abs(o.y-q.y) < 12 }) {
			q.y += 12
		}
		labels = append(labels, q)
		g.text(q, anchor, "tiny strong over", names[vector(v)])
	}
	fmt.Fprintf(&g.b, `<circle cx="%s" cy="%s" r="4" class="dep head"/>`, num(from.x), num(from.y))
	return g.svg()
}

// loopAxes returns as many loops as there are axes, outermost first: the axes of
// what is as written, if dimensions of the plan do not belong to loops.
func loopAxes(axes []int, dims int) (out []int) {
	for x := range min(len(axes), dims) {
		out = append(out, x)
	}
	return out
}

func anchorOf(dx float64) string {
	switch {
	case dx > 20:
		return "start"
	case dx < -20:
		return "end"
	}
	return "middle"
}

// length is the sum of the components of v, without signs.
func length(v []int) int {
	n := 0
	for _, c := range v {
		n += max(c, -c)
	}
	return n
}
