package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A functionElsewhere says what to write for a function of other languages: $1 and $2 are its
// arguments as operands, @1 and @2 the same without brackets. math is the function of Go's
// package math that an extern may declare instead.
type functionElsewhere struct {
	here string
	math string
	note string // where it behaves differently
}

// functionsElsewhere are functions of C, Fortran, Python, Julia and MATLAB, by their names in
// lower case.
var functionsElsewhere = map[string]functionElsewhere{
	"fabs": {here: "abs(@1)"}, "fabsf": {here: "abs(@1)"}, "labs": {here: "abs(@1)"}, "dabs": {here: "abs(@1)"}, "iabs": {here: "abs(@1)"},
	"fmax": {here: "max(@1, @2)"}, "fmin": {here: "min(@1, @2)"}, "fmaxf": {here: "max(@1, @2)"}, "fminf": {here: "min(@1, @2)"},
	"maximum": {here: "max(@1, @2)"}, "minimum": {here: "min(@1, @2)"}, "amax1": {here: "max(@1, @2)"}, "amin1": {here: "min(@1, @2)"},
	"max0": {here: "max(@1, @2)"}, "min0": {here: "min(@1, @2)"}, "dmax1": {here: "max(@1, @2)"}, "dmin1": {here: "min(@1, @2)"},
	"sqrtf": {here: "sqrt(@1)"}, "dsqrt": {here: "sqrt(@1)"}, "expf": {here: "exp(@1)"}, "dexp": {here: "exp(@1)"},
	"logf": {here: "log(@1)"}, "ln": {here: "log(@1)"}, "alog": {here: "log(@1)"}, "dlog": {here: "log(@1)"},
	"sinf": {here: "sin(@1)"}, "dsin": {here: "sin(@1)"}, "cosf": {here: "cos(@1)"}, "dcos": {here: "cos(@1)"}, "floorf": {here: "floor(@1)"}, "ceilf": {here: "ceil(@1)"}, "ceiling": {here: "ceil(@1)"},
	"float": {here: "float64(@1)"}, "double": {here: "float64(@1)"}, "dble": {here: "float64(@1)"}, "real": {here: "float64(@1)"},
	"int": {here: "int32(@1)"}, "long": {here: "int64(@1)"},
	"roundf": {here: "round(@1)"}, "nint": {here: "int32(round(@1))"}, "rint": {here: "round(@1)", note: "halves go away from 0"},
	"truncf": {here: "trunc(@1)"}, "fix": {here: "trunc(@1)"}, "aint": {here: "trunc(@1)"},
	"powf": {here: "pow(@1, @2)"}, "power": {here: "pow(@1, @2)"},
	"square": {here: "($1*$1)"}, "sq": {here: "($1*$1)"}, "sqr": {here: "($1*$1)"},
	"tanf": {here: "tan(@1)"}, "tanhf": {here: "tanh(@1)"},
	"sinh": {here: "(0.5*(exp(@1) - exp(-$1)))"}, "cosh": {here: "(0.5*(exp(@1) + exp(-$1)))"},
	"log10": {here: "(log(@1)/2.302585092994046)"}, "log2": {here: "(log(@1)/0.6931471805599453)"}, "log1p": {here: "log(1 + $1)"},
	"exp2": {here: "exp(0.6931471805599453*$1)"}, "expm1": {here: "(exp(@1) - 1)"}, "hypot": {here: "sqrt($1*$1 + $2*$2)"},
	"sign": {here: "select($1 < 0, -1, select($1 > 0, 1, 0))"}, "signum": {here: "select($1 < 0, -1, select($1 > 0, 1, 0))"}, "sgn": {here: "select($1 < 0, -1, select($1 > 0, 1, 0))"},
	"copysign": {here: "select($2 < 0, -abs(@1), abs(@1))", note: "-0 counts as positive"},
	"isnan":    {here: "select($1 != $1, 1, 0)"}, "isinf": {here: "select($1 == $1 && $1 - $1 != 0, 1, 0)"}, "isfinite": {here: "select($1 - $1 == 0, 1, 0)"},
	"where": {here: "select(@1, @2, @3)"}, "merge": {here: "select(@3, @1, @2)"}, "ifelse": {here: "select(@1, @2, @3)"}, "iif": {here: "select(@1, @2, @3)"},
	"ord":   {here: "$1"},
	"clamp": {here: "max(@2, min(@3, @1))"}, "clip": {here: "max(@2, min(@3, @1))"}, "fma": {here: "($1*$2 + $3)", note: "rounded twice"},
	"asin": {math: "Asin"}, "acos": {math: "Acos"}, "atan": {math: "Atan"}, "atan2": {math: "Atan2"}, "arctan": {math: "Atan"}, "cbrt": {math: "Cbrt"},
	"asinh": {math: "Asinh"}, "acosh": {math: "Acosh"}, "atanh": {math: "Atanh"}, "erf": {math: "Erf"}, "erfc": {math: "Erfc"}, "gamma": {math: "Gamma"}, "tgamma": {math: "Gamma"},
}

// numbersElsewhere are names of numbers in other languages.
var numbersElsewhere = map[string]string{
	"true": "1", "True": "1", "false": "0", "False": "0",
	"pi": "3.141592653589793", "PI": "3.141592653589793", "M_PI": "3.141592653589793",
	"INT_MAX": "2147483647", "INT_MIN": "-2147483648", "DBL_MAX": "1.7976931348623157e308", "FLT_MAX": "3.4028234663852886e38",
}

// conditionsElsewhere are functions of other languages that are conditions.
var conditionsElsewhere = map[string]string{
	"isnan": "($1 != $1)", "isinf": "($1 == $1 && $1 - $1 != 0)", "isfinite": "($1 - $1 == 0)", "not": "!($1)",
}

// filled substitutes the arguments of a call in a template. If their number is wrong, it returns
// false, and a text with x, y and z.
func filled(template string, args []*expr) (string, bool) {
	most := 0
	for k := len(args) + 1; k < 9; k++ {
		if strings.Contains(template, fmt.Sprint("$", k)) || strings.Contains(template, fmt.Sprint("@", k)) {
			most = k
		}
	}
	if most > 0 || len(args) > 0 && !strings.Contains(template, fmt.Sprint("$", len(args))) && !strings.Contains(template, fmt.Sprint("@", len(args))) {
		names := strings.NewReplacer("$1", "x", "@1", "x", "$2", "y", "@2", "y", "$3", "z", "@3", "z")
		return names.Replace(template), false
	}
	for k, a := range args {
		operand := bare(a)
		if a.kind == binaryExpr || a.kind == unaryExpr {
			operand = "(" + operand + ")"
		}
		template = strings.ReplaceAll(template, fmt.Sprint("$", k+1), operand)
		template = strings.ReplaceAll(template, fmt.Sprint("@", k+1), bare(a))
	}
	return template, true
}

// functionHere is the function of this language that another language calls name, with the same arguments; "" if there
// is none.
func functionHere(name string) string {
	here := functionsElsewhere[strings.ToLower(name)].here
	f, args, _ := strings.Cut(here, "(")
	if _, known := ir.FuncNamed(f); !known || args != "@1)" && args != "@1, @2)" {
		return ""
	}
	return f
}

// ownFunctions gives the functions in a hint their names in this language.
func (t *translator) ownFunctions(l []token) []token {
	for k, x := range l {
		if own := functionHere(x.text); own != "" && x.kind == tokIdent && k+1 < len(l) && l[k+1].is("(") && !t.arrays[x.text] && !t.declared[x.text] {
			l[k].text = own
		}
	}
	return l
}

// ownCalls returns expressions in which functions have their names in this language.
func (c *checker) ownCalls(list []*expr) []*expr {
	out := slices.Clone(list)
	for k, e := range list {
		f := *e
		f.args = c.ownCalls(e.args)
		if e.kind == callExpr && c.names[e.name] == nil {
			f.name = cmp.Or(functionHere(e.name), e.name)
		}
		out[k] = &f
	}
	return out
}

// foreignFunction reports a call of a function of another language, with the text to write;
// false if it does not know the function.
func (c *checker) foreignFunction(v *view, e *expr) bool {
	message := "unknown function " + e.name
	if c.specialFunction(v, e, message) {
		return true
	}
	f, known := functionsElsewhere[strings.ToLower(e.name)]
	if known && len(e.args) == 2 && strings.EqualFold(e.name, "sign") { // of Fortran
		f = functionsElsewhere["copysign"]
	}
	if !known {
		return false
	}
	if f.note != "" {
		message += "; what is offered differs: " + f.note
	}
	r := c.errorf(diag.UnknownName, e.opAt, "%s", message)
	if f.math != "" {
		params := "x"
		if len(e.args) == 2 {
			params = "y, x"
		}
		r.d.Message += ", but one of Go's may be declared"
		r.hint("extern func %s(%s float64) float64 = \"math\".%s", e.name, params, f.math)
		return true
	}
	args, here := c.ownCalls(e.args), f.here
	if v.elem.Integer() && strings.HasPrefix(here, "int32(") {
		here = v.elem.String() + here[len("int32"):]
	}
	if strings.HasPrefix(here, "float64(") && strings.ToLower(e.name) != "double" && strings.ToLower(e.name) != "dble" {
		here = c.floatType(v).String() + here[len("float64"):]
	}
	if computesFloats(here) && !v.elem.Float() {
		// Computing in floats converts the integers, and the result back.
		args = c.inFloats(args)
		if v.integer && !strings.HasPrefix(here, "float64(") && !strings.HasPrefix(here, v.elem.String()) {
			here = cmp.Or(v.elem, ir.Int32).String() + "(" + here + ")"
		}
	}
	if text, whole := filled(tested(here, args), args); whole {
		r.fixOf(e, "%s", text)
	} else {
		r.hint("%s", text)
	}
	return true
}

// tested is a template in which the number that a select tests is compared with 0.
func tested(template string, args []*expr) string {
	for n, x := range args {
		if strings.HasPrefix(template, fmt.Sprint("select(@", n+1, ",")) && !isCondition(x) {
			return strings.Replace(template, fmt.Sprint("@", n+1), fmt.Sprint("$", n+1)+" != 0", 1)
		}
	}
	return template
}

// floatType returns the float type for an expression: the type of its value if that is a float type,
// else the float type of the file's arrays.
func (c *checker) floatType(v *view) ir.Type {
	if v.elem.Float() {
		return v.elem
	}
	narrow, wide := false, false
	for _, a := range c.nest.Arrays {
		narrow, wide = narrow || a.Elem == ir.Float32, wide || a.Elem == ir.Float64
	}
	if narrow && !wide {
		return ir.Float32
	}
	return ir.Float64
}

// specialFunction does what foreignFunction does, for functions that need more than a template.
func (c *checker) specialFunction(v *view, e *expr, message string) bool {
	two := len(e.args) == 2
	switch name := strings.ToLower(e.name); name {
	case "mod", "fmod", "modulo", "rem", "remainder":
		if two {
			text, whole := c.remainder(e.args[0], e.args[1], name != "fmod" && name != "rem")
			if whole && v.elem.Float() {
				text = "int64" + text
			}
			c.errorf(diag.UnknownName, e.opAt, "%s: %s", message, remainderMessage(!whole, name)).fixOf(e, "%s", text)
		}
		return two
	case "print", "printf", "println", "write", "disp", "fprintf":
		c.errorf(diag.UnknownName, e.opAt, "%s: a nest prints nothing; what it computes is given back in out arrays and reductions", message).
			pattern("reduce top = max(A[i,j])")
	case "argmax", "argmin":
		if two {
			sign := map[string]string{"argmax": ">", "argmin": "<"}[name]
			c.errorf(diag.UnknownName, e.opAt, "%s: a select tells which of two it is", message).
				fixOf(e, "select(%s %s %s, 1, 0)", bare(e.args[1]), sign, bare(e.args[0]))
		}
		return two
	case "sum", "maxval", "minval":
		c.manyCells(e, name)
	case "len", "size", "shape":
		way := "a param of the file, declared for it: param N = 100"
		if len(c.nest.Params) > 0 {
			way = "a param of the file, such as " + c.nest.Params[0].Name
		}
		c.errorf(diag.UnknownName, e.opAt, "%s: the size of an array is what its declaration says, of parameters", message).advise("%s", way)
	default:
		return false
	}
	return true
}

// manyCells reports a call of sum, maxval or minval: of several numbers, the hint is an
// operator or a function; of one, a reduction.
func (c *checker) manyCells(e *expr, name string) {
	op := strings.TrimSuffix(name, "val")
	if len(e.args) > 1 {
		r := c.errorf(diag.UnknownName, e.opAt, "unknown function %s", e.name)
		var parts []string
		for _, a := range e.args {
			parts = append(parts, exprText(a, binaryOps["+"].precedence+1))
		}
		if op == "sum" {
			r.fixOf(e, "(%s)", strings.Join(parts, " + "))
			return
		}
		call := *e
		call.name = op
		r.fixOf(e, "%s", bare(&call))
		return
	}
	if c.collected(e, op) {
		return
	}
	if c.overUnknown(e, op) {
		return
	}
	if len(e.args) != 1 || holed(e.args[0]) {
		c.errorf(diag.UnknownName, e.opAt, "unknown function %s: what all iterations have together is a reduction, before the for", e.name)
		return
	}
	arg := bare(e.args[0])
	result := map[string]string{"sum": "total", "max": "top", "min": "low"}[op]
	for c.names[result] != nil {
		result += "1"
	}
	c.errorf(diag.UnknownName, e.opAt, "unknown function %s: what all iterations have together is a reduction, before the for", e.name).
		hint("reduce %s = %s(%s)", result, op, arg)
}

// collected reports a call of sum, max or min that is the value of an assignment, if its argument uses
// a loop that the target cell does not use: the cell collects the values, iteration by iteration. It
// returns false for another call.
func (c *checker) collected(e *expr, op string) bool {
	if c.assigned == nil || len(e.args) != 1 || e.at != flatTree(c.assigned.assign.Value).at {
		return false
	}
	subs := flatTrees(c.assigned.assign.Cell.Subs)
	over := slices.DeleteFunc(c.loopNames(), func(name string) bool {
		return !named(e.args, name) || named(subs, name)
	})
	if len(over) == 0 || len(subs) == 0 {
		return false
	}
	cell := bare(&expr{kind: cellExpr, name: c.assigned.assign.Cell.Name.Name, args: subs})
	r := c.errorf(diag.UnknownName, e.opAt, "unknown function %s: over the loop %s of the header, the cell %s collects it, and begins with what init gives", e.name, over[0], cell)
	if op == "sum" {
		r.fixOf(e, "%s + %s", cell, exprText(e.args[0], binaryOps["+"].precedence+1))
	} else {
		r.fixOf(e, "%s(%s, %s)", op, cell, bare(e.args[0]))
	}
	return true
}

// named reports whether a name stands in one of some expressions.
func named(list []*expr, name string) bool {
	return slices.ContainsFunc(list, func(e *expr) bool { return e.kind == nameExpr && e.name == name || named(e.args, name) })
}

// inFloats returns expressions in which every integer leaf is converted, so that they are
// computed in floats.
func (c *checker) inFloats(list []*expr) []*expr {
	out := make([]*expr, len(list))
	for k, e := range list {
		f := *e
		switch {
		case e.kind == unaryExpr || e.kind == binaryExpr && e.op <= ir.Quo:
			f.args = c.inFloats(e.args)
		case e.kind != numberExpr && (e.kind == callExpr || c.names[e.name] != nil) && !c.floats(e):
			f = expr{kind: callExpr, name: ir.Float64.String(), args: []*expr{e}, at: e.at, opAt: e.opAt, height: e.height + 1}
		}
		out[k] = &f
	}
	return out
}

// computesFloats reports whether a template calls a function of floats, or has a fraction.
func computesFloats(template string) bool {
	called := func(f ir.Func) bool { return f >= ir.Sqrt && strings.Contains(template, f.String()+"(") }
	return strings.Contains(template, "0.5") || slices.ContainsFunc(ir.Funcs(), called)
}

// remainder returns the remainder of x and y as text. It is whole if both are integers: it then has the sign of x, unless
// least is set and x may be negative.
func (c *checker) remainder(x, y *expr, least bool) (text string, whole bool) {
	a, b := exprText(x, quotientPrecedence), exprText(y, quotientPrecedence+1)
	if c.floats(x) || c.floats(y) {
		return fmt.Sprintf("(%s - %s*floor(%s/%s))", bare(x), b, a, b), false
	}
	if least && strings.Contains(bare(x), "-") {
		return fmt.Sprintf("((%s%%%s + %s)%%%s)", a, b, b, b), true
	}
	return fmt.Sprintf("(%s%%%s)", a, b), true
}

// floats reports whether e contains anything that is a float by itself.
func (c *checker) floats(e *expr) bool {
	switch e.kind {
	case numberExpr:
		if !e.decimal() {
			return true
		}
	case cellExpr, nameExpr:
		ent := c.names[e.name]
		switch {
		case ent == nil:
		case ent.kind == arrayEntity:
			return c.nest.Arrays[ent.index].Elem.Float()
		case ent.kind == letEntity:
			return c.types.lets[ent.index].Float()
		}
		return false
	}
	for _, a := range e.args {
		if c.floats(a) {
			return true
		}
	}
	return false
}

// foreignCondition reports a condition of another language, with the text to write; false for
// an expression that it does not know.
func (c *checker) foreignCondition(e *expr) bool {
	if c.names[e.name] != nil {
		return false
	}
	switch {
	case e.kind == nameExpr && (strings.EqualFold(e.name, "true") || strings.EqualFold(e.name, "false")):
		other := "0"
		if strings.EqualFold(e.name, "true") {
			other = "1"
		}
		c.errorf(diag.NotCondition, e.at, "there is no %s: a condition is made of comparisons", e.name).
			fixOf(e, "(1 == %s)", other)
		return true
	case e.kind == callExpr && conditionsElsewhere[strings.ToLower(e.name)] != "":
		r := c.errorf(diag.UnknownName, e.opAt, "unknown function %s", e.name)
		if text, whole := filled(conditionsElsewhere[strings.ToLower(e.name)], e.args); whole {
			r.fixOf(e, "%s", text)
		} else {
			r.hint("%s", text)
		}
		return true
	}
	return false
}
