package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// A scalar is a let or a var of an imperfect nest. If the nest becomes several nests, and statements of more
// than one use the scalar, it becomes an array with a dimension per loop around its declaration.
type scalar struct {
	name    string
	decl    *part
	copied  []token // the let, if each nest that uses it gets a copy; else nil
	users   []*part // the declaration, and the statements that use the scalar
	typ     string
	array   string // the name of the array that the scalar may become
	outer   int    // how many loops around the scalar become repeats
	crosses bool   // several nests use the scalar: it becomes an array
	box     box    // of the array: of the iterations of the declaration
}

// findScalars finds the lets and vars, and the statements that use them. It reports names that are declared twice: a let
// or var may not have the name of another one in the same body, nor of a loop around it; and a loop may not have the name
// of a let or var that the loop could use.
func (f *fission) findScalars() {
	var walk func(items []item, seen map[string]*scalar)
	walk = func(items []item, seen map[string]*scalar) {
		inner := map[string]*scalar{}
		for name, s := range seen {
			inner[name] = s
		}
		for _, it := range items {
			if it.loop != nil {
				if s := inner[it.loop.name]; s != nil {
					f.declaredTwice(it.loop.tokens[0], s.decl.st.name())
				}
				walk(it.loop.items, inner)
				continue
			}
			for _, t := range it.leaf.st.tokens {
				if s := inner[t.text]; t.kind == tokIdent && s != nil && !slices.Contains(s.users, it.leaf) {
					s.users = append(s.users, it.leaf)
				}
			}
			key := it.leaf.st.keyword()
			if tokens := it.leaf.st.tokens; (key == "let" || key == "var") && len(tokens) > 3 && tokens[1].kind == tokIdent && tokens[1].text != hole {
				s := &scalar{name: tokens[1].text, decl: it.leaf, users: []*part{it.leaf}}
				if tokens[2].kind == tokIdent {
					s.typ = tokens[2].text
				}
				if old := inner[s.name]; old != nil && old != seen[s.name] {
					f.declaredTwice(tokens[1], old.decl.st.name())
				} else if k := slices.IndexFunc(it.leaf.path, func(b *branch) bool { return b.name == s.name }); k >= 0 {
					f.declaredTwice(tokens[1], it.leaf.path[k].tokens[0])
				}
				f.scalars = append(f.scalars, s)
				inner[s.name] = s
			}
		}
	}
	walk(f.tree.items, nil)
}

// declaredTwice reports the second declaration of a name.
func (f *fission) declaredTwice(name, first token) {
	f.faulty = true
	f.diags = append(f.diags, diag.Diagnostic{Code: diag.Redeclared, At: name.span(), Message: name.text + " is declared twice",
		Notes: []diag.Note{{At: first.span(), Message: name.text + " is declared here"}}})
}

// declared returns the scalar that a leaf declares, or nil.
func (f *fission) declared(l *part) *scalar {
	for _, s := range f.scalars {
		if s.decl == l.own() {
			return s
		}
	}
	return nil
}

// typeScalar finds the type of a scalar and the bounds of its array. The scalars before it are typed already.
func (f *fission) typeScalar(s *scalar) {
	c := f.check(f.asCells(s.decl, s))
	if s.typ == "" {
		s.typ = ir.Float64.String()
		if n := len(c.types.lets); n > 0 && c.types.lets[n-1] != ir.Invalid {
			s.typ = c.types.lets[n-1].String()
			if e := c.body[n-1].expr; e != nil && c.types.judge(e).t == ir.Invalid { // the let gets its type from its uses
				if t := f.typeTogether(s.decl.st.name()); t != ir.Invalid {
					s.typ = t.String()
				}
			}
		}
	}
	s.array, s.crosses = f.fresh(s.name+"_"), true // an array, until placeScalars decides
	f.words[s.array] = s.name
	s.box = f.boxOf(s.decl)
}

// placeScalars decides which scalars stay lets and vars: those whose uses are all in the body of one nest.
func (f *fission) placeScalars(stages []*stage) {
	at := map[*part]*stage{}
	var note func(stages []*stage)
	note = func(stages []*stage) {
		for _, s := range stages {
			for _, l := range s.leaves {
				at[l.own()] = s
			}
			note(s.inner)
		}
	}
	note(stages)
	for _, s := range f.scalars {
		home := at[s.decl]
		if home == nil {
			continue // each nest has a copy of the let
		}
		s.outer = home.outer
		s.crosses = slices.ContainsFunc(s.users, func(l *part) bool { return at[l] != home }) ||
			!slices.ContainsFunc(home.leaves, f.assigns) // a body needs an assignment, and lets alone have none
		for _, b := range s.box.open {
			if s.crosses && !f.faulty && slices.Contains(s.decl.path[s.outer:], b) {
				f.diags = append(f.diags, diag.Diagnostic{Code: diag.BoundShape, At: b.tokens[0].span(), Kind: diag.Advice,
					Message: fmt.Sprintf("the range of %s is not known: no cell that is written, or read in all iterations, has it as a subscript, and several nests use %s", b.name, s.name),
					Hint:    fmt.Sprintf("the value of %s where it is used; or an array with %s as a subscript", s.name, b.name)})
			}
		}
	}
	f.added = append(f.added, f.scalarArrays()...)
}

// assigns reports whether a leaf assigns to a cell.
func (f *fission) assigns(l *part) bool {
	return f.declared(l) == nil && f.scalarAt(l, l.st.first()) == nil
}

// scalarArrays returns the declarations of the scalars that have to be arrays.
func (f *fission) scalarArrays() (out []*statement) {
	for _, s := range f.scalars {
		if !s.crosses || s.array == "" {
			continue
		}
		at := s.decl.st.name()
		var dims []string
		names := f.dimensions(s)
		for _, b := range slices.Concat(s.box.batches, s.box.bounds[s.outer:]) {
			dims = append(dims, b[0]+".."+b[1])
		}
		if len(dims) == 0 {
			dims, names = []string{"0..0"}, []string{f.fresh("once")}
		}
		declared := madeText("array "+s.array+"["+strings.Join(dims, ", ")+"] "+s.typ, at)
		if own := s.decl.st.tokens; len(own) > 2 && own[2].kind == tokIdent {
			declared[len(declared)-1] = own[2] // with its place
		}
		out = append(out, &statement{tokens: declared})
		if !s.box.full {
			out = append(out, &statement{tokens: madeText("init "+s.array+"["+strings.Join(names, ", ")+"] = 0", at)})
		}
	}
	return out
}

// asCells returns a leaf in which each scalar that has to be an array is replaced by a cell. The scalar exempt (nil: none) is not
// replaced: its declaration becomes a let. Private arrays get the subscripts of the shared loops.
func (f *fission) asCells(l *part, exempt *scalar) *part {
	st := &statement{block: l.st.block, body: l.st.body, bad: l.st.bad}
	tokens := l.st.tokens
	if d := f.declared(l); d != nil && d == exempt {
		tokens = slices.Clone(tokens)
		tokens[0].text = "let"
	} else if d != nil && d.crosses {
		tokens = slices.Clone(tokens[1:])
		if tokens[1].kind == tokIdent {
			tokens = slices.Delete(tokens, 1, 2)
		}
	}
	for k, t := range tokens {
		s := f.scalarAt(l, t)
		switch {
		case s != nil && s != exempt && s.crosses && s.array != "":
			t.text = s.array
			st.tokens = append(append(st.tokens, t), f.subscripts(s)...)
		case t.is("[") && k > 0 && f.private[tokens[k-1].text]:
			st.tokens = append(st.tokens, t)
			for _, b := range l.path[:f.shared()] {
				st.tokens = append(st.tokens, made(tokIdent, b.name, t), made(tokOp, ",", t))
			}
		default:
			st.tokens = append(st.tokens, t)
		}
	}
	return &part{st: st, order: l.order, path: l.path}
}

// subscripts returns the subscripts of the array that a scalar becomes.
func (f *fission) subscripts(s *scalar) []token {
	names := f.dimensions(s)
	if len(names) == 0 {
		names = []string{"0"}
	}
	return madeText("["+strings.Join(names, ",")+"]", s.decl.st.name())
}

// dimensions returns the names of the batches and loops around a scalar. The array that the scalar becomes has a dimension for
// each of them.
func (f *fission) dimensions(s *scalar) (names []string) {
	for _, b := range f.around {
		if b.batch {
			names = append(names, b.name)
		}
	}
	for _, b := range s.decl.path[s.outer:] {
		names = append(names, b.name)
	}
	return names
}

// scalarAt returns the scalar that a token of a leaf means, or nil.
func (f *fission) scalarAt(l *part, t token) *scalar {
	for _, s := range slices.Backward(f.scalars) {
		if t.kind == tokIdent && s.name == t.text && slices.Contains(s.users, l.own()) {
			return s
		}
	}
	return nil
}

// scalarNamed reports whether an array stands for a scalar.
func (f *fission) scalarNamed(array string) bool {
	return slices.ContainsFunc(f.scalars, func(s *scalar) bool { return s.array == array })
}

// widenPrivate gives private arrays a dimension per shared loop. An array that loops do not fill gets an init, with any
// value: an iteration reads only cells that it has written.
func (f *fission) widenPrivate() {
	if len(f.private) == 0 {
		return
	}
	c := f.check(f.asCells(f.tree.leaves[0], nil))
	box := f.boxOf(f.tree.leaves[0])
	for _, st := range f.declarations {
		if st.keyword() != "array" || len(st.tokens) < 3 || !f.private[st.name().text] {
			continue
		}
		name := st.name()
		var dims string
		var names []string
		for k, b := range box.bounds[:f.shared()] {
			dims, names = dims+b[0]+".."+b[1]+", ", append(names, f.tree.leaves[0].path[k].name)
		}
		st.tokens = slices.Concat(st.tokens[:3], madeText(dims, st.tokens[2]), st.tokens[3:])
		if box.full && f.filled(name.text) {
			continue
		}
		for k := slices.IndexFunc(c.nest.Arrays, func(a ir.Array) bool { return a.Name == name.text }); len(names) < f.shared()+len(c.nest.Arrays[k].Lo); {
			names = append(names, f.fresh("k"))
		}
		f.added = append(f.added, &statement{tokens: madeText("init "+name.text+"["+strings.Join(names, ", ")+"] = 0", name)})
	}
}

// filled reports whether one statement writes all cells of an array in every iteration of the shared loops, as the
// bounds of its other loops show.
func (f *fission) filled(array string) bool {
	return slices.ContainsFunc(f.accesses, func(list []touch) bool {
		return slices.ContainsFunc(list, func(w touch) bool {
			n := w.Nest
			if !w.writes || n.Arrays[w.Array].Name != array || len(n.Loops) != f.shared()+len(w.Subs) {
				return false
			}
			var loops []string
			for _, l := range n.Loops {
				loops = append(loops, l.Name)
			}
			same := func(a ir.Affine, text string) bool { return depend.AffineText(n, a, loops) == text }
			for k, l := range n.Loops[f.shared():] {
				lo, hi := depend.AffineText(n, n.Arrays[w.Array].Lo[k], nil), depend.AffineText(n, n.Arrays[w.Array].Hi[k], nil)
				if !same(w.Subs[k], l.Name) || len(l.Lo) != 1 || len(l.Hi) != 1 || !same(l.Lo[0], lo) || !same(l.Hi[0], hi) {
					return false
				}
			}
			return true
		})
	})
}
