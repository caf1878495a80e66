package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir/diag"
	"loopc/runtime/boundary"
)

// resolveBoundary resolves one boundary statement and attaches it to its array.
func (c *checker) resolveBoundary(s *boundarySyntax) {
	at := s.Name.span()
	told := len(c.diags)
	a := c.array(&view{}, s.Name.Name, at, len(s.Dims), at)
	if a < 0 {
		if ent := c.names[s.Name.Name]; ent != nil && ent.kind == arrayEntity {
			c.arrays[ent.index].edges = s.Name
		}
		c.shortBoundary(s, told)
		return
	}
	decl, arr := &c.arrays[a], &c.nest.Arrays[a]
	if decl.edges != nil {
		c.errorf(diag.Redeclared, at, "%s has two boundaries", arr.Name).
			note(decl.edges.span(), "the first boundary of %s is here", arr.Name)
		return
	}
	decl.edges = s.Name
	ends := make([]boundary.Ends, len(s.Dims))
	any := false
	for d, e := range s.Dims {
		if c.valued(s, e) {
			return
		}
		lo := c.edge(e.Lo)
		hi := lo
		if e.Hi != nil {
			hi = c.edge(e.Hi)
			if wraps := hi; lo.Wraps() != hi.Wraps() {
				if lo.Wraps() {
					wraps = lo
				}
				c.errorf(diag.Boundary, at, "dimension %d of %s is %s at one end only", d+1, arr.Name, wraps).advise("%[1]s at both ends: %[1]s", wraps)
			}
		}
		ends[d] = boundary.Ends{lo, hi}
		any = any || lo != boundary.None || hi != boundary.None
	}
	if any {
		arr.Boundary = ends
	}
}

// valued reports an end of dimension e that is a constant or a parameter: the user wants a boundary
// of this fixed value. It returns false if neither end is one.
func (c *checker) valued(s *boundarySyntax, e *edgeSyntax) bool {
	for _, side := range []*sideSyntax{e.Lo, e.Hi} {
		if side == nil || side.Open || c.names[side.Name.Name] == nil || c.names[side.Name.Name].kind != constEntity && c.names[side.Name.Name].kind != paramEntity {
			continue
		}
		name := side.Name.Name
		r := c.errorf(diag.Boundary, side.Name.span(), fixedBoundary)
		decl := &c.arrays[c.names[s.Name.Name].index]
		var dims, names []string
		for k, d := range decl.syntax.Dims {
			lo, hi := flatTree(d.Lo), flatTree(d.Hi)
			text := bare(lo) + ".." + bare(hi)
			if !s.Dims[k].Lo.Open && lo.decimal() && hi.kind == nameExpr && lo.name != "0" {
				text = "0.." + hi.name + "+1"
			}
			dims, names = append(dims, text), append(names, string(rune('i'+k)))
		}
		if init := c.inits[s.Name.Name]; init != nil && len(init.Indices) == len(names) {
			for k, n := range init.Indices {
				names[k] = n.Name
			}
		}
		if decl.syntax.Role == "in" || decl.syntax.Role == "inout" {
			r.advise(largerArray)
		} else {
			r.advise("bounds %s[%s] in place of the boundary, and init %s[%s] = %s", s.Name.Name, strings.Join(dims, ", "), s.Name.Name, strings.Join(names, ", "), name)
		}
		return true
	}
	return false
}

// boundariesElsewhere are the words of other languages and fields for boundaries, in lower
// case. The words of None mean a fixed boundary.
var boundariesElsewhere = map[boundary.Kind]string{
	boundary.Copied:     "copy nearest edge clamp clamped extend replicate neumann insulated zerogradient",
	boundary.Reflecting: "reflect reflective mirror",
	boundary.Symmetric:  "symmetry halfsample even",
	boundary.Periodic:   "wrap wraparound cyclic circular torus grid",
	boundary.None:       "fixed dirichlet constant zero zeros",
}

// boundaryElsewhere returns the kind that a word of boundariesElsewhere stands for.
func boundaryElsewhere(word string) (kind boundary.Kind, ok bool) {
	for kind, words := range boundariesElsewhere {
		if slices.Contains(strings.Fields(words), strings.ToLower(word)) {
			return kind, true
		}
	}
	return boundary.None, false
}

// What is said of a fixed boundary.
const (
	fixedBoundary = "a fixed boundary is cells of the array itself, that no iteration writes"
	largerArray   = "declare the array larger by them, and give them their value with init"
)

// edge resolves the boundary at one end of a dimension.
func (c *checker) edge(s *sideSyntax) boundary.Kind {
	if s.Open {
		return boundary.None
	}
	if k, ok := boundary.Named(s.Name.Name); ok {
		return k
	}
	elsewhere, known := boundaryElsewhere(s.Name.Name)
	if known && elsewhere == boundary.None {
		c.errorf(diag.Boundary, s.Name.span(), fixedBoundary).advise(largerArray)
		return boundary.None
	}
	if known {
		c.errorf(diag.Boundary, s.Name.span(), "%s is no boundary", s.Name.Name).fix(s.Name.span(), "%s", elsewhere)
		return boundary.None
	}
	words := boundary.Words()
	r := c.errorf(diag.Boundary, s.Name.span(), "%s is no boundary: those are %s, and * for none", s.Name.Name, strings.Join(words, ", "))
	if near := diag.Nearest(s.Name.Name, words); near != "" {
		r.fix(s.Name.span(), "%s", near)
	}
	return boundary.None
}

// shortBoundary completes the report of a boundary that lacks dimensions, if it alone follows the first told
// diagnostics. The hint has a * for each lacking dimension: they are taken to be the first ones, such as time. If it has a * for
// the time, the last kind may also be meant for the others.
func (c *checker) shortBoundary(s *boundarySyntax, told int) {
	ent := c.names[s.Name.Name]
	if ent == nil || told+1 != len(c.diags) || c.diags[told].Code != diag.Dimensions {
		return
	}
	lacking := len(c.arrays[ent.index].syntax.Dims) - len(s.Dims)
	if lacking < 1 {
		return
	}
	var words []string
	for _, d := range s.Dims {
		word := sideText(d.Lo)
		if d.Hi != nil {
			word += ".." + sideText(d.Hi)
		}
		words = append(words, word)
	}
	c.diags[told].Message += ": * stands for a dimension that nothing is read beyond"
	text := func(words []string) string {
		return fmt.Sprintf("boundary %s[%s]", s.Name.Name, strings.Join(words, ", "))
	}
	open, r := text(slices.Concat(slices.Repeat([]string{"*"}, lacking), words)), report{&c.diags[told]}
	if words[0] != "*" {
		r.hint("%s", open)
		return
	}
	r.advise("one of these: %s; or %s", open, text(slices.Concat(words, slices.Repeat(words[len(words)-1:], lacking)))) // * may stand for the time
}

// sideText is one end of a boundary as it is written.
func sideText(s *sideSyntax) string {
	if s.Open {
		return boundary.None.String()
	}
	return s.Name.Name
}
