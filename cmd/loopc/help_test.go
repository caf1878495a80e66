package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
)

// TestLanguageHelpCompiles compiles every example of the language reference
// without any diagnostic, warnings included, and requires the layout of loopc fmt.
func TestLanguageHelpCompiles(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range languageHelp {
		if seen[s.Title] {
			t.Errorf("two sections have the title %s", s.Title)
		}
		seen[s.Title] = true
		for line := range strings.Lines(s.Text) {
			if len([]rune(strings.TrimSuffix(line, "\n"))) > 76 {
				t.Errorf("%s: this line is too wide:\n%s", s.Title, line)
			}
		}
		var complaints strings.Builder
		a := &app{stdout: io.Discard, stderr: &complaints}
		if _, err := a.lower(&source{path: "example.loop", name: "example", text: []byte(s.Example)}, true); err != nil {
			t.Errorf("%s: %v\n%s", s.Title, err, &complaints)
		}
		if formatted, _ := frontend.Format("example.loop", []byte(s.Example)); string(formatted) != s.Example {
			t.Errorf("%s: loopc fmt makes of the example\n%s", s.Title, formatted)
		}
	}
}

// TestLanguageHelpIsComplete requires that every word and sign that the grammar
// knows, and every type, built-in function and kind of reduction, occurs in an
// example of the reference: who extends the language has to document it.
func TestLanguageHelpIsComplete(t *testing.T) {
	var examples strings.Builder
	for _, s := range languageHelp {
		for line := range strings.Lines(s.Example) {
			code, _, _ := strings.Cut(line, "//")
			examples.WriteString(code + "\n")
		}
	}
	used := map[string]bool{}
	for _, token := range regexp.MustCompile(`\w+|<<=|>>=|[-+*/.=!<>&|^%]{2}|[^\s\w]`).FindAllString(examples.String(), -1) {
		used[token] = true
	}
	literals := grammarLiterals(t)
	if len(literals) < 30 || !slices.Contains(literals, "reduce") || !slices.Contains(literals, "..") {
		t.Fatalf("these are not the words and signs of the grammar: %q", literals)
	}
	for _, word := range append(literals, "select", "max", "min", "sum") {
		if !used[word] {
			t.Errorf("no example uses %s", word)
		}
	}
	for _, typ := range ir.Types() {
		if !used[typ.String()] {
			t.Errorf("no example uses %s", typ)
		}
	}
	for _, f := range ir.Funcs() {
		if !used[f.String()] {
			t.Errorf("no example uses %s", f)
		}
	}
}

// grammarLiterals returns what stands between quotes in the grammar: the keywords
// and signs of the language, brackets included.
func grammarLiterals(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "frontend", "grammar.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var literals []string
	ast.Inspect(file, func(n ast.Node) bool {
		field, ok := n.(*ast.Field)
		if !ok || field.Tag == nil {
			return true
		}
		tag, err := strconv.Unquote(field.Tag.Value)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`'([^']+)'`).FindAllStringSubmatch(parserOf(reflect.StructTag(tag)), -1) {
			literals = append(literals, m[1])
		}
		return true
	})
	slices.Sort(literals)
	return slices.Compact(literals)
}
