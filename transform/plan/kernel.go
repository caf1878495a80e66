package plan

// The coordinate along which the lanes of a kernel are neighbors, as in kernel.Traits.Across.
const (
	AcrossRows   = iota // rows: the last coordinate but one
	AcrossLevels        // levels: coordinate 0
	AlongRow            // iterations of a row: the last coordinate
)

// If the iterations of a row wait for one another, the kernel computes up to RaggedMost rows
// together, even if each row begins and ends at its own column. It does so for the columns that
// all of them have, if these are RaggedLeast or more.
const (
	RaggedMost  = 24
	RaggedLeast = 8
)

// LayerBytes is the part of the first cache, in bytes, for the rows of planes that are computed
// together.
const LayerBytes = 32 << 10

// Layers is the number of planes that a kernel should compute together. cacheBytes is the size
// of the first cache, rowBytes the size of a row of all values. For each plane, the cache must
// hold the rows that are read at one place, the row written, and one row more; besides, a row of
// each earlier plane that is read.
func (p *Plan) Layers(cacheBytes, rowBytes int) int {
	last := len(p.Margin) - 1
	return max(1, (cacheBytes/rowBytes-p.Margin[last-2])/(p.Margin[last-1]+2))
}

// A kernel whose lanes are levels computes several row streams together, step by step, so that
// each hides the latency of the others: rows of successive slabs, each one row behind the slab
// below, or rows of one slab, each some steps behind the row above. In the second way, a stream
// reads the row above from the first cache, and all streams are busy whatever the number of
// slabs.

// togetherMost is the greatest size of the planes between slabs, in bytes, for which streams
// share a slab. Each slab then reads and writes the planes once. Streams with slabs of their
// own move larger planes less often [note planner-constants].
const togetherMost = 64 << 20

// farthestLag is the most steps by which a stream of a slab may follow the one before.
const farthestLag = 8

// ChainsTogether reports whether the given number of streams can compute rows of one slab, in
// which each lane is skew columns behind the next. It depends on which rows a row reads.
func (p *Plan) ChainsTogether(chains, skew int) bool {
	return len(p.Side) == 3 && chains > 1 && p.Margin[1] == 1 && p.Side[1] >= 2*chains &&
		p.ChainLag(skew) <= farthestLag && p.PlaneBytes(p.Side[2]) <= togetherMost
}

// ChainLag is the number of steps by which a stream follows the stream before it in the same slab.
// A kernel computes no more steps in one turn of its loop, so that a stream reads only what
// earlier turns have computed. The lag is also large enough that a stream overwrites only cells
// of the row above that the row above no longer reads.
func (p *Plan) ChainLag(skew int) int {
	const turn = 2
	lag, last := turn, len(p.Side)-1
	for v := range p.Nest.Values {
		for _, d := range p.Nest.Values[v].Flow {
			if last == 2 && d[1] == 0 {
				lag = max(lag, d[last]+skew*d[0])
			}
		}
	}
	return lag
}

// PlaneBytes is the size of the planes between slabs of a tile whose rows have width cells.
func (p *Plan) PlaneBytes(width int) float64 {
	sum, n := 0.0, len(p.Side)
	for v := range p.Nest.Values {
		plane := float64((p.Nest.Values[v].Levels() - 1) * (width + p.Margin[n-1]) * p.Nest.Arrays[p.Nest.Values[v].Array].Size)
		for x := 1; x < n-1; x++ {
			plane *= float64(p.Side[x] + p.Margin[x])
		}
		sum += plane
	}
	return sum
}
