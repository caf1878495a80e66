package explain

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

// A view is an isometric projection. The corner of the first iterations is nearest, so that
// time runs away from the viewer: axis 0, the mapping dimension, to the upper right, axis 1
// to the upper left, axis 2 down.
//
//	1 ╲   ╱ 0
//	   ╲ ╱
//	    │
//	    │ 2
type view struct {
	s    *cellSpace
	long [3]float64 // length of the space along each axis, in the picture
	from point      // of the nearest corner
	seen []face3    // visible faces, the farthest first
}

const cos30, sin30 = 0.866, 0.5

// place returns the point of the picture for the coordinates of an iteration, which may be
// fractional.
func (v *view) place(at [3]float64) point {
	var d [3]float64
	for k, x := range v.s.axes {
		lo, hi := float64(v.s.p.Lo[x]), float64(v.s.p.Hi[x])
		d[k] = (at[k] - lo + 0.5) / (hi - lo + 1) * v.long[k]
	}
	return point{v.from.x + (d[0]-d[1])*cos30, v.from.y - (d[0]+d[1])*sin30 + d[2]}
}

// space3 draws a space of three dimensions, or a projection on three; note says what the
// labels on its sides mean.
func space3(s *cellSpace) (drawing template.HTML, note string) {
	v := &view{s: s}
	most := 1.0
	for _, x := range s.axes {
		most = max(most, float64(s.p.Hi[x]-s.p.Lo[x]+1))
	}
	// Drawn lengths are proportional to the square roots of the extents, because the extents of
	// real nests differ by more than a picture can show.
	for k, x := range s.axes {
		v.long[k] = 480 * max(0.3, math.Sqrt(float64(s.p.Hi[x]-s.p.Lo[x]+1)/most))
		if s.p.Lo[x] == s.p.Hi[x] {
			v.long[k] = 24
		}
	}
	width := (v.long[0] + v.long[1]) * cos30
	height := (v.long[0]+v.long[1])*sin30 + v.long[2]
	scale := min(1, 700/width, 460/height)
	for k := range v.long {
		v.long[k] *= scale
	}
	var names, full [3]string
	wide := [3]float64{}
	for k := range names {
		names[k], full[k] = v.axisLabel(k)
		wide[k] = textLength(names[k], "label")
	}
	// Margins for the names of the axes: those of axes 1 and 2 stand left of the middles of
	// these axes, and that of axis 0 stands right of its middle.
	left := max(24, wide[2]+28, wide[1]+20-v.long[1]*cos30/2)
	right := max(24, wide[0]+20-v.long[0]*cos30/2)
	v.from = point{left + v.long[1]*cos30, 24 + (v.long[0]+v.long[1])*sin30}
	g := &picture{width: left + (v.long[0]+v.long[1])*cos30 + right, height: v.from.y + v.long[2] + 74, title: "iteration space, its tiles and their time steps"}
	if extra := 440 - g.width; extra > 0 {
		v.from.x, g.width = v.from.x+extra/2, g.width+extra
	}

	// The farthest cells first: nearer cells cover them.
	var cells []*cell
	for _, c := range s.cells {
		cells = append(cells, c)
	}
	slices.SortFunc(cells, func(a, b *cell) int {
		if d := (b.at[0] + b.at[1] + b.at[2]) - (a.at[0] + a.at[1] + a.at[2]); d != 0 {
			return d
		}
		return slices.Compare(a.at, b.at)
	})
	for _, c := range cells {
		v.faces(g, c)
	}
	v.axes(g, names, full)
	g.legend(g.width/2-75, g.height-18, s.first, s.last)
	if v.labels(g) {
		switch {
		case product(s.p.Grid) == 1:
			note = " On the left, c0 is CPU 0."
		case product(s.p.Mesh) > 1:
			note = " On the left, r1.0 is CPU 0 of rank 1."
		}
	}
	return g.svg(), note
}

// A face3 is a visible face of a cell: the face at the cell's low end of an axis, unless
// another cell hides it.
type face3 struct {
	axis  int
	at    []point // its corners: the two other axes lead from corner 0 to corner 1, and to corner 3
	color shade
	label string
}

// faces draws the faces at the low ends of a cell, except those that a neighboring cell hides.
func (v *view) faces(g *picture, c *cell) {
	s := v.s
	thin := v.long[0]
	for k := range v.long {
		thin = min(thin, v.cell(k))
	}
	for axis, light := range []float64{0.80, 0.92, 1.06} {
		before := slices.Clone(c.at)
		before[axis]--
		if s.cells[key(before)] != nil {
			continue
		}
		// The face at the low end of axis, spanned by the other two axes.
		a, b := (axis+1)%3, (axis+2)%3
		corner := func(x, y int) point {
			var at [3]float64
			at[axis] = float64(c.lo[axis]) - 0.5
			at[a], at[b] = float64(c.lo[a])-0.5, float64(c.lo[b])-0.5
			if x == 1 {
				at[a] = float64(c.hi[a]) + 0.5
			}
			if y == 1 {
				at[b] = float64(c.hi[b]) + 0.5
			}
			return v.place(at)
		}
		at := []point{corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)}
		color := s.color(c.step).times(light)
		g.path(polygon(at), fmt.Sprintf(`class="%s" data-s="%d" fill="%v"`, tileClass(thin), c.step, color))
		// A border where the next column belongs to another rank.
		for side, x := range []int{a, b} {
			if s.axes[x] == s.p.Map || s.block[x] > 1 {
				continue
			}
			after := slices.Clone(c.at)
			after[x]++
			if d := s.cells[key(after)]; d != nil && d.rank != c.rank {
				from, to := at[1], at[2]
				if side == 1 {
					from, to = at[3], at[2]
				}
				g.line(from, to, borderClass(v.cell(x)))
			}
		}
		label := fmt.Sprint(c.step)
		if axis == 0 {
			label = v.owner(c)
		}
		v.seen = append(v.seen, face3{axis, at, color, label})
	}
}

// owner is a short name of the CPU that runs a cell.
func (v *view) owner(c *cell) string {
	switch {
	case product(v.s.p.Grid) == 1:
		return fmt.Sprintf("c%d", c.cpu)
	case product(v.s.p.Mesh) == 1:
		return fmt.Sprintf("r%d", c.rank)
	}
	return fmt.Sprintf("r%d.%d", c.rank, c.cpu)
}

// cell is the length of a full cell along an axis, in the picture.
func (v *view) cell(k int) float64 {
	p, x := v.s.p, v.s.axes[k]
	return v.long[k] * min(1, float64(v.s.block[k]*p.Side[x])/float64(p.Hi[x]-p.Lo[x]+1))
}

// painted has, for each axis, the transformation by which text looks painted on the
// faces at the low end of that axis. Text runs to the right: against axis 1 on the left
// face, along axis 0 on the right face and on top.
var painted = [3][4]float64{{cos30, sin30, 0, 1}, {cos30, -sin30, 0, 1}, {cos30, -sin30, cos30, sin30}}

// labels writes labels on the faces of an axis if the longest label fits on full faces,
// except where another face hides the label. It reports whether some labels are owners.
func (v *view) labels(g *picture) (owners bool) {
	for axis, turn := range painted {
		var texts []string
		for _, f := range v.seen {
			if f.axis == axis {
				texts = append(texts, f.label)
			}
		}
		if len(texts) == 0 || len(texts) > mostNumbers {
			continue
		}
		text := slices.MaxFunc(texts, func(a, b string) int { return len(a) - len(b) })
		// The axes of the text's baseline and of its height.
		runs, stands := [3]int{1, 0, 0}[axis], [3]int{2, 2, 1}[axis]
		class := numberClass(text, func(w, h float64) bool { return w < v.cell(runs) && h < v.cell(stands) })
		if class == "" {
			continue
		}
		for k, f := range v.seen {
			if f.axis == axis {
				wrote := v.label(g, &f, v.seen[k+1:], turn, class)
				owners = owners || wrote && axis == 0
			}
		}
	}
	return owners
}

// label writes the label of a face, unless a face that is drawn later hides it. turn is the
// entry of painted, and class the size of the letters. It reports whether it wrote the label.
func (v *view) label(g *picture, f *face3, later []face3, turn [4]float64, class string) bool {
	m := middle(f.at)
	drop := 0.35 * fontSize(class)
	box := boxOf(point{0, drop}, "middle", class, f.label)
	for k, q := range box {
		box[k] = point{m.x + turn[0]*q.x + turn[2]*q.y, m.y + turn[1]*q.x + turn[3]*q.y}
	}
	if !inside(box[:], f.at) || !g.free(box) {
		return false
	}
	for k := range later {
		if meet(box[:], later[k].at) {
			return false
		}
	}
	g.texts = append(g.texts, box)
	fmt.Fprintf(&g.b, `<text class="%s %s" text-anchor="middle" transform="matrix(%.3f %.3f %.3f %.3f %s %s)" y="%s">%s</text>`,
		class, f.color.ink(), turn[0], turn[1], turn[2], turn[3], num(m.x), num(m.y), num(drop), f.label)
	return true
}

// axisLabel names an axis and its bounds; full is the same without shortening a long name.
func (v *view) axisLabel(k int) (label, full string) {
	const room = 210.0
	p, x := v.s.p, v.s.axes[k]
	bounds := fmt.Sprintf(" %d..%d", p.Lo[x], p.Hi[x])
	if x == p.Map {
		bounds += ", mapped"
	}
	name := axisName(p, x)
	return short(name, "label", max(60, room-textLength(bounds, "label"))) + bounds, name + bounds
}

// axes names the axes, along the outer edges: 0 along the lower right edge, 1 along
// the lower left one, 2 at the far left.
func (v *view) axes(g *picture, names, full [3]string) {
	p := v.s.p
	lo, hi := [3]float64{}, [3]float64{}
	for k, x := range v.s.axes {
		lo[k], hi[k] = float64(p.Lo[x])-0.5, float64(p.Hi[x])+0.5
	}
	name := func(k int, at point, anchor string) {
		title := full[k]
		if title == names[k] {
			title = ""
		}
		g.titled(at, anchor, "label", names[k], title)
	}
	arrow := func(a, b [3]float64, dx, dy float64) point {
		from, to := v.place(a), v.place(b)
		from, to = point{from.x + dx, from.y + dy}, point{to.x + dx, to.y + dy}
		g.arrow(from, to, "axis")
		return middle([]point{from, to})
	}
	m := arrow([3]float64{lo[0], lo[1], hi[2]}, [3]float64{hi[0], lo[1], hi[2]}, 8, 12)
	name(0, point{m.x + 8, m.y + 16}, "start")
	m = arrow([3]float64{lo[0], lo[1], hi[2]}, [3]float64{lo[0], hi[1], hi[2]}, -8, 12)
	name(1, point{m.x - 8, m.y + 16}, "end")
	m = arrow([3]float64{lo[0], hi[1], lo[2]}, [3]float64{lo[0], hi[1], hi[2]}, -12, 0)
	name(2, point{m.x - 8, m.y}, "end")
}
