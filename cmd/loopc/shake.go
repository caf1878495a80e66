package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"loopc/runtime"
	"loopc/transform/plan"
)

// facade is the package whose declarations name what the code of a nest that runs in one process
// uses of the runtime.
const facade = "loopc/runtime/local"

// arithmetic is a package of functions that expressions of the language call: the code of a nest may
// use any of them.
const arithmetic = "loopc/runtime/arith"

// calledByGo are methods that the standard library calls through its own interfaces, whose
// declarations a shaker does not see.
var calledByGo = []string{
	"As", "Close", "Error", "Format", "Is", "Len", "Less", "MarshalJSON", "MarshalText", "Pop", "Push", "Read", "ReadAt", "String", "Swap",
	"UnmarshalJSON", "UnmarshalText", "Unwrap", "Write",
}

// A shaker finds the declarations of the runtime that a facade needs: those that it names, those
// that these name, and so on. A method is needed if its type is, and if needed code calls it. A
// call through an interface calls every method of that name.
//
// Names are resolved by go/types, without the standard library. If this leaves the type of a value
// unknown, a call of its method calls every method of that name. Files for all platforms are looked
// at together: if several files declare a name, all of these declarations are needed.
type shaker struct {
	files    *token.FileSet
	names    types.Info
	packages map[string]*sourcePackage
	parts    map[string][]*part // by "package.name" or, for a method, "package.type.name"
	methods  map[string][]*part // by "package.type": its methods; by ".name": all methods of this name
	called   map[string]bool    // names of methods
	queue    []*part
}

// A sourcePackage is a package of the runtime.
type sourcePackage struct {
	path  string
	types *types.Package
	files []*sourceFile
	other map[string][]byte // assembly
	whole bool              // it is imported for its effect: all of it is needed
}

// A sourceFile is a Go file of the runtime.
type sourceFile struct {
	name   string
	text   []byte
	syntax *ast.File
	parts  []*part // in the order of the file
}

// A part is a declaration, or one of a group of declarations.
type part struct {
	node     ast.Node // what it needs is below it
	of       *ast.GenDecl
	doc      *ast.CommentGroup
	receiver string // the type of a method
	method   string
	needed   bool
}

// shake returns the packages that the facade needs, with their needed parts marked.
func shake() (*shaker, error) {
	s := &shaker{
		files: token.NewFileSet(), packages: map[string]*sourcePackage{},
		names: types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}},
		parts: map[string][]*part{}, methods: map[string][]*part{}, called: map[string]bool{},
	}
	for _, name := range calledByGo {
		s.called[name] = true
	}
	if _, err := s.Import(facade); err != nil {
		return nil, err
	}
	for _, f := range s.packages[facade].files {
		for _, p := range f.parts {
			s.need(p)
			if t, ok := p.node.(*ast.TypeSpec); ok && t.Assign.IsValid() { // an alias
				s.exported(t.Type)
			}
		}
	}
	for _, f := range s.packages[arithmetic].files {
		for _, p := range f.parts {
			if d, ok := p.node.(*ast.FuncDecl); ok && d.Recv == nil && d.Name.IsExported() {
				s.need(p)
			}
		}
	}
	s.needWhole()
	for len(s.queue) > 0 {
		p := s.queue[0]
		s.queue = s.queue[1:]
		s.follow(p.node)
	}
	return s, nil
}

// needWhole marks the packages that are imported for their effect.
func (s *shaker) needWhole() {
	for _, p := range s.packages {
		for _, f := range p.files {
			for _, spec := range f.syntax.Imports {
				of, err := strconv.Unquote(spec.Path.Value)
				if q := s.packages[of]; err == nil && q != nil && importName(spec, of) == "_" {
					q.whole = true
					for _, g := range q.files {
						for _, x := range g.parts {
							s.need(x)
						}
					}
				}
			}
		}
	}
}

// exported marks the exported methods of the type that e names.
func (s *shaker) exported(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		id, _ := n.(*ast.Ident)
		if o := s.names.Uses[id]; o != nil && o.Pkg() != nil {
			for _, m := range s.methods[o.Pkg().Path()+"."+o.Name()] {
				if ast.IsExported(m.method) {
					s.need(m)
				}
			}
		}
		return true
	})
}

// Import implements types.Importer for packages of the runtime; it knows no others.
func (s *shaker) Import(name string) (*types.Package, error) {
	if p := s.packages[name]; p != nil {
		return p.types, nil
	}
	below, ours := strings.CutPrefix(name, "loopc/")
	if !ours {
		return nil, fmt.Errorf("package %s is not of the runtime", name)
	}
	sources, folder := fs.FS(runtime.Sources), strings.TrimPrefix(below, "runtime/")
	if rest, ok := strings.CutPrefix(below+"/", "transform/plan/"); ok {
		sources, folder = plan.Sources, path.Clean(rest)
	}
	entries, err := fs.ReadDir(sources, folder)
	if err != nil {
		return nil, fmt.Errorf("the embedded runtime: %w", err)
	}
	p := &sourcePackage{path: name, other: map[string][]byte{}}
	var syntax []*ast.File
	for _, e := range entries {
		if e.IsDir() || strings.HasSuffix(e.Name(), "_test.go") || e.Name() == "embed.go" {
			continue
		}
		text, err := fs.ReadFile(sources, path.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("the embedded runtime: %w", err)
		}
		if !strings.HasSuffix(e.Name(), ".go") {
			p.other[e.Name()] = text
			continue
		}
		file, err := parser.ParseFile(s.files, e.Name(), text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("the embedded runtime: %w", err)
		}
		syntax = append(syntax, file)
		p.files = append(p.files, &sourceFile{name: e.Name(), text: text, syntax: file})
	}
	s.packages[name] = p
	check := types.Config{Error: func(error) {}, Importer: s}
	p.types, _ = check.Check(name, s.files, syntax, &s.names)
	for _, f := range p.files {
		s.declare(p, f)
	}
	return p.types, nil
}

// declare lists the parts of a file, by their names.
func (s *shaker) declare(p *sourcePackage, f *sourceFile) {
	add := func(x *part, names ...string) {
		f.parts = append(f.parts, x)
		for _, name := range names {
			s.parts[p.path+"."+name] = append(s.parts[p.path+"."+name], x)
		}
	}
	for _, d := range f.syntax.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			x := &part{node: d, doc: d.Doc, method: d.Name.Name}
			if d.Recv == nil {
				add(x, d.Name.Name)
				if d.Name.Name == "init" || d.Body == nil { // assembly has all of its functions, or none
					s.need(x)
				}
				continue
			}
			x.receiver = p.path + "." + receiverName(d.Recv.List[0].Type)
			add(x, receiverName(d.Recv.List[0].Type)+"."+d.Name.Name)
			s.methods[x.receiver] = append(s.methods[x.receiver], x)
			s.methods["."+x.method] = append(s.methods["."+x.method], x)
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			if d.Tok == token.CONST && dependOnPlace(d) {
				x := &part{node: d, doc: d.Doc}
				add(x)
				for _, spec := range d.Specs {
					for _, name := range spec.(*ast.ValueSpec).Names {
						s.parts[p.path+"."+name.Name] = append(s.parts[p.path+"."+name.Name], x)
					}
				}
				continue
			}
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(&part{node: spec, of: d, doc: spec.Doc}, spec.Name.Name)
				case *ast.ValueSpec:
					var names []string
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
					add(&part{node: spec, of: d, doc: spec.Doc}, names...)
				}
			}
		}
	}
}

// dependOnPlace reports whether constants of a group depend on their place in it.
func dependOnPlace(d *ast.GenDecl) bool {
	found := false
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			found = found || len(n.Values) == 0
		case *ast.Ident:
			found = found || n.Name == "iota"
		}
		return true
	})
	return found
}

// receiverName is the name of the type of a receiver.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// need marks a part.
func (s *shaker) need(p *part) {
	if !p.needed {
		p.needed = true
		s.queue = append(s.queue, p)
	}
}

// follow marks what the code below n names.
func (s *shaker) follow(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			s.use(s.names.Uses[n])
		case *ast.SelectorExpr:
			if s.names.Uses[n.Sel] == nil { // of a type that is not known
				s.call(n.Sel.Name)
			}
		case *ast.InterfaceType:
			for _, m := range n.Methods.List {
				for _, name := range m.Names {
					s.call(name.Name)
				}
			}
		}
		return true
	})
}

// use marks the declaration of a name, and the methods of a type that may be called.
func (s *shaker) use(o types.Object) {
	if o == nil || o.Pkg() == nil || s.packages[o.Pkg().Path()] == nil {
		return
	}
	name := o.Pkg().Path() + "." + o.Name()
	switch o := o.(type) {
	case *types.Func:
		if receiver := o.Signature().Recv(); receiver != nil {
			typeName := receiverType(receiver.Type())
			if typeName == "" {
				s.call(o.Name())
				return
			}
			name = o.Pkg().Path() + "." + typeName + "." + o.Name()
		}
	case *types.TypeName:
		for _, m := range s.methods[name] {
			if s.called[m.method] && o.Parent() == o.Pkg().Scope() { // o is no local type of the same name
				s.need(m)
			}
		}
	case *types.Var:
		if o.IsField() {
			return
		}
	}
	if o.Parent() != nil && o.Parent() != o.Pkg().Scope() {
		return // local
	}
	for _, p := range s.parts[name] {
		s.need(p)
	}
}

// receiverType is the name of the type that has a method; "" if it is an interface.
func receiverType(t types.Type) string {
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok || types.IsInterface(named) {
		return ""
	}
	return named.Obj().Name()
}

// call marks methods with this name, of types that count.
func (s *shaker) call(name string) {
	if s.called[name] {
		return
	}
	s.called[name] = true
	for _, m := range s.methods["."+name] {
		if slices.ContainsFunc(s.parts[m.receiver], func(p *part) bool { return p.needed }) {
			s.need(m)
		}
	}
}

// isPackage reports whether a name is that of an imported package. A name that nothing declares is
// taken for one: math/rand/v2 is imported as rand, but its path ends in v2.
func (s *shaker) isPackage(id *ast.Ident) bool {
	o := s.names.Uses[id]
	_, ok := o.(*types.PkgName)
	return ok || o == nil
}

// importName is the name by which a file refers to the package that spec imports.
func importName(spec *ast.ImportSpec, of string) string {
	if spec.Name != nil {
		return spec.Name.Name
	}
	if base := path.Base(of); base != "v2" {
		return base
	}
	return path.Base(path.Dir(of))
}
