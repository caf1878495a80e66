package plan

// The coordinate along which the lanes of a kernel are neighbors, as in kernel.Traits.Across.
const (
	AcrossRows   = iota // rows: the last coordinate but one
	AcrossLevels        // levels: coordinate 0
	AlongRow            // iterations of a row: the last coordinate
)

// PlaneBytes is the part of the first cache, in bytes, for the rows of planes that are computed together.
const PlaneBytes = 32 << 10

// PlanesAtOnce is the number of planes that a kernel should compute together. cacheBytes is the size of the first cache, rowBytes the size
// of a row of all values. For each plane, the cache must hold the rows that are read at one place, the row written, and one row more;
// besides, a row of each earlier plane that is read.
func (p *Plan) PlanesAtOnce(cacheBytes, rowBytes int) int {
	last := len(p.HaloWidth) - 1
	return max(1, (cacheBytes/rowBytes-p.HaloWidth[last-2])/(p.HaloWidth[last-1]+2))
}
