package codegen

import (
	"go/ast"
	"go/token"
)

// A variable is a local variable of an emitted function.
type variable struct {
	name *ast.Ident // where it is defined
	// definition is an *ast.AssignStmt or *ast.DeclStmt of its own lines, or an *ast.RangeStmt; nil
	// for parameters, and for what the head of a statement defines.
	definition ast.Node
	reads      int
	writes     []*ast.AssignStmt // to the variable alone
}

// A resolver finds the variable that each name in the functions of a file stands for. Emitted code
// has no labels, and no composite literals with variables as keys.
type resolver struct {
	of        map[*ast.Ident]*variable // parameters and receivers included
	variables []*variable              // that have a definition
	scopes    []map[string]*variable
}

// resolve resolves the functions of a file.
func resolve(file *ast.File) *resolver {
	r := &resolver{of: map[*ast.Ident]*variable{}}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			r.scoped(func() {
				r.fields(f.Recv)
				r.function(f.Type, f.Body)
			})
		}
	}
	return r
}

func (r *resolver) scoped(f func()) {
	r.scopes = append(r.scopes, map[string]*variable{})
	f()
	r.scopes = r.scopes[:len(r.scopes)-1]
}

// fields declares parameters.
func (r *resolver) fields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		for _, name := range f.Names {
			r.declare(name, nil)
		}
	}
}

func (r *resolver) function(t *ast.FuncType, body *ast.BlockStmt) {
	r.fields(t.Params)
	r.fields(t.Results)
	r.block(body.List)
}

// declare adds a variable to the innermost scope.
func (r *resolver) declare(name *ast.Ident, definition ast.Node) {
	v := &variable{name: name, definition: definition}
	r.of[name] = v
	if name.Name == "_" {
		return
	}
	r.scopes[len(r.scopes)-1][name.Name] = v
	if definition != nil {
		r.variables = append(r.variables, v)
	}
}

// find returns the variable of a name, or nil.
func (r *resolver) find(name *ast.Ident) *variable {
	for k := len(r.scopes) - 1; k >= 0; k-- {
		if v, ok := r.scopes[k][name.Name]; ok {
			return v
		}
	}
	return nil
}

// block resolves statements in a scope of their own.
func (r *resolver) block(list []ast.Stmt) {
	r.scoped(func() {
		for _, s := range list {
			r.statement(s, s)
		}
	})
}

// statement resolves a statement. definition is what defines its variables: s, or nil if s is in
// the head of another one.
func (r *resolver) statement(s ast.Stmt, definition ast.Node) {
	switch s := s.(type) {
	case nil:
	case *ast.BlockStmt:
		r.block(s.List)
	case *ast.AssignStmt:
		r.assign(s, definition)
	case *ast.DeclStmt:
		r.declaration(s)
	case *ast.IfStmt:
		r.scoped(func() {
			r.statement(s.Init, nil)
			r.read(s.Cond)
			r.block(s.Body.List)
			r.statement(s.Else, nil)
		})
	case *ast.ForStmt:
		r.scoped(func() {
			r.statement(s.Init, nil)
			r.read(s.Cond)
			r.statement(s.Post, nil)
			r.block(s.Body.List)
		})
	case *ast.RangeStmt:
		r.rangeOver(s)
	case *ast.SwitchStmt:
		r.scoped(func() {
			r.statement(s.Init, nil)
			r.read(s.Tag)
			r.block(s.Body.List)
		})
	case *ast.CaseClause:
		for _, x := range s.List {
			r.read(x)
		}
		r.block(s.Body)
	default:
		r.read(s)
	}
}

func (r *resolver) assign(s *ast.AssignStmt, definition ast.Node) {
	for _, x := range s.Rhs {
		r.read(x)
	}
	for _, x := range s.Lhs {
		id, ok := x.(*ast.Ident)
		switch {
		case !ok || s.Tok != token.ASSIGN && s.Tok != token.DEFINE:
			r.read(x)
		case s.Tok == token.DEFINE && r.scopes[len(r.scopes)-1][id.Name] == nil:
			r.declare(id, definition)
		default:
			if v := r.find(id); v != nil && len(s.Lhs) == 1 {
				v.writes = append(v.writes, s)
			}
		}
	}
}

func (r *resolver) declaration(s *ast.DeclStmt) {
	for _, spec := range s.Decl.(*ast.GenDecl).Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for _, x := range v.Values {
			r.read(x)
		}
		var definition ast.Node // constants need not be read
		if s.Decl.(*ast.GenDecl).Tok == token.VAR {
			definition = s
		}
		for _, name := range v.Names {
			r.declare(name, definition)
		}
	}
}

func (r *resolver) rangeOver(s *ast.RangeStmt) {
	r.read(s.X)
	r.scoped(func() {
		for k, x := range []ast.Expr{s.Key, s.Value} {
			id, ok := x.(*ast.Ident)
			switch {
			case !ok:
			case s.Tok == token.DEFINE && k == 0 && s.Value == nil:
				r.declare(id, s)
			case s.Tok == token.DEFINE:
				r.declare(id, nil)
			}
		}
		r.block(s.Body.List)
	})
}

// read counts what an expression, or a statement that defines nothing, reads.
func (r *resolver) read(n ast.Node) {
	if n == nil {
		return
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			r.scoped(func() { r.function(n.Type, n.Body) })
			return false
		case *ast.SelectorExpr:
			r.read(n.X)
			return false
		case *ast.KeyValueExpr:
			if _, field := n.Key.(*ast.Ident); !field {
				r.read(n.Key)
			}
			r.read(n.Value)
			return false
		case *ast.Ident:
			if v := r.find(n); v != nil {
				r.of[n] = v
				v.reads++
			}
		}
		return true
	})
}
