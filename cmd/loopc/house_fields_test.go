package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// mostFields is how many fields a struct of the rooms of smallStructs may have, with those of
// the structs that it embeds.
const mostFields = 20

var smallStructs = []string{"loopc/runtime/halo"}

// TestStructFields requires that no struct of certain rooms has more than mostFields fields: a
// reader should be able to say what each part of a mechanism owns.
func TestStructFields(t *testing.T) {
	rooms := structFinder{}
	for _, room := range smallStructs {
		structs := rooms.of(t, room)
		if len(structs) < 10 {
			t.Errorf("only %d structs were found in %s", len(structs), room)
		}
		for name := range structs {
			if n := rooms.count(t, room, name); n > mostFields {
				t.Errorf("%s.%s has %d fields, those of embedded structs counted: divide it into parts that each have a purpose", room, name, n)
			}
		}
	}
}

// TestStructFieldsCounted checks how TestStructFields counts the fields of embedded structs, also
// those of other packages.
func TestStructFieldsCounted(t *testing.T) {
	rooms := structFinder{"a": parseStructs(t, `package a

import k "b"

type plain struct { x, y int; z struct{ u, v int } }
type generic[T any] struct { *plain; of []T }
type outer struct { generic[int]; k.Far; error }
`), "b": parseStructs(t, `package b; type Far struct { a, b, c, d int }`)}
	for name, want := range map[string]int{"plain": 3, "generic": 4, "outer": 9} {
		if got := rooms.count(t, "a", name); got != want {
			t.Errorf("%s has %d fields, want %d", name, got, want)
		}
	}
}

// A structFinder has the structs of packages, by import path.
type structFinder map[string]map[string]foundStruct

// A foundStruct is a struct type and the imports of its file, by the name they have there.
type foundStruct struct {
	*ast.StructType
	imports map[string]string
}

// of returns the structs of a package of ours, none of others.
func (f structFinder) of(t *testing.T, room string) map[string]foundStruct {
	t.Helper()
	if found, ok := f[room]; ok {
		return found
	}
	var texts []string
	if inside, ours := strings.CutPrefix(room, "loopc/"); ours {
		files, err := filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(inside), "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(file, "_test.go") {
				texts = append(texts, string(text))
			}
		}
	}
	f[room] = parseStructs(t, texts...)
	return f[room]
}

// count returns the number of fields of a struct, counting those of embedded structs. A type that
// is no struct counts as one.
func (f structFinder) count(t *testing.T, room, name string) (n int) {
	t.Helper()
	s, ok := f.of(t, room)[name]
	if !ok {
		return 1
	}
	for _, field := range s.Fields.List {
		if len(field.Names) > 0 {
			n += len(field.Names)
			continue
		}
		from, embedded := room, field.Type
		if star, ok := embedded.(*ast.StarExpr); ok {
			embedded = star.X
		}
		if of, ok := embedded.(*ast.IndexExpr); ok {
			embedded = of.X
		}
		if x, ok := embedded.(*ast.SelectorExpr); ok {
			from, embedded = s.imports[x.X.(*ast.Ident).Name], x.Sel
		}
		n += f.count(t, from, embedded.(*ast.Ident).Name)
	}
	return n
}

// parseStructs returns the struct types of files.
func parseStructs(t *testing.T, texts ...string) map[string]foundStruct {
	t.Helper()
	found := map[string]foundStruct{}
	for _, text := range texts {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imports := map[string]string{}
		for _, spec := range file.Imports {
			from := strings.Trim(spec.Path.Value, `"`)
			name := path.Base(from)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			imports[name] = from
		}
		ast.Inspect(file, func(node ast.Node) bool {
			if spec, ok := node.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					found[spec.Name.Name] = foundStruct{s, imports}
				}
			}
			return true
		})
	}
	return found
}
