package frontend

import (
	"regexp"
	"strconv"
	"unicode"
	"unicode/utf8"

	"loopc/ir"
	"loopc/ir/diag"
)

// importPath matches import paths, but not paths relative to a folder.
var importPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.~-]*(/[A-Za-z0-9_.~-]+)*$`)

// declareExtern declares a function that is written in Go.
func (c *checker) declareExtern(s *externSyntax) {
	f := ir.Extern{Name: s.Name.Name, Symbol: s.Name.Name, Span: s.Name.span()}
	whole := true
	typed := func(n *nameSyntax) ir.Type {
		t := ir.TypeNamed(n.Name)
		if t == ir.Invalid {
			c.unknownType(n)
			whole = false
		}
		return t
	}
	// As in Go, a name without a type has the type of the next name that has one.
	for k := len(s.Params) - 1; k >= 0; k-- {
		p := s.Params[k]
		t := ir.Invalid
		switch {
		case p.Type != nil:
			t = typed(p.Type)
		case len(f.Params) > 0:
			t = f.Params[0]
		default:
			c.errorf(diag.Extern, p.Name.span(), "parameter %s of %s has no type", p.Name.Name, f.Name).
				fix(p.Name.span(), "%s float64", p.Name.Name)
			whole = false
		}
		f.Params = append([]ir.Type{t}, f.Params...)
		f.Names = append([]string{p.Name.Name}, f.Names...)
	}
	f.Result = typed(s.Result)
	if s.Symbol != nil {
		f.Symbol = s.Symbol.Name
		// The scanner has checked that the string can be unquoted.
		f.Path, _ = strconv.Unquote(s.Path)
		first, _ := utf8.DecodeRuneInString(f.Symbol)
		switch {
		case !importPath.MatchString(f.Path) || f.Path == "C":
			c.errorf(diag.Extern, s.Symbol.span(), "%s is no import path of a Go package", s.Path).
				hint(`"example.com/phys".%s`, f.Symbol)
			whole = false
		case !unicode.IsUpper(first):
			c.errorf(diag.Extern, s.Symbol.span(), "%s is not exported by its package: its name begins with a small letter", f.Symbol).
				fix(s.Symbol.span(), "%s", capital(f.Symbol))
			whole = false
		}
	}
	if len(c.nest.Externs) == maxNames {
		c.errorf(diag.TooMany, f.Span, "the file declares %d Go functions; the limit is %d", maxNames+1, maxNames)
	}
	if !whole {
		c.spoiled[f.Name] = true
		return
	}
	if c.declare(s.Name, externEntity, len(c.nest.Externs)) {
		c.nest.Externs = append(c.nest.Externs, f)
	}
}

// externCall resolves a call of a function written in Go. Types are found later: each argument
// converts as if it were assigned to the function's parameter.
func (c *checker) externCall(v *view, e *expr, ent *entity) ir.Expr {
	f := &c.nest.Externs[ent.index]
	if !v.params || !v.cells {
		c.errorf(diag.NotConstant, e.at, "%s cannot be used in %s: it is a call of a Go function", c.text(e.at), v.what)
		return nil
	}
	if len(e.args) != len(f.Params) {
		c.errorf(diag.ValueCount, e.at, "%s takes %s, not %d", f.Name, plural(len(f.Params), "argument"), len(e.args)).
			note(ent.at, "%s is declared here", f.Name)
		return nil
	}
	args, ok := c.arguments(v, e)
	if !ok {
		return nil
	}
	return &ir.ExternCall{T: f.Result, Extern: ent.index, Args: args, At: e.at}
}

// arguments resolves the arguments of a call, which are numbers; ok is false if one has a mistake.
func (c *checker) arguments(v *view, e *expr) (args []ir.Expr, ok bool) {
	ok = true
	for _, a := range e.args {
		x := c.number(v, a)
		ok = ok && x != nil
		args = append(args, x)
	}
	return args, ok
}
