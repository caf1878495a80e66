package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// fortran rewrites a declaration of Fortran, real(8) :: u(0:n, n), line by line. It is
// false of other lines.
func (r *blockReader) fortran(l []token) bool {
	if !l[0].named("real", "integer", "double", "logical", "complex") {
		return false
	}
	attributes, names := fortranParts(l)
	if names == nil {
		return false
	}
	has := func(words ...string) bool {
		return slices.ContainsFunc(attributes, func(x token) bool { return x.named(words...) })
	}
	elem := ir.Float64
	switch wide := slices.ContainsFunc(attributes, func(x token) bool { return x.text == "8" || x.named("dp", "real64", "int64", "precision") }); {
	case l[0].named("real") && !wide:
		elem = ir.Float32
	case l[0].named("integer") && wide:
		elem = ir.Int64
	case l[0].named("integer"):
		elem = ir.Int32
	case l[0].named("logical"):
		elem = ir.Uint8
	}
	role := "" // what is done with the array tells it
	if has("intent") {
		for _, word := range []string{"in", "out", "inout"} {
			if has(word) {
				role = word
			}
		}
	}
	var shape []token // of the attribute dimension
	if k := slices.IndexFunc(attributes, func(x token) bool { return x.named("dimension") }); k >= 0 && k+1 < len(attributes) && attributes[k+1].is("(") {
		if last := slices.IndexFunc(attributes[k:], func(x token) bool { return x.is(")") }); last > 0 {
			shape = attributes[k+2 : k+last]
		}
	}
	for _, d := range commas(names) {
		if len(d) == 0 || d[0].kind != tokIdent {
			continue
		}
		r.fortranName(l, d, elem, role, shape, has("parameter"))
	}
	return true
}

// fortranParts cuts a declaration into what comes before its names, and these: behind
// ::, or behind the type if the first name has dimensions.
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
func (r *blockReader) fortranName(l, d []token, elem ir.Type, role string, shape []token, constant bool) {
	near, value := l[0], slices.IndexFunc(d, func(x token) bool { return x.is("=") })
	dims := shape
	if len(d) > 2 && d[1].is("(") {
		if last := slices.IndexFunc(d, func(x token) bool { return x.is(")") }); last > 1 {
			dims = d[2:last]
		}
	}
	var out []token
	message := ""
	switch {
	case len(dims) > 0:
		message = declarationMessage
		out = []token{operator("array", near), d[0], operator("[", d[0])}
		for k, dim := range commas(dims) {
			if k > 0 {
				out = append(out, operator(",", d[0]))
			}
			parts := cut(dim, ":")
			if len(parts) == 1 {
				parts = [][]token{{word(tokInt, "1", d[0])}, dim}
			}
			out = append(append(append(out, parts[0]...), operator("..", d[0])), parts[1]...)
		}
		out = append(out, operator("]", d[0]), word(tokIdent, elem.String(), near))
		if role == "" {
			out = append(out, r.t.role(d[0])...)
		} else {
			out = append(out, operator(role, near))
		}
		r.t.arrays[d[0].text] = true
		r.t.floats[d[0].text] = elem.Float()
	case role == "in" && elem.Integer():
		message = "a number of the file is a param, an integer given at launch, or a const"
		out = []token{operator("param", near), d[0]}
	case constant && value > 0:
		message = "a number of the file is a param, an integer given at launch, or a const"
		out = append([]token{operator("const", near), d[0]}, d[value:]...)
	}
	hint := func() string { return textOf(out) }
	if out == nil {
		r.t.undefined(join(near.span(), l[len(l)-1].span()), d[0].text, elem)
		return
	}
	if r.t.found("declaration "+message, join(near.span(), l[len(l)-1].span()), message, hint) {
		for k := range out {
			out[k].pos.Line = near.pos.Line
		}
		r.out = append(append(r.out, out...), operator(";", near))
	}
}

// A frame is what other languages have around or between loops, and a file of loops
// has not.
type frame struct{ message, hint string }

// frames are those by the word that begins a statement, in small letters.
var frames = map[string]frame{}

func init() {
	for _, x := range []struct {
		words string
		frame
	}{
		{"print printf println fprintf write disp puts cout display", frame{"a nest prints nothing: arrays that are out, and reductions, are given back, to files or the terminal", "reduce top = max(A[i,j])"}},
		{"import from use using include package", frame{"a file needs no modules: it has declarations and nests, and functions of Go by extern", ""}},
		{"def function subroutine program void implicit return call endsubroutine endfunction endprogram", frame{"a file is declarations and nests, with nothing around them", ""}},
		{"break exit cycle continue goto", frame{"every iteration runs: what is not to change keeps its value by select", "A[i,j] = select(i < j, 1, A[i,j])"}},
	} {
		for w := range strings.FieldsSeq(x.words) {
			frames[w] = x.frame
		}
	}
}

// framed drops what begins with a word of frames, and the braces around what stays.
func (t *translator) framed(e edits, k int) int {
	f, known := frames[strings.ToLower(t.at(k).text)]
	if !known {
		f = frames["function"]
	}
	last := t.end(k)
	for t.sameLine(k, last+1) && !t.at(last+1).is("{") && !t.at(last+1).is("}") && !t.at(last+1).is(";") && t.at(last+1).kind != tokEOF {
		last++
	}
	kind := diag.Example
	if !t.found("frame "+f.message, t.at(k).span(), f.message, func() string { return f.hint }, kind) {
		return k
	}
	e.drop(k, last)
	t.unwrap(e, last+1)
	return last
}

// isFrame reports whether the statement that begins with token k is one of frames, and
// not an assignment to something of that name.
func (t *translator) isFrame(k int) bool {
	tok, next := t.at(k), t.at(k+1)
	if _, known := frames[strings.ToLower(tok.text)]; !known || tok.kind != tokIdent {
		return tok.named("int") && next.named("main") && t.at(k+2).is("(")
	}
	return !next.is("=") && !next.is("[") && !(next.is("+") || next.is("-"))
}
