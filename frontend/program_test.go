package frontend

import (
	"strings"
	"testing"

	"loopc/ir"
	"loopc/ir/diag"
)

// TestProgram compiles files of several nests, and requires the steps and the role
// that each array has in each nest: i(n), (inout) x, out o, internal -.
func TestProgram(t *testing.T) {
	for _, c := range []struct{ name, src, steps, roles string }{
		{"sweeps", `
param T, N = 3, 8
array u[0..N, 0..N] float64 inout
array f[0..N, 0..N] float64 in
repeat t = 1..T {
	for i = 1..N, j = 0..N { u[i,j] = 0.5*u[i-1,j] + f[i,j] }
	for i = 0..N, j = 1..N { u[i,j] = 0.5*u[i,j-1] + t }
}
`, `repeat t = 1..T
	aNest1
	aNest2
`, "xi xi"},
		{"an init that outlasts its nest, and one that does not", `
param N = 8
array u[0..N] float64 out
array v[0..N, 0..N] float64
init u[i] = 1 + i
init v[t, i] = 2
out v[N, *]
for i = 1..N { u[i] = u[i-1] }
for t = 1..N, i = 0..N { v[t,i] = v[t-1,i] + u[i] }
`, "aInitU\naNest1\naNest2\n", "o- x- ix"},
		{"two inits, the first nest reads what the second is of", `
param N = 8
array u[0..N] float64 out
array v[0..N] float64
init u[i] = i
init v[i] = 2*i
out v[*]
for i = 2..N { u[i] = v[i-2] }
for i = 1..N { v[i] = 0.5*u[i] + v[i-1] }
`, "aInitU\naInitV\naNest1\naNest2\n", "o- -o xi ix"},
		{"until", `
param T, N = 9, 8
const eps = 1e-3
array u[0..N] float32 inout
reduce most = max(u[i])
for i = 1..N { u[i] = 0.5*u[i-1] }
repeat t = 1..2*T until low < eps*2 {
	reduce low = sum(abs(u[i]))
	for i = 1..N { u[i] = 0.5*u[i] }
}
`, "aNest1\nrepeat t = 1..2*T until low < 0.002\n\taNest2\n", "x x"},
		{"what the first nest writes needs no init", `
param N = 8
array u[0..N] float64 inout
array w[0..N] float64
for i = 0..N { w[i] = 2*u[i] }
for i = 0..N { u[i] = w[i] }
`, "aNest1\naNest2\n", "io xi"},
	} {
		p, diags := CompileProgram("a.loop", []byte(c.src))
		if p == nil {
			t.Errorf("%s:\n%s", c.name, rendered("a.loop", c.src, diags))
			continue
		}
		if got := p.StepsText(); got != c.steps {
			t.Errorf("%s: the steps are\n%s", c.name, got)
		}
		var roles []string
		for _, n := range p.Nests {
			s := ""
			for _, a := range n.Arrays {
				s += map[ir.Role]string{ir.In: "i", ir.InOut: "x", ir.Out: "o", ir.Internal: "-"}[a.Role]
				if a.Out != nil {
					s = s[:len(s)-1] + "x"
				}
			}
			roles = append(roles, s)
		}
		if got := strings.Join(roles, " "); got != c.roles {
			t.Errorf("%s: the roles are %s, want %s", c.name, got, c.roles)
		}
		if p.Single() || len(p.Nests[0].Analysis.Space) == 0 {
			t.Errorf("%s: single, or not analysed", c.name)
		}
		formatted, diags := Format("a.loop", []byte(c.src))
		if len(diags) > 0 {
			t.Errorf("%s:\n%s", c.name, rendered("a.loop", c.src, diags))
		}
		if again, _ := CompileProgram("a.loop", formatted); again == nil || again.StepsText() != c.steps {
			t.Errorf("%s: formatted, it is another program:\n%s", c.name, formatted)
		}
	}
}

// TestSpoiledProgram: a mistake in a declaration before several nests is reported once, by the
// checker of the first nest. The checkers of later nests must not assemble a nest with holes,
// because that would panic.
func TestSpoiledProgram(t *testing.T) {
	const nest = "for i = 1..N {\n\tv[i] = v[i-1]\n}\n"
	src := "param T N = 3\narray v[0..N] float64 inout\n" + nest + nest
	if _, diags := CompileProgram("t.loop", []byte(src)); len(diags) != 1 || diags[0].Code != diag.Syntax {
		t.Errorf("got\n%s", rendered("t.loop", src, diags))
	}
}

// TestSliceOfSeveralNests: the error for a slice beyond the bounds, of an array that several nests
// use, names the last cell.
func TestSliceOfSeveralNests(t *testing.T) {
	const nest = "for i = 1..N {\n\tv[i] = v[i-1]\n}\n"
	src := "param N = 3\narray v[0..N] float64\ninit v[i] = 1\nout v[0-1]\n" + nest + nest
	_, diags := CompileProgram("t.loop", []byte(src))
	if text := rendered("t.loop", src, diags); !strings.Contains(text, "is below the lower bound 0") || !strings.Contains(text, "the last one of dimension 1 is N") {
		t.Errorf("got\n%s", text)
	}
}
