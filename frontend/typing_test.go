package frontend

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/ir/irtest"
)

// typingHeader declares an array of each type, named after it, for the bodies of
// the tests below.
const typingHeader = `param N = 4
const half, two, three = 0.5, 2, 3
array u1[0..9] uint8 inout
array i4[0..9] int32 inout
array i8[0..9] int64 inout
array f4[0..9] float32 inout
array f8[0..9] float64 inout
for i = 0..9 {
`

// bodyText parses the statements, and returns their text form, in which every
// type and every conversion but silent ones is written out.
func bodyText(t *testing.T, body string) string {
	t.Helper()
	text := mustParse(t, "x.loop", typingHeader+body+"\n}\n").String()
	_, text, _ = strings.Cut(text, "{\n")
	text = strings.TrimSuffix(text, "\n}\n")
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n\t", "; "), "\t", "")
}

func TestTyping(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		// Lets: the widest of the typed leaves; literals and indices adapt.
		{"let s = u1[i] + i4[i]; i8[i] = s", "let s int32 = u1[i] + i4[i]; i8[i] = s"},
		{"let s = i4[i] + f4[i]; f8[i] = s", "let s float64 = i4[i] + f4[i]; f8[i] = s"},
		{"let s = u1[i] + f4[i]; f8[i] = s", "let s float32 = u1[i] + f4[i]; f8[i] = s"},
		{"let s = i*u1[i] + N; i8[i] = s", "let s uint8 = i*u1[i] + N; i8[i] = s"},
		{"let s = select(f8[i] < 1, u1[i], 3); i4[i] = s", "let s uint8 = select(f8[i] < 1.0, u1[i], 3); i4[i] = s"},
		// Of indices, parameters and integer constants alone: int64, or a type in which
		// nobody sees a difference.
		{"let s = i*N; f4[i] = s*2", "let s int64 = i*N; f4[i] = float32(s)*2"},
		{"let s = i*N; i4[i] = s*2", "let s int32 = i*N; i4[i] = s*2"},
		{"let s = i*N; i4[i] = s*2; i8[i] = s", "let s int64 = i*N; i4[i] = int32(s)*2; i8[i] = s"},
		{"let s = i/2; i4[i] = s", "let s int64 = i/2; i4[i] = int32(s)"},
		{"let s = i; let t = max(s, N); f4[i] = t", "let s float32 = i; let t float32 = max(s, N); f4[i] = t"},
		{"let s = -i; f4[i] = s", "let s int64 = -i; f4[i] = float32(s)"},
		{"let s = i; f8[i] = select(s < f4[i], 1, 2)", "let s float32 = i; f8[i] = select(s < f4[i], 1, 2)"},
		{"let s = i; f8[i] = select(s < f4[i], 1, s)", "let s int64 = i; f8[i] = select(float32(s) < f4[i], 1, float64(s))"},
		{"let s = i - i/2*2; f8[i] = select(s == 1, 1, 0) + 0*s", "let s int64 = i - i/2*2; f8[i] = select(s == 1, 1, 0) + 0*float64(s)"},
		{"let s = i; let t = s/2; f8[i] = t", "let s int64 = i; let t int64 = s/2; f8[i] = float64(t)"},
		{"let s = i; let t = s/2.0; f8[i] = t", "let s float64 = i; let t float64 = s/2; f8[i] = t"},
		{"let s = i; let t = u1[i] + s; i4[i] = t", "let s uint8 = i; let t uint8 = u1[i] + s; i4[i] = t"},
		{"let s = i; i4[i] = select(u1[i] + s < 9, 1, 2)", "let s int64 = i; i4[i] = select(int64(u1[i]) + s < 9, 1, 2)"},
		// The same of constants, whose values are known.
		{"let s = 3; i4[i] = s; f8[i] = s", "let s int32 = 3; i4[i] = s; f8[i] = s"},
		{"let s = 3; f8[i] = s; i4[i] = s", "let s float64 = 3; f8[i] = s; i4[i] = int32(s)"},
		{"let s = 3000000000; f8[i] = s; i4[i] = s", "let s float64 = 3e+09; f8[i] = s; i4[i] = int32(int64(s))"},
		{"let s = 3000000000; i4[i] = s", "let s int64 = 3000000000; i4[i] = int32(s)"},
		{"let s = select(i < 2, 5, -4); f4[i] = s/2", "let s float32 = select(i < 2, 5, -4); f4[i] = s/2"},
		{"let s = select(i < 2, 5, -4); let t = s/2; f4[i] = t", "let s int64 = select(i < 2, 5, -4); let t int64 = s/2; f4[i] = float32(t)"},
		{"let s = select(i < 2, 0, 1); let t = -s; f4[i] = t", "let s int64 = select(i < 2, 0, 1); let t int64 = -s; f4[i] = float32(t)"},
		{"let s = select(i < 2, 0, 1); f8[i] = select(s != 1, s, 2)", "let s float64 = select(i < 2, 0, 1); f8[i] = select(s != 1.0, s, 2)"},
		{"let s = select(i < 2, 0, 1); f8[i] = select(s/2 == 1, s, 2)", "let s float64 = select(i < 2, 0, 1); f8[i] = select(int64(s)/2 == 1, s, 2)"},
		{"let s = 3; let t = s; let u = t + 1; f4[i] = u", "let s float32 = 3; let t float32 = s; let u float32 = t + 1; f4[i] = u"},
		{"let s = 3; let t = s + u1[i]; i4[i] = t; i8[i] = s", "let s uint8 = 3; let t uint8 = s + u1[i]; i4[i] = t; i8[i] = s"},
		{"let s = 300; i4[i] = select(u1[i] < s, 1, 2)", "let s int64 = 300; i4[i] = select(int64(u1[i]) < s, 1, 2)"},
		{"let s = 3; f8[i] = select(s < i4[i], 1, 2)", "let s int32 = 3; f8[i] = select(s < i4[i], 1, 2)"},
		{"let s = 3; f8[i] = select(s < i, 1, 2)", "let s int64 = 3; f8[i] = select(s < i, 1, 2)"},
		{"let s = 3; let t = 0.5; f8[i] = select(s < t, 1, 2)", "let s float64 = 3; let t float64 = 0.5; f8[i] = select(s < t, 1, 2)"},
		{"let s = 3; f8[i] = 1", "let s int64 = 3; f8[i] = 1"},
		// With a constant that has a fraction, that of the first use that has a type.
		{"let s = 0.5*i; f4[i] = s; f8[i] = s", "let s float32 = 0.5*i; f4[i] = s; f8[i] = s"},
		{"let s float32 = u1[i] + 1; f8[i] = s", "let s float32 = u1[i] + 1; f8[i] = s"},
		// Comparisons and conversions are typed by themselves.
		{"f4[i] = select(u1[i]*2 == i4[i], 1, 2)", "f4[i] = select(int32(u1[i])*2 == i4[i], 1, 2)"},
		{"f4[i] = select(i4[i] < f4[i], 1, 2)", "f4[i] = select(float64(i4[i]) < float64(f4[i]), 1, 2)"},
		{"f4[i] = select(u1[i] < i, 1, 2)", "f4[i] = select(int64(u1[i]) < i, 1, 2)"},
		{"f4[i] = select(f4[i] < i, 1, 2)", "f4[i] = select(f4[i] < i, 1, 2)"},
		{"f4[i] = select(i/2 < N, 1, 2)", "f4[i] = select(i/2 < N, 1, 2)"},
		{"f4[i] = select(i/2.0 < N, 1, 2)", "f4[i] = select(i/2.0 < N, 1, 2)"},
		{"f4[i] = select(sqrt(i) < 3, 1, 2)", "f4[i] = select(sqrt(i) < 3.0, 1, 2)"},
		{"f4[i] = float32(i4[i]*i4[i])", "f4[i] = float32(i4[i]*i4[i])"},
		{"f4[i] = float32(u1[i]*i4[i])", "f4[i] = float32(int32(u1[i])*i4[i])"},
		{"f4[i] = float32(i8[i])", "f4[i] = float32(i8[i])"},
		{"u1[i] = uint8(3) + uint8(u1[i])", "u1[i] = 3 + u1[i]"},
		{"f8[i] = float64(i/2)", "f8[i] = float64(i/2)"},
		{"f8[i] = float64(f8[i]*f8[i]) + 1", "f8[i] = float64(f8[i]*f8[i]) + 1"},
		{"f8[i] = float32(0.1)", "f8[i] = float32(0.1)"},
		{"f8[i] = float64(0.1)", "f8[i] = 0.1"},
		{"f8[i] = float32(i4[i]) + float64(float32(u1[i]))", "f8[i] = float32(i4[i]) + float32(u1[i])"},
		// Everything silent.
		{"f8[i] = u1[i] + i4[i] + f4[i] + i + N", "f8[i] = u1[i] + i4[i] + f4[i] + i + N"},
		// Precedence and association.
		{"f8[i] = f8[0] - (f8[1] - f8[2]) - f8[3]", "f8[i] = f8[0] - (f8[1] - f8[2]) - f8[3]"},
		{"f8[i] = (f8[0] + f8[1])*-f8[2]/(f8[3]*f8[4])", "f8[i] = (f8[0] + f8[1])*-f8[2]/(f8[3]*f8[4])"},
		{"f8[i] = select(i < 1 || i > 2 && !(i == 3 || i != 4), 1, 2)", "f8[i] = select(i < 1 || i > 2 && !(i == 3 || i != 4), 1, 2)"},
		{"f8[i] = select((i < 1 || i > 2) && i <= 7, -(+f8[i]), - -f8[i])", "f8[i] = select((i < 1 || i > 2) && i <= 7, -f8[i], --f8[i])"},
	} {
		if got := bodyText(t, c.body); got != c.want {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", c.body, got, c.want)
		}
	}
}

// TestFolding checks constant subexpressions: exact, and folded as far as Go
// would, to the left.
func TestFolding(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"f8[i] = two*three*f8[i]", "f8[i] = 6*f8[i]"},
		{"f8[i] = f8[i]*two*three", "f8[i] = f8[i]*two*three"},
		{"f8[i] = 1/3*f8[i]", "f8[i] = 0*f8[i]"},
		{"f8[i] = 1/3.0*f8[i]", "f8[i] = 0.3333333333333333*f8[i]"},
		{"f4[i] = 1/3.0*f4[i]", "f4[i] = 0.33333334*f4[i]"},
		{"f8[i] = 0.1 + 0.2", "f8[i] = 0.3"},
		{"f8[i] = 1e400/1e399", "f8[i] = 10"},
		{"f8[i] = -7/2 + f8[i]", "f8[i] = -3 + f8[i]"},
		{"i4[i] = 0x10 + 0b11 + 0o17 + 1_000 + 017", "i4[i] = 1049"},
		{"i4[i] = 2.5*2", "i4[i] = 5"},
		{"f8[i] = max(1, 2.5, half) + min(3, 2) + abs(-2) + abs(half)", "f8[i] = 7"},
		{"f8[i] = sqrt(4)", "f8[i] = sqrt(4)"},
		{"f8[i] = 3/max(1, 2.0)", "f8[i] = 1.5"},
		{"i8[i] = 9223372036854775807 + i8[i]", "i8[i] = 9223372036854775807 + i8[i]"},
		{"i8[i] = -9223372036854775808", "i8[i] = -9223372036854775808"},
		{"f8[i] = half - -half*i", "f8[i] = half - -0.5*i"},
	} {
		if got := bodyText(t, c.body); got != c.want {
			t.Errorf("%s\nis read as\n%s\nwant\n%s", c.body, got, c.want)
		}
	}
}

// TestReads checks that reads are numbered in textual order.
func TestReads(t *testing.T) {
	n := mustParse(t, "x.loop", typingHeader+"let s = i4[1] + i4[2]\n\tf8[i] = select(f8[3] < f8[4], max(f8[5], f8[6]), float64(i8[7])) + s\n}\n")
	if len(n.Reads) != 7 {
		t.Fatalf("%d reads", len(n.Reads))
	}
	for k, r := range n.Reads {
		stmt := 0
		if k >= 2 {
			stmt = 1
		}
		if r.ID != k || r.Subs[0].Const != k+1 || n.ReadStmt[k] != stmt {
			t.Errorf("read %d is %+v of statement %d", k, r, n.ReadStmt[k])
		}
	}
}

// TestAffine checks subscripts and bounds by their text form.
func TestAffine(t *testing.T) {
	src := "param N, M = 3, 4\nconst c = 2.0\narray a[0..N*c-(1-M)*3, -N..+(7/2)] int32 in\narray x[0..N] int32 out\ninit x[k] = 0\n" +
		"for i = max(1, max(2, N-M), min(5, 4))..N, j = 2*(i-1)-i..min(M, min(N, i)) {\n\tx[j-c] = a[i+i-j*(3-c), 2*i-i-i]\n}\n"
	text := mustParse(t, "x.loop", src).String()
	for _, want := range []string{
		"array a[0..2*N+3*M-3, -N..3] int32 in\n",
		"for i = max(1, 2, N-M, 4)..N, j = i-2..min(M, N, i) {\n",
		"\tx[j-2] = a[2*i-j,0]\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text form lacks %q:\n%s", want, text)
		}
	}
}

// TestLanguageExamples reads the four examples of the language's definition.
func TestLanguageExamples(t *testing.T) {
	for _, file := range []string{"pipeline", "diffusion", "gauss_seidel", "smith_waterman"} {
		src, err := os.ReadFile("testdata/" + file + ".loop")
		if err != nil {
			t.Fatal(err)
		}
		n, diags := Compile(file+".loop", src)
		if n == nil || len(diags) > 0 {
			t.Errorf("%s:\n%s", file, rendered(file, string(src), diags))
			continue
		}
		if n.Name != file || n.Analysis == nil {
			t.Errorf("%s: name %s, analysis %v", file, n.Name, n.Analysis)
		}
	}
}

// TestReductions checks the operation and the type of reductions.
func TestReductions(t *testing.T) {
	src := "param N = 3\nconst c = 1.5\narray b[0..N] uint8 in\narray x[0..N] int32 out\narray y[0..N] float32 out\ninit x[k] = 0\ninit y[k] = 0\n" +
		"reduce a = max(x[i])\nreduce d = min(b[i])\nreduce e = sum(int64(b[i]))\nreduce f = sum(1)\nreduce g = sum(c*y[i-1])\n" +
		"reduce h = max(x[i] - i)\nreduce o = sum(sqrt(i))\nreduce p = sum(x[i]*y[i])\nreduce q = min(s)\n" +
		"for i = 1..N {\n\tlet s = 3\n\tx[i] = x[i-1] + b[i]\n\ty[i] = y[i-1]/2\n}\n"
	n := mustParse(t, "x.loop", src)
	want := []string{
		"a max int32", "d min uint8", "e sum int64", "f sum int64", "g sum float32", "h max int64", "o sum float64", "p sum float64", "q min int64",
	}
	var got []string
	for _, r := range n.Reduces() {
		got = append(got, fmt.Sprintf("%s %s %s", r.Name, r.Op, r.Type))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the reductions are %q, want %q", got, want)
	}
	checkRoundTrips(t, "x.loop", src, n)
}

// TestNames checks the name of a nest that follows from a file name.
func TestNames(t *testing.T) {
	for file, want := range map[string]string{
		"a/b/pipeline.loop": "pipeline", "2d-wave.loop": "n2d_wave", "-": "nest", "größe.x.loop": "größe_x", ".loop": "nest", "": "nest",
	} {
		if got := nestName(file); got != want {
			t.Errorf("nestName(%q) = %q, want %q", file, got, want)
		}
	}
}

// TestRandomRoundTrips prints and formats random nests.
func TestRandomRoundTrips(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	first, end := irtest.Part(200, 30)
	for k := range end {
		src := irtest.RandomNest(rng)
		if k < first {
			continue
		}
		if n, _ := Parse("random.loop", []byte(src)); n != nil {
			checkRoundTrips(t, "random.loop", src, n)
		}
	}
}

// TestHints applies the hint of a diagnostic to the place it is at, and compiles
// again.
func TestHints(t *testing.T) {
	for _, body := range []string{
		"f4[i] = i4[i]", "f8[i] = f8[i] + i8[0]", "f8[i] = select(f8[i], 1, 2)", "f8[i] = i < 3",
		"i4[i] = sqrt(i4[i])", "f8[i] = mxa(1, 2)", "f8[i] = hafl*2", "f8[i] = 1/3", "let x flaot64 = 3; f8[i] = x",
		"let x = f8[i]; f4[i] = 1 - x",
	} {
		src := typingHeader + "\t" + body + "\n}\n"
		_, diags := Parse("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].Hint == "" {
			t.Errorf("%s: want one diagnostic with a hint\n%s", body, rendered("x.loop", src, diags))
			continue
		}
		d := diags[0]
		lines := strings.Split(src, "\n")
		l := []rune(lines[d.At.Line-1])
		lines[d.At.Line-1] = string(l[:d.At.Col-1]) + d.Hint + string(l[d.At.Col-1+d.At.Len:])
		fixed := strings.Join(lines, "\n")
		if n, diags := Parse("x.loop", []byte(fixed)); n == nil || len(diags) > 0 {
			t.Errorf("%s: the hint %q does not help:\n%s", body, d.Hint, rendered("x.loop", fixed, diags))
		}
	}
}

// TestExamplesCompile compiles every example of the project.
func TestExamplesCompile(t *testing.T) {
	files, err := filepath.Glob("../examples/*/*.loop")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		n, diags := Parse(file, src)
		if n == nil {
			t.Errorf("%s", rendered(file, string(src), diags))
			continue
		}
		checkRoundTrips(t, file, string(src), n)
	}
}
