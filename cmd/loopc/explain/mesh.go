package explain

import (
	"fmt"
	"html/template"
	"math"
	"slices"

	"loopc/transform/plan"
)

// Sizes of the picture of the process grid, and how many ranks it shows.
const (
	rankWide, rankHigh = 112.0, 72.0
	gapWide, gapHigh   = 96.0, 64.0
	gapCrossed         = 168.0 // across, where arrows may cross
	gapCrossedHigh     = 124.0 // down, where arrows may cross: arrows around other ranks run in the upper half
	mostRanksWide      = 6
	mostRanksHigh      = 5
)

// A meshView lays out the process grid: two of its dimensions across and down.
type meshView struct {
	p            *plan.Plan
	across, down int // dimensions of the plan, -1 for none
	wide, high   int // ranks shown
	left, top    float64
	gap, below   float64 // between ranks, across and down
}

// meshPicture draws the process grid with the traffic between ranks over the whole run.
func meshPicture(p *plan.Plan) (drawing template.HTML, note string) {
	v := &meshView{p: p, across: -1, down: -1, wide: 1, high: 1, left: 40, top: 44, gap: gapWide, below: gapHigh}
	workers := func(x int) int { return p.Grid[x] * p.Mesh[x] }
	var axes []int
	for x := range p.Grid {
		if x != p.Map && workers(x) > 1 {
			axes = append(axes, x)
		}
	}
	slices.SortStableFunc(axes, func(a, b int) int {
		if d := p.Grid[b] - p.Grid[a]; d != 0 {
			return d
		}
		return workers(b) - workers(a)
	})
	if len(axes) > 0 {
		v.across = axes[0]
	}
	if len(axes) > 1 { // as matrices are written: the outer one down
		v.down, v.across = min(axes[0], axes[1]), max(axes[0], axes[1])
		v.high = min(p.Grid[v.down], mostRanksHigh)
		if p.Chunked() {
			v.gap, v.below = gapCrossed, gapCrossedHigh
		}
	}
	if v.across >= 0 {
		v.wide = min(p.Grid[v.across], mostRanksWide)
	}
	for _, x := range axes[min(2, len(axes)):] {
		if p.Grid[x] > 1 {
			note += fmt.Sprintf("Shown are the first ranks along %s, of %d. ", p.Nest.Dims[x], p.Grid[x])
		}
	}
	if shown := v.wide * v.high; shown < product(p.Grid) && len(axes) <= 2 {
		note += fmt.Sprintf("Shown are %d of %d ranks. ", shown, product(p.Grid))
	}
	if v.down >= 0 && v.across >= 0 && !v.beside() {
		v.top += 20 // the names of both axes are above the picture
	}
	g := &picture{title: "process grid and the bytes that travel between ranks"}
	g.width = 2*v.left + float64(v.wide)*(rankWide+v.gap) - v.gap
	g.height = v.top + float64(v.high)*(rankHigh+v.below) - v.below + 30
	if p.Chunked() { // room for arrows around the last row and column
		g.width, g.height = g.width+50, g.height+20
	}
	if extra := 420 - g.width; extra > 0 {
		g.width, v.left = g.width+extra, v.left+extra/2
	}
	v.axes(g)
	for row := range v.high {
		for c := range v.wide {
			v.rank(g, row, c)
		}
	}
	v.traffic(g, &note)
	return g.svg(), note
}

// axes names the axes of the grid and draws them.
func (v *meshView) axes(g *picture) {
	end := point{v.left + float64(v.wide)*(rankWide+v.gap) - v.gap, v.top - 18}
	if v.across >= 0 {
		g.arrow(point{v.left, end.y}, end, "axis")
		g.name(point{g.width / 2, end.y - 8}, "middle", "label", axisName(v.p, v.across), g.width-20)
	}
	if v.down >= 0 {
		x := v.left - 14
		g.arrow(point{x, v.top}, point{x, v.top + float64(v.high)*(rankHigh+v.below) - v.below}, "axis")
		if v.beside() {
			g.text(point{x - 6, v.top + 12}, "end", "label", axisName(v.p, v.down))
			return
		}
		y := v.top - 10
		if v.across >= 0 {
			y = v.top - 44
		}
		g.name(point{x - 4, y}, "start", "label", "↓ "+axisName(v.p, v.down), g.width-x-10)
	}
}

// beside reports whether the name of the axis down is short enough to stand left of
// it.
func (v *meshView) beside() bool { return textLength(axisName(v.p, v.down), "label") < 18 }

// corner returns the upper left corner of a rank.
func (v *meshView) corner(row, col int) point {
	return point{v.left + float64(col)*(rankWide+v.gap), v.top + float64(row)*(rankHigh+v.below)}
}

// number returns the number of the rank in the grid, or of the CPU in the mesh, at a row and column of
// the picture, and at 0 along dimensions that are not shown.
func (v *meshView) number(extent []int, row, col int) int {
	r := 0
	for x, n := range extent {
		r *= n
		switch x {
		case v.across:
			r += col
		case v.down:
			r += row
		}
	}
	return r
}

// rank draws a rank with its CPUs.
func (v *meshView) rank(g *picture, row, col int) {
	at := v.corner(row, col)
	g.box(at.x, at.y, rankWide, rankHigh, 8, `class="rank"`)
	g.text(point{at.x + rankWide/2, at.y + 17}, "middle", "label", fmt.Sprintf("rank %d", v.number(v.p.Grid, row, col)))
	m := [2]int{1, 1}
	if v.down >= 0 {
		m[0] = v.p.Mesh[v.down]
	}
	if v.across >= 0 {
		m[1] = v.p.Mesh[v.across]
	}
	all := product(v.p.Mesh)
	if all != m[0]*m[1] || m[0] > 3 || m[1] > 6 {
		g.text(point{at.x + rankWide/2, at.y + 46}, "middle", "small", plural(int64(all), "CPU"))
		return
	}
	const room, high = rankWide - 20.0, rankHigh - 34.0
	w, h := min(34, room/float64(m[1])), high/float64(m[0])
	left := at.x + (rankWide-w*float64(m[1]))/2
	class := numberClass(fmt.Sprint(all-1), func(wide, tall float64) bool { return wide < w && tall < h })
	for i := range m[0] {
		for j := range m[1] {
			x, y := left+float64(j)*w, at.y+26+float64(i)*h
			g.box(x+1.5, y+1.5, w-3, h-3, 3, `class="cpu"`)
			if class != "" {
				g.text(point{x + w/2, y + h/2 + 0.35*fontSize(class)}, "middle", class+" on-cpu", fmt.Sprint(v.number(v.p.Mesh, i, j)))
			}
		}
	}
}

// traffic draws an arrow for each pair of ranks that are shown, with its bytes.
func (v *meshView) traffic(g *picture, note *string) {
	p := v.p
	if product(p.Grid) == 1 {
		return
	}
	if !countable(p) {
		*note += "There are too many faces to count them rank by rank. "
		return
	}
	type pair [2]int
	sum := map[pair]int64{}
	for _, e := range p.Edges() {
		if e.Remote() {
			_, b := traffic(p, &e)
			sum[pair(e.Rank)] += b
		}
	}
	where := map[int][2]int{}
	for row := range v.high {
		for col := range v.wide {
			where[v.number(v.p.Grid, row, col)] = [2]int{row, col}
		}
	}
	var pairs []pair
	for k, b := range sum {
		_, from := where[k[0]]
		_, to := where[k[1]]
		if from && to && b > 0 {
			pairs = append(pairs, k)
		}
	}
	slices.SortFunc(pairs, func(a, b pair) int { return slices.Compare(a[:], b[:]) })
	bare := false
	for _, k := range pairs {
		_, back := sum[pair{k[1], k[0]}]
		if !v.flow(g, where[k[0]], where[k[1]], lengthText(sum[k]), back) {
			bare = true
		}
	}
	if bare {
		*note += "Arrows among many others have no label. "
	}
}

// flow draws an arrow between two ranks, with its label where there is room, and reports
// whether there was room; back tells that an arrow in the opposite direction exists too.
func (v *meshView) flow(g *picture, a, b [2]int, label string, back bool) bool {
	from, to := v.corner(a[0], a[1]), v.corner(b[0], b[1])
	dr, dc := b[0]-a[0], b[1]-a[1]
	next := func(d int) bool { return d == 1 || d == -1 }
	switch {
	case dr == 0 && next(dc):
		return flowAcross(g, from, to, float64(dc), label, back)
	case dc == 0 && next(dr):
		return v.flowDown(g, from, to, float64(dr), label, back)
	case next(dr) && next(dc):
		return flowDiagonally(g, from, to, float64(dr), float64(dc), label)
	}
	return flowAround(g, from, to, dr, dc, label)
}

// The middle of a rank, from its corner.
const midWide, midHigh = rankWide / 2, rankHigh / 2

// flowAcross draws an arrow to the next rank to the right, with sign 1, or to the left,
// with sign -1.
func flowAcross(g *picture, from, to point, sign float64, label string, back bool) bool {
	y := from.y + midHigh
	if back {
		y += 12 * sign
	}
	x1, x2 := from.x+rankWide+3, to.x-3
	if sign < 0 {
		x1, x2 = from.x-3, to.x+rankWide+3
	}
	g.arrow(point{x1, y}, point{x2, y}, "flow")
	return g.perhaps(point{(x1 + x2) / 2, y - 6}, "middle", "small over", label) ||
		g.perhaps(point{(x1 + x2) / 2, y + 16}, "middle", "small over", label)
}

// flowDown draws an arrow to the next rank below, with sign 1, or above, with sign -1.
func (v *meshView) flowDown(g *picture, from, to point, sign float64, label string, back bool) bool {
	x := from.x + midWide
	if back {
		x += 30 * sign
	}
	y1, y2 := from.y+rankHigh+3, to.y-3
	if sign < 0 {
		y1, y2 = from.y-3, to.y+rankHigh+3
	}
	g.arrow(point{x, y1}, point{x, y2}, "flow")
	at := (y1 + y2) / 2
	if v.below > gapHigh { // below the arrows that lead around other ranks
		at = max(y1, y2) - 14
	}
	return g.perhaps(point{x + 8, at + 4}, "start", "small over", label) ||
		g.perhaps(point{x - 8, at + 4}, "end", "small over", label)
}

// flowDiagonally draws an arrow from corner to corner of ranks in adjacent rows and
// columns. Two such arrows may cross in the middle: the label of one stands to the right
// of the crossing, and that of the other to the left.
func flowDiagonally(g *picture, from, to point, dr, dc float64, label string) bool {
	a := point{from.x + midWide + (midWide+2)*dc, from.y + midHigh + (midHigh+2)*dr}
	b := point{to.x + midWide - (midWide+2)*dc, to.y + midHigh - (midHigh+2)*dr}
	g.arrow(a, b, "flow")
	side, anchor := 20.0, "start"
	if dr != dc {
		side, anchor = -20, "end"
	}
	m := point{(a.x+b.x)/2 + side, (a.y+b.y)/2 + 4}
	return g.perhaps(m, anchor, "small over", label) ||
		g.perhaps(point{m.x, m.y - 14}, anchor, "small over", label) || g.perhaps(point{m.x, m.y + 14}, anchor, "small over", label)
}

// flowAround draws an arrow around the ranks between: below them if both are in one row,
// else to the right of them.
func flowAround(g *picture, from, to point, dr, dc int, label string) bool {
	var p1, p2, bend point
	if dr == 0 {
		p1, p2 = point{from.x + midWide, from.y + rankHigh + 2}, point{to.x + midWide, to.y + rankHigh + 2}
		bend = point{(p1.x + p2.x) / 2, math.Max(p1.y, p2.y) + 34}
	} else {
		p1, p2 = point{from.x + rankWide + 2, from.y + midHigh + 14}, point{to.x + rankWide + 2, to.y + midHigh + 14}
		bend = point{math.Max(p1.x, p2.x) + 60, (p1.y + p2.y) / 2}
	}
	g.path(fmt.Sprintf("M%s %sQ%s %s %s %s", num(p1.x), num(p1.y), num(bend.x), num(bend.y), num(p2.x), num(p2.y)), `class="flow bent"`)
	dx, dy := p2.x-bend.x, p2.y-bend.y
	n := math.Hypot(dx, dy)
	g.arrow(point{p2.x - 10*dx/n, p2.y - 10*dy/n}, p2, "flow")
	switch {
	case dr != 0 && dc != 0:
		return false // the label would stand among other labels
	case dr == 0:
		return g.perhaps(point{(p1.x + 2*bend.x + p2.x) / 4, (p1.y+2*bend.y+p2.y)/4 + 14}, "middle", "small over", label)
	}
	// Between two rows, where no horizontal arrow is.
	for _, t := range []float64{0.5, 1.5, 2.5} {
		if t /= math.Abs(float64(dr)); t < 1 {
			q := point{(1-t)*(1-t)*p1.x + 2*t*(1-t)*bend.x + t*t*p2.x, (1-t)*p1.y + t*p2.y}
			if g.perhaps(q, "middle", "small over", label) {
				return true
			}
		}
	}
	return false
}
