package walk

// A Kind is what an operation does.
type Kind uint8

// The operations of a tile.
const (
	Await   Kind = iota // waits for a face
	Unpack              // copies cells of a face, or carried cells, into the block
	Fill                // gives exterior cells their content
	Compute             // computes iterations
	Store               // copies final results to the arrays given back
	Pack                // copies cells of the block into a face, or for the next tile
	Post                // sends a face
)

var kindNames = [...]string{"await", "unpack", "fill", "compute", "store", "pack", "post"}

// String is the name of a kind.
func (k Kind) String() string { return kindNames[k] }

// A Form says how an operation goes through its box.
type Form uint8

const (
	Rows   Form = iota // it is one row, or iterations of several
	Box                // a level's iterations, or exterior cells
	Copied             // exterior cells, copied from where they lay in the level below
	Sparse             // exterior cells of a level without iterations: those of each row that are read
)

// An Op is one operation of a tile, on a box of one level. It is no finer than a row.
type Op struct {
	Kind   Kind
	Form   Form
	Value  int
	Dir    int   // of a face: its direction; Carried
	Bytes  int   // of a face, or what is copied of it
	Lo, Hi []int // both ends inclusive; coordinate 0 is the level
}

// Cells is how many cells or iterations the box of an operation has.
func (op *Op) Cells() int { return op.Rows() * (op.Hi[len(op.Hi)-1] - op.Lo[len(op.Lo)-1] + 1) }

// Rows is how many rows it has.
func (op *Op) Rows() int {
	rows := 1
	for x := 1; x < len(op.Lo)-1; x++ {
		rows *= op.Hi[x] - op.Lo[x] + 1
	}
	return rows
}

// Counts are sums over the operations of a tile, or of many.
type Counts struct {
	Looked   int // rows that are looked at one by one
	Filled   int // exterior cells that are filled
	Stored   int // results that are copied to the arrays given back
	Boxes    int // boxes that are computed
	Points   int // iterations in them
	Packed   int // bytes
	Unpacked int // bytes
	Moved    int // runs of neighboring cells, packed or unpacked
}

// Add adds the counts of operations.
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
			c.Move(op.Kind, op.Rows(), op.Bytes)
		}
	}
}

// Move adds rows of some bytes that are packed or unpacked.
func (c *Counts) Move(kind Kind, rows, bytes int) {
	c.Moved += rows
	if kind == Pack {
		c.Packed += bytes
	} else {
		c.Unpacked += bytes
	}
}
