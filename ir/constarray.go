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

// list returns the text of the values from position at on that differ in the subscripts from d on.
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

// Values64 returns the interval of the values; ok is false if they are floats.
func (a *ConstArray) Values64() (x Interval, ok bool) {
	for k, value := range a.Values {
		v, _ := constant.Float64Val(value)
		if k == 0 {
			x = Interval{v, v}
		}
		x = x.Or(Interval{v, v})
	}
	return x, a.Elem.Integer()
}

// FindInside finds the cells of constant arrays in the body whose subscripts are within the bounds whatever the loops, the parameters
// and the cells of arrays are.
func (n *Nest) FindInside() {
	lets := map[int]Interval{}
	var of func(e Expr) Interval
	of = func(e Expr) Interval {
		x, ok := Interval{}, false
		switch e := e.(type) {
		case *LocalRef:
			let := n.Body[e.Stmt].(*Let)
			if x, ok = lets[e.Stmt]; !ok && let.Type.Integer() {
				x, ok = of(let.Expr).Within(let.Type), true
				lets[e.Stmt] = x
			}
		case *Convert:
			if ok = e.X.Type().Integer(); ok {
				x = of(e.X)
			}
		default:
			x, ok = Computed(e, of)
		}
		if !ok {
			return ValuesOf(e.Type())
		}
		return x.Within(e.Type())
	}
	for _, s := range n.Body {
		Walk(Value(s), func(e Expr) {
			cell, ok := e.(*ConstCell)
			if !ok {
				return
			}
			cell.Inside = true
			for d, sub := range cell.Subs {
				x := of(sub)
				cell.Inside = cell.Inside && x.Lo >= float64(cell.Of.Lo[d]) && x.Hi <= float64(cell.Of.Hi[d])
			}
		})
	}
}
