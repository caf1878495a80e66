package plan

import (
	"slices"

	"loopc/transform/plan/queue"
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
	ahead := queue.New([]columnBlock{all}, func(a, b *columnBlock) bool {
		return a.bound != b.bound && a.bound > b.bound == last
	})
	for looked := 0; ahead.Len() > 0; looked++ {
		b := *ahead.First()
		x := b.widest()
		if b.lo[x] == b.hi[x] || looked >= mostBlocks {
			return b.bound, true
		}
		ahead.DropFirst()
		middle := b.lo[x] + (b.hi[x]-b.lo[x])/2
		low := columnBlock{lo: b.lo, hi: slices.Clone(b.hi)}
		low.hi[x] = middle
		high := columnBlock{lo: slices.Clone(b.lo), hi: b.hi}
		high.lo[x] = middle + 1
		for _, half := range []columnBlock{low, high} {
			if p.boundSteps(&half, last, lo, hi) {
				ahead.Add(half)
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
