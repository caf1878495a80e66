package plan

import (
	"math"
	"slices"
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

// Share is a rank's part of what any run of the plan's nest needs, whatever the plan: the
// cells of the arrays given and given back, and as many levels of every value as
// are live at a time, of the whole space. In bytes; ranks without iterations have
// none.
func (p *Plan) Share() int64 {
	if p.Empty {
		return 0
	}
	points, _ := p.Points()
	level := float64(points) / float64(p.Hi[0]-p.Lo[0]+1)
	bytes := p.arrayBytes()
	for v := range p.Nest.Values {
		if val := &p.Nest.Values[v]; p.Stored(v) {
			bytes += level * float64(val.Levels()*p.Nest.Arrays[val.Array].Size)
		}
	}
	return int64(bytes / float64(product(p.Grid)))
}

// arrayBytes is the length of the arrays given and given back.
func (p *Plan) arrayBytes() (bytes float64) {
	for k := range p.Nest.Arrays {
		a := &p.Nest.Arrays[k]
		add := func(extent []int) {
			n := float64(a.Size)
			for _, e := range extent {
				n *= float64(e)
			}
			bytes += n
		}
		_, extent, _ := a.Extent(p.Params) // an array that cannot be was refused
		if a.Role == In || a.Role == InOut {
			add(extent)
		}
		if a.Returned() {
			_, extent = a.SliceExtent(p.Params)
			add(extent)
		}
	}
	return bytes
}

// mostMemory returns what the rank of p needs that needs most, in bytes. Ranks of one
// process share the arrays of the caller, and its memory: of them it is the mean.
func (p *Plan) mostMemory(link string) int64 {
	most, sum := int64(0), int64(0)
	for _, m := range p.Memories() {
		most = max(most, m.Total())
		sum = AddBytes(sum, AddBytes(m.Levels, m.Faces))
	}
	if link == LinkInproc {
		return AddBytes(sum, whole64(p.arrayBytes())) / int64(product(p.Grid))
	}
	return most
}

// excess is by what factor a rank that needs so many bytes needs more than what is
// free, or its share with some slack; at least 1.
func (c *chooser) excess(bytes int64) float64 {
	return max(1, float64(bytes)/max(memoryFree, memorySlack*float64(c.share)))
}

// weigh finds out what memory x needs, planes between slabs of levels included.
func (x *candidate) weigh() {
	if x.excess == 0 && x.p.Ranks <= mostWeighed {
		k := x.c.m.KernelFor(x.p)
		planes := k.planeBytes(x.p, x.p.Side[len(x.p.Side)-1])
		x.memory = x.p.mostMemory(x.c.link) + int64(min(planes*float64(product(x.p.Mesh)), 1<<60))
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
