package frontend

import (
	"slices"

	"loopc/ir"
)

// The type of a var that a file declares without one.

// typeOfVar returns the type for a var whose first value is given. It is an integer type if everything assigned to the
// var is made of whole numbers, loops and cells of integers, and the type of floats otherwise: that of the arrays that the
// file gives the var to, if they agree.
func (t *translator) typeOfVar(name token, first []token) string {
	if elem := convertedTo(first); elem != "" {
		return elem
	}
	floats := len(t.floats) > 0 || len(t.fractions) > 0
	integers := t.integerNames()
	whole := func(l []token) bool {
		depth := 0 // of square brackets: subscripts are whole numbers
		return !slices.ContainsFunc(l, func(x token) bool {
			depth += map[string]int{"[": 1, "]": -1}[x.text]
			known := t.arrays[x.text] && !t.floats[x.text] || integers[x.text] || !floats && (t.lets[x.text] || t.locals[x.text] || x.named("min", "max", "abs", "select"))
			return depth == 0 && (x.kind == tokFloat || x.is("/") || x.kind == tokIdent && x.text != name.text && !known)
		})
	}
	single := len(first) <= 1 // so that no sum wraps
	for _, k := range t.assignmentsTo(name.text) {
		value := t.tokens[k+1 : t.lineEnd(k)+1]
		if !whole(value) {
			return t.writtenType(name.text, ir.Float64, false)
		}
		single = single && len(value) == 2 && value[0].is("=")
	}
	if !whole(first) {
		return t.writtenType(name.text, ir.Float64, false)
	}
	return t.writtenType(name.text, ir.Int64, single)
}

// convertedTo is the type of a value that is a conversion as a whole; "" for another value.
func convertedTo(value []token) string {
	if len(value) > 3 && value[1].is("(") && partner(value) == len(value)-1 {
		return typeElsewhere(value[0].text)
	}
	return ""
}

// integerNames are the loops of the file, and its parameters and constants that are integers.
func (t *translator) integerNames() map[string]bool {
	names := map[string]bool{}
	for k, x := range t.tokens {
		switch {
		case x.named("for", "do", "foreach") || x.is("for") || x.is("repeat"):
			for j := k + 1; j-k < maxForeignTokens && t.sameLine(k, j) && !t.at(j).is("{"); j++ {
				if t.at(j).kind == tokIdent && (t.at(j+1).is("=") || t.at(j+1).is("in")) {
					names[t.at(j).text] = true
				}
			}
		case x.is("param") || x.is("const"):
			end := t.lineEnd(k)
			if slices.ContainsFunc(t.tokens[k:end+1], func(x token) bool { return x.kind == tokFloat || x.is("/") || x.named("float32", "float64") }) {
				continue
			}
			for j := k + 1; j <= end && !t.at(j).is("="); j++ {
				names[t.at(j).text] = true
			}
		}
	}
	return names
}

// writtenType is the type of all arrays to which the file assigns values with a name, or, without such arrays, of all that it
// writes, if they have one type, of the same kind as another, and sums do not wrap in it; else the other one. For small
// integers it is int32, as in C, unless the name gets single values only.
func (t *translator) writtenType(name string, other ir.Type, single bool) string {
	elem, told := ir.Invalid, t.receiversOf(name)
	for k, x := range t.tokens {
		array := t.at(k + 1).text
		if !x.is("array") || !t.at(k+2).opens() || !t.uses[array].written || len(told) > 0 && !told[array] {
			continue
		}
		own := ir.TypeNamed(typeName(t.at(k + 3 + partner(t.tokens[k+2:min(len(t.tokens), k+maxForeignTokens)])).text))
		if own == ir.Invalid || elem != ir.Invalid && own != elem {
			return other.String()
		}
		elem = own
	}
	switch {
	case elem == ir.Invalid || elem.Float() != other.Float():
		return other.String()
	case elem.Integer() && elem.Size() < ir.Int32.Size() && !(single && len(told) > 0):
		return ir.Int32.String()
	}
	return elem.String()
}

// receiversOf are the arrays to which the file assigns values with a name, other than in subscripts.
func (t *translator) receiversOf(name string) map[string]bool {
	out := map[string]bool{}
	for k, x := range t.tokens {
		if !t.arrays[x.text] || !t.at(k+1).opens() || !t.beginsStatement(k) {
			continue
		}
		end := t.lineEnd(k)
		sign := k + 2 + partner(t.tokens[k+1:min(len(t.tokens), k+maxForeignTokens)])
		if sign > end {
			continue
		}
		depth := 0
		if slices.ContainsFunc(t.tokens[sign:end+1], func(x token) bool {
			depth += map[string]int{"[": 1, "]": -1}[x.text]
			return depth == 0 && x.kind == tokIdent && x.text == name
		}) {
			out[x.text] = true
		}
	}
	return out
}
