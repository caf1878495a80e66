package search

import (
	"math"
	"slices"

	"loopc/transform/plan/cost"
)

// How Choose charges memory.
const (
	// memoryFree is the memory, in bytes, that a rank may need without a penalty.
	memoryFree = 64 << 20
	// memorySlack is the factor by which a rank may need more than its share of the arrays and of all live levels.
	memorySlack = 1.2
	// mostWeighed is the most ranks of a plan that is weighed, because each of its ranks is weighed.
	mostWeighed = 256
	// mostAdded is the most plans that are compared only because they need less memory.
	mostAdded = 4
)

// excess is the factor by which a rank that needs the given bytes exceeds memoryFree, or its share times memorySlack; at least 1.
func (c *chooser) excess(bytes int64) float64 {
	return max(1, float64(bytes)/max(memoryFree, memorySlack*float64(c.share)))
}

// weigh sets the memory and the excess of x, unless x has them or has too many ranks.
func (x *candidate) weigh() {
	if x.excess == 0 && x.p.Ranks <= mostWeighed {
		k := x.c.m.KernelFor(x.p)
		x.memory = cost.MostMemory(x.p, &k, x.c.link)
		x.excess = x.c.excess(x.memory)
	}
}

// charged is the time of x, in seconds, times its excess: a plan that needs twice the memory that a rank may need has to be twice as fast.
// (The prediction is too low for plans that keep entire columns of faces, because they touch that memory for the first time.) A plan that
// was not weighed has no excess.
func (x *candidate) charged() float64 { return x.seconds * max(1, x.excess) }

// frugal weighs the finalists. If the first of them needs more memory than it should, frugal adds candidates that may be better because
// they need less: the fastest ones of ranked, which is sorted by time.
func (c *chooser) frugal(ranked, final []*candidate) []*candidate {
	left := mostFinalAll // tiles, or columns, of plans that may still be weighed
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
	// The fastest plan that does not need too much memory becomes the second finalist, if its time is at most tieBuiltIn times the least
	// charged time. Being the second, it is simulated before others use up the effort.
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
