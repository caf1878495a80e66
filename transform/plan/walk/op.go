package walk

// A Kind is the action of an operation.
type Kind uint8

// The operations of a tile.
const (
	Await   Kind = iota // waits for a face
	Unpack              // copies cells of a face, or carried cells, into the block
	Fill                // gives exterior cells their content
	Compute             // computes iterations
	Store               // copies final results to the returned arrays
	Pack                // copies cells of the block into a face, or for the next tile
	Post                // sends a face
)

var kindNames = [...]string{"await", "unpack", "fill", "compute", "store", "pack", "post"}

// String is the name of a kind.
func (k Kind) String() string { return kindNames[k] }

// A form says how an operation goes through its box.
type form uint8

const (
	Rows   form = iota // one row, or iterations of several rows
	Box                // a box of iterations or exterior cells
	Copied             // exterior cells, each copied from its place in the level below
	Sparse             // the cells that iterations read, row by row, in a level without iterations
)

// An Op is one operation of a tile, on a box of one level. It is no finer than a row.
type Op struct {
	Kind   Kind
	Form   form
	Value  int
	Dir    int   // direction of the face, or Carried
	Bytes  int   // of the face, or of the part that is copied
	Lo, Hi []int // both ends inclusive; coordinate 0 is the level
}

// Cells returns the number of cells or iterations in the operation's box.
func (op *Op) Cells() int { return op.rows() * (op.Hi[len(op.Hi)-1] - op.Lo[len(op.Lo)-1] + 1) }

// rows returns the number of rows in the operation's box.
func (op *Op) rows() int {
	rows := 1
	for x := 1; x < len(op.Lo)-1; x++ {
		rows *= op.Hi[x] - op.Lo[x] + 1
	}
	return rows
}

// Counts are sums over the operations of one tile or of several.
type Counts struct {
	Looked   int // rows that are examined one by one
	Filled   int // exterior cells that are filled
	Stored   int // results that are copied to returned arrays
	Boxes    int // boxes that are computed
	Points   int // iterations in them
	Packed   int // bytes
	Unpacked int // bytes
	Moved    int // contiguous runs of cells, packed or unpacked
}

// Add counts operations.
func (c *Counts) Add(ops []Op) {
	for i := range ops {
		switch op := &ops[i]; op.Kind {
		case Fill:
			c.Filled += op.Cells()
		case Compute:
			c.Boxes++
			c.Points += op.Cells()
		case Store:
			c.Stored += op.Cells()
		case Pack, Unpack:
			c.Move(op.Kind, op.rows(), op.Bytes)
		}
	}
}

// Move counts rows of cells that are packed or unpacked, and their bytes.
func (c *Counts) Move(kind Kind, rows, bytes int) {
	c.Moved += rows
	if kind == Pack {
		c.Packed += bytes
	} else {
		c.Unpacked += bytes
	}
}
