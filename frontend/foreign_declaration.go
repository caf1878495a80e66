package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
)

// fortran rewrites a declaration of Fortran, real(8) :: u(0:n, n). It returns false for other
// lines.
func (r *blockReader) fortran(l []token) bool {
	if l[0].named("parameter") {
		return len(l) > 3 && r.parameters(l, commas(withoutRound(l[1:])))
	}
	attributes, names := fortranParts(l)
	if names == nil || slices.ContainsFunc(names, func(x token) bool { return x.is("{") || typeName(x.text) != "" || x.named("void") }) {
		return false // a function of C
	}
	if slices.ContainsFunc(attributes, func(x token) bool { return x.named("parameter") }) && slices.ContainsFunc(names, func(x token) bool { return x.is("=") }) {
		return r.parameters(l, commas(names))
	}
	elem, role, shape := fortranType(l[0], attributes), fortranRole(attributes), fortranShape(attributes)
	if l[0].named("character") { // a text is an array of letters
		if shape = lastOperand(attributes); shape == nil {
			return false
		}
	}
	for _, d := range commas(names) {
		if len(d) == 0 || d[0].kind != tokIdent {
			continue
		}
		r.fortranName(l, d, elem, role, shape)
	}
	return true
}

// lastOperand is the last name or number among some tokens, behind the first; nil without one.
func lastOperand(l []token) []token {
	for _, x := range slices.Backward(l[min(1, len(l)):]) {
		if x.kind == tokInt || x.kind == tokIdent && !x.named("len", "kind", "intent", "in") {
			return []token{x}
		}
	}
	return nil
}

// fortranRole returns the role that an intent stands for; "" without an intent, as the uses of
// the array then decide.
func fortranRole(attributes []token) (role string) {
	if k := slices.IndexFunc(attributes, func(x token) bool { return x.named("intent") }); k >= 0 {
		for _, x := range attributes[k:] {
			if x.named("in", "out", "inout") {
				role = strings.ToLower(x.text)
			}
		}
	}
	return role
}

// fortranShape returns the sizes of the attribute dimension, nil without it.
func fortranShape(attributes []token) []token {
	k := slices.IndexFunc(attributes, func(x token) bool { return x.named("dimension") })
	if k < 0 || k+1 >= len(attributes) || !attributes[k+1].is("(") {
		return nil
	}
	last := slices.IndexFunc(attributes[k:], func(x token) bool { return x.is(")") })
	if last < 0 {
		return nil
	}
	return attributes[k+2 : k+last]
}

// parameters rewrites the named constants of Fortran: params if all are integers, else
// consts.
func (r *blockReader) parameters(l []token, list [][]token) bool {
	values := valued(between(list, ",", l[0]))
	if len(values) < len(list) {
		return false
	}
	keyword := "param"
	for _, d := range values {
		if slices.ContainsFunc(d[2:], func(x token) bool { return x.kind != tokInt && !x.is("-") }) {
			keyword = "const"
		}
	}
	r.declare(l, numberMessage, numbersDeclared(operator(keyword, l[0]), values))
	return true
}

// declare replaces a line by a declaration.
func (r *blockReader) declare(l []token, message string, out []token) {
	near := l[0]
	if !r.t.found("declaration "+message, join(near.span(), l[len(l)-1].span()), message, func() string { return textOf(out) }) {
		return
	}
	for k := range out {
		out[k].pos.Line = near.pos.Line
	}
	r.out = append(append(r.out, out...), operator(";", near))
}

// fortranParts divides a declaration into the part before its names, and the names: behind ::,
// or behind the type if the first name has dimensions.
func fortranParts(l []token) (attributes, names []token) {
	for k := 1; k+2 < len(l); k++ {
		if l[k].is(":") && l[k+1].is(":") && l[k+1].glued {
			return l[:k], l[k+2:]
		}
	}
	k := 1
	switch {
	case len(l) > 2 && l[0].named("double") && l[1].named("precision"):
		k = 2
	case len(l) > 3 && l[1].is("*") && l[2].kind == tokInt:
		k = 3
	case len(l) > 4 && l[1].is("(") && l[3].is(")"):
		k = 4
	}
	if k+2 < len(l) && l[k].kind == tokIdent && l[k+1].is("(") {
		return l[:k], l[k:]
	}
	return nil, nil
}

// fortranName rewrites the declaration d of one name.
func (r *blockReader) fortranName(l, d []token, elem ir.Type, role string, shape []token) {
	near, name := l[0], d[0]
	if len(d) > 2 && d[1].is("(") {
		if last := partner(d[1:]); last > 1 {
			shape = d[2 : last+1]
		}
	}
	switch ranges := rangesOf(shape, "1", 0); {
	case len(ranges) > 0:
		kind := r.t.role(name)
		if role != "" {
			kind = []token{operator(role, near)}
		}
		r.t.arrays[name.text], r.t.floats[name.text], r.t.dims[name.text] = true, elem.Float(), len(ranges)
		r.t.late = true
		if !r.t.declared["N"] {
			r.t.spoil("N") // N may stand for an unknown size
		}
		r.declare(l, declarationMessage, slices.Concat([]token{operator("array", near)}, cellTokens(name, ranges), []token{word(tokIdent, elem.String(), near)}, kind))
	case role == "in" && elem.Integer():
		r.declare(l, numberMessage, []token{operator("param", near), name})
	case len(d) > 2 && d[1].is("=") && r.t.changing[name.text]: // as if it had no type
		r.out = append(append(r.out, moved(d, near)...), operator(";", near))
	case len(d) > 2 && d[1].is("="):
		keyword := map[bool]string{true: "param", false: "const"}[elem.Integer()]
		r.declare(l, numberMessage, append([]token{operator(keyword, near)}, d...))
	default:
		r.t.undefined(join(near.span(), l[len(l)-1].span()), name.text, elem)
	}
}
