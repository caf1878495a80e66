package frontend

import (
	"strings"
	"testing"
)

// TestFormsOfLets applies the hints for lets and sums in subscripts and bounds, and for statements in a loop that they do not use,
// and compares the results with those of the same for without them.
func TestFormsOfLets(t *testing.T) {
	const square = "param N = 6\narray A[1..N, 1..N] float64 inout\n"
	const splits = "repeat len = 2..N {\n\tfor i = 1..N-len+1, j = i+len-1..i+len-1, k = i..j-1 {\n\t\tA[i,j] = min(A[i,j], A[i,k] + A[k+1,j])\n\t}\n}\n"
	for _, c := range []struct{ name, wrong, right string }{
		{"a let in a header", "for len = 2..N, i = 1..N-len+1, k = i..i+len-2 {\n\tlet j = i+len-1\n\tA[i,j] = min(A[i,j], A[i,k] + A[k+1,j])\n}\n", splits},
		{"a sum behind a loop", "for d = 1..N-1, i = 1..N-d {\n\tvar best float64 = 1000\n\tfor k = i..i+d-1 {\n\t\tbest = min(best, A[i,k] + A[k+1,i+d])\n\t}\n\tA[i,i+d] = best\n}\n",
			"repeat d = 1..N-1 {\n\tfor i = 1..N-d, j = i+d..i+d {\n\t\tA[i,j] = 1000\n\t}\n\tfor i = 1..N-d, j = i+d..i+d, k = i..j-1 {\n\t\tA[i,j] = min(A[i,j], A[i,k] + A[k+1,j])\n\t}\n}\n"},
		{"a division", "for k = 1..N-1, i = k+1..N, j = k+1..N {\n\tA[i,k] = A[i,k]/(9 + abs(A[k,k]))\n\tA[i,j] = A[i,j] - A[i,k]*A[k,j]\n}\n",
			"for k = 1..N-1 {\n\tfor i = k+1..N {\n\t\tA[i,k] = A[i,k]/(9 + abs(A[k,k]))\n\t\tfor j = k+1..N {\n\t\t\tA[i,j] = A[i,j] - A[i,k]*A[k,j]\n\t\t}\n\t}\n}\n"},
	} {
		_, diags := CompileProgram("x.loop", []byte(square+c.wrong))
		if len(diags) != 1 || !strings.HasPrefix(diags[0].Hint, "in place of this for, ") {
			t.Errorf("%s:\n%s", c.name, rendered("x.loop", square+c.wrong, diags))
			continue
		}
		form := strings.TrimPrefix(diags[0].Hint, "in place of this for, ")
		if p, more := formAsStands(t, c.name, square+c.right, square+form+"\n"); p == nil {
			t.Errorf("%s: %s\n%v", c.name, form, more)
		}
	}
}
