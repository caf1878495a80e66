package frontend

import (
	"slices"
	"strconv"

	"loopc/ir"
)

// numberList rewrites param T = 1, N = 2, param N int = 1 and param w real = 0.5; it returns nil for
// other declarations.
func numberList(l []token) []token {
	keyword, rest := l[0], l[1:]
	if len(rest) > 2 && ir.TypeNamed(rest[1].text) != ir.Invalid && rest[2].is("=") {
		return nil // the type stands where it belongs, so the word before it is a name, as in param half float64
	}
	var float []token // the type that the declaration keeps
	if t, typed := aType(rest[0]); typed && keyword.is("param") && rest[1].kind == tokIdent {
		rest = rest[1:]
		float = floatOf(keyword, t)
	}
	var names, values [][]token
	types := map[int]token{} // by the number of a name
	equals := 0
	parts := commas(separated(rest))
	for _, part := range parts {
		name, value, assigned := nameAndValue(part, equals > 0)
		if assigned {
			equals++
		}
		if name != nil {
			if !typedName(name) {
				return nil
			}
			if t, typed := aType(name[len(name)-1]); typed && len(name) > 1 {
				float, types[len(names)] = floatOf(keyword, t), t
			}
			names = append(names, name[:1])
		}
		if equals > 0 {
			if len(value) == 0 {
				return nil
			}
			values = append(values, withoutParams(keyword, value, parts))
		}
	}
	switch {
	case equals == 0, equals > 1 && equals < len(parts):
		return nil
	case equals > 1 && (float == nil || len(types) > 0):
		return numbersByType(keyword, names, values, types)
	}
	return slices.Concat([]token{keyword}, between(names, ",", keyword), float, []token{operator("=", keyword)}, between(values, ",", keyword))
}

// withoutParams is a value of a list, or a hole for the default of a param that has another one of the list: none may have one.
func withoutParams(keyword token, value []token, parts [][]token) []token {
	if keyword.is("param") && slices.ContainsFunc(value, func(x token) bool { return x.kind == tokIdent && slices.ContainsFunc(parts, nameFirst(x)) }) {
		return []token{word(tokIdent, hole, value[0])}
	}
	return value
}

// nameFirst returns a test whether tokens give a name a value.
func nameFirst(name token) func([]token) bool {
	return func(l []token) bool {
		return len(l) > 1 && l[0].kind == tokIdent && l[0].text == name.text && l[1].is("=")
	}
}

// nameAndValue divides a part of a list of numbers at its =. A part without one is a name, or a value if an = came before:
// the names come first, and then the values.
func nameAndValue(part []token, after bool) (name, value []token, assigned bool) {
	at := slices.IndexFunc(part, func(x token) bool { return x.is("=") })
	switch {
	case at >= 0:
		return part[:at], part[at+1:], true
	case after:
		return nil, part, false
	}
	return part, nil, false
}

// numbersByType declares numbers with their values. Parameters with a fraction have a declaration of their own.
func numbersByType(keyword token, names, values [][]token, types map[int]token) []token {
	var own [2][2][][]token // of integers and of floats: names and values
	for k, v := range values {
		kind := 0
		float := slices.ContainsFunc(v, func(x token) bool { return x.kind == tokFloat })
		if t, typed := types[k]; typed {
			float = floatOf(keyword, t) != nil
		}
		if keyword.is("param") && float {
			kind = 1
		}
		own[kind][0], own[kind][1] = append(own[kind][0], names[k]), append(own[kind][1], v)
	}
	var all [][]token
	for kind, x := range own {
		if len(x[0]) == 0 {
			continue
		}
		declared := append([]token{keyword}, between(x[0], ",", keyword)...)
		if kind == 1 {
			declared = append(declared, word(tokIdent, ir.Float64.String(), keyword))
		}
		all = append(all, slices.Concat(declared, []token{operator("=", keyword)}, between(x[1], ",", keyword)))
	}
	return between(all, ";", keyword)
}

// floatOf is the type of a param of floats; nothing for other types, and for a const.
func floatOf(keyword, t token) []token {
	if !keyword.is("param") || t.text[0] != 'f' {
		return nil
	}
	return []token{word(tokIdent, ir.Float64.String(), keyword)}
}

// typedName reports whether l is a name, or a name and a type.
func typedName(l []token) bool {
	if len(l) == 0 || l[0].kind != tokIdent {
		return false
	}
	_, typed := aType(l[len(l)-1])
	return len(l) == 1 || typed && (len(l) == 2 || len(l) == 3 && l[1].is(":"))
}

// separated puts the comma between two names, and the = before the first number, of a
// declaration that lacks them, if there then are as many names as values.
func separated(l []token) (out []token) {
	defer func() {
		parts := cut(out, "=")
		if len(parts) != 2 || len(commas(parts[0])) != len(commas(parts[1])) || slices.ContainsFunc(commas(parts[1]), func(v []token) bool { return len(v) == 2 && v[0].operand() }) {
			out = l
		}
	}()
	equals := slices.ContainsFunc(l, func(x token) bool { return x.is("=") })
	for k, x := range l {
		if k > 0 && l[k-1].kind == tokIdent && !slices.ContainsFunc(l[:k], func(x token) bool { return x.is("=") }) {
			_, before := aType(l[k-1])
			if _, typed := aType(x); x.kind == tokIdent && !typed && !before {
				out = append(out, operator(",", x))
			} else if (x.kind == tokInt || x.kind == tokFloat) && !equals {
				out, equals = append(out, operator("=", x)), true
			}
		}
		out = append(out, x)
	}
	return out
}

// constants rewrites const a = [x, y] with a name for each number; nil for other constants.
func (t *translator) constants(l []token) ([]token, string) {
	if len(l) < 5 || !l[2].is("=") || !l[3].is("[") || 3+partner(l[3:]) != len(l)-1 {
		return nil, ""
	}
	var list [][]token
	for k, v := range commas(l[4 : len(l)-1]) {
		if len(v) == 0 || k > maxDepth {
			return nil, ""
		}
		list = append(list, append([]token{word(tokIdent, l[1].text+strconv.Itoa(k), l[1]), l[2]}, v...))
	}
	t.spoil(l[1].text)
	return numbersDeclared(l[0], list), "a constant is one number, and several have a name each"
}
