package cost

import (
	"math"

	"loopc/transform/plan"
)

// mostVolume bounds the faces and edges that Volume counts one by one: some ten milliseconds.
const mostVolume = 1 << 18

// mostVolumes bounds the windows whose messages Volume counts one by one.
const mostVolumes = 1 << 8

// Volume counts the messages between ranks and their bytes over the entire run: exactly if the
// space is a box or has few faces, else by an average tile. States between windows do not count.
func Volume(p *plan.Plan) (messages, bytes int64, exact bool) {
	if p.Windows == 1 {
		return volume(p)
	}
	exact = p.Windows <= mostVolumes
	for k, after, levels := 0, 0, p.FirstLevels; k < min(p.Windows, mostVolumes); k, after, levels = k+1, after+levels, p.Epoch {
		m, b, sure := volume(p.Window(after, levels))
		messages, bytes, exact = messages+m, bytes+b, exact && sure
	}
	if p.Windows > mostVolumes {
		more := float64(p.Windows) / mostVolumes
		messages, bytes = whole64(float64(messages)*more), whole64(float64(bytes)*more)
	}
	return messages, bytes, exact
}

// volume does what Volume does, for one window.
func volume(p *plan.Plan) (messages, bytes int64, exact bool) {
	switch {
	case p.Empty || plan.Product(p.Grid) == 1:
		return 0, 0, true
	case p.Space.BoxInside(p.Lo, p.Hi) && p.Origin[0]+(p.Tiles[0]-1)*p.Side[0] <= p.Hi[0]: // all tiles have levels
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

// averageVolume estimates what Volume counts, from an average tile.
func averageVolume(p *plan.Plan) (messages, bytes int64, exact bool) {
	_, tiles := columnsSampled(p)
	points, _ := p.Points()
	messages, bytes = sent(p, iteratedPart(p, float64(points)/windows(p), tiles), tiles/float64(p.Columns()))
	return messages, bytes, false
}

// boxVolume does what Volume does, for a space that is a box: the volume that leaves all columns in
// a direction, and the part that stays on the rank, are products over the dimensions.
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

// crossing counts what the tiles along dimension x send in a direction (all), and how much of that
// stays on the rank (near): faces or, with width, the iterations in the faces.
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

// whole64 is x as an integer, at most the greatest int64.
func whole64(x float64) int64 {
	if x >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(math.Round(x))
}
