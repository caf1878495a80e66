package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestForeignHints writes one line as in other languages. It must give one diagnostic with the
// expected hint, and with the hint in place of the line the file must compile without any.
func TestForeignHints(t *testing.T) {
	const (
		head  = "param N = 9\narray a[0..N, 0..N] float64 inout\narray b[0..N] int32 inout\n"
		loops = "for i = 1..N, j = 1..N {\n"
		body  = "\ta[i,j] = a[i-1,j]\n"
	)
	for _, c := range []struct {
		before, line, after string
		at, hint            string // what in line the hint replaces
	}{
		{head, "for (int i = 1; i < N; i++) {", "\tb[i] = 1\n}\n", "", "for i = 1..N-1 {"},
		{head, "for (i = 1; i != N + 1; i += 1) {", "\tb[i] = 1\n}\n", "", "for i = 1..N {"},
		{head, "for (int i = N - 2; i > 0; --i) {", "\tb[i] = 1\n}\n", "", "for i = N-2..1 step -1 {"},
		{head, "for i := 0; i <= N-1; i++ {", "\tb[i] = 1\n}\n", "", "for i = 0..N-1 {"},
		{head, "for i in 1..N {", "\tb[i] = 1\n}\n", "", "for i = 1..N {"},
		{head, "for i = 1:N-2 {", "\tb[i] = 1\n}\n", "", "for i = 1..N-2 {"},
		{head, "for 0 < i < N {", "\tb[i] = 1\n}\n", "", "for i = 1..N-1 {"},
		{head, "for i = 1..<N {", "\tb[i] = 1\n}\n", "1..<N", "1..N-1"},
		{head + loops, "\ta[i][j] *= a[i-1,j]", "}\n", "", ""}, // two habits
		{head + loops, "\ta[i,j] = a[i-1][j-1]", "}\n", "a[i-1][j-1]", "a[i-1,j-1]"},
		{head + loops, "\ta[i,j] = i < 3 ? 1 : 2", "}\n", "i < 3 ? 1 : 2", "select(i < 3, 1, 2)"},
		{head + loops, "\ta[i,j]++;", "}\n", "a[i,j]++", "a[i,j] = a[i,j] + 1"},
		{head + loops, "\t--a[i,j]", "}\n", "--a[i,j]", "a[i,j] = a[i,j] - 1"},
		{head + loops, "\tif (i > j && b[i] == 0) a[i,j] = 2*a[i,j-1];", "\tb[i] += 1\n}\n", "if (i > j && b[i] == 0) a[i,j] = 2*a[i,j-1];", "if i > j && b[i] == 0 { a[i,j] = 2*a[i,j-1] }"},
		{head + loops, "\tdouble s = a[i,j-1]*2", "\ta[i,j] = s\n}\n", "double s = a[i,j-1]*2", "let s float64 = a[i,j-1]*2"},
		{head + loops, "\tlet s double = a[i,j-1]", "\ta[i,j] = s\n}\n", "double", "float64"},
		{head + loops, "\tb[i] = b[i] + (int)a[i-1,j]", "\ta[i,j] += 1\n}\n", "(int)a[i-1,j]", "int32(a[i-1,j])"},
		{head + loops, "\ta[i,j] = (double)(b[i] + 1)", "\tb[i] += 1\n}\n", "(double)(b[i] + 1)", "float64(b[i] + 1)"},
		{head + loops, "\ta[i,j] = 0.5f*a[i-1,j]", "}\n", "0.5f", "0.5"},
		{head + loops, "\ta[i,j] = fabs(a[i-1,j])", "}\n", "fabs(a[i-1,j])", ""},
		// What a hint computes is what is meant, for negative numbers too.
		{head + loops, "\ta[i,j] = select(0 < a[i-1,j] < 1, 1, 0)", "}\n", "0 < a[i-1,j] < 1", "0 < a[i-1,j] && a[i-1,j] < 1"},
		{head + loops, "\ta[i,j] = select(!(2 < i <= j < 9), 1, 0)", "}\n", "(2 < i <= j < 9)", "(2 < i && i <= j && j < 9)"},
		{head + loops, "\ta[i,j] = (0 < a[i-1,j] < 9) + a[i,j]", "}\n", "(0 < a[i-1,j] < 9)", "select(0 < a[i-1,j] && a[i-1,j] < 9, 1, 0)"},
		{head + loops, "\ta[i,j] = select((i < 3) != (j < 3), 1, 0)", "}\n", "(i < 3) != (j < 3)", "(((i < 3) && !(j < 3)) || (!(i < 3) && (j < 3)))"},
		{head + loops, "\ta[i,j] = select((i < 3) == 0, 1, 0)", "}\n", "(i < 3) == 0", "!(i < 3)"},
		{head + loops, "\ta[i,j] = a[i-1,j]*(-1)**i", "}\n", "(-1)**i", "select(i/2*2 == i, 1, -1)"},
		{head + loops, "\ta[i,j] = (-1)**(i + j)*a[i-1,j]", "}\n", "(-1)**(i + j)", "select((i + j)/2*2 == i + j, 1, -1)"},
		{head + loops, "\ta[i,j] = a[i-1,j]**-1", "}\n", "a[i-1,j]**-1", "(1.0/a[i-1,j])"},
		{head + loops, "\ta[i,j] = powf(a[i-1,j], -2)", "}\n", "powf(a[i-1,j], -2)", "pow(a[i-1,j], -2)"},
		{head + loops, "\ta[i,j] = a[i-1,j]**4", "}\n", "a[i-1,j]**4", "(a[i-1,j]*a[i-1,j]*a[i-1,j]*a[i-1,j])"},
		{head + loops, "\ta[i,j] = 2**a[i-1,j]**2", "}\n", "2**a[i-1,j]**2", "pow(2, a[i-1,j]*a[i-1,j])"},
		{head + loops, "\ta[i,j] = a[i-1,j]//2 + 1", "}\n", "a[i-1,j]//2", "floor(a[i-1,j]/2)"},
		{head + "for i = 1..N {\n", "\tb[i] = (b[i-1] + 3) // 2 // of both", "}\n", "(b[i-1] + 3) // 2", "(b[i-1] + 3)/2"},
		{head + loops, "\ta[i,j] = 1 if i == N//2 else 0", "}\n", "1 if i == N//2 else 0", "select(i == N/2, 1, 0)"},
		{head + loops, "\ta[i,j] = 4a[i-1,j] + 1", "}\n", "4a[i-1,j]", "4*a[i-1,j]"},
		{head + loops, "\ta[i,j] = 0.25(a[i-1,j] + 1)", "}\n", "0.25(a[i-1,j] + 1)", "0.25*(a[i-1,j] + 1)"},
		{head + loops, "\ta[i,j] = 1.5_8*a[i-1,j]", "}\n", "1.5_8", "1.5"},
		{head + loops, "\ta[i,j] = select(i = 3, 1, 0)", "}\n", "=", ""},
		{head + loops, "\ta[i,j] = select(i /= 3, 1, 0)", "}\n", "/=", "!="},
		{head + loops, "\ta[i,j] = select(i <> 3, 1, 0)", "}\n", "<>", "!="},
		{head + loops, "\tvar s = a[i-1,j]", "\ta[i,j] = s\n}\n", "var", "let"},
		{head, "For i = 1..N {", "\tb[i] = 1\n}\n", "For", "for"},
		{head, "foreach i = 1..N {", "\tb[i] = 1\n}\n", "foreach", "for"},
		{head, "parallel for i = 1..N {", "\tb[i] = 1\n}\n", "parallel for", "for"},
		{head, "for i = 0 to N {", "\tb[i] = 1\n}\n", "", "for i = 0..N {"},
		{head, "for i = N..1 by -1 {", "\tb[i] = 1\n}\n", "by", "step"},
		{head, "for i = 1..N; j = 1..N {", body + "}\n", ";", ","},
		{head, "do i = 1, N {", "\tb[i] = 1\n}\n", "", "for i = 1..N {"},
		{head + "for i = 1..N {\n\tb[i] = 1\n", "end do", "", "", "}"},
		{head, "arry c[0..N] float64 in", loops + body + "}\n", "arry", "array"},
		{head, "params M = 3", loops + body + "}\n", "params", "param"},
		{head, "in array c[0..N] float64", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head, "array c[0:9] float64 in", loops + body + "}\n", "", "array c[0..9] float64 in"},
		{head, "double precision c(9)", loops + body + "}\n", "", "array c[1..9] float64 in"},
		{head, "real, dimension(0:N,0:N) :: c", loops + body + "}\n", "", "array c[0..N, 0..N] float32 in"},
		{head, "real*8 c(0:N)", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head + "array c[0..N, 0..N] float64\ninit c[i,j] = 1\n", "out c[N]", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "out c[N, *]"},
		{head + "array c[0..N, 0..N] float64\ninit c[i,j] = 1\n", "out c[N, :]", loops + "\tc[i,j] = c[i-1,j]\n}\n", ":", "*"},
		{head + "array c[0..N, 0..N] float64\ninit c[i,j] = 1\n", "return c[N][*]", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "out c[N, *]"},
		{head + "array c[0..N, 0..N] float64\ninit c[i,j] = 1\n", "out c(N, *)", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "out c[N, *]"},
		{head + loops, "\ta(i,j) = 3", "}\n", "a(i,j)", "a[i,j]"},
		{head, "double c[N+1][2*N];", loops + "\tc[i,j] = 1\n}\n", "double c[N+1][2*N];", "array c[0..N, 0..2*N-1] float64 inout"},
		{head, "array float c[0..N] in", loops + body + "}\n", "array float c[0..N] in", "array c[0..N] float32 in"},
		{head, "array c[N, 2] double in", loops + body + "}\n", "array c[N, 2] double in", "array c[0..N-1, 0..1] float64 in"},
		{head, "array c[0..N] double in", loops + body + "}\n", "double", "float64"},
		{head, "int M = 3;", loops + body + "}\n", "int M = 3;", "param M = 3"},
		{head, "const int M = 3;", loops + body + "}\n", "const int M = 3;", "const M = 3"},
		{head, "const double w = 0.1;", loops + body + "}\n", "const double w = 0.1;", "const w = 0.1"},
		// Words in another order, and other signs between them.
		{head, "param K = 2, M = 3", loops + body + "}\n", "", "param K, M = 2, 3"},
		{head, "param int M = 3", loops + body + "}\n", "", "param M = 3"},
		{head, "param K, M int = 2, 3", loops + body + "}\n", "", "param K, M = 2, 3"},
		{head, "M: int = 3", loops + body + "}\n", "", "param M = 3"},
		{head, "w: float = 0.3", loops + body + "}\n", "", "const w = 0.3"},
		{head, "const w = 0.3, v = 1/3.0", loops + body + "}\n", "", "const w, v = 0.3, 1/3.0"},
		{head, "c: float64[N, 2]", loops + body + "}\n", "", "array c[0..N-1, 0..1] float64 in"},
		{head, "array c[0..N] in float64", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head, "array c[0..N] in", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head, "array c[0..N] const double", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head, "array c[0..N] unsigned char input", loops + body + "}\n", "", "array c[0..N] uint8 in"},
		{head, "array c[0..N] double precision, intent(in)", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head, "array c(0:N, 3) real(8) in", loops + body + "}\n", "", "array c[0..N, 1..3] float64 in"},
		{head, "array c[0..N] real*4 in", loops + body + "}\n", "", "array c[0..N] float32 in"},
		{head, "array c[0..N][1..N] float64 in", loops + body + "}\n", "", "array c[0..N, 1..N] float64 in"},
		{head, "array c[0..N] dtype=float32 in", loops + body + "}\n", "", "array c[0..N] float32 in"},
		{head, "array c[0..N], d[1..2] float64 in", loops + body + "}\n", "", "array c[0..N] float64 in; array d[1..2] float64 in"},
		{head + loops, "\tlet float s = a[i-1,j]", "\ta[i,j] = s\n}\n", "let float s = a[i-1,j]", "let s float64 = a[i-1,j]"},
		{head + loops, "\tlet s: double = a[i-1,j]", "\ta[i,j] = s\n}\n", "let s: double = a[i-1,j]", "let s float64 = a[i-1,j]"},
		{head + loops, "\tfloat s = a[i-1,j]", "\ta[i,j] = s\n}\n", "float s = a[i-1,j]", "let s float64 = a[i-1,j]"},
		{head + loops, "\tlet r, s = a[i-1,j], 2", "\ta[i,j] = r*s\n}\n", "let r, s = a[i-1,j], 2", "let r = a[i-1,j]; let s = 2"},
		{head + loops, "\tlet a[i,j] = 2", "}\n", "let a[i,j] = 2", "a[i,j] = 2"},
		{head, "for i = 1:N, j = 2:N {", body + "}\n", "", "for i = 1..N, j = 2..N {"},
		{head, "for i in 1..N, j in 1:N {", body + "}\n", "", "for i = 1..N, j = 1..N {"},
		{head, "for i = N, 1, -1, j = 1, N {", body + "}\n", "", "for i = N..1 step -1, j = 1..N {"},
		{head, "for i = 1...N, j = 1..N {", body + "}\n", "", "for i = 1..N, j = 1..N {"},
		{head, "for (i = 1..N, j = 1..N) {", body + "}\n", "", "for i = 1..N, j = 1..N {"},
		{head, "for i = 1..N, j = 1..N, {", body + "}\n", "", "for i = 1..N, j = 1..N {"},
		{head, "repeat 3 times {", loops + body + "}\n}\n", "", "repeat t = 1..3 {"},
		{head, "repeat t in 1..3 {", loops + body + "}\n}\n", "", "repeat t = 1..3 {"},
		{head, "array c[0...N] float64 in", loops + body + "}\n", "0...N", "0..N"},
		// Inits piece by piece.
		{head + "array c[0..N, 0..N] float64\nout c[N, *]\n", "init c = 0", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "init c[i, j] = 0"},
		{head + "array c[0..N, 0..N] float64\nout c[N, *]\narray d[0..N] float64 in\n", "init c[i] = d[i]", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "init c[i, j] = d[j]"},
		{head + "array c[0..N, 0..N] float64\nout c[N, *]\narray d[0..N] float64 in\n", "init c = d", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "init c[i, j] = d[j]"},
		{head + "array c[0..N, 0..N] float64\nout c[N, *]\n", "init c[*, 0..N] = 1", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "init c[i, j] = 1"},
		{head + "array c[0..N, 0..N] float64\nout c[N, *]\n", "init c[0, k] = k", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "init c[i, k] = select(i == 0, k, 0)"},
		{head + "array c[0..N, 0..N] float64\nout c[N, *]\n", "init c[:, 1:3] = 1", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "init c[i, j] = select(1 <= j && j <= 3, 1, 0)"},
		{head + "array c[0..N, 0..N] float64\ninit c[i,j] = 1\n", "out c[N, ...]", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "out c[N, *]"},
		{head + "array c[0..N, 0..N] float64\ninit c[i,j] = 1\n", "out last = c[N, *]", loops + "\tc[i,j] = c[i-1,j]\n}\n", "", "out c[N, *]"},
		{head + loops, "\ta[i,j] = min([a[i-1,j], a[i,j-1]])", "}\n", "min([a[i-1,j], a[i,j-1]])", "min(a[i-1,j], a[i,j-1])"},
		{head + loops, "\ta[i,j] = select(b[i] == 'A', 1, 0)", "\tb[i] += 1\n}\n", "'A'", "65"},
		{head + loops, "\ta[i,j] = a[i-1,j] − 1", "}\n", "−", "-"},
		{head + loops, "\ta[i,j] = select(a[i-1,j] ≤ 1, 1, 0)", "}\n", "≤", "<="},
		{head + "array w[0..0] float64 in\n" + loops, "\ta[i,j] = w*a[i-1,j]", "}\n", "w", "w[0]"},
		{head, "boundary b[wrap]", loops + body + "}\n", "wrap", "periodic"},
		{head, "array c[0 to N] float64 in", loops + body + "}\n", "", "array c[0..N] float64 in"},
		{head, "array c[1-N] float64 in", loops + body + "}\n", "", "array c[1..N] float64 in"},
		{head, "array c[0..N] float64 in out", loops + body + "}\n", "", "array c[0..N] float64 inout"},
		{head, "param K M = 3, 4", loops + body + "}\n", "", "param K, M = 3, 4"},
		{head, "param K, M 3, 4", loops + body + "}\n", "", "param K, M = 3, 4"},
		{head, "constant w = 3", loops + body + "}\n", "constant", "const"},
		{head, "for i = N..1, -1, j = 1..N {", body + "}\n", "", "for i = N..1 step -1, j = 1..N {"},
		{head, "repeat k = 1..9 while s > 1 {", "reduce s = max(a[i,j])\n" + loops + body + "}\n}\n", "", "repeat k = 1..9 until s <= 1 {"},
		{head + loops, "\ta[i,j] = select(i === 3, 1, 0)", "}\n", "===", "=="},
		{head + loops, "\ttotal += a[i,j]*2", body + "}\n", "total += a[i,j]*2", "reduce total = sum(a[i,j]*2)"},
	} {
		src := c.before + c.line + "\n" + c.after
		_, diags := CompileProgram("x.loop", []byte(src))
		if c.hint == "" {
			if len(diags) == 0 {
				t.Errorf("%s: nothing is said", c.line)
			}
			continue
		}
		if len(diags) != 1 || diags[0].Hint != c.hint {
			t.Errorf("%s: want one error with the hint %s; got\n%s", c.line, c.hint, rendered("x.loop", src, diags))
			continue
		}
		at := c.at
		if at == "" {
			at = c.line
		}
		fixed := c.before + strings.Replace(c.line, at, c.hint, 1) + "\n" + c.after
		if strings.HasPrefix(c.hint, "reduce") { // which belongs before the for
			fixed = head + c.hint + "\n" + loops + c.after
		}
		_, diags = CompileProgram("x.loop", []byte(fixed))
		diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { // what a row declares is used nowhere
			return d.Severity == diag.Warning && strings.Contains(d.Message, " is declared, and nothing ")
		})
		if len(diags) > 0 {
			t.Errorf("%s: the hint makes it wrong:\n%s", c.line, rendered("x.loop", fixed, diags))
		}
	}
}

// TestRoleOfDeclaration: the hint must have the role that follows from the uses of the array, and
// no further error may follow.
func TestRoleOfDeclaration(t *testing.T) {
	const head, tail = "param T, N = 3, 9\n", "for t = 1..T, i = 1..N {\n\t%s\n}\n"
	for _, c := range []struct{ line, rest, body, hint string }{
		{"double s[N+1];", "array u[0..T, 0..N] float64 out\ninit u[t, i] = s[i]\n", "u[t,i] = u[t-1,i]", "array s[0..N] float64 in"},
		{"double u[T+1][N+1];", "init u[t, i] = 0\nout u[T, *]\n", "u[t,i] = u[t-1,i]", "array u[0..T, 0..N] float64"},
		{"real(8) :: u(0:T, 0:N)", "init u[t, i] = 0\n", "u[t,i] = u[t-1,i]", "array u[0..T, 0..N] float64 out"},
		{"u = zeros((T + 1, N + 1), dtype=float32)", "init u[t, i] = 0\nout u[T, *]\n", "u[t,i] = u[t-1,i]", "array u[0..T, 0..N] float32"},
		{"u = zeros((T + 1, N + 1), float32)", "init u[t, i] = 0\nout u[T, *]\n", "u[t,i] = u[t-1,i]", "array u[0..T, 0..N] float32"},
		{"u: float64[N+1]", "", "u[i] = u[i-1]", "array u[0..N] float64 inout"},
		{"array u[0..T, 0..N] double output", "init u[t, i] = 0\nout u[T, *]\n", "u[t,i] = u[t-1,i]", "array u[0..T, 0..N] float64"},
	} {
		src := head + c.line + "\n" + c.rest + strings.Replace(tail, "%s", c.body, 1)
		_, diags := Compile("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].Hint != c.hint {
			t.Errorf("%s: want one error with the hint %s; got\n%s", c.line, c.hint, rendered("x.loop", src, diags))
		}
		if _, diags := Compile("x.loop", []byte(strings.Replace(src, c.line, c.hint, 1))); len(diags) > 0 {
			t.Errorf("%s: the hint makes it wrong:\n%s", c.line, rendered("x.loop", src, diags))
		}
	}
}

// TestSeveralInits makes one init of those for parts of an array, the later inside of the
// earlier's place.
func TestSeveralInits(t *testing.T) {
	const file = "param T, N = 3, 9\narray x[0..N] float64 in\narray u[0..T, 0..N] float64 out\n%s\nfor t = 2..T, i = 1..N {\n\tu[t,i] = u[t-1,i] + u[t-2,i-1]\n}\n"
	for _, c := range []struct{ inits, hint string }{
		{"init u[0, i] = x[i]\ninit u[1, i] = 2*x[i]", "init u[t, i] = select(t == 1, 2*x[i], select(t == 0, x[i], 0))"},
		{"init u[a, b] = 7\ninit u[0, k] = x[k]", "init u[a, b] = select(a == 0, x[b], 7)"},
		{"init u = 5;\ninit u[T, 0] = 1;", "init u[t, i] = select(t == T && i == 0, 1, 5)"},
	} {
		src := strings.Replace(file, "%s", c.inits, 1)
		_, diags := Compile("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].Hint != c.hint || len(diags[0].Notes) != 1 {
			t.Errorf("%q: want one error with a note and the hint %s; got\n%s", c.inits, c.hint, rendered("x.loop", src, diags))
		}
		if _, diags := Compile("x.loop", []byte(strings.Replace(file, "%s", c.hint, 1))); len(diags) > 0 {
			t.Errorf("%q: the hint makes it wrong:\n%s", c.inits, rendered("x.loop", src, diags))
		}
	}
}

// TestUnclosed finds the block whose } is missing by indentation, and nothing that follows
// from it.
func TestUnclosed(t *testing.T) {
	const first, second = "\tfor i = 1..9 {\n\t\ta[i] = a[i-1]\n\t}\n", "\tfor i = 9..1 step -1 {\n\t\ta[i] = a[i+1]\n\t}\n"
	for _, c := range []struct {
		body string
		line int
	}{
		{"repeat t = 1..3 {\n" + strings.Replace(first, "\t}\n", "", 1) + second + "}\n", 3},
		{"repeat t = 1..3 {\n" + first + second + "for i = 1..9 {\n\ta[i] = 1\n}\n", 0},
		{"repeat t = 1..3 {\n" + first + second + "for i = 1..9 {\nfor j = 1..9 {\n\ta[i] = 1\n}\n}\n", 0},
		{"for i = 1..9 {\n\ta[i] = 1\nreduce s = sum(a[i])\nfor i = 1..9 {\n\ta[i] = a[i-1]\n}\n", 2},
	} {
		src := "array a[0..10] float64 inout\n" + c.body
		_, diags := CompileProgram("x.loop", []byte(src))
		if c.line == 0 && len(diags) > 0 && strings.Contains(diags[0].Message, "never closed") && !strings.Contains(diags[0].Message, "belongs before") {
			continue // nests of the repeat may stand there
		}
		if len(diags) != 1 || diags[0].At.Line != c.line || !strings.Contains(diags[0].Message, "never closed") {
			t.Errorf("want the { of line %d; got\n%s", c.line, rendered("x.loop", src, diags))
		}
	}
}

// TestForeignNotFound requires that no nest without mistakes has anything foreign.
func TestForeignNotFound(t *testing.T) {
	seen := 0
	for _, pattern := range []string{"testdata/*.loop", "../examples/*/*.loop", "../testdata/peers/*.loop", "depend/testdata/*.loop"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			seen++
			tokens, _ := scan(src)
			if _, diags, _ := translate(tokens); len(diags) > 0 {
				t.Errorf("%s", rendered(file, string(src), diags))
			}
		}
	}
	if seen < 25 {
		t.Errorf("only %d files were found", seen)
	}
}

// TestQuotientOrComment requires that // begins a comment wherever what follows is one.
func TestQuotientOrComment(t *testing.T) {
	const file = "param N = 9 // 8 + 1\nconst w = 0.5 // 1/2\narray a[0..N] float64 inout // 10 cells\nfor i = 1..N { // 9 rounds\n\ta[i] = a[i-1]%s\n}\n"
	for _, c := range []struct {
		rest     string
		severity string
	}{
		{"// as before", ""}, {" // the 2nd", ""}, {" // 2 of these", ""}, {" // w", ""}, {"//", ""}, {" // (see above)", ""}, {" // = 3", ""}, {" // N cells", ""},
		{"//2", "error"}, {" // 2", "error"}, {"//N", "error"}, {"//(N + 1)*3", "error"}, {" // a[i] + 1", "warning"},
	} {
		src := strings.Replace(file, "%s", c.rest, 1)
		got := ""
		_, diags := Compile("x.loop", []byte(src))
		for _, d := range diags {
			if d.At.Line == 5 {
				got = d.Severity.String()
			}
		}
		if got != c.severity {
			t.Errorf("%q: %q; want %q", c.rest, got, c.severity)
		}
	}
}
