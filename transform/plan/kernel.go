package plan

// How a kernel takes the iterations of a box, in Kernel.Across and in the Variant
// that declares it.
const (
	AcrossRows   = iota // lanes are rows: neighbors along the last coordinate but one
	AcrossLevels        // lanes are levels: neighbors along coordinate 0
	AlongRow            // lanes are neighbors of a row
)

// Where iterations of a row wait for one another, rows that begin and end at columns of
// their own are computed together as far as they have columns in common: RaggedMost rows
// at most, as long as they have RaggedLeast.
const (
	RaggedMost  = 24
	RaggedLeast = 8
)

// LayerBytes is what rows of planes that are computed together should take of the first cache.
const LayerBytes = 32 << 10

// Layers is how many planes are computed together whose rows, of all values, take so many
// bytes: of each the rows that are read at one place and the one that is written stay in the
// first cache, and a row of each plane beside them.
func (p *Plan) Layers(bytes, row int) int {
	last := len(p.Margin) - 1
	return max(1, (bytes/row-p.Margin[last-2])/(p.Margin[last-1]+2))
}

// StreamBytes is the size of an array given back from which its rows go past the caches: it
// is not all in a second-level cache when the run ends, and what is written is not read again.
const StreamBytes = 4 << 20

// Chains of a kernel whose lanes are levels are computed together, step by step, so that
// each hides the latency of the others: slabs that follow one another, each a row behind
// the one below it, or rows of one slab, each some steps behind the one above it. Of the
// latter a row is read by the chain after it while it is in the first cache, and all
// chains are busy, whatever the number of slabs.

// togetherMost is the size, in bytes, of planes between slabs that are read and written
// once for each slab: beyond, each chain has a slab of its own, which moves them less
// often [note planner-constants].
const togetherMost = 64 << 20

// farthestLag is the most by which chains of one slab lag one another.
const farthestLag = 8

// ChainsTogether reports whether so many chains compute rows of one slab, with lanes that
// are skew columns behind one another, where the rows a row reads allow it.
func (p *Plan) ChainsTogether(chains, skew int) bool {
	return len(p.Side) == 3 && chains > 1 && p.Margin[1] == 1 && p.Side[1] >= 2*chains &&
		p.ChainLag(skew) <= farthestLag && p.PlaneBytes(p.Side[2]) <= togetherMost
}

// ChainLag is how many steps chains of one slab lag one another: as many as a kernel
// takes in a turn of its loop at least, so that a chain reads what the one before it has
// computed in turns before; and so many that this one needs no more of its own row what
// the other writes over.
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

// PlaneBytes is the size of the planes between slabs of a tile, with rows of so many
// cells.
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
