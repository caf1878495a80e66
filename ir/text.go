package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// String returns n in the .loop language, in canonical layout: reading it gives an equal
// nest, except for spans, lines and names derived from the file. Every let has its type,
// conversions that are not silent are written out, and brackets stand only where they are
// needed.
func (n *Nest) String() string {
	p := printer{n: n}
	for _, x := range n.Params {
		if x.Default != nil {
			p.linef("param %s = %d", x.Name, *x.Default)
		} else {
			p.linef("param %s", x.Name)
		}
	}
	for _, x := range n.Floats {
		if x.Of != nil {
			continue
		}
		if x.Default != nil {
			p.linef("param %s float64 = %s", x.Name, FloatText(*x.Default))
		} else {
			p.linef("param %s float64", x.Name)
		}
	}
	for _, c := range n.Consts {
		p.linef("const %s = %s", c.Name, exact(c.Value))
	}
	for _, c := range n.Listed {
		p.linef("%s", c)
	}
	for _, f := range n.Externs {
		p.linef("%s", f.String())
	}
	for k := range n.Arrays {
		p.array(&n.Arrays[k])
	}
	for k := range n.Arrays {
		p.supply(&n.Arrays[k])
	}
	for k, r := range n.Reduces() {
		if !r.Place {
			p.reduce(r, n.Places(k))
		}
	}
	if n.Schedule != nil {
		p.schedule(n.Schedule)
	}
	p.loops()
	for _, s := range n.Body {
		switch s := s.(type) {
		case *Let:
			p.linef("\tlet %s %s = %s", s.Name, s.Type, p.expr(s.Expr, context{t: s.Type}, 0))
		case *Assign:
			p.linef("\t%s = %s", p.cell(s.Array, s.Subs), p.expr(s.Expr, context{t: n.Arrays[s.Array].Elem}, 0))
		}
	}
	p.linef("}")
	return p.b.String()
}

// FloatText returns the default of a float parameter, which is finite, as the language and Go write
// it: with a point or an exponent.
func FloatText(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// reduce prints a reduction with its places.
func (p *printer) reduce(r *Reduce, places []*Reduce) {
	if len(places) == 0 {
		p.linef("reduce %s = %s", r.Name, p.n.ReduceText(r))
		return
	}
	names, loops := []string{r.Name}, []string(nil)
	for _, x := range places {
		names, loops = append(names, x.Name), append(loops, p.n.loopOf(x))
	}
	p.linef("reduce %s = %s at (%s)", strings.Join(names, ", "), p.n.ReduceText(r), strings.Join(loops, ", "))
}

// loopOf returns the name of the loop whose value a place has.
func (n *Nest) loopOf(place *Reduce) string { return n.Loops[place.Expr.(*IterRef).Iter].Name }

// ReduceText returns the operation and the operand of a reduction, such as "max(H[i,j])", and of a place
// "j of the first best".
func (n *Nest) ReduceText(r *Reduce) string {
	if r.Place {
		all := n.Reduces()
		k := slices.Index(all, r)
		for all[k].Place {
			k--
		}
		return fmt.Sprintf("%s of the first %s", n.loopOf(r), all[k].Name)
	}
	p := printer{n: n}
	for _, l := range n.Loops {
		p.names = append(p.names, l.Name)
	}
	return fmt.Sprintf("%s(%s)", r.Op, p.alone(r.Expr))
}

// AffineText returns a as the language writes it, with the given names of parameters and iterators.
// Iterators come first, then parameters, each in the order of its list, then the constant.
func AffineText(a Affine, params, iters []string) string {
	var b strings.Builder
	term := func(c int, name string) {
		switch {
		case c == 0:
			return
		case c < 0:
			b.WriteByte('-')
			c = -c
		case b.Len() > 0:
			b.WriteByte('+')
		}
		switch {
		case name == "":
			fmt.Fprintf(&b, "%d", c)
		case c == 1:
			b.WriteString(name)
		default:
			fmt.Fprintf(&b, "%d*%s", c, name)
		}
	}
	for k, c := range a.Iters {
		if c != 0 {
			term(c, iters[k])
		}
	}
	for k, c := range a.Params {
		if c != 0 {
			term(c, params[k])
		}
	}
	term(a.Const, "")
	if b.Len() == 0 {
		return "0"
	}
	return b.String()
}

// printer collects the text of a nest.
type printer struct {
	n     *Nest
	b     strings.Builder
	names []string // of the iterators of the context
}

func (p *printer) linef(format string, args ...any) {
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

func (p *printer) affine(a Affine) string {
	params := make([]string, len(p.n.Params))
	for k := range params {
		params[k] = p.n.Params[k].Name
	}
	return AffineText(a, params, p.names)
}

func (p *printer) affines(list []Affine, sep string) string {
	var out []string
	for _, a := range list {
		out = append(out, p.affine(a))
	}
	return strings.Join(out, sep)
}

func (p *printer) array(a *Array) {
	var dims []string
	for k := range a.Lo {
		dims = append(dims, p.affine(a.Lo[k])+".."+p.affine(a.Hi[k]))
	}
	role := ""
	if a.Role != Internal {
		role = " " + a.Role.String()
	}
	p.linef("array %s[%s] %s%s", a.Name, strings.Join(dims, ", "), a.Elem, role)
}

// alone returns the text of an expression whose type is inferred from its leaves.
func (p *printer) alone(e Expr) string {
	if lit, ok := e.(*Lit); ok {
		return p.literal(lit, context{inferred: true})
	}
	return p.expr(e, context{t: e.Type(), inferred: true}, 0)
}

// supply prints the init and the slice of an array.
func (p *printer) supply(a *Array) {
	if a.Init != nil {
		p.names = a.Init.Names
		value := p.expr(a.Init.Expr, context{t: a.Elem}, 0)
		p.linef("init %s[%s] = %s", a.Name, strings.Join(a.Init.Names, ", "), value)
		p.names = nil
	}
	if a.Boundary != nil {
		var dims []string
		for _, e := range a.Boundary {
			text := e[0].String()
			if e[1] != e[0] {
				text += ".." + e[1].String()
			}
			dims = append(dims, text)
		}
		p.linef("boundary %s[%s]", a.Name, strings.Join(dims, ", "))
	}
	if a.Out != nil {
		var dims []string
		for _, f := range a.Out {
			if f == nil {
				dims = append(dims, "*")
			} else {
				dims = append(dims, p.affine(*f))
			}
		}
		p.linef("out %s[%s]", a.Name, strings.Join(dims, ", "))
	}
}

// loops prints the header of the nest.
func (p *printer) loops() {
	var list []string
	for _, l := range p.n.Loops {
		lo, hi := p.affines(l.Lo, ", "), p.affines(l.Hi, ", ")
		if len(l.Lo) > 1 {
			lo = "max(" + lo + ")"
		}
		if len(l.Hi) > 1 {
			hi = "min(" + hi + ")"
		}
		text := fmt.Sprintf("%s = %s..%s", l.Name, lo, hi)
		if l.Backward {
			text = fmt.Sprintf("%s = %s..%s step -1", l.Name, hi, lo)
		}
		list = append(list, text)
		p.names = append(p.names, l.Name)
	}
	p.linef("for %s {", strings.Join(list, ", "))
}

func (p *printer) cell(array int, subs []Affine) string {
	return p.n.Arrays[array].Name + "[" + p.affines(subs, ",") + "]"
}

// schedule prints the schedule of the nest.
func (p *printer) schedule(s *Schedule) {
	p.linef("schedule {")
	number := func(x int) string {
		if x == 0 {
			return ""
		}
		return fmt.Sprint(x)
	}
	sizes := func(v []int) string {
		var parts []string
		for _, x := range v {
			parts = append(parts, cmp.Or(number(x), "-"))
		}
		return strings.Join(parts, "x")
	}
	for _, e := range []struct{ name, value string }{
		{"tile", sizes(s.Tile)}, {"map", s.Map}, {"grid", sizes(s.Grid)}, {"cpus", cmp.Or(sizes(s.Mesh), number(s.CPUs))},
		{"group", s.Group}, {"sub", number(s.Sub)}, {"assign", s.Assign}, {"comm", s.Comm}, {"shape", s.Shape},
	} {
		if e.value != "" {
			p.linef("\t%s %s", e.name, e.value)
		}
	}
	p.linef("}")
}

// String is the declaration of f in the language.
func (f *Extern) String() string {
	var params []string
	for k, t := range f.Params {
		params = append(params, f.Names[k]+" "+t.String())
	}
	where := ""
	if f.Path != "" {
		where = fmt.Sprintf(" = %q.%s", f.Path, f.Symbol)
	}
	return fmt.Sprintf("extern func %s(%s) %s%s", f.Name, strings.Join(params, ", "), f.Result, where)
}
