package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// findCopied finds the lets without a type whose values follow from loops, parameters and
// constants. Every nest that uses such a let gets a copy of it, so that the let converts to the
// type of each use, as in a perfect nest.
func (f *fission) findCopied() {
	for _, s := range f.scalars {
		if s.decl.st.keyword() != "let" || s.typ != "" || len(s.users) == 1 || !f.follows(s) {
			continue
		}
		c := f.check(s.decl)
		if len(c.body) == 0 {
			continue
		}
		b := c.body[len(c.body)-1]
		if b.expr == nil || b.spoiled {
			continue
		}
		v := c.types.judge(b.expr)
		if v.clashes || v.t != ir.Invalid {
			continue
		}
		tokens := s.decl.st.tokens
		if v.float || !fitsInt64(b.expr) {
			t := f.typeTogether(tokens[1])
			if t == ir.Invalid {
				continue
			}
			tokens = slices.Insert(slices.Clone(tokens), 2, made(tokIdent, t.String(), tokens[1]))
		}
		s.copied = tokens
	}
}

// follows reports whether a let reads no cell and no other scalar but those that are copied, and no other scalar has
// its name.
func (f *fission) follows(s *scalar) bool {
	for _, t := range s.decl.st.tokens[2:] {
		if x := f.scalarAt(s.decl, t); t.is("[") || x == s || x != nil && x.copied == nil {
			return false
		}
	}
	return !slices.ContainsFunc(f.scalars, func(x *scalar) bool { return x != s && x.name == s.name })
}

// typeTogether returns the type that a let has if all statements are in one nest: where a let takes the type of its first
// use, this decides for the uses in all nests.
func (f *fission) typeTogether(name token) ir.Type {
	if f.types == nil {
		f.types = f.typesTogether()
	}
	return f.types[name.pos]
}

// typesTogether does what typeTogether does, for all lets, by the places of their names. Scalars with one name get
// several.
func (f *fission) typesTogether() map[diag.Pos]ir.Type {
	names := map[*scalar]string{}
	for k, s := range f.scalars {
		if slices.ContainsFunc(f.scalars[:k], func(x *scalar) bool { return x.name == s.name }) {
			names[s] = f.fresh(s.name)
		}
	}
	var leaves []*part
	var loops []*branch
	for _, l := range f.tree.leaves {
		x := *l.st
		x.tokens = slices.Clone(l.st.tokens)
		for k, t := range x.tokens {
			if name, ok := names[f.scalarAt(l, t)]; ok {
				x.tokens[k].text = name
			}
		}
		leaves = append(leaves, &part{st: &x})
		for _, b := range l.path {
			if !slices.ContainsFunc(loops, func(x *branch) bool { return x.name == b.name }) {
				loops = append(loops, b)
			}
		}
	}
	c := f.checkNest(f.tree.leaves[0].st.first(), loops, leaves, true)
	types := map[diag.Pos]ir.Type{}
	for k, b := range c.body {
		if b.let != nil {
			types[b.let.Name.span().Pos] = c.types.lets[k]
		}
	}
	return types
}

// withCopies puts copies of the lets that leaves use before them. A leaf in which scalars are cells has the order of
// the leaf that it is made of.
func (f *fission) withCopies(leaves []*part) []*part {
	users, out := slices.Clone(leaves), leaves
	for _, s := range slices.Backward(f.scalars) {
		uses := func(l *part) bool {
			return l.order != s.decl.order && slices.Contains(s.users, f.tree.leaves[l.order])
		}
		if s.copied != nil && slices.ContainsFunc(users, uses) {
			users = append(users, s.decl)
			out = slices.Insert(slices.Clone(out), 0, &part{st: &statement{tokens: s.copied}})
		}
	}
	return out
}

// staying returns the leaves that are no copied lets.
func (f *fission) staying() []*part {
	return slices.DeleteFunc(slices.Clone(f.tree.leaves), func(l *part) bool {
		s := f.declared(l)
		return s != nil && s.copied != nil
	})
}

// checkNest examines statements in loops, any of which may become a repeat if dividing says so.
func (f *fission) checkNest(at token, loops []*branch, leaves []*part, dividing bool) *checker {
	c := newChecker(f.file, f.src)
	c.repeats, c.dividing, c.earlier = f.repeats, dividing, f.results()
	if len(loops) == 0 {
		loops = []*branch{f.dummy(at)}
	}
	var parts []*part
	for _, l := range leaves {
		x := *l.st
		parts = append(parts, &part{st: &x})
	}
	file := c.parseFile(slices.Concat(copies(f.declarations), copies(f.added), f.scalarArrays(), []*statement{f.perfectNest(at, loops, parts)}))
	c.declareAll(file)
	c.resolveAll(file)
	return c
}
