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
// for all of them, on the syntax tree: names are resolved by Go's scopes (see resolver), a
// definition that goes takes its own reads along, and so on until every definition that is left is
// read. A definition that may fail (arith.Quo) is still evaluated. Statements of the nest are not
// pruned: which of them are live is known before they are printed.
//
// Definitions, as the printer writes them, have lines of their own. prune also returns the
// packages that are named in what is left.
func prune(name string, src []byte) (out []byte, packages map[string]bool, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	r := resolve(file)
	p := &pruner{of: r.of, dropped: map[ast.Stmt]bool{}, gone: map[ast.Node]bool{}}
	for _, v := range r.variables {
		if v.reads == 0 {
			p.unread = append(p.unread, v)
		}
	}
	for len(p.unread) > 0 {
		v := p.unread[0]
		p.unread = p.unread[1:]
		p.remove(v)
	}
	return p.edit(fset.File(file.Pos()), src), p.packages(file), nil
}

// A pruner takes variables that nothing reads out of the text.
type pruner struct {
	of      map[*ast.Ident]*variable
	unread  []*variable // to be removed
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

// remove takes a variable that nothing reads out of the text.
func (p *pruner) remove(v *variable) {
	switch n := v.definition.(type) {
	case *ast.RangeStmt:
		p.edits = append(p.edits, textEdit{from: n.Key.Pos(), to: n.Range})
		return
	case *ast.AssignStmt:
		p.removeFrom(n, v)
	case *ast.DeclStmt:
		if spec := n.Decl.(*ast.GenDecl).Specs[0].(*ast.ValueSpec); len(spec.Names) == 1 {
			p.drop(n, spec.Values...)
		}
	}
	for _, w := range v.writes {
		p.drop(w, w.Rhs...)
	}
}

// removeFrom takes one of the variables that a statement defines out of it.
func (p *pruner) removeFrom(n *ast.AssignStmt, v *variable) {
	p.gone[v.name] = true
	if !slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return !p.gone[x] && x.(*ast.Ident).Name != "_" }) {
		p.edits = slices.DeleteFunc(p.edits, func(e textEdit) bool { return !e.lines && e.from >= n.Pos() && e.to <= n.End() })
		p.drop(n, n.Rhs...)
		return
	}
	p.edits = append(p.edits, textEdit{from: v.name.Pos(), to: v.name.End(), by: "_"})
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
	for _, x := range values {
		ast.Inspect(x, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && p.of[id] != nil {
				if v := p.of[id]; v.reads > 0 {
					if v.reads--; v.reads == 0 {
						p.unread = append(p.unread, v)
					}
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
	out := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil && p.gone[n] {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && p.of[id] == nil {
				out[id.Name] = true
			}
		}
		return true
	})
	return out
}
