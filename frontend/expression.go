package frontend

import (
	"go/constant"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"

	"loopc/ir"
	"loopc/ir/diag"
)

// An exprKind tells the forms of an expression apart.
type exprKind uint8

const (
	numberExpr exprKind = iota // value
	nameExpr                   // name
	cellExpr                   // name[args]
	callExpr                   // name(args)
	unaryExpr                  // op args[0]
	binaryExpr                 // args[0] op args[1]
)

// An expr is an expression as written, as a tree by the precedence of operators. Brackets are
// not nodes of the tree.
type expr struct {
	kind   exprKind
	name   string // of a number, its digits
	value  constant.Value
	op     ir.Op
	args   []*expr
	at     diag.Span // the whole expression, or the part on its first line
	opAt   diag.Span // the operator, or the name of a cell or call
	height int       // of the tree, from 1
	round  bool      // at includes brackets around the expression
	update bool      // x + y of x += y: at is the whole statement
}

// binaryOps has the binary operators and their precedences, as in Go.
var binaryOps = map[string]struct {
	op         ir.Op
	precedence int
}{
	"||": {ir.Or, 1}, "&&": {ir.And, 2},
	"==": {ir.Eq, 3}, "!=": {ir.Ne, 3}, "<": {ir.Lt, 3}, "<=": {ir.Le, 3}, ">": {ir.Gt, 3}, ">=": {ir.Ge, 3},
	"+": {ir.Add, 4}, "-": {ir.Sub, 4}, "|": {ir.BitOr, 4}, "^": {ir.BitXor, 4},
	"*": {ir.Mul, 5}, "/": {ir.Quo, 5}, "%": {ir.Rem, 5}, "&": {ir.BitAnd, 5}, "<<": {ir.Shl, 5}, ">>": {ir.Shr, 5},
}

// treeOf returns the tree of a flat expression. It returns nil if the tree is
// too high, which it reports.
func (c *checker) treeOf(s *exprSyntax) *expr {
	e := flatTree(s)
	if e.height > maxNesting {
		c.errorf(diag.TooDeep, e.at, "this expression is nested more than %d operators deep", maxNesting).
			hint("give a part of it a name with let")
		return nil
	}
	return e
}

func flatTree(s *exprSyntax) *expr {
	// Operators wait on a stack, with their left operands, until one of no higher precedence comes.
	operands := []*expr{operandTree(s.First)}
	var waiting []*tailSyntax
	reduce := func() {
		top := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		x, y := operands[len(operands)-2], operands[len(operands)-1]
		e := &expr{
			kind: binaryExpr, update: top.Update, op: binaryOps[top.Op].op, args: []*expr{x, y},
			at: join(x.at, y.at), opAt: tokenSpan(lexer.Token{Value: top.Op, Pos: top.Pos}),
		}
		operands = append(operands[:len(operands)-2], grown(e))
	}
	for _, t := range s.Rest {
		for len(waiting) > 0 && binaryOps[waiting[len(waiting)-1].Op].precedence >= binaryOps[t.Op].precedence {
			reduce()
		}
		waiting = append(waiting, t)
		operands = append(operands, operandTree(t.Operand))
	}
	for len(waiting) > 0 {
		reduce()
	}
	return operands[0]
}

// operandTree applies the signs before an operand, the last one first.
func operandTree(s *operandSyntax) *expr {
	e := primaryTree(s.Primary)
	for k := len(s.Signs) - 1; k >= 0; k-- {
		sign := s.Signs[k]
		at := tokenSpan(lexer.Token{Value: sign.Op, Pos: sign.Pos})
		op := ir.Neg
		switch sign.Op {
		case "!":
			op = ir.Not
		case "+":
			op = ir.Add
		}
		e = grown(&expr{kind: unaryExpr, op: op, args: []*expr{e}, at: join(at, e.at), opAt: at})
	}
	return e
}

func primaryTree(s *primarySyntax) *expr {
	first := tokenSpan(s.Tokens[0])
	e := &expr{name: s.Name, at: join(first, tokenSpan(s.Tokens[len(s.Tokens)-1])), opAt: first}
	switch {
	case s.Int != "":
		e.kind, e.name, e.value = numberExpr, s.Int, literal(tokInt, s.Int)
	case s.Float != "":
		e.kind, e.name, e.value = numberExpr, s.Float, literal(tokFloat, s.Float)
	case s.Paren != nil:
		inner := flatTree(s.Paren)
		inner.at, inner.round = e.at, true // messages point at the brackets too
		return inner
	case s.Cell:
		e.kind = cellExpr
		e.args = flatTrees(s.Subs)
	case s.Call:
		e.kind = callExpr
		e.args = flatTrees(s.Args)
	default:
		e.kind = nameExpr
	}
	return grown(e)
}

func flatTrees(list []*exprSyntax) []*expr {
	out := make([]*expr, len(list))
	for k, s := range list {
		out[k] = flatTree(s)
	}
	return out
}

// grown sets the height of e from those of its arguments.
func grown(e *expr) *expr {
	for _, a := range e.args {
		e.height = max(e.height, a.height)
	}
	e.height++
	return e
}

// join returns the span from the beginning of a to the end of b, or a itself if b is on another
// line.
func join(a, b diag.Span) diag.Span {
	if a.Line == b.Line {
		a.Len = b.Col + b.Len - a.Col
	}
	return a
}

// text returns the source at a place, for messages; long text is shortened.
func (c *checker) text(at diag.Span) string {
	if at.Line < 1 || at.Line > len(c.nest.Source) {
		return ""
	}
	line, ok := c.lines[at.Line]
	if !ok {
		line = []rune(c.nest.Source[at.Line-1])
		c.lines[at.Line] = line
	}
	first := min(at.Col-1, len(line))
	last := min(first+max(at.Len, 0), len(line))
	const most = 60
	if last-first > most {
		return string(line[first:first+most]) + "..."
	}
	return string(line[first:last])
}

// tokenSpan returns the place of a participle token.
func tokenSpan(t lexer.Token) diag.Span {
	return diag.Span{
		Pos: diag.Pos{Line: t.Pos.Line, Col: t.Pos.Column},
		Len: utf8.RuneCountInString(t.Value),
	}
}

// span returns the place of the name.
func (n *nameSyntax) span() diag.Span {
	return tokenSpan(lexer.Token{Value: n.Name, Pos: n.Pos})
}
