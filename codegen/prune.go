package codegen

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
)

// prune removes what emitted functions define and never read.
//
// A function defines whatever its statements might need: parameters, strides, positions, the
// values of loops. Go refuses a variable that nothing reads. What is read is decided here, once,
// for all of them, on the syntax tree: names are resolved by Go's scopes, a definition that goes
// takes its own reads along, and so on until every definition that is left is read. A definition
// that may fail (arith.Quo) is still evaluated. Statements of the nest are not pruned: which of
// them are live is known before they are printed.
//
// Definitions, as the printer writes them, have lines of their own. prune also returns the
// packages that are named in what is left.
func prune(name string, src []byte) (out []byte, packages map[string]bool, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	p := &pruner{reads: map[*ast.Object]int{}, defined: map[*ast.Object]ast.Node{}, writes: map[*ast.Object][]*ast.AssignStmt{}, dropped: map[ast.Stmt]bool{}, gone: map[ast.Node]bool{}}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			p.function(f.Body)
		}
	}
	for len(p.unread) > 0 {
		obj := p.unread[0]
		p.unread = p.unread[1:]
		p.remove(obj)
	}
	return p.edit(fset.File(file.Pos()), src), p.packages(file), nil
}

// A pruner knows the local variables of emitted functions.
type pruner struct {
	reads   map[*ast.Object]int
	defined map[*ast.Object]ast.Node // an *ast.AssignStmt, *ast.DeclStmt or *ast.RangeStmt
	writes  map[*ast.Object][]*ast.AssignStmt
	unread  []*ast.Object // to be removed
	dropped map[ast.Stmt]bool
	gone    map[ast.Node]bool // without a trace: statements, and names that others are defined with
	edits   []textEdit
}

// A textEdit replaces the bytes from..to. Lines widens that to whole lines.
type textEdit struct {
	from, to token.Pos
	lines    bool
	by       string
}

// function finds what a function defines, writes and reads.
func (p *pruner) function(body *ast.BlockStmt) {
	var order []*ast.Object
	define := func(name ast.Expr, by ast.Node) {
		if id, ok := name.(*ast.Ident); ok && id.Name != "_" && id.Obj != nil && p.defined[id.Obj] == nil && id.Pos() == id.Obj.Pos() {
			p.defined[id.Obj] = by
			order = append(order, id.Obj)
		}
	}
	targets := map[*ast.Ident]bool{} // written, not read
	statement := func(s ast.Stmt) {
		switch s := s.(type) {
		case *ast.AssignStmt:
			for _, x := range s.Lhs {
				if s.Tok == token.DEFINE {
					define(x, s)
				}
			}
		case *ast.DeclStmt:
			for _, spec := range s.Decl.(*ast.GenDecl).Specs {
				if v, ok := spec.(*ast.ValueSpec); ok && s.Decl.(*ast.GenDecl).Tok == token.VAR {
					for _, x := range v.Names {
						define(x, s)
					}
				}
			}
		}
	}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			for _, s := range n.List {
				statement(s)
			}
		case *ast.CaseClause:
			for _, s := range n.Body {
				statement(s)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE && n.Value == nil {
				define(n.Key, n)
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if id, ok := x.(*ast.Ident); ok && n.Tok == token.ASSIGN {
					targets[id] = true
					if id.Obj != nil && len(n.Lhs) == 1 {
						p.writes[id.Obj] = append(p.writes[id.Obj], n)
					}
				}
			}
		case *ast.Ident:
			if n.Obj != nil && n.Pos() != n.Obj.Pos() && !targets[n] {
				p.reads[n.Obj]++
			}
		}
		return true
	})
	for _, obj := range order {
		if p.reads[obj] == 0 {
			p.unread = append(p.unread, obj)
		}
	}
}

// remove takes a variable that nothing reads out of the text.
func (p *pruner) remove(obj *ast.Object) {
	switch n := p.defined[obj].(type) {
	case *ast.RangeStmt:
		p.edits = append(p.edits, textEdit{from: n.Key.Pos(), to: n.Range})
		return
	case *ast.AssignStmt:
		p.removeFrom(n, obj)
	case *ast.DeclStmt:
		if spec := n.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 {
			p.drop(n, spec.Values...)
		}
	}
	for _, w := range p.writes[obj] {
		p.drop(w, w.Rhs...)
	}
}

// removeFrom takes one of the variables that a statement defines out of it.
func (p *pruner) removeFrom(n *ast.AssignStmt, obj *ast.Object) {
	left := 0
	for _, x := range n.Lhs {
		id := x.(*ast.Ident)
		if id.Obj == obj && id.Pos() == obj.Pos() {
			p.gone[id] = true
		}
		if !p.gone[id] && id.Name != "_" {
			left++
		}
	}
	if left == 0 {
		p.edits = slices.DeleteFunc(p.edits, func(e textEdit) bool { return !e.lines && e.from >= n.Pos() && e.to <= n.End() })
		p.drop(n, n.Rhs...)
		return
	}
	p.edits = append(p.edits, textEdit{from: obj.Pos(), to: obj.Pos() + token.Pos(len(obj.Name)), by: "_"})
}

// drop removes a statement. What may fail is evaluated all the same.
func (p *pruner) drop(s ast.Stmt, values ...ast.Expr) {
	if p.dropped[s] {
		return
	}
	p.dropped[s] = true
	if slices.ContainsFunc(values, callsQuo) {
		p.edits = append(p.edits, textEdit{from: s.Pos(), to: values[0].Pos(), by: "_ = "})
		return
	}
	p.gone[s] = true
	p.edits = append(p.edits, textEdit{from: s.Pos(), to: s.End(), lines: true})
	for _, v := range values {
		ast.Inspect(v, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Pos() != id.Obj.Pos() {
				if p.reads[id.Obj]--; p.reads[id.Obj] == 0 && p.defined[id.Obj] != nil {
					p.unread = append(p.unread, id.Obj)
				}
			}
			return true
		})
	}
}

// callsQuo reports whether evaluating e may be an error at run time.
func callsQuo(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "Quo" {
			found = true
		}
		return true
	})
	return found
}

// edit returns src as changed.
func (p *pruner) edit(file *token.File, src []byte) []byte {
	slices.SortFunc(p.edits, func(a, b textEdit) int { return int(a.from - b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range p.edits {
		from, to := file.Offset(e.from), file.Offset(e.to)
		if from < at {
			continue // within something that is gone
		}
		if e.lines {
			from = bytes.LastIndexByte(src[:from], '\n') + 1
			if end := bytes.IndexByte(src[to:], '\n'); end >= 0 {
				to += end + 1
			}
		}
		out.Write(src[at:max(at, from)])
		out.WriteString(e.by)
		at = to
	}
	out.Write(src[at:])
	return out.Bytes()
}

// packages returns the names of packages in what is left of a file.
func (p *pruner) packages(file *ast.File) map[string]bool {
	unresolved := map[*ast.Ident]bool{}
	for _, id := range file.Unresolved {
		unresolved[id] = true
	}
	out := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil && p.gone[n] {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && unresolved[id] {
				out[id.Name] = true
			}
		}
		return true
	})
	return out
}
