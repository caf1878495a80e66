package main

import (
	"bytes"
	"go/ast"
	"strings"
	"unicode"
	"unicode/utf8"
)

// declaration is the text of a declaration with fewer comments: loopc itself has the reasons. Functions have no comment lines in their
// bodies. Structs have none above fields that are not exported, and the first sentence of those above other fields. Declarations
// without raw strings have no empty lines.
func (s *shaker) declaration(f *sourceFile, n ast.Node) []byte {
	within, drops := n, false
	if of, ok := n.(*ast.FuncDecl); ok && of.Body != nil {
		within, drops = of.Body, true
	}
	var kept []byte
	from := n.Pos()
	for _, c := range f.syntax.Comments {
		if c.Pos() < within.Pos() || c.End() > within.End() {
			continue
		}
		before := s.between(f, from, c.Pos())
		line := bytes.LastIndexByte(before, '\n')
		switch {
		case line < 0 || len(bytes.TrimSpace(before[line:])) > 0 || strings.HasPrefix(c.List[0].Text, "//go:"):
			continue
		case drops || !exportedNext(s.between(f, c.End(), n.End())):
			kept = append(kept, before[:line]...)
		default:
			kept = append(append(kept, before...), bytes.TrimSpace(filled(openingSentence(s.between(f, c.Pos(), c.End()))))...)
		}
		from = c.End()
	}
	kept = append(kept, s.between(f, from, n.End())...)
	if !bytes.ContainsRune(kept, '`') {
		kept = bytes.ReplaceAll(kept, []byte("\n\n"), []byte("\n"))
	}
	return kept
}

// exportedNext reports whether text begins with an exported name.
func exportedNext(text []byte) bool {
	first, _ := utf8.DecodeRune(bytes.TrimSpace(text))
	return unicode.IsUpper(first)
}
