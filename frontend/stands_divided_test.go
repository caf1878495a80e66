package frontend

import (
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestMistakeAlone: the let y has a type that converts silently only where the values of z are known, not where z is a
// cell, as for the statement alone. This is an error, since nothing is known of what this statement reads.
func TestMistakeAlone(t *testing.T) {
	const src = `param N = 5
array w[0..N] int32 in
array u[0..N] float32 inout
array v[0..N, 0..N] float32 inout
for i = 1..N {
	for j = 1..N {
		let z = select(w[j] > w[i], 1, 2)
		let y = z/3
		v[i,j] = v[i,j-1] + u[i-1] + y
	}
	u[i] = u[i] + v[i,N]
}
`
	if _, diags := CompileProgram("nest.loop", []byte(src)); len(diags) != 1 || diags[0].Code != diag.TypeMismatch || diags[0].At.Line != 9 {
		t.Errorf("the type of y: %v", diags)
	}
}

// TestDividedInOrder divides nests, and wants repeats: an iteration of the outermost loop reads what another statement
// has written in the one before. Each of these statements once seemed to have a mistake, or to read nothing: a name of an
// earlier reduction, a let whose type only its uses tell, and a cell with a computed subscript.
func TestDividedInOrder(t *testing.T) {
	const declarations = `param N = 5
array w[0..N] ELEM in
array u[0..N] ELEM inout
array v[0..N, 0..N] ELEM inout
array n[0..N] int32 in
`
	for name, c := range map[string]struct{ elem, before, nest string }{
		"result of a reduction": {"float64", "reduce m = max(min(u[i], 2) - min(u[i], 2) + 3)\nfor i = 1..N {\n\tu[i] = u[i-1] + w[i]\n}\n", `for i = 1..N {
	let z = u[i-1]*m
	for j = 1..N {
		v[i,j] = v[i-1,j] + z
	}
	u[i] = v[i-1,N]
}
`},
		"type by use": {"int32", "", `for i = 1..N {
	let z = select(w[i] > 1, 1, 2)
	u[i] = u[i-1] + z
	for j = 1..N {
		v[i,j] = v[i,j-1] + u[i]
	}
	u[i] = u[i] + v[i,N]
}
`},
		"types by use, of one name": {"int32", "", `for i = 1..N {
	for j = 1..N {
		let z = select(w[j] > 1, 1, 2)
		v[i,j] = v[i,j-1] + u[i-1] + z
	}
	for j = 2..N {
		let z = select(w[j] > 2, 1, 2)
		v[i,j] = v[i,j-1] + u[i-1] + z
	}
	u[i] = u[i] + v[i,N]
}
`},
		"computed subscript": {"float64", "", `for t = 1..3 {
	for i = 0..N {
		u[i] = u[i] + w[i]
	}
	for i = 0..N {
		v[0,i] = v[0,i] + u[n[i]]
	}
}
`},
	} {
		form := strings.ReplaceAll(declarations, "ELEM", c.elem) + c.before + c.nest
		_, before, _ := strings.Cut(c.before, "\n")
		src := strings.ReplaceAll(declarations, "ELEM", c.elem) + before + strings.ReplaceAll(c.nest, "*m", "*3")
		p, diags := formAsStands(t, name, src, form)
		if p == nil {
			t.Errorf("%s: %v", name, diags)
		} else if len(p.Repeats()) == 0 {
			t.Errorf("%s: no loop becomes a repeat", name)
		}
	}
}
