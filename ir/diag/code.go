package diag

// The codes that the frontend gives, in the order in which it would find the
// mistakes.
const (
	TooLarge         Code = "too-large"         // the source is longer than the compiler reads
	IllegalCharacter Code = "illegal-character" // a character that no token has, or a malformed number
	Syntax           Code = "syntax"            // a statement that the grammar does not have
	Foreign          Code = "foreign"           // another language's notation for something that this language has too
	TooDeep          Code = "too-deep"          // expressions, loops or arrays nested beyond the limits
	TooMany          Code = "too-many"          // more statements than the compiler takes
	Misplaced        Code = "misplaced"         // a statement in the wrong place
	OneNest          Code = "one-nest"          // no loop, more than one, or one without an assignment
	ReservedName     Code = "reserved-name"     // a keyword, type or built-in declared as a name
	Redeclared       Code = "redeclared"        // one name for two things, or two inits of one array
	UnknownName      Code = "unknown-name"      // a name that is not declared, or only later
	NameMisuse       Code = "name-misuse"       // a name of the wrong kind, such as a parameter used as an array
	ValueCount       Code = "value-count"       // names and values, or arguments, that do not match in number
	NotConstant      Code = "not-constant"      // a constant was needed
	ConstantOverflow Code = "constant-overflow" // a constant that its type, or the compiler, cannot hold
	ConstantDivision Code = "constant-division" // warning: a division of constants that truncates
	IntegerDivision  Code = "integer-division"  // warning: a quotient of integers in a float expression, which is not truncated
	DivisionByZero   Code = "division-by-zero"  // an integer or a constant divided by the constant 0
	NotAffine        Code = "not-affine"        // a subscript or bound that is not affine in loop variables and parameters
	BoundShape       Code = "bound-shape"       // a loop bound that makes the space not convex, or uses an inner loop
	EmptyExtent      Code = "empty-extent"      // an array with a negative extent
	EmptyLoop        Code = "empty-loop"        // warning: a loop without iterations for the default parameters, perhaps in the wrong direction
	Dimensions       Code = "dimensions"        // a wrong number of subscripts
	WrittenSubscript Code = "written-subscript" // a subscript that is not index + constant, of an array that is written
	ArrayRole        Code = "array-role"        // init, out or a write that the array's role forbids
	InitRead         Code = "init-read"         // an init expression that reads an array that it must not read
	TypeMismatch     Code = "type-mismatch"     // a value that does not convert silently to the type needed
	NotCondition     Code = "not-condition"     // a number where a condition belongs, or the reverse
	FloatFunction    Code = "float-function"    // sqrt and its like applied to integers
	Boundary         Code = "boundary"          // a boundary that makes no sense, or that the nest cannot have
	Extern           Code = "extern"            // a Go function that cannot be called
	Schedule         Code = "schedule"          // an invalid entry of a schedule
	Reduction        Code = "reduction"         // a reduce that is not the max, min or sum of one expression
)

// The codes of dependence analysis and of later passes.
const (
	NonUniform  Code = "non-uniform"   // a dependence whose distance varies
	OutOfBounds Code = "out-of-bounds" // a subscript that can leave the declared bounds
	NotSupplied Code = "not-supplied"  // a cell that is read or returned, and that nothing initializes
	NoResult    Code = "no-result"     // warning: a file without any result
	TileIllegal Code = "tile-illegal"  // a tiling that would reverse a dependence
	Unsupported Code = "unsupported"   // a legal nest that the compiler does not handle
	Slow        Code = "slow"          // warning: a nest without vector instructions, or with fewer than another form would have
)

// Codes are all codes: the frontend's first, then those of later passes. A new code belongs
// here, and needs a file testdata/diag/<code>.loop that provokes it.
var Codes = []Code{
	TooLarge, IllegalCharacter, Syntax, Foreign, TooDeep, TooMany, Misplaced,
	OneNest, ReservedName, Redeclared, UnknownName, NameMisuse, ValueCount,
	NotConstant, ConstantOverflow, ConstantDivision, IntegerDivision, DivisionByZero, NotAffine,
	BoundShape, EmptyExtent, EmptyLoop, Dimensions, WrittenSubscript, ArrayRole, InitRead,
	TypeMismatch, NotCondition, FloatFunction, Boundary, Extern, Schedule, Reduction,

	NonUniform, OutOfBounds, NotSupplied, NoResult, TileIllegal, Unsupported, Slow,
}
