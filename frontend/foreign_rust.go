package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// Rust declares numbers and arrays by let: let n: usize = 100, let mut u = vec![0.0; n]. They are read as n = 100 and
// u = zeros(n), about which other passes know more.

// letsOfRust rewrites the lets that declare an array, or, outside of loops, a number with a type, and there the var of Go
// and JavaScript.
func (t *translator) letsOfRust() {
	t.rust = slices.ContainsFunc(t.tokens, func(x token) bool {
		return x.kind == tokIdent && slices.Contains([]string{"mut", "vec", "usize", "f64", "f32", "fn", "pub", "isize", "u8", "i32", "i64"}, x.text)
	})
	declares := func(x token) bool { return x.is("let") || x.is("var") || x.named("var", "val", "auto") }
	if !slices.ContainsFunc(t.tokens, declares) {
		return
	}
	var out []token
	for _, l := range t.lines() {
		if declares(l[0]) {
			l = t.letOfRust(l)
		}
		out = append(out, l...)
	}
	t.tokens = out
}

// letOfRust rewrites one line that begins with let.
func (t *translator) letOfRust(l []token) []token {
	name, equals := letName(l)
	if equals == 0 {
		return l
	}
	behind := len(l)
	for behind > 0 && l[behind-1].is(";") {
		behind--
	}
	rest, value := l[behind:], l[equals+1:max(behind, equals+1)]
	first := word(tokIdent, l[name].text, l[0])
	elem := "float64"
	for _, x := range l[name+1:] {
		if s := typeElsewhere(x.text); x.kind == tokIdent && s != "" {
			elem = s
		}
	}
	sizes, fill, ok := sizesOfRust(value)
	if last := len(fill) - 1; last > 0 && fill[last].glued && typeElsewhere(fill[last].text) != "" {
		elem, fill = typeElsewhere(fill[last].text), fill[:last]
	}
	typed := l[name+1].is(":") || name > 1 || !l[0].is("let")
	switch {
	case ok:
		near := l[equals]
		call := []token{first, near, word(tokIdent, "full", near), operator("(", near), operator("(", near)}
		call = append(append(call, between(sizes, ",", near)...), operator(")", near), operator(",", near))
		call = append(append(call, fill...), operator(",", near), word(tokIdent, elem, near), operator(")", value[len(value)-1]))
		return append(call, rest...)
	case typed && len(t.loopsAround(l[0])) == 0 && len(value) > 0 && (copyOfRust(value) || number(value)):
		return slices.Concat([]token{first, l[equals]}, value, rest)
	}
	return l
}

// letName is the place of the name in a line that begins with let, and of its =, which is 0 if there is none.
func letName(l []token) (name, equals int) {
	name = 1
	if name < len(l) && l[name].named("mut") {
		name++
	}
	equals = slices.IndexFunc(l, func(x token) bool { return x.is("=") })
	if name+1 >= len(l) || l[name].kind != tokIdent || equals < name+1 || equals == len(l)-1 {
		return name, 0
	}
	return name, equals
}

// number reports whether tokens are a number, perhaps with a sign.
func number(l []token) bool {
	x := l[len(l)-1]
	return (len(l) == 1 || len(l) == 2 && l[0].is("-")) && (x.kind == tokInt || x.kind == tokFloat)
}

// copyOfRust reports whether tokens are x.clone() or x.to_vec().
func copyOfRust(l []token) bool {
	return len(l) == 5 && l[1].is(".") && l[2].named("clone", "to_vec", "to_owned") && l[3].is("(") && l[4].is(")")
}

// sizesOfRust returns the sizes of vec![x; n], [x; n] and vec![vec![x; m]; n], and x.
func sizesOfRust(l []token) (sizes [][]token, fill []token, ok bool) {
	for len(l) > 0 {
		if len(l) > 2 && l[0].named("vec") && l[1].is("!") {
			l = l[2:]
		}
		if !l[0].is("[") || !bracketed(l) {
			break
		}
		parts := cut(l[1:len(l)-1], ";")
		if len(parts) != 2 || len(parts[0]) == 0 || len(parts[1]) == 0 {
			return nil, nil, false
		}
		sizes, l = append(sizes, parts[1]), parts[0]
	}
	return sizes, l, len(sizes) > 0
}

// copyCalls are calls that copy the array of their second argument to that of their first.
var copyCalls = []string{"memcpy", "memmove", "copyto", "copy"}

// copyMethods are methods of arrays that copy the array of their argument to their own.
var copyMethods = []string{"copy_from_slice", "clone_from_slice", "clone_from", "assign"}

// copying rewrites a statement that copies an array by a call as u = v; others stay.
func (t *translator) copying(l []token) []token {
	name := 0
	switch {
	case len(l) > 2 && l[0].named(modules...) && l[1].is("."):
		name = 2
	case len(l) > 4 && t.isArray(l[0]) && l[1].is(".") && l[2].named(copyMethods...) && l[3].is("("):
		if from := plainArray(t, l[4:3+partner(l[3:])]); from.text != "" {
			return []token{l[0], operator("=", l[1]), from}
		}
		return l
	}
	open := name + 1
	if len(l) > open+1 && l[open].is("!") {
		open++ // of Julia
	}
	if len(l) <= open+1 || !l[name].named(copyCalls...) || !l[open].is("(") || t.declared[l[name].text] {
		return l
	}
	args := commas(l[open+1 : open+partner(l[open:])])
	if len(args) < 2 {
		return l
	}
	to, from := plainArray(t, args[0]), plainArray(t, args[1])
	if to.text == "" || from.text == "" {
		return l
	}
	to.pos = l[0].pos
	return []token{to, operator("=", l[open]), from}
}

// plainArray is the array that tokens name without subscripts, perhaps behind a sign of an address.
func plainArray(t *translator, l []token) token {
	for len(l) > 1 && (l[0].is("&") || l[0].is("*") || l[0].named("mut")) {
		l = l[1:]
	}
	if len(l) == 1 && t.isArray(l[0]) {
		return l[0]
	}
	return token{}
}

// dotsBeforeEquals drops the dot of Julia's u[i] = v[i], written with .=.
func (t *translator) dotsBeforeEquals() {
	for k := len(t.tokens) - 2; k > 0; k-- {
		if t.tokens[k].is(".") && t.tokens[k+1].is("=") && t.tokens[k+1].glued {
			head := k
			for head > 0 && t.sameLine(head-1, k) {
				head--
			}
			at := join(t.tokens[k].span(), t.tokens[k+1].span())
			told := head == k-1 || slices.ContainsFunc(t.tokens[head:k], func(x token) bool { return x.is(":") }) // the slice is
			if told || t.found("dot =", at, "a body works on one cell at a time: the operator is =", func() string { return "=" }, diag.Replacement) {
				t.tokens = slices.Delete(t.tokens, k, k+1)
			}
		}
	}
}

// endOfRust leaves the end of the loop l out, which has a word in place of =, if its sign point is that of Rust.
func (t *translator) endOfRust(l *foreignLoop, point token) {
	if l.open = point.is("..") && !point.translated; l.open && (t.rust || t.endsAt(plus(l.hi, -1)) && !t.endsAt(l.hi)) {
		l.hi = plus(l.hi, -1)
	}
}

// endsAt reports whether an array has the given tokens as an upper bound.
func (t *translator) endsAt(hi []token) bool {
	for array := range t.arrays {
		for d := range t.dims[array] {
			if ends := t.extent(token{kind: tokIdent, text: array}, d); len(ends) == 2 && textOf(ends[1]) == textOf(hi) {
				return true
			}
		}
	}
	return false
}
