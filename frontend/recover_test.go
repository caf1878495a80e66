package frontend

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// TestOneMistake makes one mistake in programs that have none: it leaves a word or sign
// out, or writes it twice. What is then reported behind the first mistake in the syntax,
// in its line or of syntax anywhere, is nonsense.
func TestOneMistake(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"../examples/*/*.loop", "../testdata/language/*.loop"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	const every = 8
	mistakes := 0
	first, end := irtest.Part(20, 1) // of twenty of these tokens
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		tokens, _ := scan(src)
		for k, word := range tokens {
			// What becomes of blocks is no matter of one statement.
			if word.kind == tokEOF || word.kind == tokComment || word.is("schedule") || word.is("{") || word.is("}") || k%every > 0 {
				continue
			}
			if part := k / every % 20; part < first || part >= end {
				continue
			}
			for _, text := range []string{"", word.text + " " + word.text} {
				edited := replaced(src, word, text)
				_, diags := CompileProgram(file, []byte(edited))
				if len(diags) == 0 || diags[0].Code != diag.Syntax || strings.Contains(edited, "/*") {
					continue
				}
				mistakes++
				for _, d := range diags[1:] {
					if d.Code == diag.Syntax || d.At.Line == diags[0].At.Line {
						t.Errorf("%s, token %d: %q becomes %q:\n%s", file, k, word.text, text, rendered(file, edited, diags))
						break
					}
				}
			}
		}
	}
	if mistakes < 24*(end-first) {
		t.Errorf("there were only %d mistakes in the syntax; the test proves nothing", mistakes)
	}
}

// replaced returns src with text in place of a token.
func replaced(src []byte, t token, text string) string {
	lines := strings.SplitAfter(string(src), "\n")
	line := []rune(lines[t.pos.Line-1])
	end := t.pos.Col - 1 + len([]rune(t.text))
	lines[t.pos.Line-1] = string(line[:t.pos.Col-1]) + text + string(line[end:])
	return strings.Join(lines, "")
}

// TestReadOn: mistakes behind the first one of a statement are reported with it if they are
// certain. Nothing else is reported.
func TestReadOn(t *testing.T) {
	const before, after = "param N = 9\narray A[0..N, 0..N] float64 inout\nfor i = 1..N, j = 1..N {\n\t", "\n}\n"
	for _, c := range []struct{ statement, want string }{
		{"A[i,j] = (A[i-1,j] 2) + (3 4)", "2, 4"},
		{"A[i,j] = max(A[i 1,j], 4 5)", "1, 5"},
		{"A[i,j] = (3 4\n\t\t+ 5 6\n\t\t+ 7)", "4, 6"},
		{"A[i,j] = 3 4 +\n\t\t5 6 +\n\t\tq", "4, 6, unknown name q"},
		{"A[i,j] = min(A[i,j], 2 3)*p + q", "3, unknown name p, unknown name q"},
		{"A[i,j] = select(A[i,j] 0, 1, p)", "0"}, // the number of arguments is open
		{"A[i,j] = A[i-1 0,j]*select((1 2), p, 3)", "0, 2, unknown name p"},
		{"let s = 1 2\n\tA[i,j] = s + p", "2, unknown name p"},
		{"let s = 1 2\n\tA[i,j] = select(s > 0, s, 3)", "2"},
		{"A[i j] = p + 3 4", "j"},                       // what it writes is open
		{"A[i,j] = 3 (4 + 5", "this ( is never closed"}, // as is where a bracket ends
		{"A[i,j] = 3) + 4 5", "): no ( is open"},
		{"A[0..N, 0..N] float64 in", ".."},
	} {
		_, diags := Compile("t.loop", []byte(before+c.statement+after))
		if got := words(diags); got != c.want {
			t.Errorf("%q: %s, want %s\n%s", c.statement, got, c.want, rendered("t.loop", before+c.statement+after, diags))
		}
	}
	for _, c := range []struct{ header, want string }{
		{"param N = 3 4, 5 6", "4, 6"},
		{"param N, M 3 4, 5 6", "3"},
		{"array A[0..N 1..N, 0 1] float64 in oops", "1, 1, oops"},
		{"init A[i 2, j 3] = 4 5", "2, 3, 5"},
		{"out A[N 2, * *]", "2, *"},
		{"for i = 1..N step, j = 1.N, k = ..N {", ",, N, .."},
		{"for = 1..N, j = 1.N {", "="},
		{"extern func f(a b c, d e f) float64", "c"},
	} {
		_, diags := Parse("t.loop", []byte(c.header))
		var syntax []diag.Diagnostic
		for _, d := range diags {
			if d.Code == diag.Syntax && !strings.Contains(d.Message, "never closed") {
				syntax = append(syntax, d)
			}
		}
		if got := words(syntax); got != c.want {
			t.Errorf("%q: %s, want %s\n%s", c.header, got, c.want, rendered("t.loop", c.header, diags))
		}
	}
	many := before + "A[i,j] = max(" + strings.Repeat("1 2, ", 50) + "3)" + after
	if _, diags := Compile("t.loop", []byte(many)); len(diags) != diag.MaxShown+1 {
		t.Errorf("%d of 50 mistakes of one statement are told, want %d and that there are more", len(diags), diag.MaxShown)
	}
}

// words joins what diags say.
func words(diags []diag.Diagnostic) string {
	var out []string
	for _, d := range diags {
		out = append(out, strings.TrimPrefix(fmt.Sprint(d.Message), "unexpected "))
	}
	return strings.Join(out, ", ")
}
