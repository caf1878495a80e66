package walk

// A Kind is what an operation does.
type Kind uint8

// The operations of a tile.
const (
	Await   Kind = iota // waits for a face
	Unpack              // copies cells of a face, or carried cells, into the block
	Look                // finds out what a row has, where not everything in its reach is an iteration
	Fill                // gives exterior cells their content
	Compute             // computes iterations
	Store               // copies final results to the arrays given back
	Pack                // copies cells of the block into a face, or for the next tile
	Post                // sends a face
)

var kindNames = [...]string{"await", "unpack", "look", "fill", "compute", "store", "pack", "post"}

// String is the name of a kind.
func (k Kind) String() string { return kindNames[k] }

// An Op is one operation of a tile, or several of one kind.
type Op struct {
	Kind  Kind
	Level int
	Rows  int // runs of neighboring cells
	Cells int
	Bytes int
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

// Add adds the counts of an operation. It does nothing if nobody counts.
func (c *Counts) Add(op Op) {
	if c != nil {
		c.add(op)
	}
}

// AddBox adds an operation on the cells of a box of a level, from coordinate 1 on.
func (c *Counts) AddBox(kind Kind, level int, lo, hi []int) {
	if c == nil {
		return
	}
	rows, last := 1, len(lo)-1
	for x := 1; x < last; x++ {
		rows *= hi[x] - lo[x] + 1
	}
	c.add(Op{Kind: kind, Level: level, Rows: rows, Cells: rows * (hi[last] - lo[last] + 1)})
}

func (c *Counts) add(op Op) {
	switch op.Kind {
	case Look:
		c.Looked += op.Rows
	case Fill:
		c.Filled += op.Cells
	case Compute:
		c.Boxes++
		c.Points += op.Cells
	case Store:
		c.Stored += op.Cells
	case Pack:
		c.Packed += op.Bytes
		c.Moved += op.Rows
	case Unpack:
		c.Unpacked += op.Bytes
		c.Moved += op.Rows
	}
}
