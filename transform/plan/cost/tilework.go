package cost

import "loopc/transform/plan"

// A tileWork is the work by which a tile is priced: what the cost model expects the runtime to do. Counts are not integers if some rows or
// levels represent others.
type tileWork struct {
	Levels   int   // with iterations or exterior cells, ghost levels apart
	Points   int   // iterations
	Rows     int   // runs of iterations along the last dimension
	Faces    []int // bytes per direction
	Copied   []int // bytes of the faces that are packed
	FaceRuns []int // contiguous runs of cells in the faces
	// Carried is the number of bytes copied for the next tile of the column; Strips is the number of contiguous runs in them.
	Carried, Strips float64

	Boxes  float64 // boxes for which the kernel is called
	Looked float64 // rows that are examined one by one
	Filled float64 // exterior cells that are filled
	Stored float64 // results that are copied to returned arrays

	Runs   float64 // rows of vectors, and rows by themselves
	Lone   float64 // lanes, idle ones included, of vectors that are computed alone: outside the groups of Kernel.Rows iterations, or, if lanes are levels, without another stream
	Masked float64 // lanes, idle ones included, of vectors that are computed with a mask
	Scalar float64 // iterations by themselves
	Idle   float64 // idle lanes of all steps, if lanes are levels

	Exact bool // every row and level was examined
}

// TileWorks returns a function that counts the work of tile k of the column at col, for a kernel. One goroutine may use it.
func TileWorks(p *plan.Plan, kernel *Kernel) func(col []int, k int) tileWork {
	c := newContents(p, kernel.lanesOf(), nil, 0)
	return func(col []int, k int) tileWork {
		p.TileBox(col, k, c.lo, c.hi)
		what := c.look(col, k)
		e := &what.edge
		return tileWork{
			Levels: e.levels, Points: what.points, Rows: what.rows, Faces: what.faces, Copied: what.copied, FaceRuns: what.runs,
			Carried: what.carry, Strips: what.strips,
			Boxes: e.boxes, Looked: e.checked, Filled: e.filled, Stored: e.stored,
			Runs: e.runs, Lone: e.lone, Masked: e.masked, Scalar: e.scalar, Idle: e.idle,
			Exact: !c.edges.summed,
		}
	}
}
