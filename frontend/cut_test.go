package frontend

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"loopc/ir/diag"
	"loopc/ir/irtest"
)

// TestCutOff cuts the ends, and drops the beginnings and single tokens, of programs with mistakes and foreign habits.
// The compiler must not panic on a file that ends early, or lacks declarations or a word.
func TestCutOff(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"testdata/*.loop", "../testdata/diag/*.loop", "testdata/mended/*.loop"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	const parts = 100
	first, end := irtest.Part(parts, 1) // of a hundred of the tokens
	var cuts atomic.Int64
	t.Run("files", func(t *testing.T) {
		for _, file := range files {
			t.Run(filepath.Base(file), func(t *testing.T) {
				t.Parallel()
				src, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				for _, chunk := range strings.Split(string(src), "\n---\n") {
					tokens, _ := scan([]byte(chunk))
					for k, word := range tokens {
						if part := k % parts; part < first || part >= end {
							continue
						}
						at := offset(chunk, word)
						for _, text := range []string{chunk[:at], chunk[at:], chunk[:at] + chunk[min(at+len(word.text), len(chunk)):]} {
							cuts.Add(1)
							if said := panics(text); said != "" {
								t.Errorf("%s: %s\n%s", file, said, text)
							}
						}
					}
				}
			})
		}
	})
	if cuts.Load() < int64(160*(end-first)) {
		t.Errorf("%d cuts prove nothing", cuts.Load())
	}
}

// offset is the place of a token in src, in bytes.
func offset(src string, x token) int {
	at := 0
	for range x.pos.Line - 1 {
		at += strings.IndexByte(src[at:], '\n') + 1
	}
	line := []rune(src[at:])
	return at + len(string(line[:min(x.pos.Col-1, len(line))]))
}

// panics returns what a panic says of src, and where; nothing without one.
func panics(src string) (said string) {
	defer func() {
		if x := recover(); x != nil {
			said = fmt.Sprintf("%v\n%s", x, debug.Stack())
		}
	}()
	CompileProgram("cut.loop", []byte(src))
	return ""
}

// TestOpenAtTheEnd reads files of other languages whose last token is an opening bracket.
func TestOpenAtTheEnd(t *testing.T) {
	const array = "param N = 4\narray u[0..N] float64 inout\n"
	for _, line := range []string{"let x = ", "let mut x = vec!", "let x: [f64; 4] = ", "for v in ", "for v in enumerate", "array w = ", "array w[0..2] float64 = ", "const w = ", "w = ", "w = np.array", "u = ", "u[1:] = ", "s = sum", "s += sum", "x = max(u", "x = u", "u[:] = u", "u[i,:] = 0.5*(u", "u = 2*u"} {
		for _, body := range []string{line, "for i = 1..N {\n\t" + line, "repeat t = 1..N {\n" + line} {
			for _, bracket := range "([{" {
				src := array + body + string(bracket)
				if _, diags := CompileProgram("x.loop", []byte(src)); !diag.HasErrors(diags) {
					t.Errorf("accepted: %s", src)
				}
			}
		}
	}
}
