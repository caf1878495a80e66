package frontend

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// TestHintsAreRight applies every hint, for mistakes of all kinds. An example must parse. With a
// replacement in its place, the mistake must be gone, and its line must have no more errors than
// before, except of the kinds that the compiler finds only when all names are known.
func TestHintsAreRight(t *testing.T) {
	t.Parallel()
	hints := map[diag.HintKind]int{}
	first, end := irtest.Part(10, 1) // of ten programs
	for k, src := range mistaken(t) {
		if k%10 < first || k%10 >= end {
			continue
		}
		_, diags := CompileProgram("x.loop", []byte(src))
		for _, d := range diags {
			if d.Hint == "" {
				continue
			}
			hints[d.Kind]++
			complaint := ""
			switch d.Kind {
			case diag.Example, diag.Pattern:
				if !readable(d.Hint) {
					complaint = fmt.Sprintf("%q is nothing that the grammar has", d.Hint)
				}
			case diag.Replacement:
				complaint = replacementFault(src, d, diags)
			case diag.Advice:
			}
			if complaint != "" {
				t.Errorf("%s\n%s", complaint, rendered("x.loop", src, []diag.Diagnostic{d}))
			}
		}
	}
	t.Logf("%d examples, %d patterns, %d replacements, %d sentences", hints[diag.Example], hints[diag.Pattern], hints[diag.Replacement], hints[diag.Advice])
	if parts := end - first; hints[diag.Example]+hints[diag.Pattern] < 45*parts || hints[diag.Replacement] < 30*parts {
		t.Errorf("only %d examples and %d replacements; the test proves nothing", hints[diag.Example], hints[diag.Replacement])
	}
}

// mistaken returns programs with mistakes: the test data, and good programs in which
// something is left out, doubled, misspelled or written as elsewhere.
func mistaken(t *testing.T) []string {
	t.Helper()
	all := writtenMistakes(t)
	rng := rand.New(rand.NewPCG(28, 6))
	elsewhere := []string{
		"%", "**", "^", ">>", "++", "+=", "&&", "and", "not", "if", "else", "?", ":", "==", "=", "true", "pow", "sign", "round", "isnan(", "][", "(", ")", "[", "]", "{", "0.5", "double", "int", "do", "end", "!", "1/2", "i/2", "..", ",", "let", "for", "step 2", "max",
	}
	for _, pattern := range []string{"../examples/*/*.loop", "../testdata/language/*.loop"} {
		for _, src := range textsOf(t, pattern) {
			tokens, _ := scan([]byte(src))
			for range 18 {
				word := tokens[rng.IntN(len(tokens)-1)]
				if word.kind == tokComment {
					continue
				}
				text := elsewhere[rng.IntN(len(elsewhere))]
				switch rng.IntN(5) {
				case 0:
					text = ""
				case 1:
					text = word.text + " " + text
				case 2:
					text = word.text + text
				case 3:
					if r := []rune(word.text); len(r) > 1 {
						k := rng.IntN(len(r) - 1)
						r[k], r[k+1] = r[k+1], r[k]
						text = string(r)
					}
				}
				all = append(all, replaced([]byte(src), word, text))
			}
		}
	}
	return all
}

// writtenMistakes returns programs with mistakes that were written as such.
func writtenMistakes(t *testing.T) (all []string) {
	t.Helper()
	for _, text := range textsOf(t, "../testdata/diag/*.loop") {
		all = append(all, strings.Split(text, "\n---\n")...)
	}
	for _, text := range textsOf(t, "testdata/newcomer/*.txt") {
		all = append(all, strings.Split(text, "\n---\n")...)
	}
	for _, file := range habitFiles(t) {
		_, list := habitsOf(t, file)
		for _, h := range list {
			all = append(all, h.src)
		}
	}
	// Every function, number and type that others have, in floats and in integers.
	body := func(line string) { all = append(all, typingHeader+"\t"+line+"\n}\n") }
	for _, name := range slices.Sorted(maps.Keys(functionsElsewhere)) {
		for _, args := range []string{"f8[i-1] + 1", "-f8[i], f8[0]", "f8[i] - 1, 2, i*N"} {
			body("f8[i] = 1 - " + name + "(" + args + ")")
		}
		body("i8[i] = " + name + "(i8[0])")
	}
	for _, call := range []string{"pow(f8[i], 2)", "pow(-f8[i], 3)", "pow(f8[i] + 1, 0.5)", "pow(f8[0], f8[i])", "mod(i, 2)", "fmod(f8[i], 0.5)", "len(f8)", "sum(f8[i])", "print(f8[i])", "f8(i)"} {
		body("f8[i] = 2/" + call)
		body("f8[i] = -" + call + "*3")
	}
	for _, name := range slices.Sorted(maps.Keys(numbersElsewhere)) {
		body("f8[i] = 2*" + name)
		body("f8[i] = select(" + name + " && !" + name + ", 1, 2)")
	}
	for _, name := range slices.Sorted(maps.Keys(conditionsElsewhere)) {
		body("f8[i] = select(!" + name + "(f8[i]) || " + name + "(-f8[i-1]), 1, 2)")
	}
	for _, name := range []string{"int8", "int16", "uint16", "uint32", "uint64", "bool", "half", "f32", "i64", "double", "real", "flaot64", "whatever"} {
		body("let x " + name + " = 3; f8[i] = x")
		all = append(all, "param N = 3\narray u[0.."+"N] "+name+" inout\nfor i = 1..N {\n\tu[i] = 3\n}\n")
	}
	for _, line := range []string{"f8[i] = i/2", "f8[i] = N/i + 1/N", "f8[i] = (i - 1)/(i + 1)", "f8[i] = 1/9", "i4[i] = 7/2", "i4[i] = -7/2", "i4[7/2] = 3", "f8[i] = two/three"} {
		body(line)
	}
	for _, loop := range []string{"for i = 1..9 step 2 {", "for i = 9..1 step -3 {", "for i = N..1 {", "for i = max(1, N-2)..9 step 2 {", "for i = 0..N step 2 {"} {
		all = append(all, "param N = 9\narray u[0..9] float64 inout\n"+loop+"\n\tu[i] = 3\n}\n")
	}
	for _, line := range []string{"param dt = 0.1", "param dt, n = 0.1, 3", "const h = 1/9", "u[0] = 1", "u[i] = 3*i", "init u[i][j] = 0", "x = 3", "u(3) = 4", "reduce s = mean(u[i])"} {
		all = append(all, line+"\narray u[0..9] float64 inout\nfor i = 1..9 {\n\tu[i] = 3\n}\n")
	}
	// A header that ends in a comma goes on in the next line: braces before the comma are no cure.
	all = append(all, "param T, N = 3, 9\narray u[0..N] float64 inout\nfor t = 1..T, i = 1..N ,\n\tu[i] = u[i-1] + 1\n}\n")
	return all
}

// textsOf returns the contents of files.
func textsOf(t *testing.T, pattern string) (texts []string) {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: no files: %v", pattern, err)
	}
	for _, f := range files {
		src, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(src))
	}
	return texts
}

// replacementFault says what is wrong with a replacement, "" for nothing.
func replacementFault(src string, d diag.Diagnostic, before []diag.Diagnostic) string {
	lines := strings.Split(src, "\n")
	if d.Replace.Line < 1 || d.Replace.Line > len(lines) {
		return "it has no place"
	}
	l := []rune(lines[d.Replace.Line-1])
	if d.Replace.Col-1+d.Replace.Len > len(l) {
		return "its place is beyond the line"
	}
	lines[d.Replace.Line-1] = string(l[:d.Replace.Col-1]) + d.Hint + string(l[d.Replace.Col-1+d.Replace.Len:])
	fixed := strings.Join(lines, "\n")
	_, after := CompileProgram("x.loop", []byte(fixed))
	same := func(x diag.Diagnostic) func(diag.Diagnostic) bool {
		return func(y diag.Diagnostic) bool { return y.At == x.At && y.Code == x.Code && y.Message == x.Message }
	}
	if slices.ContainsFunc(after, same(d)) {
		return fmt.Sprintf("with %q in its place the mistake is still there", d.Hint)
	}
	syntax := func(list []diag.Diagnostic) (n int) {
		for _, x := range list {
			if x.At.Line == d.At.Line && (x.Code == diag.Syntax || x.Code == diag.IllegalCharacter) {
				n++
			}
		}
		return n
	}
	if syntax(after) > syntax(before) {
		return fmt.Sprintf("with %q in its place the line is\n%s\nwhich cannot be read:\n%s", d.Hint, lines[d.Replace.Line-1], rendered("x.loop", fixed, after))
	}
	errors := func(list []diag.Diagnostic) (n int) {
		for _, x := range list {
			// What depends on what is seen only when all names are known.
			if x.At.Line == d.At.Line && x.Severity == diag.Error && !slices.Contains([]diag.Code{diag.NonUniform, diag.OutOfBounds, diag.NotSupplied}, x.Code) &&
				(x.Code != diag.Boundary || strings.Contains(lines[d.At.Line-1], "boundary")) {
				n++
			}
		}
		return n
	}
	if errors(after) > errors(before) {
		return fmt.Sprintf("with %q in its place the line is\n%s\nand has more mistakes:\n%s", d.Hint, lines[d.Replace.Line-1], rendered("x.loop", fixed, after))
	}
	return ""
}

// TestLinesInPieces writes lines of which rules know pieces only. Each line has one report, which offers no text that is made of a
// piece, and names that the line was to declare have none.
func TestLinesInPieces(t *testing.T) {
	const head, body = "param N = 9\narray u[0..N] float64 inout\n", "for i = 1..N {\n\tu[i] = u[i-1] + a[i]\n}\n"
	for _, line := range []string{
		"let a: Vec<f64> = (0..N).map(|i| i as f64 * 0.5).collect();",
		"let a: [[i64; 300]; 300] = load();",
		"vector<vector<int>> a(N + 1, vector<int>(N + 1, 0));",
		"type a [N][N]float64",
	} {
		src := head + line + "\n" + body
		_, diags := CompileProgram("x.loop", []byte(src))
		if len(diags) != 1 || diags[0].At.Line != 3 || diags[0].Hint != "" && diags[0].Kind != diag.Pattern {
			t.Errorf("want one report, without a text to type:\n%s", rendered("x.loop", src, diags))
		}
	}
	for _, c := range []struct{ src, want, not string }{
		{"a = [0]\nfor i = 1..N {\n\tun = u[i-1]\n\tu[i] = un[i]\n}\n", "un has subscripts", "let un"},
		{"int t = 0;\nwhile (t++ < N) {\n\tfor i = 1..N {\n\t\tu[i] = u[i-1]\n\t}\n}\n", "t changes", "param t"},
		{"v = zeros(N)\ncopyto!(v, u)\nfor i = 1..N\n\tu[i] = v[i]\nend\n", "inout", "] float64 in\n"},
		{"u = np.full(N+1, 0.5)\nfor i in range(1, N):\n\tu[i] = u[i-1]\n", "u[i] = 0.5", "array u"},
		{"array float w[N+2] inout\ninit w = 0\nfor i = 1..N {\n\tw[i] = u[i]\n}\n", "array w[0..N+1]", "belongs"},
		{"for i in eachindex(u)\n\tu[i] = 1\nend\n", "for i = 0..N {", "belongs"},
		{"e = 1.0\nwhile (e > 0.1) {\n\te = 0\n\tfor (int i = 1; i < N; i++)\n\t\te = fmax(e, fabs(u[i]))\n\te++;\n}\n", "", "max(e, abs"},
		{"b = 4*ones(1,N);\nfor i = 1:N\n\tu(i) = b(i);\nend\n", "", "let b"},
	} {
		_, diags := CompileProgram("x.loop", []byte(head+c.src))
		text := ""
		for _, d := range diags {
			text += d.Message + "\n" + d.Hint + "\n"
		}
		if !strings.Contains(text, c.want) || strings.Contains(text, c.not) {
			t.Errorf("want %q, not %q:\n%s", c.want, c.not, rendered("x.loop", head+c.src, diags))
		}
	}
}

// TestPlaceAsSubscript follows the hint for the place of a reduction as a subscript.
func TestPlaceAsSubscript(t *testing.T) {
	src := "array A[0..9, 0..9] float64 in\narray row[0..9] float64 out\nreduce big, p = max(A[i,0]) at (i)\nfor i = 0..9 {}\nfor j = 0..9 {\n\trow[j] = A[p,j]\n}\n"
	_, diags := CompileProgram("x.loop", []byte(src))
	declared, set, found := "array place[0..0] int64", "for l = 0..0 { place[l] = p }", false
	for _, d := range diags {
		found = found || strings.Contains(d.Hint, declared) && strings.Contains(d.Hint, set) && strings.Contains(d.Hint, "place[0] as the subscript")
	}
	if !found {
		t.Errorf("no hint says how an array hands a place on:\n%s", rendered("x.loop", src, diags))
	}
	src = declared + "\n" + strings.NewReplacer("A[p,j]", "A[place[0],j]", "for j", set+"\nfor j").Replace(src)
	if _, diags = CompileProgram("x.loop", []byte(src)); slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }) {
		t.Errorf("what the hint says is refused:\n%s", rendered("x.loop", src, diags))
	}
}
