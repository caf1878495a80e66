package frontend

import (
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// resolveBoundary resolves one boundary statement and attaches it to its array.
func (c *checker) resolveBoundary(s *boundarySyntax) {
	at := s.Name.span()
	a := c.array(&view{}, s.Name.Name, at, len(s.Dims), at)
	if a < 0 {
		return
	}
	decl, arr := &c.arrays[a], &c.nest.Arrays[a]
	if decl.edges != nil {
		c.errorf(diag.Redeclared, at, "%s has two boundaries", arr.Name).
			note(decl.edges.span(), "the first boundary of %s is here", arr.Name)
		return
	}
	decl.edges = s.Name
	edges := make([][2]ir.Edge, len(s.Dims))
	any := false
	for d, e := range s.Dims {
		lo := c.edge(e.Lo)
		hi := lo
		if e.Hi != nil {
			hi = c.edge(e.Hi)
			if (lo == ir.Periodic) != (hi == ir.Periodic) {
				c.errorf(diag.Boundary, at, "dimension %d of %s is periodic at one end only", d+1, arr.Name).advise("periodic at both ends: periodic")
			}
		}
		edges[d] = [2]ir.Edge{lo, hi}
		any = any || lo != ir.NoEdge || hi != ir.NoEdge
	}
	if any {
		arr.Edges = edges
	}
}

// boundariesElsewhere are the words of other languages and fields for boundaries, in small
// letters.
var boundariesElsewhere = map[string]string{
	"wrap": "periodic", "wraparound": "periodic", "cyclic": "periodic", "circular": "periodic", "torus": "periodic", "grid": "periodic",
	"reflect": "reflecting", "reflective": "reflecting", "mirror": "reflecting", "symmetric": "reflecting", "symmetry": "reflecting",
	"copy": "copied", "nearest": "copied", "edge": "copied", "clamp": "copied", "clamped": "copied", "extend": "copied", "replicate": "copied", "neumann": "copied", "insulated": "copied", "zerogradient": "copied",
	"fixed": "fixed", "dirichlet": "fixed", "constant": "fixed", "zero": "fixed", "zeros": "fixed",
}

// edge resolves what happens at one end of a dimension.
func (c *checker) edge(s *sideSyntax) ir.Edge {
	if s.Open {
		return ir.NoEdge
	}
	e, ok := ir.EdgeNamed(s.Name.Name)
	if ok {
		return e
	}
	elsewhere := boundariesElsewhere[strings.ToLower(s.Name.Name)]
	if elsewhere == "fixed" {
		c.errorf(diag.Boundary, s.Name.span(), "a fixed boundary is cells of the array itself, that no iteration writes").
			advise("declare the array larger by them, and give them their value with init")
		return ir.NoEdge
	}
	words := []string{"copied", "reflecting", "periodic"}
	r := c.errorf(diag.Boundary, s.Name.span(), "%s is no boundary: those are copied, reflecting and periodic, and * for none", s.Name.Name)
	if elsewhere != "" {
		r.fix(s.Name.span(), "%s", elsewhere)
	} else if near := diag.Nearest(s.Name.Name, words); near != "" {
		r.fix(s.Name.span(), "%s", near)
	}
	return ir.NoEdge
}
