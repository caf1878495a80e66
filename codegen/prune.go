package codegen

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
)

// prune removes definitions that emitted functions never read.
//
// A function defines everything that its statements might need: parameters, strides, positions,
// values of loops. Go refuses a variable that nothing reads. prune decides what is read on the
// syntax tree, for all functions at once, with names resolved by go/types. Removing a
// definition removes its own reads, too, and so on until every remaining definition is read. A
// definition that may fail (arith.Quo) is still evaluated. Statements of the nest are not
// pruned, because it is known before printing which of them are live.
//
// Definitions must have lines of their own, as the printer writes them. prune also returns the
// packages that the remaining text names.
func prune(name string, src []byte) (out []byte, packages map[string]bool, err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil, err
	}
	p := &pruner{variables: map[types.Object]*variable{}, dropped: map[ast.Stmt]bool{}, gone: map[ast.Node]bool{}}
	p.names = types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	// Imports are not known yet, so most types are unknown: an error for each is expected.
	check := types.Config{Error: func(error) {}, Importer: importer{}}
	_, _ = check.Check(name, fset, []*ast.File{file}, &p.names)
	p.define(file)
	p.count(file)
	for len(p.unread) > 0 {
		v := p.unread[0]
		p.unread = p.unread[1:]
		p.remove(v)
	}
	return p.edit(fset.File(file.Pos()), src), p.packages(file), nil
}

// An importer knows no packages.
type importer struct{}

func (importer) Import(path string) (*types.Package, error) {
	return nil, errors.New("imports are not looked at")
}

// A variable is a local variable of an emitted function that prune may remove.
type variable struct {
	name       *ast.Ident // where it is defined
	definition ast.Node   // an *ast.AssignStmt or *ast.DeclStmt with lines of its own, or an *ast.RangeStmt
	reads      int
	writes     []*ast.AssignStmt // assignments to this variable alone
}

// A pruner removes variables that nothing reads.
type pruner struct {
	names     types.Info
	variables map[types.Object]*variable
	unread    []*variable       // to be removed
	dropped   map[ast.Stmt]bool // drop must treat no statement twice: it has treated these, or a function literal around them is gone
	gone      map[ast.Node]bool // removed completely: statements, and names in definitions of several variables
	edits     []textEdit
}

// A textEdit replaces the bytes from..to. Lines extends the range to entire lines.
type textEdit struct {
	from, to token.Pos
	lines    bool
	by       string
}

// define finds the variables that are defined by statements of their own, or by ranges over
// numbers. It skips variables that the head of another statement defines.
func (p *pruner) define(file *ast.File) {
	add := func(definition ast.Node, names ...ast.Expr) {
		for _, x := range names {
			if id, ok := x.(*ast.Ident); ok && id.Name != "_" && p.names.Defs[id] != nil {
				p.variables[p.names.Defs[id]] = &variable{name: id, definition: definition}
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE && n.Value == nil {
				add(n, n.Key)
			}
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		}
		for _, s := range list {
			switch s := s.(type) {
			case *ast.AssignStmt:
				add(s, s.Lhs...)
			case *ast.DeclStmt:
				if d := s.Decl.(*ast.GenDecl); d.Tok == token.VAR {
					for _, name := range d.Specs[0].(*ast.ValueSpec).Names {
						add(s, name)
					}
				}
			}
		}
		return true
	})
}

// count counts the reads of each variable, and finds the variables without reads. An assignment to
// a variable is not a read of it.
func (p *pruner) count(file *ast.File) {
	var all []*variable
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				id, _ := x.(*ast.Ident)
				v := p.variables[p.names.Uses[id]]
				if v == nil || n.Tok != token.ASSIGN && n.Tok != token.DEFINE {
					continue
				}
				v.reads--
				if len(n.Lhs) == 1 {
					v.writes = append(v.writes, n)
				}
			}
		case *ast.Ident:
			if v := p.variables[p.names.Uses[n]]; v != nil {
				v.reads++
			} else if v := p.variables[p.names.Defs[n]]; v != nil {
				all = append(all, v)
			}
		}
		return true
	})
	for _, v := range all {
		if v.reads == 0 {
			p.unread = append(p.unread, v)
		}
	}
}

// remove removes a variable that nothing reads.
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

// removeFrom removes one of several variables that a statement defines.
func (p *pruner) removeFrom(n *ast.AssignStmt, v *variable) {
	p.gone[v.name] = true
	if !slices.ContainsFunc(n.Lhs, func(x ast.Expr) bool { return !p.gone[x] && x.(*ast.Ident).Name != "_" }) {
		// The entire statement goes, and must have one edit: without those that have put _ in place of its other variables.
		p.edits = slices.DeleteFunc(p.edits, func(e textEdit) bool { return !e.lines && e.from >= n.Pos() && e.to <= n.End() })
		p.drop(n, n.Rhs...)
		return
	}
	p.edits = append(p.edits, textEdit{from: v.name.Pos(), to: v.name.End(), by: "_"})
}

// drop removes a statement, but still evaluates values that may fail.
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
			if inner, ok := n.(ast.Stmt); ok { // of a function literal
				if p.gone[inner] {
					return false // drop has subtracted its reads already
				}
				p.dropped[inner] = true
			}
			id, _ := n.(*ast.Ident)
			if v := p.variables[p.names.Uses[id]]; v != nil && v.reads > 0 {
				if v.reads--; v.reads == 0 {
					p.unread = append(p.unread, v)
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

// edit returns src with all edits.
func (p *pruner) edit(file *token.File, src []byte) []byte {
	slices.SortFunc(p.edits, func(a, b textEdit) int { return int(a.from - b.from) })
	var out bytes.Buffer
	at := 0
	for _, e := range p.edits {
		from, to := file.Offset(e.from), file.Offset(e.to)
		if from < at {
			continue // inside a removed statement
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

// packages returns the names of the packages that the remaining text uses.
func (p *pruner) packages(file *ast.File) map[string]bool {
	out := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil && p.gone[n] {
			return false
		}
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && p.names.Uses[id] == nil {
				out[id.Name] = true
			}
		}
		return true
	})
	return out
}
