package frontend

import (
	"strings"
	"testing"
)

// TestAdvice has files with one mistake each. The first diagnostic must have a hint or a note that
// fits the rest of the file.
func TestAdvice(t *testing.T) {
	const levels = "param T, N = 3, 9\narray u[0..T, 0..N] float64\ninit u[t, i] = 0\nout u[T, *]\n"
	const nest = "for t = 1..T, i = 1..N {\n\tu[t,i] = u[t-1,i-1]\n}\n"
	for _, c := range []struct{ name, src, want string }{
		{"one value for two names", "param T, N = 9\n" + strings.SplitN(levels, "\n", 2)[1] + nest, "N, M = 9, 9"},
		{"a constant of a parameter", levels + "const c = 1.0/N\n" + nest, "let c = 1.0/N in the body"},
		{"a slice of an out array", strings.Replace(levels, "float64", "float64 out", 1) + nest, "leave out the role of u"},
		{"a slice of an in array", levels + "array x[0..N] float64 in\nout x[*]\n" + nest, "leave this out"},
		{"one level in a reduction", levels + "reduce s = sum(u[T,i])\n" + nest, "select(t == T, u[t,i], 0)"},
		{"a first column in the body", levels + strings.Replace(nest, "\tu", "\tu[t,0] = 1\n\tu", 1), "give u[t,0] its value by init"},
		{"in place without a role", "param T, N = 3, 9\narray u[0..N] float64\nfor t = 1..T, i = 1..N {\n\tu[i] = u[i-1]\n}\n", "not as inout, which the caller gives"},
		{"a level before the nest", strings.Replace(levels, "init u[t, i] = 0", "u[0,i] = 3", 1) + nest, "init u[j, i] = select(j == 0, 3, 0)"},
		{"an edge of what the caller gives", "param T, N = 3, 9\narray u[0..N, 0..N] float64 inout\nu[0,j] = 1\nfor t = 1..T, i = 1..N, j = 1..N {\n\tu[i,j] = u[i-1,j]\n}\n", "for j = 0..N { u[0,j] = 1 }"},
		{"an array of as many dimensions", levels + "array psi[0..N] float64 in\n" + strings.Replace(nest, "u[t-1,i-1]", "u[t-1,i-1] + psj[t,i]", 1), "array psj[0..T, 0..N] float64 in"},
		{"a list of constants", levels + "const c = [0.5, 2]\n" + strings.Replace(nest, "u[t-1,i-1]", "u[t-1,i-1]*c[0]", 1), "const c[0..1] float64 = [0.5, 2]"},
		{"a float parameter of a parameter", levels + "param dx float64 = 1.0/N\n" + nest, "compute it with a let in the body of the for"},
		{"an infinite constant", strings.Replace(levels, "= 0", "= -1e308*10", 1) + nest, "-exp(1000), if it is to be infinite"},
		{"a bound of a repeat", "param N = 9\narray x[0..N] float64 inout\nrepeat t = 1..9 until s < tol {\n\treduce s = sum(x[i])\n\tfor i = 1..N {\n\t\tx[i] = x[i-1]\n\t}\n}\n", "const tol = 1e-6"},
		{"a name of two letters, of which one is a parameter", strings.Replace(levels, "0..N]", "0..Ns]", 1) + nest, "one of these: N; or param Ns = 100"},
		{"a missing array with a name like another one", levels + "array dp[0..N] float64 in\n" + strings.Replace(nest, "u[t-1,i-1]", "u[t-1,i-1]*dp[i] + d[i]", 1), "array d["},
		{"commas between the ends of ranges", strings.Replace(levels, "0..T, 0..N", "0, T, 0..N", 1) + nest, "array u[0..T, 0..N] float64"},
		{"one subscript of an init twice", strings.Replace(levels, "u[t, i] = 0", "u[t, t] = i", 1) + nest, "another name for one of the two"},
		{"a loop down that hands nothing on", levels + strings.Replace(nest, "1..T", "T..1", 1), "one of these: t = 1..T; or t = T..1 step -1"},
		{"the only result as in", "param N = 9\narray a[0..N] float64 in\ninit a[i] = 0\nfor i = 1..N {\n\ta[i] = a[i-1] + 1\n}\n", "declare a as out"},
		{"a reduction with the name of a parameter", levels + "param top float64 = 0\n" + strings.Replace(nest, "\n}", "\n\ttop = max(top, u[t,i])\n}", 1), "reduce top = max(u[t,i]), in place of the param"},
		{"a number as a condition of Python", strings.Replace(levels, "float64", "int32", 1) + strings.Replace(nest, "u[t-1,i-1]\n", "1 if i == 3 or u[t-1,i] else 0\n", 1), "select(i == 3 || u[t-1,i] != 0, 1, 0)"},
		{"a whole array in a reduction", levels + "reduce s = sum(u)\n" + nest, "u[t,i]"},
	} {
		_, diags := CompileProgram("x.loop", []byte(c.src))
		if len(diags) == 0 {
			t.Errorf("%s: nothing is said", c.name)
			continue
		}
		text := diags[0].Hint
		for _, n := range diags[0].Notes {
			text += "; " + n.Message
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s: want %s; got\n%s", c.name, c.want, rendered("x.loop", c.src, diags))
		}
	}
}
