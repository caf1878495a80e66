package vector

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/eval"
	"loopc/transform"
)

// TestNarrowBody narrows the types in bodies of nests, at indices far from 0. Results must keep
// their bits, the types of operands must fit their expressions (ir.Nest.Verify), and lets that are
// no longer read must be dead.
func TestNarrowBody(t *testing.T) {
	for _, c := range []struct {
		elem, body string
		held       string // of the lets, those that stay live
		same       bool   // nothing is narrowed
	}{
		{"float64", "let s = i + 2*j\nu[i,j] = u[i-1,j] + 0.5*s", "", false},
		{"float32", "let s = i + 2*j\nu[i,j] = u[i-1,j] + 0.5*s", "", false},
		{"int32", "let s = i + 2*j\nu[i,j] = u[i-1,j] + int32(s)", "", false},
		// Below 2^31 as an integer, and above as a lane.
		{"float32", "let s = 64*i\nu[i,j] = u[i-1,j] + 0.5*s", "s", true},
		{"float32", "let s = 16*i + 1073741824\nu[i,j] = u[i-1,j] + 0.5*s", "s", true},
		{"float32", "u[i,j] = select(64*i > j, u[i-1,j], 1)", "", true},
		{"int32", "let s = 64*i\nu[i,j] = u[i-1,j] + int32(s)", "", false},
		// Comparisons need both sides.
		{"float64", "u[i,j] = select(i > 2*j, u[i-1,j], 1)", "", false},
		{"float32", "u[i,j] = select(i >= j + 1, u[i-1,j], 1)", "", false},
		{"float32", "let s = i*i\nu[i,j] = select(i < s, u[i-1,j], 1)", "s", true},
		{"float32", "let s = i*i\nu[i,j] = select(s < i, u[i-1,j], 1)", "s", true},
		// Lets of lets, and one of which there is another use.
		{"float64", "let s = i - j\nlet v = 2*s\nu[i,j] = u[i-1,j] + 0.5*v", "", false},
		{"float64", "let s = i - j\nlet v = s/2\nu[i,j] = u[i-1,j] + 0.5*s + float64(v)", "v", false},
		// Other integers, of which intervals show that they are small enough, and some that may not be.
		{"float64", "u[i,j] = u[i-1,j] + 0.5*float64(min(i, j) - i*2)", "", false},
		{"float64", "u[i,j] = u[i-1,j] + float64((i - j)*(j - i))*-0.5 + float64((j - i)/3)", "", false},
		{"float64", "let p = i + j - (i + j)/2*2\nu[i,j] = select(p == 0, u[i-1,j], float64(-p))", "p", false},
		{"float32", "let p = j - j/2*2\nu[i,j] = select(p == 0, u[i-1,j], float32(-p))", "p", false},
		{"float32", "u[i,j] = select(abs(i - j) > 1 || i == N, u[i-1,j], 1)", "", false},
		{"int32", "u[i,j] = u[i-1,j] + int32(max(i, j + 1)/-3)", "", false},
		{"int32", "let b uint8 = 200\nlet s = uint8(i) + b\nu[i,j] = u[i-1,j] + int32(s*b)", "s", false},
		{"float64", "let c int32 = int32(i - j) + 7\nu[i,j] = select(c > 5, u[i-1,j], float64(c))", "c", false},
		{"float64", "let c int32 = 2147483647\nu[i,j] = select(c + int32(j) > 5, u[i-1,j], 1)", "c", true},
		{"float64", "u[i,j] = u[i-1,j] + float64(i*i*j)", "", true},
		{"float64", "u[i,j] = u[i-1,j] + float64(N/i)", "", true},
		// Constants on either side, and those whose product wraps.
		{"float64", "let s = i*2 - 3*j\nu[i,j] = u[i-1,j] + 0.5*s", "", false},
		{"float64", "let s = i*1073741824*1073741824*16\nu[i,j] = u[i-1,j] + 0.5*s", "s", true},
		{"float64", "let s = 4*(4611686018427387904*i)\nu[i,j] = u[i-1,j] + 0.5*s", "s", true},
		{"float32", "let s = i - i + 65535*65537\nu[i,j] = u[i-1,j] + 0.5*s", "s", true},
		// Sums in the type of the let, which are not of 64 bits.
		{"int32", "let s int32 = int32(i)*3\nu[i,j] = u[i-1,j] + s", "s", false},
		{"float64", "let s float64 = 0.5\nu[i,j] = u[i-1,j] + s", "s", true},
	} {
		for _, bits := range []int{26, 29} {
			t.Run(fmt.Sprintf("%s %s %d", c.elem, c.body, bits), func(t *testing.T) {
				s := narrowedShape(t, c.elem, c.body, bits)
				sameResults(t, s)
				held := ""
				for k, stmt := range s.n.Body {
					if let, ok := stmt.(*ir.Let); ok && s.live[k] {
						held += let.Name
					}
				}
				if held != c.held {
					t.Errorf("the lets %q are live, want %q", held, c.held)
				}
				if slices.Contains(s.given, false) {
					t.Error("what the caller knows of its statements is changed")
				}
				if same := s.n == s.before; same != c.same {
					t.Errorf("narrowed: %v, want %v", !same, !c.same)
				}
			})
		}
	}
}

// A narrowedNest is the shape of a nest after narrow, and the nest before that.
type narrowedNest struct {
	*Shape
	before *ir.Nest
	given  []bool // live, as the caller has given it
}

// narrowedShape narrows a body whose loops run about the largest coordinates.
func narrowedShape(t *testing.T, elem, body string, bits int) *narrowedNest {
	t.Helper()
	src := fmt.Sprintf("param N = %d\narray u[N-4..N, N-4..N] %s out\ninit u[x, y] = x - y\nfor i = N-3..N, j = N-3..N {\n%s\n}\n", 1<<bits, elem, body)
	n, diags := frontend.Compile("test.loop", []byte(src))
	if n == nil {
		t.Fatalf("%v\n%s", diags, src)
	}
	l, p, diags := transform.Lower(n)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	live := slices.Repeat([]bool{true}, len(n.Body))
	s := &Shape{n: n, l: l, p: p, live: live, lane: n.Arrays[0].Elem.Size()}
	s.narrowBody(bits)
	return &narrowedNest{s, n, live}
}

// sameResults runs a nest as it was and as it is narrowed.
func sameResults(t *testing.T, s *narrowedNest) {
	t.Helper()
	if err := s.n.Verify(); err != nil {
		t.Errorf("the narrowed nest: %v", err)
	}
	params := []int{*s.before.Params[0].Default}
	want, err := eval.Run(s.before, params, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := eval.Run(s.n, params, nil)
	if err != nil {
		t.Fatal(err)
	}
	if cell, ok := eval.Diff(got["u"], want["u"]); !ok {
		t.Errorf("cell %v differs", cell)
	}
}

// TestNarrowDoubled has lets each of which is twice the one before: 2^60 terms, which must not be
// counted one by one, and factors that lanes cannot hold as constants.
func TestNarrowDoubled(t *testing.T) {
	for _, use := range []string{"float64 0.5*", "int32 int32"} {
		elem, use, _ := strings.Cut(use, " ")
		for lets, same := range map[int]bool{20: false, 60: true} {
			var body strings.Builder
			body.WriteString("let v0 = i - j\n")
			for k := 1; k <= lets; k++ {
				fmt.Fprintf(&body, "let v%d = v%d + v%d\n", k, k-1, k-1)
			}
			fmt.Fprintf(&body, "u[i,j] = u[i-1,j] + %s(v%d)", use, lets)
			s := narrowedShape(t, elem, body.String(), 26)
			sameResults(t, s)
			if got := s.n == s.before; got != same {
				t.Errorf("%s, %d lets: narrowed: %v, want %v", elem, lets, !got, !same)
			}
		}
	}
}
