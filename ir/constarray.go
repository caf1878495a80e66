package ir

import (
	"fmt"
	"go/constant"
	"strings"

	"loopc/ir/diag"
)

// A ConstArray is an array whose cells are constants of the file. Values are in the order of the last
// subscript first, exact, and representable as Elem: each is rounded once, as a Lit is.
type ConstArray struct {
	Name   string
	Elem   Type
	Lo, Hi []int // inclusive bounds
	Values []constant.Value
	Span   diag.Span
}

// Position returns the position in Values of the cell at subscripts within the bounds.
func (a *ConstArray) Position(cell []int) (at int) {
	for d, x := range cell {
		at = at*(a.Hi[d]-a.Lo[d]+1) + x - a.Lo[d]
	}
	return at
}

// String returns the declaration in the language.
func (a *ConstArray) String() string {
	var bounds []string
	for d := range a.Lo {
		bounds = append(bounds, fmt.Sprintf("%d..%d", a.Lo[d], a.Hi[d]))
	}
	return fmt.Sprintf("const %s[%s] %s = %s", a.Name, strings.Join(bounds, ", "), a.Elem, a.list(0, 0))
}

// list prints the values from position at on that differ in the subscripts from d on.
func (a *ConstArray) list(d, at int) string {
	if d == len(a.Lo) {
		return exact(a.Values[at])
	}
	n := a.Hi[d] - a.Lo[d] + 1
	var items []string
	for k := range n {
		items = append(items, a.list(d+1, at*n+k))
	}
	return "[" + strings.Join(items, ", ") + "]"
}
