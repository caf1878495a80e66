package plan

import (
	"math"
	"slices"
)

// mostBlocks is how many blocks of columns Steps looks at: about ten milliseconds' work.
const mostBlocks = 1 << 15

// A columnBlock is a box of columns, and a bound of the steps of their tiles.
type columnBlock struct {
	lo, hi []int // column coordinates, both inclusive
	bound  int
}

// Steps is the makespan in steps, over the tiles that a worker runs. A worker with several
// columns runs one tile of each in a step.
//
// It is exact for runs of up to mostBlocks/2 columns, and wherever few columns are the first
// or the last: blocks of columns are halved, the one with the extreme bound first, until that
// is a single column. Of other runs it is a bound from above.
func (p *Plan) Steps() int {
	if p.Empty {
		return 0
	}
	least, some := p.extremeStep(false)
	if !some {
		return 0
	}
	most, _ := p.extremeStep(true)
	return most - least + 1
}

// extremeStep returns the first step in which a tile is run, or with last the last one; ok is
// false if no tile is.
func (p *Plan) extremeStep(last bool) (step int, ok bool) {
	n := len(p.Tiles)
	all := columnBlock{lo: make([]int, n), hi: make([]int, n)}
	for x, t := range p.Tiles {
		if x != p.Map {
			all.hi[x] = t - 1
		}
	}
	lo, hi := make([]int, n), make([]int, n)
	if !p.boundSteps(&all, last, lo, hi) {
		return 0, false
	}
	ahead := newQueue([]columnBlock{all}, func(a, b *columnBlock) bool {
		return a.bound != b.bound && a.bound > b.bound == last
	})
	for looked := 0; ahead.len() > 0; looked++ {
		b := *ahead.first()
		x := b.widest()
		if b.lo[x] == b.hi[x] || looked >= mostBlocks {
			return b.bound, true
		}
		ahead.dropFirst()
		middle := b.lo[x] + (b.hi[x]-b.lo[x])/2
		low := columnBlock{lo: b.lo, hi: slices.Clone(b.hi)}
		low.hi[x] = middle
		high := columnBlock{lo: slices.Clone(b.lo), hi: b.hi}
		high.lo[x] = middle + 1
		for _, half := range []columnBlock{low, high} {
			if p.boundSteps(&half, last, lo, hi) {
				ahead.add(half)
			}
		}
	}
	return 0, false
}

// widest is the dimension along which b has the most columns.
func (b *columnBlock) widest() int {
	widest := 0
	for x := range b.lo {
		if b.hi[x]-b.lo[x] > b.hi[widest]-b.lo[widest] {
			widest = x
		}
	}
	return widest
}

// boundSteps sets the bound of b: no tile of its columns is run earlier, or with last later,
// and if it is a single column, one is run then. It returns false if there can be no tile. lo
// and hi are scratch.
func (p *Plan) boundSteps(b *columnBlock, last bool, lo, hi []int) bool {
	first, end := p.activeOf(b.lo, b.hi, lo, hi)
	if first > end {
		return false
	}
	// Steps grow with every coordinate of a column: rounds are further apart than workers.
	if last {
		b.bound = p.StepOf(b.hi, end)
	} else {
		b.bound = p.StepOf(b.lo, first)
	}
	return true
}

// mostVolume is how many faces Volume counts one by one, and how many edges it looks at: some ten
// milliseconds' work.
const mostVolume = 1 << 18

// Volume counts the messages between ranks and their bytes, over the whole run: exactly if the
// space is a box or there are few faces, else by an average tile.
func (p *Plan) Volume() (messages, bytes int64, exact bool) {
	switch {
	case p.Empty || product(p.Grid) == 1:
		return 0, 0, true
	case p.Space.BoxInside(p.Lo, p.Hi):
		m, b := p.boxVolume()
		return whole64(m), whole64(b), m < 1<<53 && b < 1<<53
	case float64(p.Columns())*float64(len(p.dirs)) > mostVolume:
		return p.averageVolume()
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
		if left -= s.last - s.first + 1; left < 0 {
			return p.averageVolume()
		}
		for k := s.first; k <= s.last; k++ {
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
func (p *Plan) averageVolume() (messages, bytes int64, exact bool) {
	_, tiles := p.sampled()
	points, _ := p.Points()
	messages, bytes = p.sent(p.part(float64(points), tiles), tiles/float64(p.Columns()))
	return messages, bytes, false
}

// boxVolume is Volume for a space that is a box: what leaves all columns in a direction, less
// what stays on its rank, are products over the dimensions.
func (p *Plan) boxVolume() (messages, bytes float64) {
	for d := range p.dirs {
		dir := &p.dirs[d]
		all, near := 1.0, 1.0 // columns
		for x := range p.Tiles {
			if x == p.Map {
				continue
			}
			a, b := p.crossing(dir, x, nil)
			all, near = all*a, near*b
		}
		messages += (all - near) * float64(CeilDiv(p.Tiles[p.Map], p.Sub))
		for v, width := range dir.Width {
			if width == nil {
				continue
			}
			all, near := 1.0, 1.0 // cells
			for x := range p.Tiles {
				a, b := p.crossing(dir, x, width)
				all, near = all*a, near*b
			}
			bytes += (all - near) * float64(p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		}
	}
	return messages, bytes
}

// crossing adds over the tiles along dimension x what they send in a direction, and what of it
// stays on its rank: one each, or with a width the iterations of their faces.
func (p *Plan) crossing(dir *Direction, x int, width []int) (all, near float64) {
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
		_, _, here := p.place(x, c)
		if _, _, there := p.place(x, c+1); here == there {
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
