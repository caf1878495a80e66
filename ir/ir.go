// Package ir holds what the rooms of the compiler hand to one another: the nest
// that the frontend read, the dependences that analysis found in it, and (in
// package plan, which emitted programs link too) what was decided about it.
//
// Notation, here and in every other package:
//
//	n        depth of the nest
//	j        iteration vector, a point of the iteration space J, outermost first
//	d, D     dependence vector, and the matrix that has one per column
//	s        sides of a rectangular tile, in iterations
//	jS, JS   tile vector, and the tile space
//	Π        time hyperplane: tile jS runs at step Π·jS - min Π·jS
//
// Values of this package are not changed once built. Whoever holds a *Nest may
// keep it: passes return new values.
package ir

import (
	"go/constant"
	"slices"

	"loopc/ir/diag"
)

// A Param is an integer known at launch.
type Param struct {
	Name    string
	Default *int // nil if the program must be given a value
	Span    diag.Span
}

// A Const is a named compile-time number, exact as in Go.
type Const struct {
	Name  string
	Value constant.Value
	Span  diag.Span
}

// A Loop runs from the greatest of Lo to the least of Hi, both inclusive, or from the
// latter to the former if it is Backward. The bounds are affine in the parameters and in
// the iterators of outer loops.
type Loop struct {
	Name     string
	Lo, Hi   []Affine
	Backward bool // in steps of -1
	Span     diag.Span
}

// Step is what the iterator grows by from one iteration to the next, 1 or -1.
func (l *Loop) Step() int {
	if l.Backward {
		return -1
	}
	return 1
}

// A Let names a value within one iteration.
type Let struct {
	Name string
	Type Type
	Expr Expr
	Span diag.Span
}

// An Assign writes one cell per iteration.
type Assign struct {
	Array int       // index into Nest.Arrays
	Subs  []Affine  // one per dimension
	Expr  Expr      // of the array's type
	Span  diag.Span // of the cell on the left
	Line  int       // of the statement, from 1
}

// A ReduceOp says what becomes of the values of a reduction.
type ReduceOp uint8

// The reductions. Max and min are Go's: NaN wins, and -0 is less than +0. Sums
// of integers wrap; a sum of floats is the exact sum of all values, rounded once.
const (
	ReduceMax ReduceOp = iota
	ReduceMin
	ReduceSum
)

var reduceNames = [...]string{"max", "min", "sum"}

// String returns the word of the language.
func (o ReduceOp) String() string { return reduceNames[o] }

// ReduceNamed returns the reduction of that name.
func ReduceNamed(name string) (ReduceOp, bool) {
	k := slices.Index(reduceNames[:], name)
	return ReduceOp(max(k, 0)), k >= 0
}

// A Reduce makes one number of the values that Expr has in all iterations: it is
// evaluated after the other statements of each, so reads see what they wrote.
// Over no iterations, a sum is 0, max the lowest and min the highest value of the
// type, infinities for floats. No order of the iterations gives other bits.
type Reduce struct {
	Name string
	Op   ReduceOp
	Type Type // of Expr and of the result
	Expr Expr
	Span diag.Span // of the name
}

// An Extern is a function that the user has written in Go, pure by contract: equal
// arguments give equal results, and nothing else happens.
type Extern struct {
	Name   string // in the nest
	Params []Type
	Names  []string // of the parameters
	Result Type
	Path   string // import path of its package; "" for that of the emitted code
	Symbol string // its name there
	Span   diag.Span
}

// A Schedule holds the decisions of the programmer about the plan; flags on the command
// line override them. Zero values and nil leave a decision to the planner; slices have
// an entry per loop, and an entry of zero is left to the planner. Words are those of the
// command line.
type Schedule struct {
	Tile, Grid, Mesh           []int
	CPUs, Sub                  int
	Map                        string // name of a loop
	Group, Assign, Comm, Shape string
}

// A Stmt is a *Let, an *Assign or a *Reduce.
type Stmt interface{ stmt() }

func (*Let) stmt()    {}
func (*Assign) stmt() {}
func (*Reduce) stmt() {}

// Value returns the expression that a statement evaluates.
func Value(s Stmt) Expr {
	switch s := s.(type) {
	case *Let:
		return s.Expr
	case *Assign:
		return s.Expr
	case *Reduce:
		return s.Expr
	}
	panic("BUG: ir: unknown kind of statement")
}

// With returns a copy of a statement that evaluates e instead.
func With(s Stmt, e Expr) Stmt {
	switch s := s.(type) {
	case *Let:
		x := *s
		x.Expr = e
		return &x
	case *Assign:
		x := *s
		x.Expr = e
		return &x
	case *Reduce:
		x := *s
		x.Expr = e
		return &x
	}
	panic("BUG: ir: unknown kind of statement")
}

// A Nest is a perfect loop nest as the programmer wrote it, with names resolved
// and types inserted.
//
// Invariants, checked by Verify:
//   - there is at least one loop and one assignment;
//   - every affine form has no more coefficients than there are parameters and
//     iterators in its context; bounds of loop k use loops before k only;
//   - reductions are the last statements of the body, in the order in which they
//     are declared;
//   - every expression is well typed; Read.ID numbers the reads of the body in
//     textual order from 0, and those of init expressions are -1.
type Nest struct {
	Name   string   // base name of the file, made a Go identifier
	File   string   // base name of the file
	Source []string // its lines, without line ends
	Params []Param
	Consts []Const
	Arrays []Array
	// Externs are the functions written in Go that expressions may call.
	Externs []Extern
	Loops   []Loop
	Body    []Stmt
	// Reads are the array reads of the body in textual order; Reads[k].ID == k.
	Reads []*Read
	// ReadStmt[k] is the index in Body of the statement that holds Reads[k].
	ReadStmt []int
	Schedule *Schedule // nil if there is none
	Analysis *Analysis // nil until analysed
}

// Reduces returns the reductions of n, in the order in which they are declared.
func (n *Nest) Reduces() []*Reduce {
	var out []*Reduce
	for _, s := range n.Body {
		if r, ok := s.(*Reduce); ok {
			out = append(out, r)
		}
	}
	return out
}

// Depth is the number of loops.
func (n *Nest) Depth() int { return len(n.Loops) }

// Steps returns the steps of the loops that lead from an iteration to the one
// that is d from it: d, with the sign turned for loops that run backward. So an
// iteration j+d is after j if the first of Steps(d) that is not zero is positive.
func (n *Nest) Steps(d Vec) Vec {
	steps := slices.Clone(d)
	for k := range steps {
		steps[k] *= n.Loops[k].Step()
	}
	return steps
}

// Assigns returns the indices in Body of the statements that write array a, in
// textual order.
func (n *Nest) Assigns(a int) []int {
	var out []int
	for k, s := range n.Body {
		if w, ok := s.(*Assign); ok && w.Array == a {
			out = append(out, k)
		}
	}
	return out
}
