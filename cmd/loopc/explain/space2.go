package explain

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// Limits of pictures of the iteration space: cells along an axis beyond which
// none could be told from its neighbor.
const (
	mostAcross = 120 // in two dimensions
	mostCube   = 40  // in three, but for the first axis
	mostLong   = 90  // along that one
	mostCells  = 50_000
)

// spacePicture draws the iteration space with its tiles and their time steps;
// the note says what it leaves out, and last is the last step.
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
	return space3(s), s.note(), s.last
}

// flat returns the index of an axis, not the first, of a single iteration: there
// is nothing to see along it. -1 if there is none.
func flat(p *plan.Plan, axes []int) int {
	for k, x := range axes {
		if k > 0 && p.Lo[x] == p.Hi[x] {
			return k
		}
	}
	return -1
}

// A frame maps iterations to the picture: the mapping dimension runs to the
// right, the other one down.
type frame struct {
	left, top, width, height float64
	lo, hi                   [2]int
}

// place returns where the coordinates are; a cell reaches half an iteration to
// either side.
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
	f := &frame{left: 120, top: 30, width: 660, lo: [2]int{p.Lo[a], p.Lo[b]}, hi: [2]int{p.Hi[a], p.Hi[b]}}
	wish := f.width * float64(p.Hi[b]-p.Lo[b]+1) / float64(p.Hi[a]-p.Lo[a]+1)
	f.height = min(440, max(wish, 60, min(440, 30*float64(s.size[1]))))
	g := &picture{width: f.left + f.width + 20, height: f.top + f.height + 64, title: "iteration space, its tiles and their time steps"}

	thin := min(f.width/float64(s.size[0]), f.height/float64(s.size[1]))
	// One path for each step: small, and the steps can be shown one after another.
	bySteps := make([]strings.Builder, s.last+1)
	var labels strings.Builder
	numbers := len(s.cells) <= 1500
	for u := range s.size[0] {
		for v := range s.size[1] {
			c := s.cells[key([]int{u, v})]
			if c == nil {
				continue
			}
			at := outline(s, c, f)
			bySteps[c.step].WriteString(polygon(at))
			lo, hi := extremes(at)
			room := 3 + 7*float64(len(fmt.Sprint(c.step)))
			if w, h := hi.x-lo.x, hi.y-lo.y; numbers && w > room && h > 15 && area(at) > 1.3*15*room {
				label := &picture{}
				m := middle(at)
				label.text(point{m.x, m.y + 4}, "middle", "tiny "+s.color(c.step).ink(), fmt.Sprint(c.step))
				labels.WriteString(label.b.String())
			}
		}
	}
	for step := range bySteps {
		if d := bySteps[step].String(); d != "" {
			g.path(d, fmt.Sprintf(`class="%s" data-s="%d" fill="%v"`, tileClass(thin), step, s.color(step)))
		}
	}
	g.b.WriteString(`<g class="numbers">` + labels.String() + "</g>")
	owners2(g, s, f)
	axes2(g, s, f)
	g.legend(f.left+f.width-180, f.top+f.height+46, s.first, s.last)
	return g.svg()
}

// tileClass is the class of tiles of which the least width in the picture is
// thin: their borders must not hide them.
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
	g.text(point{f.left, y + 16}, "start", "small", fmt.Sprint(p.Lo[a]))
	g.text(point{f.left + f.width, y + 16}, "end", "small", fmt.Sprint(p.Hi[a]))
	g.text(point{f.left + f.width/2, y + 17}, "middle", "label", axisName(p, a)+" (mapping dimension)")
	if p.Lo[b] == p.Hi[b] {
		return // nothing runs along it
	}
	x := f.left - 10
	g.arrow(point{x, f.top}, point{x, f.top + f.height}, "axis")
	g.text(point{x - 8, f.top + 4}, "end", "small", fmt.Sprint(p.Lo[b]))
	g.text(point{x - 8, f.top + f.height}, "end", "small", fmt.Sprint(p.Hi[b]))
	g.text(point{f.left + 8, f.top - 10}, "start", "label", "↓ "+axisName(p, b))
}

// owners2 writes, to the left, which rank and CPU runs which column of tiles.
func owners2(g *picture, s *cellSpace, f *frame) {
	type owner struct{ rank, cpu int }
	var runs []struct {
		owner
		top, bottom float64
		left, right float64 // where there are tiles on either side of top
	}
	left, right := f.left, f.left
	for v := range s.size[1] {
		for u := range s.size[0] {
			c := s.cells[key([]int{u, v})]
			if c == nil {
				continue
			}
			top := f.place(0, float64(c.lo[1])-0.5).y
			bottom := f.place(0, float64(c.hi[1])+0.5).y
			for w := u; w < s.size[0]; w++ {
				if d := s.cells[key([]int{w, v})]; d != nil {
					top = min(top, f.place(0, float64(d.lo[1])-0.5).y)
					bottom = max(bottom, f.place(0, float64(d.hi[1])+0.5).y)
				}
			}
			wasLeft, wasRight := left, right
			left, right = f.place(float64(c.lo[0])-0.5, 0).x, f.left
			for w := s.size[0] - 1; w >= u; w-- {
				if d := s.cells[key([]int{w, v})]; d != nil {
					right = f.place(float64(d.hi[0])+0.5, 0).x
					break
				}
			}
			o := owner{c.rank, c.cpu}
			if n := len(runs); n > 0 && runs[n-1].owner == o {
				runs[n-1].bottom = bottom
			} else {
				runs = append(runs, struct {
					owner
					top, bottom float64
					left, right float64
				}{o, top, bottom, max(left, wasLeft), min(right, wasRight)})
			}
			break
		}
	}
	last := -100.0
	for k, r := range runs {
		if k > 0 && runs[k-1].rank != r.rank && s.block[1] == 1 {
			g.line(point{r.left - 4, r.top}, point{r.right, r.top}, "border")
		}
		m := (r.top + r.bottom) / 2
		if m-last < 13 {
			continue
		}
		last = m
		g.text(point{f.left - 20, m + 4}, "end", "small", workerName(s.p, r.rank, r.cpu))
	}
}

// workerName names a CPU of a rank.
func workerName(p *plan.Plan, rank, cpu int) string {
	if product(p.Mesh) == 1 {
		return fmt.Sprintf("rank %d", rank)
	}
	return fmt.Sprintf("rank %d · CPU %d", rank, cpu)
}

// outline returns the part of a cell that has iterations: its box cut by the
// bounds of the space. A cut may miss the last iterations by less than one.
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
			// Half an iteration beyond the outermost ones, as the box.
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

// area is that of a convex polygon.
func area(at []point) float64 {
	sum := 0.0
	for k, a := range at {
		b := at[(k+1)%len(at)]
		sum += a.x*b.y - b.x*a.y
	}
	return max(sum, -sum) / 2
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
