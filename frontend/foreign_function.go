package frontend

import (
	"slices"
	"strings"
)

// Functions that the file defines in the notation of another language: hints declare them by extern, with the
// types that the definition has.

// typedParameters is a list of parameters as an extern has it: names with their types, float64 where there is none.
func typedParameters(list []token) string {
	names := parameterNames(list)
	types := make([]string, len(names))
	at := 0
	for _, p := range commas(list) {
		if at < len(names) && slices.ContainsFunc(p, func(x token) bool { return x.text == names[at] }) {
			types[at] = typeAmong(p, names[at])
			at++
		}
	}
	var parts []string
	for k := range slices.Backward(names) { // in Go, a type is also that of the names before it
		if types[k] == "" {
			types[k] = "float64"
			if k+1 < len(names) {
				types[k] = types[k+1]
			}
		}
	}
	for k, name := range names {
		if k+1 < len(names) && types[k] == types[k+1] {
			parts = append(parts, name)
		} else {
			parts = append(parts, name+" "+types[k])
		}
	}
	return strings.Join(parts, ", ")
}

// typeAmong is the type that a token of l names, other than the given name; "" if there is none.
func typeAmong(l []token, name string) string {
	for _, x := range l {
		if elem, known := aType(x); known && x.text != name {
			return elem.text
		}
	}
	return ""
}

// resultType is the type of the result of a function whose definition begins with token k, and its name is token
// name. The type stands before the name as in C, or behind the parameters as in Go and Python; else it is float64.
func (t *translator) resultType(k, name int) string {
	behind := t.match[name+1] + 1
	end := behind
	for end < len(t.tokens) && t.sameLine(name, end) && !t.at(end).is("{") {
		end++
	}
	for _, l := range [][]token{t.tokens[k:name], t.tokens[behind:max(end, behind)]} {
		if elem := typeAmong(l, ""); elem != "" {
			return elem
		}
	}
	return "float64"
}
