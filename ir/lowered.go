package ir

// From says where a kernel finds the value of a read.
type From uint8

// FromLocal: written earlier in the same iteration. FromBlock: the result of an
// earlier iteration, in the block of live levels. FromInitial: no iteration ever
// writes the cell before; the array's initial content.
const (
	FromLocal From = iota
	FromBlock
	FromInitial
)

// A ReadFrom is where the value of one read is.
type ReadFrom struct {
	From  From
	Value int // FromLocal and FromBlock: index into Lowered.Values
	Dist  Vec // FromBlock: skewed distance, one entry per dimension of the plan
}

// Lowered is what the compiler decided about a nest, for the code generator.
//
// The dimensions of the plan are the loops, skewed, or, if T is not unit lower
// triangular, sums of loops; a nest of one loop has a dimension of one level in front of it.
type Lowered struct {
	Levelled bool
	// Skew is T, unimodular, over the dimensions of the plan: p = T·j. Unskew is
	// its inverse.
	Skew, Unskew [][]int
	// Why says where T is from, if it is not simply the least skew that makes
	// tiling legal.
	Why string
	// Values are the assignments: the index in Nest.Body of each. Value v of the
	// plan is the result of statement Values[v].
	Values []int
	// Reads[k] is for Nest.Reads[k].
	Reads []ReadFrom
	// Dead tells of the values that nobody reads later and nobody gets back.
	Dead []bool
}

// mostAhead is how many iterations before it in its row an iteration may read while the
// statements of several are executed one after the other.
const mostAhead = 3

// Abreast reports whether the iterations of a row can be executed together, statement by
// statement, as far as read k is concerned. They can if the read is of no earlier
// iteration of the row. They also can if it is of one of the few iterations before it
// and of the result of a previous statement, which has been computed for all of them by
// then.
func (l *Lowered) Abreast(n *Nest, k int) bool {
	r := l.Reads[k]
	if r.From != FromBlock {
		return true
	}
	last := len(r.Dist) - 1
	return r.Dist[:last].Sign() != 0 || r.Dist[last] <= mostAhead && l.Values[r.Value] < n.ReadStmt[k]
}
