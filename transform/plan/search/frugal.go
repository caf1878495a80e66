package search

import (
	"math"
	"slices"

	"loopc/transform/plan/cost"
)

// What memory is worth to Choose.
const (
	// memoryFree is what a rank may need without that counting.
	memoryFree = 64 << 20
	// memorySlack is how much more than its share of the arrays and of all live
	// levels a rank may need.
	memorySlack = 1.2
	// mostWeighed is the most ranks of a plan that is weighed, each by itself.
	mostWeighed = 256
	// mostAdded is how many plans are compared merely for needing less.
	mostAdded = 4
)

// excess is by what factor a rank that needs so many bytes needs more than what is
// free, or its share with some slack; at least 1.
func (c *chooser) excess(bytes int64) float64 {
	return max(1, float64(bytes)/max(memoryFree, memorySlack*float64(c.share)))
}

// weigh finds out what memory x needs.
func (x *candidate) weigh() {
	if x.excess == 0 && x.p.Ranks <= mostWeighed {
		k := x.c.m.KernelFor(x.p)
		x.memory = cost.MostMemory(x.p, &k, x.c.link)
		x.excess = x.c.excess(x.memory)
	}
}

// charged is the time of x, in seconds, times its excess: who needs twice the memory
// that a rank may need has to be twice as fast. (What is predicted of plans that
// keep whole columns of faces is too little, for they touch that memory first.)
// Who was not weighed needs nothing.
func (x *candidate) charged() float64 { return x.seconds * max(1, x.excess) }

// frugal weighs the finalists and, if the best of them needs more than it should,
// adds those of the others, ranked by time, that may be better for needing less.
func (c *chooser) frugal(ranked, final []*candidate) []*candidate {
	left := mostFinalAll // tiles of plans that are weighed, or columns, of which some may have none
	weigh := func(x *candidate) bool {
		if left -= max(int(x.estimated.Tiles), x.p.Columns()); left < 0 {
			return false
		}
		x.weigh()
		return true
	}
	best := math.Inf(1)
	for _, x := range final {
		weigh(x)
		best = min(best, x.charged())
	}
	if final[0].excess <= 1 {
		return final
	}
	added := 0
	for _, x := range ranked {
		if x.seconds > best || added == mostAdded {
			break
		}
		if !slices.Contains(final, x) && weigh(x) && x.charged() < best {
			final = append(final, x)
			added++
		}
	}
	// The best that needs no more than it should is looked at right after the fastest, while there is
	// effort left, if it may take about as long.
	for _, x := range ranked {
		if x.seconds > best*tieBuiltIn || x.excess == 0 && !weigh(x) {
			break
		}
		if x.excess <= 1 {
			final = slices.DeleteFunc(slices.Clone(final), func(y *candidate) bool { return y == x })
			return slices.Insert(final, 1, x)
		}
	}
	return final
}
