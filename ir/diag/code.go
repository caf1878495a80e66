package diag

// The codes that the frontend gives, in the order in which it would find the
// mistakes.
const (
	TooLarge         Code = "too-large"         // the source is longer than the compiler reads
	IllegalCharacter Code = "illegal-character" // a character, or a malformed number, that no token has
	Syntax           Code = "syntax"            // a statement that the grammar does not have
	Foreign          Code = "foreign"           // what other languages write for something that this one has too
	TooDeep          Code = "too-deep"          // expressions, loops or arrays nested beyond the limits
	TooMany          Code = "too-many"          // more statements than the compiler takes
	Misplaced        Code = "misplaced"         // a statement where that kind does not belong
	OneNest          Code = "one-nest"          // no loop, more than one, or one without an assignment
	ReservedName     Code = "reserved-name"     // a keyword, type or built-in declared as a name
	Redeclared       Code = "redeclared"        // one name for two things, or two inits of one array
	UnknownName      Code = "unknown-name"      // a name that nothing declares, or not yet
	NameMisuse       Code = "name-misuse"       // a name used as what it is not
	ValueCount       Code = "value-count"       // names and values, or arguments, that do not match in number
	NotConstant      Code = "not-constant"      // a constant was needed
	ConstantOverflow Code = "constant-overflow" // a constant that its type, or the compiler, cannot hold
	ConstantDivision Code = "constant-division" // warning: an integer division that loses something
	IntegerDivision  Code = "integer-division"  // warning: a quotient of integers that is not truncated, as floats are computed
	DivisionByZero   Code = "division-by-zero"  // an integer or a constant divided by the constant 0
	NotAffine        Code = "not-affine"        // a subscript or bound that is not affine in what it may use
	BoundShape       Code = "bound-shape"       // a loop bound that makes the space not convex, or uses an inner loop
	EmptyExtent      Code = "empty-extent"      // an array whose bounds leave less than nothing
	EmptyLoop        Code = "empty-loop"        // warning: a loop that the defaults leave no iterations, as if it ran the wrong way
	Dimensions       Code = "dimensions"        // a number of subscripts that is not the array's
	WrittenSubscript Code = "written-subscript" // a subscript too free for an array that is written
	ArrayRole        Code = "array-role"        // init, out or a write that the array's role forbids
	InitRead         Code = "init-read"         // an init expression that reads what may not be read there
	TypeMismatch     Code = "type-mismatch"     // a value that does not convert silently to the type needed
	NotCondition     Code = "not-condition"     // a number where a condition belongs, or the reverse
	FloatFunction    Code = "float-function"    // sqrt and its like applied to integers
	Boundary         Code = "boundary"          // a boundary that means nothing, or that the nest cannot have
	Extern           Code = "extern"            // a Go function that cannot be called
	Schedule         Code = "schedule"          // an entry of a schedule that means nothing
	Reduction        Code = "reduction"         // a reduce of something else than the max, min or sum of one expression
)

// The codes of dependence analysis and of the passes behind it.
const (
	NonUniform  Code = "non-uniform"   // a dependence whose distance varies
	OutOfBounds Code = "out-of-bounds" // a subscript that can leave the declared bounds
	NotSupplied Code = "not-supplied"  // a cell that is read or given back, and that nothing supplies
	NoResult    Code = "no-result"     // warning: a file whose nests give nothing back
	TileIllegal Code = "tile-illegal"  // a tiling that would run a dependence backwards
	Unsupported Code = "unsupported"   // a legal nest that the compiler does not handle
)

// Codes is every code there is: those of the frontend first, then those of the
// rooms behind it. Whoever adds a code adds it here, and a file
// testdata/diag/<code>.loop that provokes it.
var Codes = []Code{
	TooLarge, IllegalCharacter, Syntax, Foreign, TooDeep, TooMany, Misplaced,
	OneNest, ReservedName, Redeclared, UnknownName, NameMisuse, ValueCount,
	NotConstant, ConstantOverflow, ConstantDivision, IntegerDivision, DivisionByZero, NotAffine,
	BoundShape, EmptyExtent, EmptyLoop, Dimensions, WrittenSubscript, ArrayRole, InitRead,
	TypeMismatch, NotCondition, FloatFunction, Boundary, Extern, Schedule, Reduction,

	NonUniform, OutOfBounds, NotSupplied, NoResult, TileIllegal, Unsupported,
}
