package explain

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// Limits of pictures of the iteration space: cells along an axis beyond which
// none could be told from its neighbor.
const (
	mostAcross = 120 // in two dimensions
	mostCube   = 40  // in three dimensions, along the second and third axis
	mostLong   = 90  // along the first axis
	mostCells  = 50_000
)

// spacePicture draws the iteration space with its tiles and their time steps; note says
// what the picture leaves out, and last is the last step.
func spacePicture(p *plan.Plan) (drawing template.HTML, note string, last int) {
	axes := axesOf(p)
	if len(axes) == 2 || len(p.Tiles) == 3 && flat(p, axes) >= 0 {
		if len(axes) == 3 {
			k := flat(p, axes)
			axes = slices.Delete(axes, k, k+1)
		}
		s := newCellSpace(p, axes, []int{mostAcross, mostAcross})
		return space2(s), s.note(), s.last
	}
	most := []int{mostLong, mostCube, mostCube}
	for {
		cells := 1
		for k, x := range axes {
			most[k] = min(most[k], p.Tiles[x])
			cells *= most[k]
		}
		if cells <= mostCells {
			break
		}
		most[0] = max(mostCube/2, most[0]*4/5)
		most[1], most[2] = most[1]*9/10, most[2]*9/10
	}
	s := newCellSpace(p, axes, most)
	drawing, owners := space3(s)
	return drawing, s.note() + owners, s.last
}

// flat returns the index of an axis, not the first, along which the space has a single
// iteration, or -1.
func flat(p *plan.Plan, axes []int) int {
	for k, x := range axes {
		if k > 0 && p.Lo[x] == p.Hi[x] {
			return k
		}
	}
	return -1
}

// A frame maps iterations to the picture: the mapping dimension runs to the right, the
// other dimension down.
type frame struct {
	left, top, width, height float64
	lo, hi                   [2]int
}

// place returns the point of the picture for the coordinates x and y; a cell reaches half
// an iteration to either side.
func (f *frame) place(x, y float64) point {
	return point{
		f.left + (x-float64(f.lo[0])+0.5)/float64(f.hi[0]-f.lo[0]+1)*f.width,
		f.top + (y-float64(f.lo[1])+0.5)/float64(f.hi[1]-f.lo[1]+1)*f.height,
	}
}

// space2 draws a space of two dimensions.
func space2(s *cellSpace) template.HTML {
	p := s.p
	a, b := s.axes[0], s.axes[1]
	f := &frame{top: 36, width: 660, lo: [2]int{p.Lo[a], p.Lo[b]}, hi: [2]int{p.Hi[a], p.Hi[b]}}
	wish := f.width * float64(p.Hi[b]-p.Lo[b]+1) / float64(p.Hi[a]-p.Lo[a]+1)
	f.height = min(440, max(wish, 60, min(440, 30*float64(s.size[1]))))
	names := ownerNames(s, f)
	bounds := 0.0
	if p.Lo[b] < p.Hi[b] {
		bounds = 12 + longest("small", fmt.Sprint(p.Lo[b]), fmt.Sprint(p.Hi[b]))
	}
	owners := 0.0
	for _, o := range names {
		owners = max(owners, textLength(o.name, "small"))
	}
	f.left = 6 + owners + 8 + bounds + 16
	g := &picture{width: f.left + f.width + 20, height: f.top + f.height + 68, title: "iteration space, its tiles and their time steps"}

	tiles2(g, s, f)
	borders2(g, s, f)
	axes2(g, s, f)
	for _, o := range names {
		g.perhaps(point{f.left - 16 - bounds - 6, o.y + 4}, "end", "small", o.name)
	}
	g.legend(f.left+f.width-180, f.top+f.height+50, s.first, s.last)
	return g.svg()
}

// tiles2 draws the tiles and the numbers of their steps.
func tiles2(g *picture, s *cellSpace, f *frame) {
	thin := min(f.width/float64(s.size[0]), f.height/float64(s.size[1]))
	// One path for each step keeps the page small, and the steps can be shown one after
	// another.
	bySteps := map[int]*strings.Builder{}
	type numbered struct {
		at   []point
		step int
	}
	var cells []numbered
	for u := range s.size[0] {
		for v := range s.size[1] {
			c := s.cells[key([]int{u, v})]
			if c == nil {
				continue
			}
			at := outline(s, c, f)
			if bySteps[c.step] == nil {
				bySteps[c.step] = &strings.Builder{}
			}
			bySteps[c.step].WriteString(polygon(at))
			cells = append(cells, numbered{at, c.step})
		}
	}
	for _, step := range slices.Sorted(maps.Keys(bySteps)) {
		g.path(bySteps[step].String(), fmt.Sprintf(`class="%s" data-s="%d" fill="%v"`, tileClass(thin), step, s.color(step)))
	}
	if len(cells) > mostNumbers {
		return
	}
	class := numberClass(s.longest(), func(w, h float64) bool { return w < f.cell(s, 0) && h < f.cell(s, 1) })
	if class == "" {
		return
	}
	g.b.WriteString(`<g class="numbers">`)
	for _, c := range cells {
		m, n := middle(c.at), fmt.Sprint(c.step)
		m.y += 0.35 * fontSize(class)
		if b := boxOf(m, "middle", class, n); inside(b[:], c.at) {
			g.perhaps(m, "middle", class+" "+s.color(c.step).ink(), n)
		}
	}
	g.b.WriteString("</g>")
}

// mostNumbers is the number of cells beyond which their steps are not written.
const mostNumbers = 1500

// numberClass returns the class of the largest letters in which the picture's longest
// number fits into a full cell, "" if none does: either all full cells have numbers, or no
// cell has.
func numberClass(longest string, fits func(w, h float64) bool) string {
	for _, class := range []string{"tiny", "mini"} {
		if fits(textLength(longest, class)+4, (ascent+descent)*fontSize(class)+1) {
			return class
		}
	}
	return ""
}

// cell is the length of a full cell along an axis, in the picture.
func (f *frame) cell(s *cellSpace, k int) float64 {
	long := [2]float64{f.width, f.height}[k]
	x := s.axes[k]
	return long * min(1, float64(s.block[k]*s.p.Side[x])/float64(f.hi[k]-f.lo[k]+1))
}

// tileClass is the CSS class of tiles whose least width in the picture is thin. Borders
// must not hide the tiles.
func tileClass(thin float64) string {
	if thin < 7 {
		return "tile fine"
	}
	return "tile"
}

// axes2 draws arrows and bounds along the axes.
func axes2(g *picture, s *cellSpace, f *frame) {
	p := s.p
	a, b := s.axes[0], s.axes[1]
	y := f.top + f.height + 12
	g.arrow(point{f.left, y}, point{f.left + f.width, y}, "axis")
	lo, hi := fmt.Sprint(p.Lo[a]), fmt.Sprint(p.Hi[a])
	g.text(point{f.left, y + 17}, "start", "small", lo)
	if lo != hi {
		g.text(point{f.left + f.width, y + 17}, "end", "small", hi)
	}
	const mapped = " (mapping dimension)"
	room := f.width - 2*longest("small", lo, hi) - 24
	name := axisName(p, a)
	if cut := short(name, "label", room-textLength(mapped, "label")); cut != name {
		g.titled(point{f.left + f.width/2, y + 17}, "middle", "label", cut+mapped, name)
	} else {
		g.text(point{f.left + f.width/2, y + 17}, "middle", "label", name+mapped)
	}
	if p.Lo[b] == p.Hi[b] {
		return // there is nothing to see along this axis
	}
	x := f.left - 10
	g.arrow(point{x, f.top}, point{x, f.top + f.height}, "axis")
	g.text(point{x - 8, f.top + 9}, "end", "small", fmt.Sprint(p.Lo[b]))
	g.text(point{x - 8, f.top + f.height}, "end", "small", fmt.Sprint(p.Hi[b]))
	g.name(point{x - 4, f.top - 12}, "start", "label", "↓ "+axisName(p, b), f.width)
}

// workerName names a CPU of a rank.
func workerName(p *plan.Plan, rank, cpu int) string {
	if product(p.Mesh) == 1 {
		return fmt.Sprintf("rank %d", rank)
	}
	return fmt.Sprintf("rank %d · CPU %d", rank, cpu)
}

// outline returns the part of a cell that has iterations: its box cut by the bounds of the
// space. A cut may cut off less than one iteration.
func outline(s *cellSpace, c *cell, f *frame) []point {
	p := s.p
	lo := [2]float64{float64(c.lo[0]) - 0.5, float64(c.lo[1]) - 0.5}
	hi := [2]float64{float64(c.hi[0]) + 0.5, float64(c.hi[1]) + 0.5}
	at := []point{{lo[0], lo[1]}, {hi[0], lo[1]}, {hi[0], hi[1]}, {lo[0], hi[1]}}
	if len(p.Tiles) == 2 {
		for _, q := range p.Nest.Space {
			v := float64(q.Eval(p.Params, nil))
			var by [2]float64
			for k := range by {
				if x := s.axes[k]; x < len(q.Iters) {
					by[k] = float64(q.Iters[x])
				}
			}
			// Half an iteration beyond the outermost iterations, as for the box.
			v += 0.5 * (max(by[0], -by[0]) + max(by[1], -by[1]))
			at = cut(at, v, by)
		}
	}
	if len(at) < 3 {
		at = []point{{lo[0], lo[1]}, {hi[0], lo[1]}, {hi[0], hi[1]}, {lo[0], hi[1]}}
	}
	for k, q := range at {
		at[k] = f.place(q.x, q.y)
	}
	return at
}

// cut returns the part of a convex polygon where v + by·x ≥ 0.
func cut(at []point, v float64, by [2]float64) []point {
	var out []point
	value := func(q point) float64 { return v + by[0]*q.x + by[1]*q.y }
	for k, a := range at {
		b := at[(k+1)%len(at)]
		va, vb := value(a), value(b)
		if va >= 0 {
			out = append(out, a)
		}
		if va > 0 && vb < 0 || va < 0 && vb > 0 {
			t := va / (va - vb)
			out = append(out, point{a.x + t*(b.x-a.x), a.y + t*(b.y-a.y)})
		}
	}
	return out
}

// extremes returns the corners of the box around some points.
func extremes(at []point) (lo, hi point) {
	lo, hi = at[0], at[0]
	for _, q := range at {
		lo = point{min(lo.x, q.x), min(lo.y, q.y)}
		hi = point{max(hi.x, q.x), max(hi.y, q.y)}
	}
	return lo, hi
}

// middle is the mean of some points.
func middle(at []point) point {
	var m point
	for _, q := range at {
		m.x += q.x / float64(len(at))
		m.y += q.y / float64(len(at))
	}
	return m
}
