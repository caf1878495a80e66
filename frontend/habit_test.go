package frontend

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// A habit is one mistake in a nest that is right: what stands in the place of what.
type habit struct{ right, wrong, src string }

// habitsOf reads a file of testdata/habits: a nest, and mistakes, each after a line of ---. A
// mistake is a correct piece of the nest, a line of =>, and the wrong piece that replaces it. If
// the piece is a closing brace, its last occurrence is replaced, else its first.
func habitsOf(t *testing.T, file string) (nest string, list []habit) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n---\n")
	nest = parts[0] + "\n"
	for _, part := range parts[1:] {
		right, wrong, ok := strings.Cut(part, "\n=>\n")
		at := strings.Index(nest, right)
		if right == "}" {
			at = strings.LastIndex(nest, right)
		}
		if !ok || at < 0 {
			t.Fatalf("%s: %q is nothing in the nest", file, part)
		}
		list = append(list, habit{right, wrong, nest[:at] + wrong + nest[at+len(right):]})
	}
	return nest, list
}

// habitFiles are the files of testdata/habits.
func habitFiles(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("testdata/habits/*.txt")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d nests: %v", len(files), err)
	}
	return files
}

// TestHabits makes one mistake at a time in correct nests, each a habit of C, Fortran, Python,
// Julia or MATLAB. It compares the diagnostics of NAME.txt with NAME.want, which a person has read
// and found helpful.
func TestHabits(t *testing.T) {
	for _, file := range habitFiles(t) {
		eachHabit(t, file, func(habit, []diag.Diagnostic) {})
	}
}

// eachHabit requires that the nest of a file is correct. It compares the diagnostics of each
// mistake with the golden file, and calls f with the mistake and its diagnostics.
func eachHabit(t *testing.T, file string, f func(h habit, diags []diag.Diagnostic)) {
	t.Helper()
	nest, list := habitsOf(t, file)
	if _, diags := CompileProgram("x.loop", []byte(nest)); len(diags) > 0 {
		t.Errorf("%s is not right:\n%s", file, rendered("x.loop", nest, diags))
	}
	var got bytes.Buffer
	for _, h := range list {
		prog, diags := CompileProgram("x.loop", []byte(h.src))
		if prog == nil && !diag.HasErrors(diags) {
			t.Errorf("%s: no program, and no error, of %q", file, h.wrong)
		}
		fmt.Fprintf(&got, "==== %q, not %q\n%s", h.wrong, h.right, rendered("x.loop", h.src, diags))
		f(h, diags)
	}
	irtest.Golden(t, strings.TrimSuffix(file, ".txt")+".want", got.Bytes())
}

// TestBrackets leaves out one bracket of programs that are right, or writes it twice, and
// requires that nothing else is told: what follows from it is no mistake of its own.
func TestBrackets(t *testing.T) {
	brackets, told := 0, 0
	first, end := irtest.Part(4, 1) // of four brackets
	for _, file := range habitFiles(t) {
		nest, _ := habitsOf(t, file)
		tokens, _ := scan([]byte(nest))
		for _, bracket := range tokens {
			if bracket.kind != tokOp || !strings.Contains("()[]{}", bracket.text) {
				continue
			}
			if brackets++; brackets%4 < first || brackets%4 >= end {
				continue
			}
			for _, text := range []string{"", bracket.text + bracket.text} {
				src := replaced([]byte(nest), bracket, text)
				_, diags := CompileProgram("x.loop", []byte(src))
				if told++; len(diags) != 1 {
					t.Errorf("%q for %s, line %d: want one mistake:\n%s", text, bracket.text, bracket.pos.Line, rendered("x.loop", src, diags))
				} else if d := diags[0]; d.At.Line != bracket.pos.Line && !strings.Contains(d.Message, "{") {
					t.Errorf("%q for %s, line %d, is told elsewhere:\n%s", text, bracket.text, bracket.pos.Line, rendered("x.loop", src, diags))
				}
			}
		}
	}
	if told < 125*(end-first) {
		t.Errorf("only %d brackets; the test proves nothing", told)
	}
	for _, src := range []string{"for j = 1..N, j = 1..N {", "for i = 1..N, i = 1..N {", "for j, j {"} { // the name that is missing is not told of
		src = "param N = 9\narray u[0..N, 0..N] float64 inout\n" + src + "\n\tu[i,j] = u[i-1,j-1]\n}\n"
		if _, diags := CompileProgram("x.loop", []byte(src)); len(diags) != 1 || diags[0].Code == diag.UnknownName {
			t.Errorf("want one mistake:\n%s", rendered("x.loop", src, diags))
		}
	}
}
