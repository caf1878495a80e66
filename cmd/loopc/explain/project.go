package explain

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
)

// A projection draws vectors of several dimensions on the page. It has the direction of one
// iteration along each axis, and the drawn length of a component by absolute value.
type projection struct {
	unit    []point
	long    map[int]float64
	toScale bool
}

// longestComponent is the longest component that is drawn to scale: beside a longer one,
// components of 1 could not be seen.
const longestComponent = 8

// mostLonger bounds by how much a component is drawn longer than the next shorter one, in drawn
// lengths of a component of 1, if vectors are not drawn to scale.
const mostLonger = 2.5

// lengths returns how long the components of vectors are drawn: to scale, unless
// some are too long.
func lengths(vectors [][]int) (long map[int]float64, toScale bool) {
	long = map[int]float64{0: 0, 1: 1}
	for _, v := range vectors {
		for _, c := range v {
			long[max(c, -c)] = float64(max(c, -c))
		}
	}
	sizes := slices.Sorted(maps.Keys(long))
	if sizes[len(sizes)-1] <= longestComponent {
		return long, true
	}
	for k := 1; k < len(sizes); k++ {
		long[sizes[k]] = long[sizes[k-1]] + min(mostLonger, float64(sizes[k]-sizes[k-1]))
	}
	return long, false
}

// Least visible lengths of arrows and distances between their heads, in units of the
// picture; and least angles, in radians, between arrows and axes that are not parallel.
const (
	goodArrow = 26.0
	goodHeads = 13.0
	goodAngle = 0.2
)

// vectorSize is the larger of width and height of all arrows and axes of a picture of vectors.
const vectorSize = 180.0

// projectionOf returns a projection along n axes in which no vector becomes a point and no
// two vectors coincide: the usual projection if it has this property, otherwise the first
// of many turned or foreshortened ones, or the best of them. No vector may be 0.
func projectionOf(vectors [][]int, n int) *projection {
	long, toScale := lengths(vectors)
	best := &projection{usualAxes(n), long, toScale}
	if n < 3 {
		return best
	}
	found := best.quality(vectors)
	rng := rand.New(rand.NewPCG(5, 6)) // the same page for the same plan
	for try := range 600 {
		if found >= 1 {
			break
		}
		p := &projection{long: long, toScale: toScale}
		spread := 0.25 + float64(try)/1000 // random variation of angles, in radians, and of relative lengths
		for _, u := range usualAxes(n) {
			angle := math.Atan2(u.y, u.x) + spread*(2*rng.Float64()-1)
			long := 1 + spread*(rng.Float64()-0.5)
			p.unit = append(p.unit, point{long * math.Cos(angle), long * math.Sin(angle)})
		}
		if q := p.quality(vectors); q > found {
			best, found = p, q
		}
	}
	return best
}

// usualAxes are the axes of pictures of the iteration space: the first one to the right, or
// to the upper right if there are three.
func usualAxes(n int) []point {
	switch n {
	case 1:
		return []point{{1, 0}}
	case 2:
		return []point{{1, 0}, {0, 1}}
	}
	out := []point{{cos30, -sin30}, {-cos30, -sin30}, {0, 1}}
	for k := 3; k < n; k++ { // further axes lie between the first three
		angle := 0.35 + 2.4*float64(k-3)
		out = append(out, point{math.Cos(angle), math.Sin(angle)})
	}
	return out
}

// tip is where the arrow of v ends.
func (p *projection) tip(v []int) point {
	var q point
	for k, c := range v {
		long := p.long[max(c, -c)]
		if c < 0 {
			long = -long
		}
		q.x += long * p.unit[k].x
		q.y += long * p.unit[k].y
	}
	return q
}

// reach is the drawn length of an axis, which extends beyond the vectors along it.
func (p *projection) reach(vectors [][]int, k int) float64 {
	far := 0.0
	for _, v := range vectors {
		if v[k] > 0 {
			far = max(far, p.long[v[k]])
		}
	}
	return 1.15*far + 0.6
}

// scale is the scale at which the picture has the size vectorSize.
func (p *projection) scale(vectors [][]int) float64 {
	tips := []point{{}}
	for _, v := range vectors {
		tips = append(tips, p.tip(v))
	}
	for k, u := range p.unit {
		r := p.reach(vectors, k)
		tips = append(tips, point{r * u.x, r * u.y})
	}
	lo, hi := extremes(tips)
	return vectorSize / max(hi.x-lo.x, hi.y-lo.y, 1)
}

// quality says how well the arrows can be seen: at least 1 if all can be seen, 0 if one is
// a point or two coincide. Angles count less than lengths.
func (p *projection) quality(vectors [][]int) float64 {
	scale, least, angle := p.scale(vectors), math.Inf(1), math.Inf(1)
	lines, tips := make([][]int, 0, len(vectors)+len(p.unit)), make([]point, 0, len(vectors))
	for k := range p.unit {
		axis := make([]int, len(p.unit))
		axis[k] = 1
		lines = append(lines, axis)
	}
	for _, v := range vectors {
		tip := p.tip(v)
		least = min(least, scale*math.Hypot(tip.x, tip.y)/goodArrow)
		for _, o := range tips {
			least = min(least, scale*math.Hypot(tip.x-o.x, tip.y-o.y)/goodHeads)
		}
		for _, o := range lines {
			if !parallel(v, o) {
				q := p.tip(o)
				turn := math.Abs(math.Atan2(tip.x*q.y-tip.y*q.x, tip.x*q.x+tip.y*q.y))
				angle = min(angle, turn/goodAngle)
			}
		}
		lines, tips = append(lines, v), append(tips, tip)
	}
	return min(least, 0.6+0.4*angle)
}

// parallel reports whether two vectors lie on one line.
func parallel(a, b []int) bool {
	for i := range a {
		for k := range i {
			if a[i]*b[k] != a[k]*b[i] {
				return false
			}
		}
	}
	return true
}
