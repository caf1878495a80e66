package explain

import (
	"fmt"
	"slices"
	"strings"

	"loopc/transform/plan"
)

// A cell is what a picture of the iteration space shows as one box: a tile, or a block of
// tiles if there are too many tiles to draw.
type cell struct {
	at     []int // in the grid of cells, per axis
	step   int   // of its first tile
	rank   int
	cpu    int
	lo, hi []int // bounds in iterations, per axis, both included
}

// A cellSpace is the tile space along two or three axes. Tiles that differ only along other
// dimensions share a cell; the cell exists if one of them exists.
type cellSpace struct {
	p           *plan.Plan
	axes        []int // dimensions of the plan; the first is the mapping dimension
	block       []int // tiles per cell, per axis
	size        []int // cells, per axis
	cells       map[[3]int]*cell
	first, last int // steps
}

// newCellSpace enumerates the cells of p along axes. Their number along axis k is at most
// limits[k].
func newCellSpace(p *plan.Plan, axes []int, limits []int) *cellSpace {
	s := &cellSpace{p: p, axes: axes, cells: map[[3]int]*cell{}}
	for k, x := range axes {
		b := plan.CeilDiv(p.Tiles[x], limits[k])
		s.block = append(s.block, b)
		s.size = append(s.size, plan.CeilDiv(p.Tiles[x], b))
	}
	n := len(p.Tiles)
	lo, hi, col := make([]int, n), make([]int, n), make([]int, n)
	at := make([]int, len(axes))
	var rec func(k int)
	rec = func(k int) {
		if k < len(axes) {
			for at[k] = 0; at[k] < s.size[k]; at[k]++ {
				rec(k + 1)
			}
			return
		}
		c := &cell{at: slices.Clone(at)}
		copy(lo, p.Lo)
		copy(hi, p.Hi)
		for i, x := range axes {
			from := p.Origin[x] + at[i]*s.block[i]*p.Side[x]
			lo[x], hi[x] = max(p.Lo[x], from), min(p.Hi[x], from+s.block[i]*p.Side[x]-1)
			c.lo, c.hi = append(c.lo, lo[x]), append(c.hi, hi[x])
		}
		if !p.Space.Shrink(lo, hi) { // to the iterations: the first tile contains lo
			return
		}
		for x := range col {
			col[x] = (lo[x] - p.Origin[x]) / p.Side[x]
		}
		k0 := col[p.Map]
		col[p.Map] = 0
		c.step = p.StepOf(col, k0)
		c.rank, c.cpu = p.Worker(col)
		if len(s.cells) == 0 {
			s.first, s.last = c.step, c.step
		}
		s.first, s.last = min(s.first, c.step), max(s.last, c.step)
		s.cells[key(at)] = c
	}
	rec(0)
	for _, c := range s.cells {
		c.step -= s.first
	}
	// Cells have only the steps of their first tiles, so the last step of the run may be that of no cell.
	s.first, s.last = 0, max(s.last-s.first, p.Steps()-1)
	return s
}

func key(at []int) (k [3]int) {
	copy(k[:], at)
	return k
}

// color is the color of a step.
func (s *cellSpace) color(step int) shade { return stepShade(float64(step) / float64(max(1, s.last))) }

// longest is the longest step number as text.
func (s *cellSpace) longest() string {
	most := 0
	for _, c := range s.cells {
		most = max(most, c.step)
	}
	return fmt.Sprint(most)
}

// note says what the picture leaves out, "" if it leaves out nothing.
func (s *cellSpace) note() string {
	var parts []string
	if slices.Max(s.block) > 1 {
		parts = append(parts, fmt.Sprintf("Each box stands for %s tiles; its color is the step of the first.", by(s.block)))
	}
	if len(s.axes) < len(s.p.Tiles) {
		var rest []string
		for x, name := range s.p.Nest.Dims {
			if !slices.Contains(s.axes, x) && s.p.Tiles[x] > 1 {
				rest = append(rest, fmt.Sprintf("%s (%d tiles)", name, s.p.Tiles[x]))
			}
		}
		if len(rest) > 0 {
			parts = append(parts, "Projected along "+joined(rest)+".")
		}
	}
	return strings.Join(parts, " ")
}

// joined returns text such as "a, b and c".
func joined(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	last := len(s) - 1
	return strings.Join(s[:last], ", ") + " and " + s[last]
}

// axisName names dimension x of the plan. A skewed one is a sum of loops that begins with loop x: i+t.
func axisName(p *plan.Plan, x int) string {
	if !p.Nest.Triangular() {
		return p.Nest.Dims[x] // if Skew is not triangular, Dims has names of sums
	}
	out := ""
	for _, k := range slices.Insert(others(x, len(p.Nest.Dims)), 0, x) {
		c := p.Nest.Skew[x][k]
		switch {
		case c == 0:
			continue
		case c < 0:
			out += "−"
			c = -c
		case out != "":
			out += "+"
		}
		if c > 1 {
			out += fmt.Sprint(c)
		}
		out += p.Nest.Dims[k]
	}
	return out
}

// others returns the dimensions 0..n-1 without x.
func others(x, n int) []int {
	var out []int
	for k := range n {
		if k != x {
			out = append(out, k)
		}
	}
	return out
}

// axesOf returns the mapping dimension and up to two others to draw: those with
// the most tiles, in the order of the nest.
func axesOf(p *plan.Plan) []int {
	rest := others(p.Map, len(p.Tiles))
	slices.SortStableFunc(rest, func(a, b int) int { return p.Tiles[b] - p.Tiles[a] })
	rest = rest[:min(2, len(rest))]
	slices.Sort(rest)
	return append([]int{p.Map}, rest...)
}
