package cost

import (
	"math"

	"loopc/transform/plan"
)

// mostVolume is how many faces Volume counts one by one, and how many edges it looks at: some ten
// milliseconds' work.
const mostVolume = 1 << 18

// Volume counts the messages between ranks and their bytes, over the whole run: exactly if the
// space is a box or there are few faces, else by an average tile.
func Volume(p *plan.Plan) (messages, bytes int64, exact bool) {
	switch {
	case p.Empty || plan.Product(p.Grid) == 1:
		return 0, 0, true
	case p.Space.BoxInside(p.Lo, p.Hi):
		m, b := boxVolume(p)
		return whole64(m), whole64(b), m < 1<<53 && b < 1<<53
	case float64(p.Columns())*float64(len(p.Directions())) > mostVolume:
		return averageVolume(p)
	}
	left := mostVolume
	for _, e := range p.Edges() {
		if !e.Remote() {
			continue
		}
		s, ok := p.Stream(&e)
		if !ok {
			continue
		}
		first, last := s.Tiles()
		if left -= last - first + 1; left < 0 {
			return averageVolume(p)
		}
		for k := first; k <= last; k++ {
			f := s.Face(k)
			bytes += int64(f.Bytes)
			if f.Ends {
				messages++
			}
		}
	}
	return messages, bytes, true
}

// averageVolume is Volume by an average tile.
func averageVolume(p *plan.Plan) (messages, bytes int64, exact bool) {
	_, tiles := columnsSampled(p)
	points, _ := p.Points()
	messages, bytes = sent(p, part(p, float64(points), tiles), tiles/float64(p.Columns()))
	return messages, bytes, false
}

// boxVolume is Volume for a space that is a box: what leaves all columns in a direction, less
// what stays on its rank, are products over the dimensions.
func boxVolume(p *plan.Plan) (messages, bytes float64) {
	for d := range p.Directions() {
		dir := &p.Directions()[d]
		all, near := 1.0, 1.0 // columns
		for x := range p.Tiles {
			if x == p.Map {
				continue
			}
			a, b := crossing(p, dir, x, nil)
			all, near = all*a, near*b
		}
		messages += (all - near) * float64(plan.CeilDiv(p.Tiles[p.Map], p.Sub))
		for v, width := range dir.Width {
			if width == nil {
				continue
			}
			all, near := 1.0, 1.0 // cells
			for x := range p.Tiles {
				a, b := crossing(p, dir, x, width)
				all, near = all*a, near*b
			}
			bytes += (all - near) * float64(p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		}
	}
	return messages, bytes
}

// crossing adds over the tiles along dimension x what they send in a direction, and what of it
// stays on its rank: one each, or with a width the iterations of their faces.
func crossing(p *plan.Plan, dir *plan.Direction, x int, width []int) (all, near float64) {
	if dir.Step[x] == 0 {
		n := float64(p.Tiles[x])
		if width != nil {
			n = float64(p.Hi[x] - p.Lo[x] + 1)
		}
		return n, n
	}
	for c := range p.Tiles[x] - 1 {
		n := 1.0
		if width != nil {
			from := max(p.Lo[x], p.Origin[x]+c*p.Side[x])
			n = float64(min(width[x], p.Origin[x]+(c+1)*p.Side[x]-from))
		}
		all += n
		_, _, here := p.Place(x, c)
		if _, _, there := p.Place(x, c+1); here == there {
			near += n
		}
	}
	return all, near
}

// whole64 is x as an integer, or the largest one if it is above all.
func whole64(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}
