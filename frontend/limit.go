package frontend

// Limits of what the compiler reads. They are far beyond what a person writes. A step whose time grows
// faster than its input still ends soon.
const (
	maxSourceBytes = 1 << 18 // of a file
	maxTokens      = 20000   // of a statement
	maxNesting     = 1000    // of brackets, and of operators in an expression
	maxLiteral     = 10000   // bytes of a number
	maxName        = 200     // runes of a name
	maxDepth       = 8       // loops of a nest, and dimensions of an array
	maxStatements  = 1000    // of a body
	maxNames       = 1000    // parameters; as many constants, and as many arrays
	maxNests       = 64      // of a file

	// maxCoefficient bounds the constant and every coefficient of an affine form, and the
	// defaults of parameters, so that sums of a few products of coefficients and sizes are
	// exact in 64 bits.
	maxCoefficient = 1 << 40

	// maxConstantBits bounds the integers of constant expressions, as in Go.
	maxConstantBits = 512
)
