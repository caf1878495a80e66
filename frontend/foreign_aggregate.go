package frontend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// Functions of other languages combine many cells into one number: of a slice, of an entire array, or of a loop within the call.

// An aggregateFunction is a function of other languages that combines many cells into one number.
type aggregateFunction struct {
	reduce string // the reduction of this language that hints propose for it; "": there is none
	name   string // what hints name the result
}

// aggregates are such functions of other languages, by their names in lower case.
var aggregates = map[string]*aggregateFunction{
	"max": {"max", "top"}, "maxval": {"max", "top"}, "amax": {"max", "top"}, "nanmax": {"max", "top"}, "maximum": {"max", "top"},
	"min": {"min", "low"}, "minval": {"min", "low"}, "amin": {"min", "low"}, "nanmin": {"min", "low"}, "minimum": {"min", "low"},
	"sum": {"sum", "total"}, "nansum": {"sum", "total"}, "mean": {"sum", "total"}, "average": {"sum", "total"},
	"prod": {}, "product": {}, "any": {}, "all": {}, "count": {}, "norm": {}, "dot": {}, "std": {}, "var": {}, "argmax": {}, "argmin": {},
	"maxloc": {}, "minloc": {}, "cumsum": {}, "dot_product": {}, "matmul": {}, "count_nonzero": {}, "median": {}, "sort": {}, "sorted": {}, "diff": {}, "roll": {}, "cshift": {},
}

// averages are those that divide a sum by the number of cells.
var averages = []string{"mean", "average"}

// aggregate translates a call of such a function, from token k on, whose arguments begin with
// the bracket open; cell is one of the cells, or "" if none can be named.
func (t *translator) aggregate(e edits, k, open int, name, cell string) {
	f := aggregates[strings.ToLower(name)]
	last := t.match[open]
	if last < 0 || t.generated(open) == nil && t.collects(e, k, last, name, f, t.tokens[open+1:last]) {
		return
	}
	message := "a body works on one cell at a time: what all iterations have together is a reduction, before the for"
	kind, habit := diag.Example, "aggregate "+f.reduce
	hint := func() string { return t.reductionOf(name, f, t.tokens[open+1:last], cell) }
	if list := t.generated(open); list != nil && f.reduce != "" {
		message, kind = "a body works on one cell at a time: the cells around one are named one by one", diag.Replacement
		hint = func() string {
			return f.oneByOne(name, list)
		}
	} else if place := t.placeOf(name, t.tokens[open+1:last]); place != "" {
		message, kind = "a reduction tells the place of the max or min, too, in the nest behind it", diag.Advice
		hint = func() string { return place }
	} else if inner := cmp.Or(t.innerSum(k), t.innerValues(k, open, f), t.innerCells(k, name, f, t.tokens[open+1:last])); inner != "" {
		message, kind = innerMessage, diag.Advice
		hint = func() string { return inner }
	} else if cell == "" {
		hint = func() string { return "" }
	} else if first := t.window(open); first != "" && f.reduce != "" {
		message = "a body works on one cell at a time: the cells around one are named one by one"
		hint = func() string {
			if f.reduce == "sum" {
				return "(" + first + " + ...)"
			}
			return f.reduce + "(" + first + ", ...)"
		}
	} else if t.aroundIn(t.tokens[open+1:last]) && f.reduce != "" {
		message = "a body works on one cell at a time: the cells around one are named one by one"
		hint = func() string { return "" }
	} else if collected := t.together(k, name, f, t.tokens[open+1:last]); f.reduce == "" && collected == "" {
		message, kind = t.severalMessage(name), diag.Advice
		spread := t.spread(k, name, t.tokens[open+1:last])
		if spread != "" {
			habit += name
		}
		hint = func() string { return spread }
	} else if len(t.loops) > 0 {
		message, kind = togetherMessage, diag.Advice
		if t.writesHere(k, t.tokens[open+1:last]) {
			message = laterMessage
		}
		hint = func() string { return collected }
	}
	if t.found(habit, join(t.at(k).span(), t.at(last).span()), message, hint, kind) {
		t.supersede(e, k, last, []token{word(tokIdent, hole, t.at(k))})
	}
}

// oneByOne is what a function of this name computes of a list of values.
func (f *aggregateFunction) oneByOne(name string, list []string) string {
	switch {
	case len(list) == 1:
		return "(" + list[0] + ")"
	case slices.Contains(averages, strings.ToLower(name)):
		return fmt.Sprintf("(%s)/%d", strings.Join(list, " + "), len(list))
	case f.reduce == "sum":
		return "(" + strings.Join(list, " + ") + ")"
	}
	return f.reduce + "(" + strings.Join(list, ", ") + ")"
}

// severalMessage is said of a function of many cells for which this language has no word.
func (t *translator) severalMessage(name string) string {
	if slices.Contains([]string{"diff", "roll", "cshift"}, strings.ToLower(name)) {
		return "a body works on one cell at a time: the cells beside it are those with other subscripts, such as a loop minus 1"
	}
	message := "a body works on one cell at a time: of many cells there are reductions, max, min and sum, before the for"
	if len(t.loops) > 0 {
		message += "; those of one iteration are combined by an inner loop, in a var before it"
	}
	return message
}

// reductionOf is the reduction for a call of an aggregate with the arguments l; cell is one of the cells.
func (t *translator) reductionOf(name string, f *aggregateFunction, l []token, cell string) string {
	terms, op, _ := t.summands(name, f, l)
	if c := t.togetherOf(op, terms, ir.Invalid); len(t.loops) == 0 && c != nil && op == f.reduce {
		return fmt.Sprintf("reduce %s = %s(%s); %s { }", t.fresh(f.name), f.reduce, c.value, c.header)
	}
	return fmt.Sprintf("reduce %s = %s(%s)", t.fresh(f.name), f.reduce, cell)
}

// placeOf is the advice for a call, outside of loops, of a function that tells where the greatest or least of the cells l is; ""
// for other calls.
func (t *translator) placeOf(name string, l []token) string {
	op := map[string]string{"argmax": "max", "maxloc": "max", "argmin": "min", "minloc": "min"}[strings.ToLower(name)]
	c := t.togetherOf(op, l, ir.Invalid)
	if op == "" || len(t.loops) > 0 || c == nil {
		return ""
	}
	header, _ := scan([]byte(c.header))
	names := loopsOf(header[1 : len(header)-1])
	var places []string
	for _, n := range names {
		places = append(places, t.fresh("at"+n))
	}
	return fmt.Sprintf("reduce %s, %s = %s(%s) at (%s) and %s { }", t.fresh(aggregates[op].name), strings.Join(places, ", "), op, c.value, strings.Join(names, ", "), c.header)
}

// noCell stands for many cells, none of which a message can name.
const noCell = "…cell"

// manyCells returns one of the cells between the bracket open and its partner, in a call of an
// aggregate: of a slice or of an entire array. It returns noCell for a loop within the expression,
// and "" if there are not many cells.
func (t *translator) manyCells(name string, open int) string {
	if aggregates[strings.ToLower(name)] == nil || !t.at(open).is("(") || t.match[open] < open+2 {
		return ""
	}
	if value, _, _ := t.summed(t.tokens[open+1 : t.match[open]]); value != nil && !t.writesHere(open, value) {
		return noCell // an inner for may collect them
	}
	one := t.ofOne(name, open)
	for k := open + 1; k < t.match[open] && k-open < maxForeignTokens; k++ {
		x, next := t.at(k), t.at(k+1)
		switch {
		case one && x.kind == tokIdent && aggregates[strings.ToLower(x.text)] != nil && next.is("(") && t.match[k+1] > k+1:
			k = t.match[k+1] // it combines its own cells
		case x.is("for"):
			return noCell
		case one && x.kind == tokIdent && t.arrays[x.text] && !next.opens():
			return "" // the array lacks its subscripts
		case t.severalCells(k, one):
			return t.cellText(x.text)
		}
	}
	return ""
}

// aggregated translates a call of a function of many cells, and reports whether it is one. Token k
// is its name; its line begins with token head.
func (t *translator) aggregated(e edits, k, head int) bool {
	if t.at(head).is("reduce") || t.at(k+1).is("=") {
		return false
	}
	cell := t.manyCells(t.at(k).text, k+1)
	if cell == noCell {
		t.aggregate(e, k, k+1, t.at(k).text, "")
		return true
	}
	if cell != "" && t.assignedNumber(e, k, head, aggregates[strings.ToLower(t.at(k).text)]) {
		return true
	}
	if cell != "" {
		t.aggregate(e, k, k+1, t.at(k).text, cell)
	}
	return cell != ""
}

// severalCells reports whether token k names an entire array, a slice, or, unless the call compares several numbers, a row.
func (t *translator) severalCells(k int, one bool) bool {
	x, next := t.at(k), t.at(k+1)
	return x.kind == tokIdent && (t.arrays[x.text] && !next.opens() && !next.is(".") || next.opens() && (t.sliced(k+1) || !one && t.row(k)))
}

// row reports whether token k is an array that has fewer subscripts than dimensions: one row of it, in Python.
func (t *translator) row(k int) bool {
	return t.arrays[t.at(k).text] && t.at(k+1).is("[") && t.match[k+1] > k+2 && !t.at(t.match[k+1]+1).is("[") && len(commas(t.tokens[k+2:t.match[k+1]])) < t.dims[t.at(k).text]
}
