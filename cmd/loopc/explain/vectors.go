package explain

import (
	"html/template"
	"math"
	"slices"

	"loopc/transform/plan"
)

// vectorsPicture draws the carried dependence vectors, skewed or as written. Every loop has
// an axis, so that no vector vanishes; the axes of the picture of the iteration space come
// first, with the same directions.
func vectorsPicture(r *Report, p *plan.Plan, skewed bool) (drawing template.HTML, note string) {
	extra := len(r.Dims) - len(r.Loops) // dimensions that are no loops
	axes := axesOf(p)
	for x := extra; x < len(r.Dims); x++ {
		if !slices.Contains(axes, x) {
			axes = append(axes, x)
		}
	}
	axes = slices.DeleteFunc(axes, func(x int) bool { return x < extra })
	if !skewed && !ownLoops(p.Nest.Skew) {
		slices.Sort(axes) // no dimension is a loop of its own
	}
	var all [][]int // along axes
	names := map[string]string{}
	for _, d := range r.Dependences {
		v := d.Skewed
		if !skewed {
			v = append(make([]int, extra), d.Distance...)
		}
		var on []int
		for _, x := range axes {
			on = append(on, v[x])
		}
		names[vector(on)] = vector(v[extra:])
		if d.Carried && !slices.ContainsFunc(all, func(o []int) bool { return slices.Equal(o, on) }) {
			all = append(all, on)
		}
	}
	axisNames := make([]string, len(axes))
	for k, x := range axes {
		axisNames[k] = axisName(p, x)
		if !skewed {
			axisNames[k] = r.Loops[x-extra]
		}
	}
	named, toScale := drawVectors(all, names, axisNames, &drawing)
	if !toScale {
		note = ", long ones shortened"
	}
	if named < len(all) {
		note += ", some without their numbers"
	}
	return drawing, note
}

// ownLoops reports whether dimension k is loop k, forward or backward, plus multiples of
// loops before it, for every k.
func ownLoops(skew [][]int) bool {
	for x, row := range skew {
		for k, c := range row {
			if k == x && c == 0 || k > x && c != 0 {
				return false
			}
		}
	}
	return true
}

// mostAxisName is the greatest length of an axis's name beside vectors.
const mostAxisName = 100.0

// drawVectors draws vectors, none of them 0, and returns how many of them have names,
// because there was room, and whether their lengths are to scale.
func drawVectors(all [][]int, names map[string]string, axisNames []string, drawing *template.HTML) (named int, toScale bool) {
	project := projectionOf(all, len(axisNames))
	scale := project.scale(all)
	const far = 1e4
	g := &picture{title: "dependence vectors", left: -far, top: -far, width: 2 * far, height: 2 * far}
	ends := []point{{}}
	for k, u := range project.unit {
		r := scale * project.reach(all, k)
		to := point{r * u.x, r * u.y}
		ends = append(ends, to)
		g.arrow(point{}, to, "axis")
		n := math.Hypot(to.x, to.y)
		q := point{to.x + 8*to.x/n, to.y + 12*to.y/n + 4}
		for !g.free(boxOf(q, anchorOf(to.x), "label", short(axisNames[k], "label", mostAxisName))) {
			q.x, q.y = q.x+3*to.x/n, q.y+3*to.y/n
		}
		g.name(q, anchorOf(to.x), "label", axisNames[k], mostAxisName)
	}
	// Shorter vectors are drawn last, on top of longer ones in the same direction.
	slices.SortFunc(all, func(a, b []int) int { return length(b) - length(a) })
	tips := make([]point, len(all))
	for k, v := range all {
		tip := project.tip(v)
		tips[k] = point{scale * tip.x, scale * tip.y}
		g.arrow(point{}, tips[k], "dep")
	}
	ends = append(ends, tips...)
	for k, v := range all {
		if g.beside(tips[k], ends, names[vector(v)]) {
			named++
		}
	}
	g.path("M-4 0A4 4 0 1 1 4 0A4 4 0 1 1 -4 0z", `class="dep head"`)
	g.crop(ends, 8)
	*drawing = g.svg()
	return named, project.toScale
}

// beside writes the name of the arrow from the origin to tip next to the tip, where there is
// room. If possible, the name does not touch the arrows from the origin to ends.
func (g *picture) beside(tip point, ends []point, name string) bool {
	const class = "tiny strong over"
	n := math.Hypot(tip.x, tip.y)
	out := math.Atan2(tip.y, tip.x)
	for _, clear := range []bool{true, false} {
		for _, far := range []float64{1, 1.8, 2.8} {
			for _, turn := range []float64{0, 0.6, -0.6, 1.2, -1.2, 1.8, -1.8} {
				q := point{tip.x + 9*far*math.Cos(out+turn), tip.y + 13*far*math.Sin(out+turn) + 4}
				anchor := anchorOf(30 * math.Cos(out+turn))
				box := boxOf(q, anchor, class, name)
				if g.free(box) && (!clear || n > 0 && !slices.ContainsFunc(ends, func(end point) bool { return crosses(box, end) })) {
					g.text(q, anchor, class, name)
					return true
				}
			}
		}
	}
	return false
}

// crosses reports whether the line from the origin to an end reaches into a box.
func crosses(box textBox, end point) bool {
	n := max(1, math.Hypot(end.x, end.y))
	wide := point{2 * end.y / n, -2 * end.x / n}
	line := []point{{wide.x, wide.y}, {end.x + wide.x, end.y + wide.y}, {end.x - wide.x, end.y - wide.y}, {-wide.x, -wide.y}}
	return meet(box[:], line)
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

// length is the sum of the absolute components of v.
func length(v []int) int {
	n := 0
	for _, c := range v {
		n += max(c, -c)
	}
	return n
}
