// Package ir holds the data that the compiler's packages exchange: the nest that the frontend has
// read, the dependences that the analysis has found, and decisions for the code generator
// (Lowered). Decisions that emitted programs need, too, are in package plan.
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
// Values of this package are immutable once built: passes return new values, so a *Nest can
// be kept.
package ir

import (
	"go/constant"
	"slices"

	"loopc/ir/diag"
)

// A Param is an integer known at launch.
type Param struct {
	Name    string
	Default *int // nil: the value must be given at launch
	Span    diag.Span
}

// A FloatParam is a float64 known at launch; it is not NaN.
type FloatParam struct {
	Name    string
	Default *float64 // nil: the value must be given at launch
	Span    diag.Span
	// Of, if not nil, is a reduction of an earlier nest, of type Type: the run sets its result here before the nest. Such
	// results follow the parameters. If Type is an integer type, the bits of the float are those of an int64.
	Of   *ReducePlace
	Type Type
}

// A Const is a named compile-time number, exact as in Go.
type Const struct {
	Name  string
	Value constant.Value
	Span  diag.Span
}

// A Loop runs from the greatest of Lo to the least of Hi, both inclusive, or, if it is
// Backward, from the least of Hi down to the greatest of Lo. The bounds are affine in the
// parameters and in the iterators of outer loops.
type Loop struct {
	Name     string
	Lo, Hi   []Affine
	Backward bool // in steps of -1
	Span     diag.Span
}

// Step is the increment of the iterator, 1 or -1.
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

// A ReduceOp is the operation of a reduction.
type ReduceOp uint8

// The reductions. Max and min are Go's: with a NaN the result is NaN, and -0 is less than
// +0. Sums of integers wrap; a sum of floats is the exact sum of all values, rounded once.
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

// A Reduce combines the values of Expr in all iterations to one number. Expr is evaluated after the
// other statements of the iteration, so it reads what they have written. Without iterations, a sum
// is 0, a max the lowest and a min the highest value of the type (infinities for floats). The bits
// of the result do not depend on the order of the iterations.
//
// A place tells where a max or min is found: that of the last reduction before it that is no place. Its
// result is Expr, an iterator as an int64, in the first iteration, in the order of the loops, whose value
// is the max or min. The place of a NaN is that of the first NaN, and -0 is less than +0. Without
// iterations it is 0.
type Reduce struct {
	Name  string
	Op    ReduceOp
	Place bool
	Type  Type // of Expr and of the result
	Expr  Expr
	Span  diag.Span // of the name
}

// Word returns the operation as plans name it: "max", or of a place "first max".
func (r *Reduce) Word() string {
	if r.Place {
		return "first " + r.Op.String()
	}
	return r.Op.String()
}

// An Extern is a function that the user has written in Go. It must be pure: equal arguments
// give equal results, without side effects.
type Extern struct {
	Name   string // in the nest
	Params []Type
	Names  []string // of the parameters
	Result Type
	Path   string // import path of its package; "": the package of the emitted code
	Symbol string // its name in that package
	Span   diag.Span
}

// A Schedule holds the user's settings for the plan; flags on the command line override them.
// Zero values and nil leave a decision to the planner. Slices have an entry per loop; an entry of
// 0 is left to the planner. Settings are spelled as on the command line.
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
//   - reductions are the last statements of the body;
//   - every expression is well typed; Read.ID numbers the reads of the body in
//     textual order from 0, and is -1 in init expressions.
type Nest struct {
	Name   string   // base name of the file, made a Go identifier
	Title  string   // of one of several nests: what messages call it, such as the nest at line 12
	File   string   // base name of the file
	Source []string // its lines, without line ends
	OfInit bool     // it writes the initial content of an array that nests share
	Params []Param
	Floats []FloatParam
	Consts []Const
	Listed []*ConstArray
	Arrays []Array
	// Externs are the functions written in Go that expressions may call.
	Externs []Extern
	Loops   []Loop
	// Numbers are the repeats around the nest, outermost first.
	Numbers []Number
	Body    []Stmt
	// Reads are the array reads of the body in textual order; Reads[k].ID == k.
	Reads []*Read
	// ReadStmt[k] is the index in Body of the statement that holds Reads[k].
	ReadStmt []int
	Schedule *Schedule // nil without a schedule block
	Analysis *Analysis // nil until analysed
}

// A Number is the number of a repeat: a parameter that has another value in each run of the nest, from the
// greatest of Lo to the least of Hi. These are affine in the parameters and in the numbers of outer repeats.
type Number struct {
	Param  int // index into Nest.Params
	Lo, Hi []Affine
	Item   bool // one value that nobody chooses: see Item
	Batch  bool // it counts the items of a batch
}

// InBatch reports whether the nest is in a batch.
func (n *Nest) InBatch() bool {
	return slices.ContainsFunc(n.Numbers, func(x Number) bool { return x.Batch })
}

// Numbered reports whether a form has the number of a repeat.
func (n *Nest) Numbered(f Affine) bool {
	return slices.ContainsFunc(n.Numbers, func(x Number) bool { return f.Param(x.Param) != 0 })
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

// Places returns the places of reduction k of Reduces.
func (n *Nest) Places(k int) []*Reduce {
	all := n.Reduces()
	end := k + 1
	for end < len(all) && all[end].Place {
		end++
	}
	return all[k+1 : end]
}

// LooksUp reports whether the body looks cells of array a up.
func (n *Nest) LooksUp(a int) bool {
	return slices.ContainsFunc(n.Body, func(s Stmt) bool { return LooksUp(Value(s), a) })
}

// Depth is the number of loops.
func (n *Nest) Depth() int { return len(n.Loops) }

// Steps returns the distance d in steps of the loops: d with the sign changed for loops
// that run backward. Iteration j+d comes after j if the first nonzero entry of Steps(d) is
// positive.
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

// FloatRefs calls f for each use of a float parameter in the body and in the content of arrays.
func (n *Nest) FloatRefs(f func(*FloatRef)) {
	look := func(e Expr) {
		Walk(e, func(x Expr) {
			if x, ok := x.(*FloatRef); ok {
				f(x)
			}
		})
	}
	for _, stmt := range n.Body {
		look(Value(stmt))
	}
	for k := range n.Arrays {
		if init := n.Arrays[k].Init; init != nil {
			look(init.Expr)
		}
	}
}
