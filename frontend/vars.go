package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// var s float64 = 0 declares a variable of the iteration. Every assignment to it becomes a let of its own,
// so nothing behind the lowering knows variables. The last let has the name of the variable, which
// reductions may use.

// contextual are words that begin a statement, and are names elsewhere.
var contextual = map[string]bool{"var": true, "if": true, "else": true, "batch": true}

// asKeyword returns the first token of a statement as a keyword, if the token behind it shows that it is no
// name.
func asKeyword(t, next token) token {
	if t.kind == tokIdent && contextual[t.text] && next.kind != tokEOF {
		if (t.text == "var" || t.text == "batch") && next.kind == tokIdent || t.text == "if" && !next.assigns() && !next.is("[") ||
			t.text == "else" && (next.is("{") || next.kind == tokIdent && next.text == "if") {
			t.kind = tokKeyword
		}
	}
	return t
}

// A variable is a var of a body, as the pass over the body knows it.
type variable struct {
	typ   token
	name  string // of the let that has its value now
	later int    // assignments to come
}

// variables replaces the vars of the body of a perfect nest by lets.
func (w *lowering) variables(body []*statement) (out []*statement) {
	known := map[string]*variable{}
	for k, st := range body {
		x := &statement{block: st.block, body: st.body, bad: st.bad}
		target := st.first()
		v := known[target.text]
		sign := min(1, len(st.tokens)-1)
		switch {
		case st.keyword() == "var" && len(st.tokens) > 4 && st.name().kind == tokIdent && st.tokens[2].kind == tokIdent && st.tokens[3].is("=") && known[st.name().text] == nil:
			x.tokens = renamed(st.tokens, known)
			v = &variable{typ: st.tokens[2], later: assignments(body[k+1:], st.name().text)}
			known[st.name().text] = v
			x.tokens[0].text = "let"
			x.tokens[1].text = w.version(st.tokens[1].text, v)
		case v != nil && target.kind == tokIdent && st.tokens[sign].assigns():
			value := renamed(st.tokens[sign+1:], known)
			if op := strings.TrimSuffix(st.tokens[sign].text, "="); op != "" && len(value) > 0 {
				old := target
				old.text = v.name
				value = slices.Concat([]token{old, made(tokOp, op, st.tokens[sign])}, bracketedValue(value))
			}
			v.later--
			target.text = w.version(target.text, v)
			x.tokens = slices.Concat([]token{madeKeyword("let", target), target, v.typ, made(tokOp, "=", st.tokens[sign])}, value)
		default:
			x.tokens = renamed(st.tokens, known)
			if st.keyword() == "var" && len(st.tokens) > 1 {
				x.tokens[1], x.again = st.tokens[1], known[st.tokens[1].text] != nil
			}
		}
		out = append(out, x)
	}
	return out
}

// version names the let that has the value of a variable from here on.
func (w *lowering) version(variable string, v *variable) string {
	v.name = variable
	if v.later > 0 {
		v.name = w.fresh(variable)
	}
	return v.name
}

// assignments counts the assignments to a name.
func assignments(body []*statement, name string) (n int) {
	for _, st := range body {
		if len(st.tokens) > 1 && st.first().kind == tokIdent && st.first().text == name && st.tokens[1].assigns() {
			n++
		}
	}
	return n
}

// renamed returns tokens with the present names of variables.
func renamed(tokens []token, known map[string]*variable) []token {
	out := slices.Clone(tokens)
	for k, t := range out {
		if v := known[t.text]; v != nil && t.kind == tokIdent {
			out[k].text = v.name
		}
	}
	return out
}

// checkVar reports mistakes in a var that variables did not understand, or that is in a wrong place. Those in a body
// that is not lowered, as it has other mistakes, are taken to be right.
func (c *checker) checkVar(st *statement, inBody bool) {
	tree := parseStmt(c, varParser, st)
	if tree == nil || st.bad {
		return
	}
	if inBody {
		if !st.again {
			c.spoiled[st.name().text] = true
			if ir.TypeNamed(tree.Type.Name) == ir.Invalid {
				c.unknownType(tree.Type)
			}
			return
		}
		c.errorf(diag.Redeclared, st.name().span(), "%s is declared twice", st.name().text)
		return
	}
	c.spoil(st)
	c.errorf(diag.Misplaced, st.first().span(), "a var belongs in the body of the for: "+scalarRoles)
}
