package frontend

import (
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
)

// TestEnds does what the report of a header of another language says, with all its notes: the nest must then be right, whatever ended
// its blocks.
func TestEnds(t *testing.T) {
	const head = "param N = 9\narray a[0..N, 0..N] float64 inout\n"
	const one = "for i = 1..N, j = 1..N {\n\ta[i,j] = a[i-1,j]\n}\n"
	const chosen = "for i = 1..N, j = 1..N {\n\tif i > j {\n\t\ta[i,j] = a[i-1,j]\n\t}\n}\n"
	const otherwise = "for i = 1..N, j = 1..N {\n\tif i > j {\n\t\ta[i,j] = 1\n\t} else {\n\t\ta[i,j] = a[i-1,j]\n\t}\n}\n"
	const two = "for i = 1..N {\n\ta[i,0] = 0\n\tfor j = 1..N {\n\t\ta[i,j] = a[i,j-1]\n\t}\n}\n"
	for _, c := range []struct{ loops, want string }{
		{"do i = 1, N\n  do j = 1, N\n    a[i,j] = a[i-1,j]\n  end do\nend do\n", one},
		{"do i = 1, N\n  do j = 1, N\n    a[i,j] = a[i-1,j]\n  enddo; enddo\n", one},
		{"do i = 1, N; do j = 1, N\n    a[i,j] = a[i-1,j]\n  end do\nend do\n", one},
		{"do i = 1, N\n  do j = 1, N\n    a[i,j] = a[i-1,j]\n}\n", one},
		{"for i in range(1, N+1):\n    for j in range(1, N+1):\n        a[i,j] = a[i-1,j]\n", one},
		{"for i in range(1, N+1), j in range(1, N+1):\n    a[i,j] = a[i-1,j]\n", one},
		{"for i in 1..=N, j in 1..=N {\n    a[i,j] = a[i-1,j]\n}\n", one},
		{"for (int i = 1; i <= N; i++)\n  for (int j = 1; j <= N; j++)\n    a[i,j] = a[i-1,j]\n", one},
		{"for (int i = 1; i <= N; i++) for (int j = 1; j <= N; j++) {\n    a[i,j] = a[i-1,j]\n}\n", one},
		{"for (int i = 1; i <= N; i++) {\n  for (int j = 1; j <= N; j++) {\n    a[i,j] = a[i-1,j]\n  }\n}\n", one},
		{"for (int i = 1; i <= N; i++)\n{\n  for (int j = 1; j <= N; j++)\n  {\n    a[i,j] = a[i-1,j]\n  }\n}\n", one},
		{"for (int i = 1; i <= N; i++) for (int j = 1; j <= N; j++)\n{\n    a[i,j] = a[i-1,j]\n}\n", one},
		{"for i = 1:N\n  for j = 1:N\n    a[i,j] = a[i-1,j]\n  end\nend\n", one},
		{"for i = 1..N, j = 1..N:\n    a[i,j] = a[i-1,j]\n", one},
		{"for i in 1..N, j in 1..N:\n    a[i,j] = a[i-1,j]\n", one},
		{"for i = 1..N, j = 1..N {\n  if (i > j) then\n    a[i,j] = a[i-1,j]\n  end if\n}\n", chosen},
		{"for i = 1..N, j = 1..N {\n  if i > j:\n    a[i,j] = a[i-1,j]\n}\n", chosen},
		{"for i = 1..N, j = 1..N {\n  if (i > j)\n    a[i,j] = a[i-1,j]\n}\n", chosen},
		{"for i = 1..N, j = 1..N {\n  if (i > j .and. j > 0) then\n    a[i,j] = a[i-1,j]\n  endif\n}\n", chosen},
		{"do i = 1, N\n  do j = 1, N\n    if (i > j) then\n      a[i,j] = 1\n    else\n      a[i,j] = a[i-1,j]\n    end if\n  end do\nend do\n", otherwise},
		{"for i in range(1, N+1):\n  for j in range(1, N+1):\n    if i > j:\n      a[i,j] = 1\n    else:\n      a[i,j] = a[i-1,j]\n", otherwise},
		{"for i in range(1, N+1):\n  a[i,0] = 0\n  for j in range(1, N+1):\n    a[i,j] = a[i,j-1]\n", two},
		{"do i = 1, N\n  a[i,0] = 0\n  do j = 1, N\n    a[i,j] = a[i,j-1]\n  end do\nend do\n", two},
		{"for (int i = 1; i <= N; i++) {\n  a[i,0] = 0;\n  for (int j = 1; j <= N; j++)\n    a[i,j] = a[i,j-1];\n}\n", two},
	} {
		want := head + c.want
		right, _ := CompileProgram("x.loop", []byte(want))
		src := head + c.loops
		told := ""
		_, diags := CompileProgram("x.loop", []byte(src))
		for _, d := range slices.Backward(diags) {
			told = rendered("x.loop", src, []diag.Diagnostic{d}) + told
			src = replacedAt([]byte(withNotes(src, &d)), d.At, strings.TrimSuffix(d.Hint, " {")+map[bool]string{true: " {"}[strings.HasSuffix(d.Hint, " {") && !braceBehind(src, d.At)])
		}
		if got, _ := CompileProgram("x.loop", []byte(src)); got == nil || !sameResults(resultsOf(right), resultsOf(got)) {
			t.Errorf("%s\nbecomes\n%s\n%s", c.loops, src, told)
		}
	}
}

// braceBehind reports whether a brace stands behind a place of a source.
func braceBehind(src string, at diag.Span) bool {
	line := []rune(strings.Split(src, "\n")[at.Line-1])
	return strings.HasPrefix(strings.TrimSpace(string(line[min(len(line), at.Col-1+at.Len):])), "{")
}
