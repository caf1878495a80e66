package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loopc/frontend"
	"loopc/ir"
	"loopc/ir/diag"
	"loopc/runtime/boundary"
)

// A construct is one thing that a .loop file can say. Its name is found in the
// grammar, or among the types, functions and words that package ir and the schedule
// have (see constructNames), or stands for a rule that the grammar does not show.
type construct struct {
	// use is a regular expression that finds the construct in the text of a file without comments.
	use string
	// parse is a file that uses the construct, or statements for bodyOf. It compiles without any
	// diagnostic, and the text form of the result holds text.
	parse, text string
	// misuse is a file that must not compile, or statements for bodyOf. One of its diagnostics
	// has the code.
	misuse string
	code   diag.Code
}

// bodyOf returns the file that a row's text stands for. A text without for and param is a body, and
// gets declarations and a for.
func bodyOf(src string) string {
	if strings.Contains(src, "for ") || strings.Contains(src, "param ") {
		return src
	}
	return `param N = 9
array a[0..9] float64 inout
array b[0..9] float64 in
array n[0..9] int64 inout
for i = 1..N {
	` + src + "\n}\n"
}

// TestConstructs requires of every construct of the language that it parses to what
// it means, that its misuse is diagnosed, that a file which .ci/run verifies uses it
// (and so is compared with the sequential loops, and by TestLanguage with the
// interpreter), and an example of loopc help language, which
// TestLanguageHelpCompiles compiles. The list of constructs comes from the grammar:
// who extends it has to add a row.
func TestConstructs(t *testing.T) {
	rows := languageConstructs()
	for _, name := range constructNames(t) {
		if _, ok := rows[name]; !ok {
			t.Errorf("the language has %s, and languageConstructs no row for it", name)
		}
	}
	for name := range rows {
		if !slices.Contains(constructNames(t), name) && !strings.HasPrefix(name, "rule: ") {
			t.Errorf("languageConstructs has a row for %s, which the language has not", name)
		}
	}
	verified := verifiedFiles(t)
	var examples []string
	for _, s := range languageHelp {
		examples = append(examples, withoutComments(s.Example))
	}
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		c := rows[name]
		t.Run(name, func(t *testing.T) {
			use := regexp.MustCompile(c.use)
			checkParses(t, use, bodyOf(c.parse), c.text)
			checkMisuse(t, bodyOf(c.misuse), c.code)
			if !slices.ContainsFunc(verified, use.MatchString) {
				t.Errorf("no file that .ci/run verifies has %q", c.use)
			}
			if !slices.ContainsFunc(examples, use.MatchString) {
				t.Errorf("no example of loopc help language has %q", c.use)
			}
		})
	}
}

// checkParses requires that src, which uses the construct, compiles, and that its text
// form holds text.
func checkParses(t *testing.T, use *regexp.Regexp, src, text string) {
	t.Helper()
	if !use.MatchString(src) {
		t.Errorf("what is parsed has no %q:\n%s", use, src)
	}
	p, diags := frontend.CompileProgram("x.loop", []byte(src))
	diags = slices.DeleteFunc(diags, func(d diag.Diagnostic) bool { // bodyOf declares more than a body needs
		return d.Severity == diag.Warning && strings.Contains(d.Message, " is declared, and nothing ")
	})
	if p == nil || len(diags) > 0 {
		t.Fatalf("%v\n%s", diags, src)
	}
	got := p.StepsText()
	for _, n := range p.Nests {
		got += n.String()
		if n.Schedule != nil {
			got += fmt.Sprintf("%+v", *n.Schedule)
		}
	}
	if text == "" || !strings.Contains(got, text) {
		t.Errorf("%q is not in\n%s", text, got)
	}
}

// checkMisuse requires that a diagnostic of src has the code, and that src does not compile, unless
// the code is ConstantDivision, which is a warning.
func checkMisuse(t *testing.T, src string, code diag.Code) {
	t.Helper()
	p, diags := frontend.CompileProgram("x.loop", []byte(src))
	said := slices.ContainsFunc(diags, func(d diag.Diagnostic) bool { return d.Code == code })
	if p != nil && code != diag.ConstantDivision || !said {
		t.Errorf("misused, it gives %v, not %s:\n%s", diags, code, src)
	}
}

// verifiedFiles returns the files that the verify stage of .ci/run runs, without
// comments: loopc verify compares them with the sequential loops under many plans.
func verifiedFiles(t *testing.T) (texts []string) {
	t.Helper()
	script, err := os.ReadFile(filepath.Join("..", "..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	stage := regexp.MustCompile(`(?s)stage_verify\(\) \{.*?for example in ([^;]+); do\n.*? verify "\$example"`).FindSubmatch(script)
	if stage == nil {
		t.Fatal("the verify stage of .ci/run is not what it was")
	}
	for pattern := range strings.FieldsSeq(string(stage[1]) + " testdata/language/*.loop") { // TestLanguage verifies the latter
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, error %v", pattern, len(files), err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, withoutComments(string(text)))
		}
	}
	return texts
}

// withoutComments returns the text of a file without what follows //.
func withoutComments(text string) string {
	return regexp.MustCompile(`(?m)[ \t]*//.*$`).ReplaceAllString(text, "")
}

// constructNames returns the constructs that can be found where the language is
// defined: every literal of a production of the grammar but separators, every part
// of a production that may be missing, and every word that has a meaning elsewhere.
func constructNames(t *testing.T) []string {
	t.Helper()
	var names []string
	separators := []string{"[", "]", "(", ")", ",", "=", "."}
	for _, f := range grammarFields(t) {
		for _, m := range regexp.MustCompile(`'([^']+)'`).FindAllStringSubmatch(f.parser, -1) {
			if !slices.Contains(separators, m[1]) {
				names = append(names, f.production+": "+m[1])
			}
		}
		if strings.HasSuffix(f.parser, "?") || strings.Contains(f.parser, "? '") || strings.HasPrefix(f.parser, "('=' @String") {
			names = append(names, f.production+": with "+f.name)
		}
	}
	for _, typ := range ir.Types() {
		names = append(names, "type: "+typ.String())
	}
	for _, f := range ir.Funcs() {
		names = append(names, "function: "+f.String())
	}
	for op := ir.ReduceMax; op <= ir.ReduceSum; op++ {
		names = append(names, "reduction: "+op.String())
	}
	for _, word := range boundary.Words() {
		names = append(names, "edge: "+word)
	}
	for _, word := range scheduleStrings(t) {
		names = append(names, "schedule: "+word)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A grammarField is a field of a production of the grammar, with the expression that
// parses it.
type grammarField struct{ production, name, parser string }

// grammarFields returns the fields of the productions in frontend/grammar.go.
func grammarFields(t *testing.T) (fields []grammarField) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "frontend", "grammar.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok {
			return true
		}
		production, ok := spec.Type.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range production.Fields.List {
			if f.Tag == nil {
				continue
			}
			tag, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				t.Fatal(err)
			}
			fields = append(fields, grammarField{strings.TrimSuffix(spec.Name.Name, "Syntax"), f.Names[0].Name, parserOf(reflect.StructTag(tag))})
		}
		return true
	})
	if len(fields) < 40 {
		t.Fatalf("these are not the fields of the grammar: %v", fields)
	}
	return fields
}

// parserOf returns the expression that parses a field, with the signs that the kinds of tokens in it stand for.
func parserOf(tag reflect.StructTag) string {
	if signs := tag.Get("signs"); signs != "" {
		return "@(" + signs + ")"
	}
	return tag.Get("parser")
}

// scheduleStrings returns the entries of a schedule, and the words that they may be
// set to, as frontend/schedule.go and package ir list them.
func scheduleStrings(t *testing.T) (words []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "frontend", "schedule.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	object := file.Scope.Lookup("scheduleNames")
	if object == nil {
		t.Fatal("frontend/schedule.go has no scheduleNames")
	}
	ast.Inspect(object.Decl.(ast.Node), func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if word := strings.Trim(lit.Value, `"`); !strings.Contains(word, " ") { // no example
				words = append(append(words, word), ir.ScheduleWords(word)...)
			}
		}
		return true
	})
	if len(words) < 20 {
		t.Fatalf("these are not the words of a schedule: %q", words)
	}
	return words
}
