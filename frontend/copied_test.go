package frontend

import (
	"strings"
	"testing"

	"loopc/ir"
)

// TestUntypedLets divides nests with lets that have no type: they convert to the type of each use, as in a perfect
// nest, and have the values of the statements as they stand.
func TestUntypedLets(t *testing.T) {
	const header = "param N, K = 3, 2\nparam q float64 = 0.3\narray a[0..N, 0..K] T in\narray b[0..N] T inout\narray d[0..N] T inout\n"
	for _, body := range []string{
		"let h = 0.5\nlet m = 2*i + 1\nlet z = m + i\nvar s T = 0\nfor k = 0..K {\n s += h*a[i,k] + m\n}\nb[i] = s + m*z\nfor k = 0..K {\n d[i] += z*s\n}",
		"let h = i/2.0\nlet g = h + 1\nb[i] = h\nfor k = 0..K {\n b[i] += a[i,k]*g\n}\nd[i] = g",
		"let h = i*0.25\nfor k = 0..K {\n let g = h*k\n b[i] = b[i]*h + g\n}\nfor k = 0..K {\n d[i] += b[i]*h\n}",
		"let h = 2*i\nlet w = i*0.25\nfor k = 0..K {\n d[k] = d[k]*0.5 + h\n}\nfor k = 1..K {\n d[k] = d[k] + d[k-1] + h*w\n}",
		"let h = a[i,0]*2\nlet m = 3*i\nfor k = 0..K {\n b[i] += h*m\n}\nd[i] = h - m",
	} {
		src := header + "for i = 0..N {\n" + body + "\n}\n"
		p, diags := sameAsStands(t, "x.loop", strings.ReplaceAll(strings.ReplaceAll(src, " T", " float64"), "param q float64 = 0.3\n", ""))
		if p == nil {
			t.Errorf("%s\n%v", src, diags)
		}
		for _, elem := range []string{"float32", "float64"} {
			src := strings.ReplaceAll(src, " T", " "+elem)
			if p, diags := CompileProgram("x.loop", []byte(src)); p == nil {
				t.Errorf("%s\n%v", src, diags)
			}
		}
	}
	src := strings.ReplaceAll(header, " T", " float32") + "array e[0..N] float64 out\nfor i = 0..N {\n let z = q\n let h = 0.1\n for k = 0..K {\n  b[i] += h*a[i,k]*z\n }\n e[i] = h\n}\n"
	p, diags := CompileProgram("x.loop", []byte(src))
	if p == nil {
		t.Fatalf("%s\n%v", src, diags)
	}
	lets := 0
	for _, n := range p.Nests {
		for _, st := range n.Body {
			if l, ok := st.(*ir.Let); ok && l.Name == "h" {
				lets++
				if l.Type != ir.Float32 {
					t.Errorf("h is %s, and its first use float32", l.Type)
				}
			}
		}
	}
	if len(p.Nests) < 2 || lets != 2 {
		t.Errorf("%d nests have %d copies of h", len(p.Nests), lets)
	}
}
