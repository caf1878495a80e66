package ir

// From says where a kernel finds the value of a read.
type From uint8

// FromLocal: written earlier in the same iteration. FromBlock: the result of an earlier
// iteration, in the block of live levels. FromInitial: the array's initial content, because
// no earlier iteration writes the cell.
const (
	FromLocal From = iota
	FromBlock
	FromInitial
)

// A ReadFrom says where the value of one read comes from.
type ReadFrom struct {
	From  From
	Value int // FromLocal and FromBlock: index into Lowered.Values
	Dist  Vec // FromBlock: skewed distance, one entry per dimension of the plan
}

// Lowered has the compiler's decisions about a nest, for the code generator.
//
// The dimensions of the plan are the loops, skewed, or, if T is not unit lower triangular, sums of
// loops. For a nest of one loop, the plan has a further dimension of one level before the loop.
type Lowered struct {
	Levelled bool
	// Skew is T, unimodular, over the dimensions of the plan: p = T·j. Unskew is
	// its inverse.
	Skew, Unskew [][]int
	// Why explains T, if T is not simply the least skew that makes tiling legal.
	Why string
	// Values are the assignments: the index in Nest.Body of each. Value v of the
	// plan is the result of statement Values[v].
	Values []int
	// Reads[k] is for Nest.Reads[k].
	Reads []ReadFrom
	// Dead marks the values that are neither read later nor returned.
	Dead []bool
}

// mostAhead bounds the distance, within a row, of reads for which Abreast can still hold.
const mostAhead = 3

// Abreast reports whether read k allows the iterations of a row to be executed statement by
// statement (loop distribution): it reads no result of an earlier iteration of the row, or the
// result of a previous statement, at most mostAhead iterations earlier. That statement has been
// executed for all iterations before the read.
func (l *Lowered) Abreast(n *Nest, k int) bool {
	r := l.Reads[k]
	if r.From != FromBlock {
		return true
	}
	last := len(r.Dist) - 1
	return r.Dist[:last].Sign() != 0 || r.Dist[last] <= mostAhead && l.Values[r.Value] < n.ReadStmt[k]
}
