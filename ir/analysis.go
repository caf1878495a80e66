package ir

import "loopc/ir/diag"

// A DepKind says why one iteration must follow another.
type DepKind uint8

// Flow: reads what was written. Anti: overwrites what was read. Output:
// overwrites what was written.
const (
	Flow DepKind = iota
	Anti
	Output
)

// String returns "flow", "anti" or "output".
func (k DepKind) String() string { return [...]string{"flow", "anti", "output"}[k] }

// A Dep is a uniform dependence: iteration j+Dist must follow iteration j. In steps of the loops
// (Nest.Steps), Dist is lexicographically positive or, between two statements of one iteration, zero;
// then Src is textually before Dst.
type Dep struct {
	Kind     DepKind
	Array    int
	Dist     Vec
	Src, Dst diag.Span // the two accesses
}

// A Source is a write by statement Body[Stmt]. In a Resolution it is a write whose value a read
// may see, Dist iterations before the read. In Analysis.Overwrites it is a write that may overwrite
// the value of another write, Dist iterations after the other one.
type Source struct {
	Stmt int
	Dist Vec
	// When are inequalities over the parameters and the loops; the source applies where all hold.
	// Reads beyond a bound have them: a boundary such as reflecting moves a read back into the array,
	// so Dist holds only for iterations that read equally far beyond the bound. Nil: all iterations.
	When []Constraint
}

// A Resolution says where the value of a read comes from: at iteration j, from the first of
// Sources whose When holds at j and whose iteration j-Dist lies in the iteration space;
// otherwise from the cell's initial content (init, in or inout).
//
// Sources begin with the most recent write; each is taken by some iteration for some values of
// the parameters. Initial: some iteration may see the initial content.
type Resolution struct {
	Sources []Source
	Initial bool
	// Beyond: in some iterations the subscripts may be beyond a bound of the array. Either the array
	// has a boundary at this bound, or conditions around the read keep it from being evaluated there.
	Beyond bool
}

// Constraint is the affine inequality A ≥ 0.
type Constraint = Affine

// A Check is a condition on the parameters that the compiler could not decide. If every one of
// Fails is ≥ 0 at launch, the program is refused with Message.
type Check struct {
	Fails   []Constraint // affine in the parameters only
	Code    diag.Code
	Message string
	Hint    string // what the user can do, "" if nothing is known
	At      diag.Span
}

// Analysis is what dependence analysis found out about a nest.
type Analysis struct {
	// Beyond are the arrays with a boundary that some read may cross; the keys index Nest.Arrays.
	Beyond map[int]bool
	// Deps are all memory dependences of the sequential program, by exact last-writer
	// analysis: flow from the last write to the read, anti from a read to the next write,
	// output from a write to the next write. Sorted by array, kind, distance, then
	// position; no two are equal.
	Deps []Dep
	// Varies are the reads whose cells are overwritten at distances that vary; the keys index
	// Nest.Reads. Deps has no anti dependences from these reads.
	Varies map[int]bool
	// Reads[k] resolves Nest.Reads[k]. Reads of arrays that are never written have no
	// sources.
	Reads []Resolution
	// Overwrites[s] are, for the assignment Body[s] (nil for a let), the writes that may
	// overwrite its cell next. The value that iteration j wrote is final if and only if none of
	// the j+Dist lies in the space. Distance zero is a later statement of the same iteration.
	Overwrites [][]Source
	// Written[s] is, for the assignment Body[s] (nil for a let), the set of
	// cells that it writes, as inequalities over the parameters and the cell's
	// indices (Iters[k] is the coefficient of the index along dimension k).
	Written [][]Constraint
	// Space is the iteration space J: inequalities over the parameters and the
	// loops.
	Space []Constraint
	// Checks are made at launch.
	Checks []Check
}
