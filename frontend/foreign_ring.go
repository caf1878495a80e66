package frontend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/ir/diag"
)

// A nest that writes x[t%m] has m cells in turn for the numbers of a loop t that has more: a ring, whose cell is read before it is
// written again. In this language each number of t has a cell of its own, and the compiler stores those that are still needed.

// A ring is a dimension of an array whose cells a nest writes in turn.
type ring struct {
	written   linearSum // the subscript at which the nest writes the array, without the remainder
	size      string    // how many cells there are
	first     int       // the first token of the cell that is written
	end       int       // and the last one
	loop      string    // the loop in the subscript
	low, high linearSum // its range
	stored    string    // how many cells are stored
}

// ringAround is the ring of array, in whose subscript token k is a %; false if that is no ring. A remainder by the number of
// iterations that the loop has goes around the end of a dimension instead.
func (t *translator) ringAround(k int, array token) (r ring, ok bool) {
	d := t.dimensionOf(k, array)
	last := t.operandBehind(k)
	if last != k+1 {
		return r, false
	}
	r.size = t.at(last).text
	for j, x := range t.tokens {
		if x.text != array.text || !t.writes(j) || t.match[j+1] < j {
			continue
		}
		subs := subscriptsBehind(t.tokens[j:])
		if d >= len(subs) || len(subs[d]) < 3 || !subs[d][len(subs[d])-2].is("%") || subs[d][len(subs[d])-1].text != r.size {
			return r, false
		}
		selected := subs[d][:len(subs[d])-2]
		sum, fine := linearIn(selected)
		if !fine || len(selected) > 1 && partner(selected) != len(selected)-1 || r.end > 0 && !sum.plus(r.written, -1).zero() {
			return r, false
		}
		if r.end == 0 {
			r.written, r.first, r.end = sum, j, t.match[j+1]
			if ok = len(sum.names) == 1 && sum.factors[0] == 1; ok {
				r.loop = sum.names[0]
			}
		}
	}
	return r, ok && t.rangeOfRing(&r)
}

// rangeOfRing finds the loop of r and its range. It returns false if there is none, if the loop runs backward, or if it has as many
// iterations as the ring has cells.
func (t *translator) rangeOfRing(r *ring) bool {
	for k := r.end; k > 0 && r.end-k < maxForeignTokens; k-- {
		x := t.at(k)
		if x.text != r.loop || !t.at(k+1).is("=") || !slices.ContainsFunc([]string{",", "for", "repeat"}, t.at(k-1).is) {
			continue
		}
		first := k + 2
		last := first
		for depth := 0; last < r.end && (depth > 0 || !t.at(last).is(",") && !t.at(last).is("{")); last++ {
			depth += change(t.at(last))
		}
		ends := cut(t.tokens[first:last], "..")
		if len(ends) != 2 || slices.ContainsFunc(t.tokens[first:last], func(y token) bool { return y.named("step") || y.is("step") || y.text == r.size }) {
			return false
		}
		low, fine := linearIn(ends[0])
		high, also := linearIn(ends[1])
		count := high.plus(low, -1).with("", 1)
		if !fine || !also || len(count.names) == 0 && strconv.Itoa(count.number) == r.size {
			return false
		}
		if r.low, r.high = low, high; !t.at(k - 1).is("repeat") {
			r.stored = ", and of an array that is not given back only those are stored that are still needed"
		}
		return true
	}
	return false
}

// turn is the number of cells of r.
func (r *ring) turn() linearSum {
	if n, err := strconv.Atoi(r.size); err == nil {
		return linearSum{}.with("", n)
	}
	return linearSum{}.with(r.size, 1)
}

// level is the subscript, without the remainder, of the cell that x selects, the tokens before the % at token k: the last one that is
// written before. Above the statement that writes, and in it, that is not yet the cell of this iteration.
func (t *translator) level(r *ring, x []token, k int) (sum linearSum, ok bool) {
	sum, ok = linearIn(x)
	if at := slices.Index(sum.names, r.size); at >= 0 {
		sum = sum.plus(r.turn(), -max(0, sum.factors[at])) // whole turns only keep a remainder from being negative
	}
	later := sum.plus(r.written, -1)
	if !ok || len(later.names) > 0 || r.first < k && k < r.end {
		return sum, ok
	}
	for range mostTurns {
		if later.number < 0 || later.number == 0 && t.at(k).pos.Line > t.at(r.end).pos.Line {
			return sum, true
		}
		sum = sum.plus(r.turn(), -1)
		if later = sum.plus(r.written, -1); len(later.names) > 0 {
			return sum, true
		}
	}
	return sum, false
}

// mostTurns is how often a number beside the loop is reduced by the cells of a ring.
const mostTurns = 4

// ringLevels translates the % at token k of a ring.
func (t *translator) ringLevels(e edits, k int, array token, r *ring) bool {
	first := t.operandBefore(k)
	other := t.isOther(k)
	if !other && !t.wholeSubscript(first, k+1) {
		return false
	}
	x := t.tokens[first:k]
	if other { // 1-t%2 is (t+1)%2
		x = plus(withoutRound(slices.Clone(x)), 1)
	}
	sum, ok := t.level(r, x, k)
	if !ok {
		return false
	}
	text := func(x linearSum) string {
		if len(x.names) == 1 && x.factors[0] == -1 && x.number > 0 {
			return strconv.Itoa(x.number) + "-" + x.names[0]
		}
		return strings.ReplaceAll(textOf(x.tokens(token{})), " ", "")
	}
	shift := r.written.number
	message := fmt.Sprintf("a ring of %s cells needs no %%: each number of %s has a cell of its own%s; declare %s with the bounds %s..%s for dimension %d",
		r.size, r.loop, r.stored, array.text, text(r.low.plus(r.turn(), -1).with("", shift)), text(r.high.with("", shift)), t.dimensionOf(k, array)+1)
	if other {
		return t.rewritten(e, first-2, k+1, message, message, sum.tokens(t.at(first)), diag.Replacement)
	}
	return t.operation(e, k, 1, message, message, func(_, _ string, _ token) instead {
		if _, err := strconv.Atoi(r.size); err != nil && !t.isConst(r.size) { // t-m is a subscript of what is written only then
			return instead{hint: text(sum) + " here, and " + r.size + " a const", kind: diag.Advice}
		}
		return instead{hint: text(sum), kind: diag.Replacement, inline: text(sum)}
	})
}

// isConst reports whether the file declares a name as a const.
func (t *translator) isConst(name string) bool {
	for k, x := range t.tokens {
		if x.text == name && k > 0 && t.at(k-1).is("const") {
			return true
		}
	}
	return false
}
