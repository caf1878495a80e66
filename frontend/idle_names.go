package frontend

import (
	"fmt"
	"slices"

	"loopc/ir/diag"
)

// Names that a file declares and never uses: most likely another name stands where this one was meant.

// A declaredName is a name of a let, a var, a const, a param or an array at its declaration.
type declaredName struct {
	word, typed token // let, and the type of the let, if it has one
	name        token
	block       int // of the statements outside of all blocks, in which it is; -1 outside
	changed     bool
}

// idleNames warns of names that are declared, and used nowhere, and of lets that the body changes. It says nothing of
// lines that diags are about.
func idleNames(tokens []token, diags []diag.Diagnostic) (out []diag.Diagnostic) {
	declared, uses := namesOf(split(tokens))
	for _, d := range declared {
		name := d.name.text
		var message, hint string
		kind := diag.Advice
		at := d.name.span()
		switch {
		case slices.ContainsFunc(diags, func(x diag.Diagnostic) bool { return x.At.Line == at.Line }):
			continue
		case d.changed:
			message, hint = name+" is a let, which has one value: what a body changes is a var", asVar(name)
			at = d.word.span()
			if d.typed.text != "" {
				hint, kind = "var", diag.Replacement
			}
		case uses[nameIn{name, d.block}] || uses[nameIn{name, -1}]:
			continue
		case d.word.is("array"):
			message = fmt.Sprintf("array %s is declared, and nothing reads or writes it", name)
		case d.word.text == "var":
			message = fmt.Sprintf("var %s is set, and nothing uses it", name)
		default:
			message = fmt.Sprintf("%s %s is declared, and nothing uses it", d.word.text, name)
		}
		out = append(out, diag.Diagnostic{Severity: diag.Warning, Code: diag.NoResult, At: at, Replace: at, Message: message, Hint: hint, Kind: kind})
	}
	return out
}

// A nameIn is a name in a block of the statements outside of all blocks; -1 is the whole file.
type nameIn struct {
	name  string
	block int
}

// namesOf finds the names that a file declares, and which names its blocks use. The array of an init or a boundary
// is not used there.
func namesOf(s *splitter) (declared []*declaredName, uses map[nameIn]bool) {
	uses = map[nameIn]bool{}
	block, depth := 0, 0
	for k, t := range s.tokens {
		st := s.owner[k]
		switch {
		case st == nil && t.is("{"):
			depth++
		case st == nil && t.is("}"):
			if depth--; depth == 0 {
				block++
			}
		}
		if st == nil || t.kind != tokIdent {
			continue
		}
		at := block
		if depth == 0 {
			at = -1
		}
		place := slices.IndexFunc(st.tokens, func(x token) bool { return x.pos == t.pos })
		switch word := st.keyword(); {
		case place == 1 && (word == "init" || word == "boundary"):
		case declaresAt(st, place):
			declared = append(declared, declaredBy(st, t, at))
		default:
			noteUse(declared, uses, st, t, place, at)
		}
	}
	return declared, uses
}

// noteUse notes that a statement of a block uses name t, its token at a place. To set a var is not to use it.
func noteUse(declared []*declaredName, uses map[nameIn]bool, st *statement, t token, place, block int) {
	set := place == 0 && len(st.tokens) > 1 && st.tokens[1].assigns()
	if set && isLocal(declared, t.text, "var") {
		return
	}
	uses[nameIn{t.text, block}] = true
	uses[nameIn{t.text, -1}] = uses[nameIn{t.text, -1}] || !isLocal(declared, t.text, "let") && !isLocal(declared, t.text, "var")
	if set {
		letChanges(declared, t.text, block)
	}
}

// declaredBy is the name t that a statement of a block declares.
func declaredBy(st *statement, t token, block int) *declaredName {
	d := &declaredName{word: st.first(), name: t, block: block}
	if st.keyword() == "let" && len(st.tokens) > 2 && st.tokens[2].kind == tokIdent {
		d.typed = st.tokens[2]
	}
	return d
}

// declaresAt reports whether a statement declares the name that is its token at a place: as a let, as one of several
// numbers, or as an array that is given or internal.
func declaresAt(st *statement, place int) bool {
	switch st.keyword() {
	case "let", "var":
		return place == 1
	case "array":
		last := st.tokens[len(st.tokens)-1]
		return place == 1 && !last.is("out") && !last.is("inout")
	case "const", "param":
		if isListed(st) {
			return place == 1
		}
		equals := slices.IndexFunc(st.tokens, func(x token) bool { return x.is("=") })
		return place > 0 && (place < equals || equals < 0) && (place == 1 || st.tokens[place-1].is(","))
	}
	return false
}

// isLocal reports whether a name is that of a let, or of a var, so far.
func isLocal(declared []*declaredName, name, word string) bool {
	return slices.ContainsFunc(declared, func(d *declaredName) bool { return d.word.text == word && d.name.text == name })
}

// letChanges records that a block assigns to a name, if it is that of a let.
func letChanges(declared []*declaredName, name string, block int) {
	for _, d := range slices.Backward(declared) {
		if d.name.text == name {
			d.changed = d.word.is("let") && d.block == block
			return
		}
	}
}
