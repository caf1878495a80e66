package frontend

import (
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// Remainders in the subscripts of an array go around the ends of its dimensions. In this language the boundary of the array does,
// one for all dimensions.

// around is the subscript x of a dimension that has the given number of cells, without whole turns, which only keep a remainder from
// being negative: i-1 for i+N-1, and for i+99 of 100 cells.
func around(x, cells string) string {
	tokens, _ := scan([]byte(x))
	sum, ok := linear(tokens[:len(tokens)-1])
	tokens, _ = scan([]byte(unbracketed(cells)))
	turn, whole := linear(tokens[:len(tokens)-1])
	if !ok || !whole {
		return x
	}
	n, err := strconv.Atoi(cells)
	at := -1
	if len(turn.names) > 0 && turn.factors[0] == 1 {
		at = slices.Index(sum.names, turn.names[0])
	}
	switch {
	case at >= 0 && sum.factors[at] > 0:
		sum = sum.plus(turn, -sum.factors[at])
	case err == nil && n > 0 && sum.number%n > n/2:
		sum.number = sum.number%n - n
	case err == nil && n > 0 && sum.number > 0:
		sum.number %= n
	default:
		return x
	}
	return strings.ReplaceAll(textOf(sum.tokens(token{})), " ", "")
}

// selectsLevel reports whether the % at token k, in a subscript, selects one of several time levels rather than going around an end.
// Where there are more than a few, and the array is written without a remainder in that dimension, it goes around.
func (t *translator) selectsLevel(k int) bool {
	divisor := t.at(k + 1)
	few := slices.Contains([]string{"2", "3", "4"}, divisor.text)
	return divisor.kind == tokInt && (few || !t.writtenPlain(k)) || divisor.kind == tokIdent && !t.numbers[divisor.text]
}

// writtenPlain reports whether assignments write the array in whose subscript token k lies, with a subscript in that dimension that has
// no remainder.
func (t *translator) writtenPlain(k int) bool {
	array := t.subscriptedBy(k)
	d := t.dimensionOf(k, array)
	for j, x := range t.tokens {
		if x.text != array.text || !t.writes(j) || t.match[j+1] < j {
			continue
		}
		subs := commas(t.tokens[j+2 : t.match[j+1]])
		if d < len(subs) && !slices.ContainsFunc(subs[d], func(y token) bool { return y.is("%") }) {
			return true
		}
	}
	return false
}

// otherLevel translates 1-t%2 in a subscript, of which token k is the %: the level that t%2 is not, which comes next.
func (t *translator) otherLevel(e edits, k int, message string) bool {
	if !t.isOther(k) {
		return false
	}
	first := t.operandBefore(k)
	return t.rewritten(e, first-2, k+1, "other level", message, plus(withoutRound(slices.Clone(t.tokens[first:k])), 1), diag.Replacement)
}

// isOther reports whether 1-t%2 is a subscript, of which token k is the %.
func (t *translator) isOther(k int) bool {
	first := t.operandBefore(k)
	return first > 2 && t.at(k+1).text == "2" && t.at(first-1).is("-") && t.at(first-2).text == "1" && t.wholeSubscript(first-2, k+1)
}

// wholeSubscript reports whether tokens first to last are all of a subscript.
func (t *translator) wholeSubscript(first, last int) bool {
	return first > 0 && (t.at(first-1).is("[") || t.at(first-1).is(",")) && (t.at(last+1).is("]") || t.at(last+1).is(","))
}

// cellsFromOne reports whether 1 is added to the remainder at token k: cells have numbers from 1.
func (t *translator) cellsFromOne(k int) bool {
	last := t.operandBehind(k)
	return last > 0 && t.at(last+1).is("+") && t.at(last+2).text == "1"
}

// periodic is the advice to give an array a boundary that is periodic, instead of the remainder at token k, whose divisor is
// cells, with the given ends of the dimension. The boundary is also that of the other dimensions: periodic where other remainders
// stand, and else what the file declares.
func (t *translator) periodic(k int, array token, cells, ends string) string {
	own := t.dimensionOf(k, array)
	kinds := slices.Repeat([]string{"*"}, max(t.dims[array.text], own+1))
	declared := t.declaredBoundary(array.text)
	copy(kinds, declared)
	kinds[own] = "periodic"
	seen := map[int]bool{own: true}
	for j, x := range t.tokens {
		if !x.is("%") || !t.inSubscript(j) || t.subscriptedBy(j).text != array.text || t.selectsLevel(j) {
			continue
		}
		n, first, last := t.dimensionOf(j, t.subscriptedBy(j)), j+1, t.operandBehind(j)
		if n >= len(kinds) || seen[n] || last < first {
			continue
		}
		kinds[n], seen[n] = "periodic", true
		y, _ := t.bracketed(first, last)
		more := "0.." + y + "-1"
		if t.cellsFromOne(j) {
			more = "1.." + y
		}
		cells, ends = cells+" and "+y, ends+" and "+more
	}
	text := "with boundary " + array.text + "[" + strings.Join(kinds, ", ") + "]"
	if slices.Equal(declared, kinds) {
		text = "with the boundary that " + array.text + " has"
	} else if declared != nil {
		text += " in place of the boundary of " + array.text
	}
	text += t.alsoPeriodic(array)
	those := "that dimension"
	if strings.Contains(cells, " and ") {
		those = "those dimensions"
	}
	return text + ", and bounds of " + those + " that have " + cells + " cells, such as " + ends + t.twoNests(k, array.text)
}

// alsoPeriodic is the advice for further arrays in whose subscripts what is found has a remainder: the same boundary, at the same dimensions.
func (t *translator) alsoPeriodic(array token) (text string) {
	kinds := map[string][]string{}
	var names []string
	for j, x := range t.tokens {
		other := token{}
		if x.is("%") && t.inSubscript(j) {
			other = t.subscriptedBy(j)
		}
		if other.text == "" || other.text == array.text || !t.uses[other.text].written || t.selectsLevel(j) {
			continue
		}
		d := t.dimensionOf(j, other)
		if kinds[other.text] == nil {
			names = append(names, other.text)
			kinds[other.text] = slices.Repeat([]string{"*"}, max(t.dims[other.text], d+1))
			copy(kinds[other.text], t.declaredBoundary(other.text))
		}
		if d < len(kinds[other.text]) {
			kinds[other.text][d] = "periodic"
		}
	}
	for _, name := range names {
		if !slices.Equal(kinds[name], t.declaredBoundary(name)) {
			text += ", and boundary " + name + "[" + strings.Join(kinds[name], ", ") + "]"
		}
	}
	return text
}

// declaredBoundary are the kinds of the boundary that the file declares for an array; nil if there is none.
func (t *translator) declaredBoundary(array string) (kinds []string) {
	for k, x := range t.tokens {
		if !x.named("boundary") || t.at(k+1).text != array || !t.at(k+2).is("[") || t.match[k+2] < 0 {
			continue
		}
		for _, part := range cut(t.tokens[k+3:t.match[k+2]], ",") {
			kinds = append(kinds, lineOf(part, maxTokens))
		}
	}
	return kinds
}

// dimensionOf is the dimension of an array in whose subscript token k lies.
func (t *translator) dimensionOf(k int, array token) int {
	n, depth := 0, 0
	for j := k; j > 0 && t.at(j-1).pos != array.pos && k-j < maxForeignTokens; j-- {
		switch x := t.at(j); {
		case x.closes():
			depth++
		case x.opens() && depth == 0:
			n = 0 // the bracket is around token k: the commas so far are within it
		case x.opens():
			depth--
		case x.is(",") && depth == 0:
			n++
		}
	}
	return n
}
