package explain

import (
	"fmt"
	"html/template"
	"math"
	"slices"
)

// A view is an isometric projection. The corner of the first iterations is
// nearest, so that time runs away from the eye: axis 0, the mapping dimension,
// to the upper right, axis 1 to the upper left, axis 2 down.
//
//	1 ╲   ╱ 0
//	   ╲ ╱
//	    │
//	    │ 2
type view struct {
	s    *cellSpace
	long [3]float64 // length of the space along each axis, in the picture
	from point      // of the nearest corner
}

const cos30, sin30 = 0.866, 0.5

// place returns where iterations are; fractions lie between them.
func (v *view) place(at [3]float64) point {
	var d [3]float64
	for k, x := range v.s.axes {
		lo, hi := float64(v.s.p.Lo[x]), float64(v.s.p.Hi[x])
		d[k] = (at[k] - lo + 0.5) / (hi - lo + 1) * v.long[k]
	}
	return point{v.from.x + (d[0]-d[1])*cos30, v.from.y - (d[0]+d[1])*sin30 + d[2]}
}

// space3 draws a space of three dimensions, or a projection on three.
func space3(s *cellSpace) template.HTML {
	v := &view{s: s}
	most := 1.0
	for _, x := range s.axes {
		most = max(most, float64(s.p.Hi[x]-s.p.Lo[x]+1))
	}
	// Lengths are drawn as square roots, since those of real nests differ by far
	// more than a picture could show.
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
	const edge = 124
	v.from = point{edge + v.long[1]*cos30, 24 + (v.long[0]+v.long[1])*sin30}
	g := &picture{width: max(440, (v.long[0]+v.long[1])*cos30+2*edge), height: v.from.y + v.long[2] + 70, title: "iteration space, its tiles and their time steps"}
	if w := (v.long[0]+v.long[1])*cos30 + 2*edge; w < g.width {
		v.from.x += (g.width - w) / 2
	}

	// Far ones first: what is near covers them.
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
	v.axes(g)
	g.legend(g.width/2-75, g.height-18, s.first, s.last)
	return g.svg()
}

// faces draws the faces of a cell that can be seen: those without a neighbor.
func (v *view) faces(g *picture, c *cell) {
	s := v.s
	thin := v.long[0]
	for k, l := range v.long {
		thin = min(thin, l/float64(s.size[k]))
	}
	for axis, light := range []float64{0.80, 0.92, 1.06} {
		before := slices.Clone(c.at)
		before[axis]--
		if s.cells[key(before)] != nil {
			continue
		}
		// The face at the low end of axis, which the other two span.
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
		// Where the next column is another rank's.
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
				g.line(from, to, "border")
			}
		}
		label := fmt.Sprint(c.step)
		if axis == 0 {
			label = fmt.Sprintf("r%d", c.rank)
			if product(s.p.Mesh) > 1 {
				label += fmt.Sprintf(".%d", c.cpu)
			}
		}
		v.label(g, at, axis, color, label)
	}
}

// label writes on a face, as if it were painted there, if there is room.
func (v *view) label(g *picture, at []point, axis int, on shade, s string) {
	u, w := point{at[1].x - at[0].x, at[1].y - at[0].y}, point{at[3].x - at[0].x, at[3].y - at[0].y}
	wide, high := math.Hypot(u.x, u.y), math.Hypot(w.x, w.y)
	if axis == 1 { // spanned by axes 2 and 0, of which the second one is more level
		wide, high = high, wide
	}
	if wide < 8+7*float64(len(s)) || high < 15 {
		return
	}
	m := middle(at)
	// Text runs to the right: along -1 on the left face, along 0 on the right
	// face and on top.
	matrix := [3]string{"0.866 0.5 0 1", "0.866 -0.5 0 1", "0.866 -0.5 0.866 0.5"}[axis]
	fmt.Fprintf(&g.b, `<text class="tiny %s" text-anchor="middle" transform="matrix(%s %s %s)" y="4">%s</text>`, on.ink(), matrix, num(m.x), num(m.y), s)
}

// axes names the axes and their bounds, along the outer edges.
func (v *view) axes(g *picture) {
	p := v.s.p
	lo, hi := [3]float64{}, [3]float64{}
	for k, x := range v.s.axes {
		lo[k], hi[k] = float64(p.Lo[x])-0.5, float64(p.Hi[x])+0.5
	}
	edge := func(k int) string {
		x := v.s.axes[k]
		return fmt.Sprintf("%s %d..%d", axisName(p, x), p.Lo[x], p.Hi[x])
	}
	near := func(a, b [3]float64, dx, dy float64) (point, point) {
		from, to := v.place(a), v.place(b)
		return point{from.x + dx, from.y + dy}, point{to.x + dx, to.y + dy}
	}
	// Axis 0 along the lower right edge, axis 1 along the lower left one, axis 2
	// at the far left.
	from, to := near([3]float64{lo[0], lo[1], hi[2]}, [3]float64{hi[0], lo[1], hi[2]}, 8, 12)
	g.arrow(from, to, "axis")
	g.text(point{(from.x+to.x)/2 + 8, (from.y+to.y)/2 + 16}, "start", "label", edge(0)+", mapped")
	from, to = near([3]float64{lo[0], lo[1], hi[2]}, [3]float64{lo[0], hi[1], hi[2]}, -8, 12)
	g.arrow(from, to, "axis")
	g.text(point{(from.x+to.x)/2 - 8, (from.y+to.y)/2 + 16}, "end", "label", edge(1))
	from, to = near([3]float64{lo[0], hi[1], lo[2]}, [3]float64{lo[0], hi[1], hi[2]}, -12, 0)
	g.arrow(from, to, "axis")
	g.text(point{from.x - 8, (from.y + to.y) / 2}, "end", "label", edge(2))
}
