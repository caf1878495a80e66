package cost

import "loopc/transform/plan"

// A TileWork is what a tile is priced by: what the cost model expects the runtime to do for
// it. Counts are not integers where some rows or levels stand for others.
type TileWork struct {
	Levels int   // with iterations or exterior cells, ghost levels apart
	Points int   // iterations
	Rows   int   // runs of iterations along the last dimension
	Faces  []int // bytes per direction
	Pieces []int // of these faces: runs of neighboring cells
	// Carried is how many bytes go to the next tile of the column; Strips how many runs of
	// neighboring cells these are.
	Carried, Strips float64

	Looked float64 // rows that are looked at one by one
	Filled float64 // exterior cells that are filled
	Stored float64 // results that are copied to the arrays given back

	Runs   float64 // rows of vectors, and rows by themselves
	Lone   float64 // iterations of vectors that are not all that go together, idle lanes included
	Masked float64 // iterations of vectors with too few lanes, idle lanes included
	Scalar float64 // iterations by themselves
	Idle   float64 // lanes that take no part in a step, where lanes are levels

	Exact bool // every row and level was looked at
}

// TileWorks returns a function that counts the work of tile k of the column at col, for a
// kernel. One goroutine may use it.
func TileWorks(p *plan.Plan, kernel *Kernel) func(col []int, k int) TileWork {
	c := newContents(p, kernel.lanesOf(), nil, Fidelity{})
	return func(col []int, k int) TileWork {
		p.TileBox(col, k, c.lo, c.hi)
		what := c.look(col, k)
		e := &what.edge
		return TileWork{
			Levels: e.levels, Points: what.points, Rows: what.rows, Faces: what.faces, Pieces: what.pieces,
			Carried: what.carry, Strips: what.strips,
			Looked: e.checked, Filled: e.filled, Stored: e.stored,
			Runs: e.runs, Lone: e.lone, Masked: e.masked, Scalar: e.scalar, Idle: e.idle,
			Exact: !c.edges.summed,
		}
	}
}
