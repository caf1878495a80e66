package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFullIsRun requires that the stage nests of .ci/run runs every test with -full that runs
// only a part of its cases without it.
func TestFullIsRun(t *testing.T) {
	script, err := os.ReadFile(filepath.Join("..", "..", ".ci", "run"))
	if err != nil {
		t.Fatal(err)
	}
	_, stage, _ := strings.Cut(string(script), "\nstage_nests() {")
	stage, _, _ = strings.Cut(stage, "\n}")
	run := map[string]bool{}
	for line := range strings.Lines(stage) {
		if pattern := regexp.MustCompile(`'\^\(?([\w|]+)\)?\$'`).FindStringSubmatch(line); pattern != nil && strings.Contains(line, " -full ") {
			for name := range strings.SplitSeq(pattern[1], "|") {
				run[name] = true
			}
		}
	}
	users := usersOfFull(t)
	if len(users) < 5 {
		t.Fatalf("only %q ask for -full", users)
	}
	for _, name := range users {
		if !run[name] {
			t.Errorf("%s runs a part of its cases without -full, and stage_nests of .ci/run does not run it with -full", name)
		}
	}
}

// usersOfFull returns the tests of this package that ask for -full, themselves or by functions
// that they call.
func usersOfFull(t *testing.T) (tests []string) {
	t.Helper()
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	words := map[string]map[string]bool{} // of each function
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Recv != nil {
				continue
			}
			words[f.Name.Name] = map[string]bool{}
			ast.Inspect(f.Body, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					words[f.Name.Name][id.Name] = true
				}
				return true
			})
		}
	}
	asks := map[string]bool{"ofAll": true}
	for grown := true; grown; {
		grown = false
		for name, used := range words {
			for word := range used {
				if !asks[name] && (asks[word] || word == "full") {
					asks[name], grown = true, true
				}
			}
		}
	}
	for name := range asks {
		if strings.HasPrefix(name, "Test") {
			tests = append(tests, name)
		}
	}
	return tests
}
