package ir

import (
	"fmt"
	"go/constant"
	"math/big"
	"strconv"
	"strings"
)

// A context is the part of an expression's surroundings that determines types.
type context struct {
	t Type
	// inferred: the type is inferred from the leaves, as in a comparison, so constants must
	// be written so that they show their type.
	inferred bool
}

// Binding strengths of operators, as in Go; atoms bind tightest.
const (
	bindOr = iota + 1
	bindAnd
	bindCompare
	bindAdd
	bindMul
	bindUnary
)

func binding(o Op) int {
	switch o {
	case Or:
		return bindOr
	case And:
		return bindAnd
	case Add, Sub, BitOr, BitXor:
		return bindAdd
	case Mul, Quo, Rem, BitAnd, Shl, Shr:
		return bindMul
	case Neg, Not:
		return bindUnary
	}
	return bindCompare
}

// expr returns the text of e for context c, in brackets if it binds less tightly than least.
func (p *printer) expr(e Expr, c context, least int) string {
	switch e := e.(type) {
	case *Lit:
		return p.literal(e, c)
	case *ParamRef:
		return p.n.Params[e.Param].Name
	case *FloatRef:
		return p.n.Floats[e.Float].Name
	case *IterRef:
		return p.names[e.Iter]
	case *ReduceRef:
		return e.Name
	case *LocalRef:
		return p.n.Body[e.Stmt].(*Let).Name
	case *Read:
		return p.cell(e.Array, e.Subs)
	case *Lookup:
		return p.computed(p.n.Arrays[e.Array].Name, e.Subs)
	case *ConstCell:
		return p.computed(e.Of.Name, e.Subs)
	case *Convert:
		return p.conversion(e, c)
	case *Unary:
		return bracket(bindUnary < least, e.Op.String()+p.operands(e.Op == Neg, c, bindUnary, bindUnary, e.X)[0])
	case *Binary:
		bind, inner := binding(e.Op), c
		if bind == bindCompare {
			inner = context{e.X.Type(), true}
		}
		// Operators group to the left: an operand on the right that binds
		// equally needs brackets.
		xy := p.operands(e.Op.Arithmetic(), inner, bind, bind+1, e.X, e.Y)
		sep := " "
		if bind == bindMul {
			sep = ""
		}
		return bracket(bind < least, xy[0]+sep+e.Op.String()+sep+xy[1])
	case *Call:
		return e.Fn.String() + "(" + strings.Join(p.operands(e.Fn <= Abs, c, 0, 0, e.Args...), ", ") + ")"
	case *ExternCall:
		f := &p.n.Externs[e.Extern]
		var args []string
		for k, x := range e.Args {
			args = append(args, p.expr(x, context{t: f.Params[k]}, 0))
		}
		return f.Name + "(" + strings.Join(args, ", ") + ")"
	case *Select:
		return "select(" + p.expr(e.Cond, context{t: Bool}, 0) + ", " + p.expr(e.A, c, 0) + ", " + p.expr(e.B, c, 0) + ")"
	}
	return fmt.Sprintf("<%T>", e)
}

// computed returns the text of a cell with computed subscripts.
func (p *printer) computed(name string, subs []Expr) string {
	var texts []string
	for _, x := range subs {
		texts = append(texts, p.expr(x, context{t: Int64}, 0))
	}
	return name + "[" + strings.Join(texts, ",") + "]"
}

// operands prints the operands of one operator or call. The first operand has brackets if it binds
// less tightly than first, any other if it binds less tightly than rest. If all operands are
// literals and the language would fold the operation (folds), the first is printed as a conversion.
func (p *printer) operands(folds bool, c context, first, rest int, list ...Expr) []string {
	out := make([]string, len(list))
	literals := folds
	for k, e := range list {
		least := rest
		if k == 0 {
			least = first
		}
		out[k] = p.expr(e, c, least)
		_, lit := e.(*Lit)
		literals = literals && lit
	}
	if literals && len(list) > 0 {
		l := list[0].(*Lit)
		out[0] = l.T.String() + "(" + literalText(l, false) + ")"
	}
	return out
}

// literal returns the text of e, without its type if the context determines that.
func (p *printer) literal(e *Lit, c context) string {
	if e.T != c.t {
		return e.T.String() + "(" + literalText(e, false) + ")"
	}
	return literalText(e, c.inferred)
}

// conversion returns the text of e. A silent conversion is left out, unless the type of the context is
// inferred, possibly from this operand.
func (p *printer) conversion(e *Convert, c context) string {
	if e.T == c.t && !c.inferred && e.X.Type() != e.T && e.X.Type().Silent(e.T) {
		switch x := e.X.(type) {
		case *Read, *Lookup, *ConstCell, *LocalRef, *ExternCall:
			return p.expr(x, c, 0)
		case *Convert:
			return p.explicit(x)
		case *Lit:
			return p.literal(x, c)
		}
	}
	return p.explicit(e)
}

// explicit returns the text of e with its type.
func (p *printer) explicit(e *Convert) string {
	inner := context{e.X.Type(), true}
	switch x := e.X.(type) {
	case *Lit:
		inner.t = Invalid // forces the type to be written
	case *Convert:
		return e.T.String() + "(" + p.explicit(x) + ")"
	}
	return e.T.String() + "(" + p.expr(e.X, inner, 0) + ")"
}

// literalText is the name of the constant, or the shortest number that rounds to the same
// value of type e.T. If float is set, a floating-point number is written with a point or an
// exponent.
func literalText(e *Lit, float bool) string {
	if e.Name != "" {
		return e.Name
	}
	if !e.T.Float() {
		return e.Value.ExactString()
	}
	bits := 64
	f, _ := constant.Float64Val(e.Value)
	if e.T == Float32 {
		f32, _ := constant.Float32Val(e.Value)
		f, bits = float64(f32), 32
	}
	s := strconv.FormatFloat(f, 'g', -1, bits)
	if float && !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// exact returns the text of a constant in the language without loss: integers without a point, other
// numbers with one.
func exact(v constant.Value) string {
	if v.Kind() == constant.Int {
		return v.ExactString()
	}
	switch x := constant.Val(v).(type) {
	case *big.Rat:
		if digits, finite := x.FloatPrec(); finite {
			return x.FloatString(max(1, digits))
		}
		return x.Num().String() + ".0/" + x.Denom().String() + ".0"
	case *big.Float:
		return x.Text('p', 0)
	}
	// constant.Val returns integral floats as integers.
	return v.ExactString() + ".0"
}

// bracket puts s in brackets if needed.
func bracket(needed bool, s string) string {
	if needed {
		return "(" + s + ")"
	}
	return s
}
