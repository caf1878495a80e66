package frontend

import (
	"slices"
	"strconv"
)

// The declarations of numbers whose names and values stand in another order: param T = 1, N = 2.

// numberList puts param T = 1, N = 2 and param N int = 1 in order; nil if it is none of
// these.
func numberList(l []token) []token {
	keyword, rest := l[0], l[1:]
	if _, typed := aType(rest[0]); typed && keyword.is("param") && rest[1].kind == tokIdent {
		rest = rest[1:]
	}
	parts := commas(separated(rest))
	var names, values []token
	equals := 0
	for k, part := range parts {
		at := slices.IndexFunc(part, func(x token) bool { return x.is("=") })
		name := part
		if at >= 0 {
			equals++
			name = part[:at]
		}
		if at >= 0 || equals == 0 {
			if len(name) > 1 {
				if _, typed := aType(name[len(name)-1]); !typed || len(name) > 3 || len(name) == 3 && !name[1].is(":") {
					return nil
				}
			}
			if len(name) == 0 || name[0].kind != tokIdent {
				return nil
			}
			if len(names) > 0 {
				names = append(names, operator(",", part[0]))
			}
			names = append(names, name[0])
		}
		if at >= 0 || equals > 0 {
			value := part[at+1:]
			if len(value) == 0 || at < 0 && k == 0 {
				return nil
			}
			if len(values) > 0 {
				values = append(values, operator(",", value[0]))
			}
			values = append(values, value...)
		}
	}
	out := append([]token{keyword}, names...)
	if equals == 0 || equals > 1 && equals < len(parts) {
		return nil
	}
	return append(append(out, operator("=", keyword)), values...)
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

// constants are those of const a = [x, y], a name for each; nil if there are none.
func (t *translator) constants(l []token) ([]token, string) {
	if len(l) < 5 || !l[2].is("=") || !l[3].is("[") || 3+partner(l[3:]) != len(l)-1 {
		return nil, ""
	}
	var names, values []token
	for k, v := range commas(l[4 : len(l)-1]) {
		if len(v) == 0 || k > maxDepth {
			return nil, ""
		}
		if k > 0 {
			names, values = append(names, operator(",", l[0])), append(values, operator(",", l[0]))
		}
		names, values = append(names, word(tokIdent, l[1].text+strconv.Itoa(k), l[1])), append(values, v...)
	}
	t.spoil(l[1].text)
	return slices.Concat(l[:1], names, l[2:3], values), "a constant is one number, and several have a name each"
}
