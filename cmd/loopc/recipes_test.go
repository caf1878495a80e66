package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"loopc/ir"
)

// A recipe is a section of CONTRIBUTING.md: it lists the files that an addition touches, and says
// how many they are at most. The folder of a new package counts as one file.
type recipe struct {
	what  string
	most  int
	files []string
}

// recipesOf reads the recipes of a text. Files are the paths, between backquotes, of numbered
// lines; other lines name tests.
func recipesOf(text string) (all []recipe) {
	_, text, _ = strings.Cut(text, "\n## Recipes\n")
	text, _, _ = strings.Cut(text, "\n## ")
	title := regexp.MustCompile(`^\*\*(?:An?) ([^*]+)\*\*.*at most (\d+) files\)`)
	for line := range strings.Lines(text) {
		if m := title.FindStringSubmatch(line); m != nil {
			most, _ := strconv.Atoi(m[2])
			all = append(all, recipe{what: m[1], most: most})
			continue
		}
		if len(all) == 0 || !regexp.MustCompile(`^(\d+\.|   )`).MatchString(line) {
			continue
		}
		r := &all[len(all)-1]
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line, -1) {
			if regexp.MustCompile(`^(\w+\.md|[\w.-]+(/[\w.-]+)+)$`).MatchString(m[1]) && !slices.Contains(r.files, m[1]) {
				r.files = append(r.files, m[1])
			}
		}
	}
	return all
}

// TestRecipes requires that the files of each recipe are there and not too many, and that
// nothing but the files of its recipe lists the types of cells.
func TestRecipes(t *testing.T) {
	most := map[string]int{"boundary kind": 5, "transport": 6, "instruction": 4, "element type": 8, "schedule": 6}
	all := recipesOf(document(t, "CONTRIBUTING.md"))
	if len(all) != len(most) {
		t.Errorf("CONTRIBUTING.md has %d recipes, want %d", len(all), len(most))
	}
	var ofTypes []string
	for _, r := range all {
		if r.most < 1 || r.most > most[r.what] || len(r.files) < 3 || len(r.files) > r.most {
			t.Errorf("the recipe for a %s allows %d files, of %d, and names %d: %v", r.what, r.most, most[r.what], len(r.files), r.files)
		}
		for _, name := range r.files {
			if _, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(name))); err != nil {
				t.Errorf("the recipe for a %s: %v", r.what, err)
			}
		}
		if r.what == "element type" {
			ofTypes = r.files
		}
	}
	listed := map[string]bool{}
	walkGo(t, notOurs, func(name, file string) {
		if strings.HasSuffix(name, "_test.go") {
			return
		}
		syntax, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		types := typesListed(syntax)
		if len(types) == 0 || slices.Contains(ofTypes, name) {
			return
		}
		key := name
		if folder := path.Dir(name); listsTypes[folder] != "" {
			key = folder
		}
		listed[key] = true
		if listsTypes[key] == "" {
			t.Errorf("%s lists %v, and the recipe for an element type does not name it: let it read the table of runtime/element", name, types)
		}
	})
	for name := range listsTypes {
		if !listed[name] {
			t.Errorf("listsTypes has %s, which lists no types", name)
		}
	}
}

// listsTypes are the files and folders that may list types, because another type does not change
// the list, each with what it lists.
var listsTypes = map[string]string{
	"codegen/names.go":                  "what Go predeclares",
	"codegen/vector":                    "the types that vectors compute with",
	"cmd/loopc/helpnests.go":            "the types that vectors reduce",
	"cmd/loopc/new.go":                  "examples of types",
	"ir/irtest":                         "the types that vectors compute with, and some for counts and subscripts",
	"runtime/array/order.go":            "a type of each size of cells",
	"runtime/element/convert.go":        "the same",
	"runtime/halo/reduce.go":            "the same",
	"runtime/simd/interleaver_amd64.go": "the types whose cells vectors convert; those of others are converted in Go",
}

// listOfTypes finds a list of types in a sentence.
var listOfTypes = func() *regexp.Regexp {
	var names []string
	for _, t := range ir.Types() {
		names = append(names, t.String())
	}
	one := `\b(` + strings.Join(names, "|") + `)\b`
	return regexp.MustCompile(one + `((,|\s|\band\b|\bor\b)+` + one + `){2,}`)
}()

// typesListed returns the types of cells that one switch, literal, string, call or constraint of a
// file names, if they are three or more.
func typesListed(file *ast.File) (list []string) {
	note := func(nodes ...ast.Expr) {
		var found []string
		for _, n := range nodes {
			ast.Inspect(n, func(n ast.Node) bool {
				var names []string
				switch n := n.(type) {
				case *ast.FuncLit:
					return false
				case *ast.BasicLit:
					if name, _ := strconv.Unquote(n.Value); !strings.Contains(name, " ") {
						names = []string{name}
					} else if sentence := listOfTypes.FindString(name); sentence != "" {
						names = regexp.MustCompile(`\w+`).FindAllString(sentence, -1)
					}
				case *ast.Ident: // of Go, or of package ir
					names = []string{strings.ToLower(n.Name)}
				}
				for _, name := range names {
					if ir.TypeNamed(name) != ir.Invalid && !slices.Contains(found, name) {
						found = append(found, name)
					}
				}
				return true
			})
		}
		if len(found) >= 3 && len(found) > len(list) {
			list = found
		}
	}
	cases := func(body *ast.BlockStmt) {
		var types []ast.Expr
		for _, clause := range body.List {
			types = append(types, clause.(*ast.CaseClause).List...)
		}
		note(types...)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SwitchStmt:
			cases(n.Body)
		case *ast.TypeSwitchStmt:
			cases(n.Body)
		case *ast.CompositeLit:
			for _, x := range n.Elts {
				if _, ok := x.(*ast.KeyValueExpr); ok || n.Type != nil {
					note(n)
					break
				}
			}
		case *ast.CallExpr:
			note(n.Args...)
		case *ast.BasicLit:
			note(n)
		case *ast.BinaryExpr:
			if n.Op == token.OR {
				note(n)
			}
		}
		return true
	})
	return list
}

// TestRecipesFound checks which recipes and which lists of types TestRecipes finds.
func TestRecipesFound(t *testing.T) {
	got := recipesOf("# A\n1. `a/b.go`\n## Recipes\nWords.\n\n**A part** (such as `x/y`; at most 3 files):\n\n1. `a/b.go`: the `Kind`.\n2. `DOC.md`, `c/d`;\n   `e/f.go`, `a/b.go`.\n\nTests: `go test ./g`, `h/i.go`.\n\n## B\n1. `j/k.go`\n")
	if len(got) != 1 || got[0].what != "part" || got[0].most != 3 || !slices.Equal(got[0].files, []string{"a/b.go", "DOC.md", "c/d", "e/f.go"}) {
		t.Errorf("recipes %+v", got)
	}
	for src, want := range map[string]int{
		`func f(s string) { switch s { case "int32", "int64": case "uint8": } }`:               3,
		`func f(t ir.Type) { switch t { case ir.Int32: case ir.Int64: case ir.Float32: } }`:    3,
		`func f(x any) { switch x.(type) { case int32: case int64: case float64, float32: } }`: 4,
		`var names = map[string]int{"int32": 4, "int64": 8, "uint8": 1}`:                       3,
		`var all = []ir.Type{ir.Float32, ir.Float64, ir.Int32}`:                                3,
		`type T interface{ int32 | int64 | uint8 }`:                                            3,
		`func f(s string) { switch s { case "int32", "int64": g("uint8", ir.Float32) } }`:      0,
		`var pair = map[string]int{"int32": 4, "int64": 8}`:                                    0,
		`var message = "a type: float64, float32, int8 or uint8"`:                              4,
		`var message = "an int32 or an int64, not a uint8"`:                                    0,
		`var elem = one(rng, "int8", "int32", ir.Float64)`:                                     3,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "a.go", "package a\n"+src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if got := typesListed(file); len(got) != want {
			t.Errorf("%s: lists %v, want %d types", src, got, want)
		}
	}
}
