package plan

// Between the CPUs of a rank a face is handed over while it is packed: the tile that gets
// it follows the one that sends it, at the distance of what that one has to have done
// before its first cells are there. Package halo does so row by row; here a tile has
// equal portions, and the tile of the neighbor begins when the first one is done.

// A tile that waits lets the other one get ahead by some rows of a slab, or by a part of
// the face: it would wait for every row else, which costs both of them time.
const (
	AheadFace  = 256 // such a part of a face
	aheadSlab  = 32  // such a part of a slab's rows, and
	aheadLeast = 8   // so many rows
)

// AheadInFace is how many rows the sender of a face gets ahead of who waits for levels of
// it, which has so many rows.
func AheadInFace(rows int) int { return rows / AheadFace }

// AheadInSlab is the same of who waits for rows of a slab, a level of which has so many.
func AheadInSlab(rows int) int { return max(aheadLeast, rows/aheadSlab) }
