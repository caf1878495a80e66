package frontend

import (
	"strings"

	"loopc/ir/diag"
)

// hiddenNames warns of a let or var in a block, if an outer one has the same name and the name is used behind the block.
// There the outer one still has its old value; most likely, the block was meant to change it.
func hiddenNames(tokens []token) (out []diag.Diagnostic) {
	type scope map[string][2]token // by name: the let or var, and the name
	var scopes []scope
	for k, t := range tokens {
		switch {
		case t.is("{"):
			scopes = append(scopes, scope{})
		case t.is("}"):
			if len(scopes) > 0 {
				scopes = scopes[:len(scopes)-1]
			}
		case len(scopes) == 0 || k+2 >= len(tokens) || t.text != "let" && t.text != "var" || tokens[k+1].kind != tokIdent:
		case tokens[k+2].kind == tokIdent || tokens[k+2].is("="):
			name := tokens[k+1]
			for _, s := range scopes[:len(scopes)-1] {
				outer, ok := s[name.text]
				if !ok || !usedBehind(tokens[k:], name.text) {
					continue
				}
				d := diag.Diagnostic{
					Severity: diag.Warning, Code: diag.Redeclared, At: name.span(), Kind: diag.Advice,
					Message: "this " + name.text + " ends with its block: what is used behind the block is the one outside",
					Hint:    name.text + " = ..., without " + t.text + ", changes the one outside",
					Notes:   []diag.Note{{At: outer[1].span(), Message: name.text + " is declared here"}},
				}
				if outer[0].text == "let" {
					d.Hint += ", which must be a var then, with its type"
				}
				out = append(out, d)
				break
			}
			if top := scopes[len(scopes)-1]; top[name.text][0].text == "" {
				top[name.text] = [2]token{t, name}
			}
		}
	}
	return out
}

// octalNumbers warns of numbers with a 0 before further digits, which are octal as in C and Go, if another language reads another number.
func octalNumbers(tokens []token) (out []diag.Diagnostic) {
	for _, t := range tokens {
		digits := strings.TrimLeft(t.text, "0")
		if t.kind != tokInt || len(digits) < 2 || len(digits) == len(t.text) || strings.Trim(digits, "01234567") != "" {
			continue
		}
		out = append(out, diag.Diagnostic{
			Severity: diag.Warning, Code: diag.Foreign, At: t.span(), Kind: diag.Advice,
			Message: t.text + " is octal, and means " + literal(tokInt, t.text).ExactString(),
			Hint:    digits + ", if the 0 before it means nothing, or 0o" + digits,
		})
	}
	return out
}

// usedBehind reports whether a name occurs in the block around the one in which tokens begin, behind it.
func usedBehind(tokens []token, name string) bool {
	depth := 0
	for _, t := range tokens {
		switch {
		case t.is("{"):
			depth++
		case t.is("}"):
			depth--
		case depth == -1 && t.kind == tokIdent && t.text == name:
			return true
		}
		if depth < -1 {
			return false
		}
	}
	return false
}
