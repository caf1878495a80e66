package frontend

import (
	"fmt"
	"go/constant"
	"math"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/arith"
)

// A checker translates the statements of one file into a nest, and collects diagnostics.
type checker struct {
	nest  *ir.Nest
	diags []diag.Diagnostic

	names map[string]*entity
	// spoiled are names that a statement with a mistake may have declared, or that were
	// reported as unknown: uses of them are not reported.
	spoiled map[string]bool
	// gathered is a reduction to which the body assigns what it collects.
	gathered string
	// subtracted says that a form is being made of what a subscript or bound subtracts.
	subtracted bool

	consts  []*constDecl
	listed  []*listedDecl
	arrays  []arrayDecl
	body    []bodyStatement
	written map[string]bool // arrays that some statement of the body assigns to
	begun   map[string]bool // arrays with an init
	inits   map[string]*initSyntax
	given   map[string]bool // arrays of which a slice is given back
	doubled []*arraySyntax  // declarations whose names are reserved or taken
	// doubledNumbers are parameters, constants and lets whose names are reserved or taken.
	doubledNumbers []*nameSyntax
	types          typer
	later          map[string]*nameSyntax // lets of the body that are not yet declared
	inBlocks       map[string]*letSyntax  // the lets and vars of blocks, by the names that the file has: they have others in the lowered body
	repeats        []repeatName           // of the file
	others         otherNests             // of the file
	in             []*repeatOutline       // the repeats around the nest, outermost first
	ofItems        int                    // how many unknown bounds may be parameters of items
	scanned        []token                // see tokens
	dividing       bool                   // a nest is being divided: its loops may become repeats, whose numbers may stand in any subscript
	earlier        earlier                // reductions
	firstNest      int                    // the line of the first nest of the file, 0 if that is this one

	reals     bool                 // a parameter has a default with a fraction, and no type
	wrapped   map[diag.Span]bool   // leaves whose conversion was advised, because the expression around them wraps
	quotients map[*ir.Binary]*expr // every division that is not constant, as written
	sums      map[string]bool      // written arrays with a reported subscript that is a sum of loops, or a loop times a factor
	receiver  *receiver            // of the value whose types are being found; nil within the user's conversions
	ranges    map[int]ir.Interval  // of the values of lets, by statement
	retyped   map[string]bool      // array/constant: another type was advised for the array because of the constant

	defining []*constDecl   // the constants whose values are being found, innermost last
	ofParams []paramInConst // constants whose definitions have parameters
	assigned *bodyStatement // the assignment whose value is being resolved

	lines map[int][]rune // of the source, as far as quoted
	// beyond are the loops, written out, in which subscripts of constant arrays are known to be beyond the bounds.
	beyond map[diag.Span]bool
	// suggested counts the unknown names for which a similar one was searched: only the first
	// few are ever shown.
	suggested int
	// examined counts the reports for which all of the body was searched, which only the first few need.
	examined int
	// loopless says that a loop was reported whose name is reserved or taken: an unknown name in
	// the body may mean that loop.
	loopless bool
	// header has the loops as written, by the number of the loop.
	header []*loopSyntax
}

// An entityKind says what a name stands for.
type entityKind uint8

const (
	paramEntity entityKind = iota
	constEntity
	arrayEntity
	loopEntity
	letEntity
	reduceEntity
	externEntity
	indexEntity // of an init expression
	repeatEntity
	floatEntity // a float parameter
	listedEntity
)

var entityNames = [...]string{
	"a parameter", "a constant", "an array", "a loop variable", "a let", "a reduction", "a Go function", "an index of this init",
	"the number of a repeat", "a float parameter", "a constant array",
}

// String returns the kind with its article, for messages.
func (k entityKind) String() string { return entityNames[k] }

// An entity is the meaning of a name: the index-th of its kind in the nest; for a let, the
// index of its statement.
type entity struct {
	kind  entityKind
	index int
	at    diag.Span
}

// A report lets the caller of errorf add to the diagnostic.
type report struct{ d *diag.Diagnostic }

// errorf adds an error.
func (c *checker) errorf(code diag.Code, at diag.Span, format string, args ...any) report {
	c.diags = append(c.diags, diag.Diagnostic{Code: code, At: at, Message: fmt.Sprintf(format, args...)})
	return report{&c.diags[len(c.diags)-1]}
}

// hint adds an example of what the user can type.
func (r report) hint(format string, args ...any) report {
	r.d.Hint, r.d.Kind = withoutHoles.Replace(fmt.Sprintf(format, args...)), diag.Example
	return r
}

// withoutHoles replaces holes by the text that hints show for them.
var withoutHoles = strings.NewReplacer(remainderHole, "r", hole, "...")

// fix adds the text that the user can type in place of the text at the given place. A place of
// several lines cannot be replaced.
func (r report) fix(at diag.Span, format string, args ...any) report {
	text := fmt.Sprintf(format, args...)
	if r.d.Hint, r.d.Kind, r.d.Replace = withoutHoles.Replace(text), diag.Replacement, at; r.d.Hint != text {
		r.d.Kind = diag.Example
	}
	return r
}

// advise adds a sentence on what the user can do.
func (r report) advise(format string, args ...any) report {
	r.d.Hint, r.d.Kind = fmt.Sprintf(format, args...), diag.Advice
	return r
}

// pattern adds how something is written, in names that are not the file's.
func (r report) pattern(format string, args ...any) report {
	r.d.Hint, r.d.Kind = fmt.Sprintf(format, args...), diag.Pattern
	return r
}

// note adds another place.
func (r report) note(at diag.Span, format string, args ...any) report {
	r.d.Notes = append(r.d.Notes, diag.Note{At: at, Message: fmt.Sprintf(format, args...)})
	return r
}

// declare enters a name. It reports, and returns false, if the name is reserved
// or taken.
func (c *checker) declare(n *nameSyntax, kind entityKind, index int) bool {
	if !c.nameable(n) {
		c.spoiled[n.Name] = true
		return false
	}
	second := &entity{kind: kind, index: index, at: n.span()}
	first := c.names[n.Name]
	if first == nil {
		c.names[n.Name] = second
		return true
	}
	if first.kind == reduceEntity && kind == loopEntity { // its body means the loop
		c.names[n.Name] = second
		c.errorf(diag.Redeclared, first.at, "%s is a loop of this nest: a reduction has another name", n.Name).
			note(second.at, "%s is declared here, as %s", n.Name, kind).fix(first.at, "%s1", n.Name)
		return true
	}
	if comparePlaces(second.at.Pos, first.at.Pos) < 0 {
		first, second = second, first
	}
	c.errorf(diag.Redeclared, second.at, "%s is declared twice", n.Name).
		note(first.at, "%s is declared here, as %s", n.Name, first.kind)
	return false
}

// nameable reports whether n may be declared.
func (c *checker) nameable(n *nameSyntax) bool {
	why := ""
	_, builtin := ir.FuncNamed(n.Name)
	switch {
	case keywords[n.Name]:
		why = "a keyword"
	case ir.TypeNamed(n.Name) != ir.Invalid:
		why = "a type"
	case builtin || n.Name == "select":
		why = "a built-in function"
	case n.Name == "_":
		why = "blank"
	default:
		return true
	}
	c.errorf(diag.ReservedName, n.span(), "%s is %s and cannot be declared", n.Name, why).
		fix(n.span(), "%s1", n.Name)
	return false
}

// spoil marks every name in st, a declaration with a mistake, as spoiled.
func (c *checker) spoil(st *statement) {
	for _, t := range st.tokens {
		if t.kind == tokIdent {
			c.spoiled[t.text] = true
			for name := t.text; name != "" && digit(rune(name[len(name)-1])); {
				name = name[:len(name)-1] // the digits may be a subscript whose [ is missing
				c.spoiled[name] = true
			}
		}
	}
}

// constantDefinition is the purpose of a view of the definition of a constant.
const constantDefinition = "a constant"

// paramDefault and floatDefault are the purposes of views of defaults.
const (
	paramDefault = "the default of a parameter"
	floatDefault = "the default of a float parameter"
)

// A constDecl is a constant whose value is computed when it is first needed, so that constants
// may be declared in any order.
type constDecl struct {
	name  *nameSyntax
	value *exprSyntax
	state evalState
	v     constant.Value // nil after a mistake
}

// An evalState says how far the evaluation of a constant is.
type evalState uint8

const (
	untouched evalState = iota
	underway
	done
)

// constValue evaluates the constant k, needed at the given place; nil after a
// mistake.
func (c *checker) constValue(k *constDecl, at diag.Span) constant.Value {
	switch k.state {
	case done:
		return k.v
	case underway:
		c.errorf(diag.NotConstant, at, "constant %s is defined by itself", k.name.Name).
			note(k.name.span(), "%s is declared here", k.name.Name)
		k.state = done
		return nil
	}
	k.state = underway
	c.defining = append(c.defining, k)
	defer func() { c.defining = c.defining[:len(c.defining)-1] }()
	v := c.constant(k.value, constantDefinition)
	if k.state != done { // otherwise its definition contains itself
		k.v = v
	}
	k.state = done
	return k.v
}

// computed returns the value of a function of a constant; false if x is another expression. The
// user has to write such a constant in digits.
func computed(x ir.Expr) (float64, bool) {
	call, ok := x.(*ir.Call)
	if !ok || len(call.Args) != 1 {
		return 0, false
	}
	lit, ok := call.Args[0].(*ir.Lit)
	if !ok {
		return 0, false
	}
	of, _ := constant.Float64Val(lit.Value)
	f := map[ir.Func]func(float64) float64{ir.Sqrt: math.Sqrt, ir.Exp: arith.Exp[float64], ir.Log: arith.Log[float64], ir.Sin: arith.Sin[float64], ir.Cos: arith.Cos[float64]}[call.Fn]
	if f == nil {
		return 0, false
	}
	value := f(of)
	return value, !math.IsNaN(value) && !math.IsInf(value, 0)
}

// constant evaluates an expression that must be constant; nil after a mistake. what is its
// purpose, for messages.
func (c *checker) constant(s *exprSyntax, what string) constant.Value {
	e := c.treeOf(s)
	if e == nil {
		return nil
	}
	x := c.number(&view{what: what, integer: what != constantDefinition && what != listedValue && what != floatDefault}, e)
	if x == nil {
		return nil
	}
	lit, ok := x.(*ir.Lit)
	if !ok || lit.T != ir.Invalid {
		r := c.errorf(diag.NotConstant, e.at, "%s is not a constant", c.text(e.at))
		if value, ok := computed(x); ok {
			r.fix(e.at, "%s", strconv.FormatFloat(value, 'g', -1, 64))
		}
		return nil
	}
	return lit.Value
}
