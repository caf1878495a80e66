package main

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// mostExported is how many names rooms may export: functions, types, constants, variables, and
// methods of exported types.
var mostExported = []struct {
	most  int
	rooms []string
}{
	{159, []string{"transform/plan"}},
	{264, []string{"transform/plan", "transform/plan/walk", "transform/plan/cost", "transform/plan/search", "transform/plan/queue"}},
}

// byInterface are the methods that the standard library calls.
var byInterface = []string{"String", "Error", "Unwrap", "MarshalText", "UnmarshalText"}

// TestExportedNames holds the names that rooms export against mostExported, and requires that
// another package uses each of them, not only tests.
func TestExportedNames(t *testing.T) {
	used, exported := map[string]bool{}, map[string][]string{}
	for _, p := range loadAll(t, "./...", "./testdata/emit/...", "./examples/...") {
		findUsed(p, used)
		exported[p.PkgPath] = append(exported[p.PkgPath], exportedNames(p)...)
	}
	for _, limit := range mostExported {
		n := 0
		for _, room := range limit.rooms {
			names := exported["loopc/"+room]
			if n += len(names); len(names) == 0 {
				t.Errorf("no name of %s was found", room)
			}
			for _, name := range names {
				method := name[strings.LastIndex(name, ".")+1:]
				if !used[name] && !slices.Contains(byInterface, method) && room == limit.rooms[0] && len(limit.rooms) == 1 {
					t.Errorf("no other package uses %s", name)
				}
			}
		}
		t.Logf("%v: %d names", limit.rooms, n)
		if n > limit.most {
			t.Errorf("%v export %d names, and may export %d", limit.rooms, n, limit.most)
		}
	}
}

// TestExportedNamesFound checks that names are found, and that a package does not use its own.
func TestExportedNamesFound(t *testing.T) {
	used, exported := map[string]bool{}, []string{}
	for _, p := range loadAll(t, "./transform/plan/queue", "./transform/plan/cost") {
		findUsed(p, used)
		exported = append(exported, exportedNames(p)...)
	}
	for name, want := range map[string]bool{"queue.Queue.First": true, "queue.Queue": true, "queue.Queue.Add": true, "cost.Machine": false, "cost.Machine.Check": false} {
		name = "loopc/transform/plan/" + name
		if !slices.Contains(exported, name) || used[name] != want {
			t.Errorf("%s is exported: %t, and used: %t, want %t", name, slices.Contains(exported, name), used[name], want)
		}
	}
}

// loadAll returns the packages of patterns, from the root of the project, type-checked.
func loadAll(t *testing.T, patterns ...string) []*packages.Package {
	t.Helper()
	all, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
			packages.NeedTypes | packages.NeedExportFile | packages.NeedSyntax | packages.NeedTypesInfo,
		Dir: filepath.Join("..", ".."),
	}, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, err := range p.Errors {
			t.Fatal(err)
		}
	}
	return all
}

// exportedNames returns the names that a package exports, each with the package's path and, of a
// method, with its type.
func exportedNames(p *packages.Package) (names []string) {
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		o := scope.Lookup(name)
		if !o.Exported() {
			continue
		}
		names = append(names, p.PkgPath+"."+name)
		t, ok := o.(*types.TypeName)
		if !ok || t.IsAlias() {
			continue
		}
		for m := range t.Type().(*types.Named).Methods() {
			if m.Exported() {
				names = append(names, p.PkgPath+"."+name+"."+m.Name())
			}
		}
	}
	return names
}

// findUsed adds the names of other packages that a package uses: those that it writes, and the
// types of what it writes.
func findUsed(p *packages.Package, used map[string]bool) {
	mark := func(o types.Object) {
		if name := qualified(o); name != "" && o.Pkg().Path() != p.PkgPath {
			used[name] = true
		}
	}
	seen := map[types.Type]bool{}
	var markType func(t types.Type)
	markType = func(t types.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t := t.(type) {
		case *types.Named:
			mark(t.Obj())
			for a := range t.TypeArgs().Types() {
				markType(a)
			}
		case *types.Alias:
			mark(t.Obj())
			markType(t.Rhs())
		case *types.Map:
			markType(t.Key())
			markType(t.Elem())
		case interface{ Elem() types.Type }:
			markType(t.Elem())
		case *types.Signature:
			for v := range t.Params().Variables() {
				markType(v.Type())
			}
			for v := range t.Results().Variables() {
				markType(v.Type())
			}
		}
	}
	for _, file := range p.Syntax {
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			if o := p.TypesInfo.ObjectOf(id); o != nil {
				mark(o)
				markType(o.Type())
			}
			return true
		})
	}
}

// qualified returns the name of an object with that of its package and, if it is a method, of the
// type of its receiver; "" if it is neither that nor declared by its package.
func qualified(o types.Object) string {
	if o.Pkg() == nil {
		return ""
	}
	if f, ok := o.(*types.Func); ok && f.Signature().Recv() != nil {
		recv := f.Signature().Recv().Type()
		if p, ok := recv.(*types.Pointer); ok {
			recv = p.Elem()
		}
		if named, ok := recv.(*types.Named); ok {
			return o.Pkg().Path() + "." + named.Obj().Name() + "." + o.Name()
		}
		return ""
	}
	if o.Parent() != o.Pkg().Scope() && o.Pkg().Scope().Lookup(o.Name()) != o {
		return ""
	}
	return o.Pkg().Path() + "." + o.Name()
}
