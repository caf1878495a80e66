package plan

import (
	"slices"

	"loopc/transform/plan/queue"
)

// mostBlocks is the most blocks of columns that Steps examines: about ten milliseconds.
const mostBlocks = 1 << 15

// A columnBlock is a box of columns, and a bound for the steps of their tiles.
type columnBlock struct {
	lo, hi []int // column coordinates, both inclusive
	bound  int
}

// Steps is the makespan in steps, counting the tiles that workers run. A worker with several columns runs one tile of each in a step.
//
// It is exact for runs of up to mostBlocks/2 columns, and if few columns run first or last: it halves blocks of columns, always the one
// with the extreme bound, until that block is a single column. Otherwise it is an upper bound.
func (p *Plan) Steps() int {
	if p.Empty {
		return 0
	}
	least, ran := p.extremeStep(false)
	if !ran {
		return 0
	}
	most, _ := p.extremeStep(true)
	return most - least + 1
}

// extremeStep returns the first step in which a tile runs or, if last is true, the last step; ok is false if no tile runs.
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
	ahead := queue.Queue[columnBlock]{All: []columnBlock{all}, Less: func(a, b *columnBlock) bool {
		return a.bound != b.bound && a.bound > b.bound == last
	}}
	for looked := 0; len(ahead.All) > 0; looked++ {
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

// widest returns the dimension along which b has the most columns.
func (b *columnBlock) widest() int {
	widest := 0
	for x := range b.lo {
		if b.hi[x]-b.lo[x] > b.hi[widest]-b.lo[widest] {
			widest = x
		}
	}
	return widest
}

// boundSteps sets the bound of b: no tile of its columns runs earlier or, if last is true, later; for a single column, the bound is exact.
// It returns false if no column can have a tile. lo and hi are scratch.
func (p *Plan) boundSteps(b *columnBlock, last bool, lo, hi []int) bool {
	first, end := p.activeOf(b.lo, b.hi, lo, hi)
	if first > end {
		return false
	}
	// Steps grow with every coordinate of a column, because rounds are further apart than workers.
	if last {
		b.bound = p.StepOf(b.hi, end)
	} else {
		b.bound = p.StepOf(b.lo, first)
	}
	return true
}
