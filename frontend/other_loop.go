package frontend

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// tokens are those of the nest's source.
func (c *checker) tokens() []token {
	if c.scanned == nil {
		c.scanned, _ = scan([]byte(strings.Join(c.nest.Source, "\n")))
	}
	return c.scanned
}

// otherLoop completes the report of an unknown name that is a loop elsewhere in the same for: before the loop begins, and where it has
// ended, its variable has no value. It returns false if there is no such loop.
func (c *checker) otherLoop(r report, name string) bool {
	all := c.tokens()
	use := slices.IndexFunc(all, func(x token) bool { return x.pos == r.d.At.Pos })
	if use < 0 {
		return false
	}
	first, last := outermostBlock(all, use)
	for k := first; k < last; k++ {
		if !all[k].is("for") {
			continue
		}
		at, open := loopNamed(all[k+1:last], name)
		if at < 0 {
			continue
		}
		at, open = at+k+1, open+k+1
		switch end := closingBrace(all, open); {
		case use > open && use < end:
			return false
		case use < k:
			r.d.Message += ": the loop " + name + " has not begun"
		default:
			r.d.Message += ": the loop " + name + " has ended"
		}
		number := "a number"
		if last := lastOfLoop(all[at:open]); use > k && last != "" {
			number = last + ", its last value,"
		}
		r.note(all[at].span(), "the loop %s is here", name).
			advise("the statement in the block of that loop; or %s in place of %s, which has no value outside of it", number, name)
		return true
	}
	return false
}

// lastOfLoop is the end of the range with which a loop begins a list of tokens; "" if it is not one name or number.
func lastOfLoop(header []token) string {
	if len(header) < 3 {
		return ""
	}
	ends := cut(commas(header[2:])[0], "..")
	if len(ends) != 2 || len(ends[1]) != 1 {
		return ""
	}
	return ends[1][0].text
}

// outermostBlock returns the tokens of the outermost for or repeat around a token: from that word to the brace that ends its block.
func outermostBlock(all []token, at int) (first, last int) {
	depth := 0
	for k, x := range all {
		switch {
		case (x.is("for") || x.is("repeat")) && depth == 0:
			first = k
		case x.is("{"):
			depth++
		case x.is("}"):
			if depth--; depth == 0 && k > at {
				return first, k
			}
		}
		if k > at && depth == 0 {
			return 0, 0
		}
	}
	return first, len(all)
}

// loopNamed looks for a loop in a header, which begins with the given tokens: its name, and the brace that ends the header; -1 if there is none.
func loopNamed(tokens []token, name string) (at, open int) {
	at = -1
	for k, x := range tokens {
		switch {
		case x.is("{"):
			return at, k
		case x.text == name && x.kind == tokIdent && k+1 < len(tokens) && (tokens[k+1].is("=") || tokens[k+1].is("in")):
			at = k
		case x.is("}"):
			return -1, k
		}
	}
	return -1, len(tokens)
}

// closingBrace is the index of the brace that closes the one at open, or the number of all tokens.
func closingBrace(all []token, open int) int {
	depth := 0
	for k := open; k < len(all); k++ {
		switch {
		case all[k].is("{"):
			depth++
		case all[k].is("}"):
			if depth--; depth == 0 {
				return k
			}
		}
	}
	return len(all)
}

// numberedLoop returns the place of the small loop whose numbers are the subscript arg of dimension d of a constant array, and its header
// as it must be for the subscript to stay within the bounds, which the number n is not. The place is empty if arg is no name of a loop.
func (c *checker) numberedLoop(arg *expr, a *ir.ConstArray, d, n int) (at diag.Span, hint string) {
	if c.beyond == nil {
		c.beyond = map[diag.Span]bool{}
	}
	all := c.tokens()
	use := slices.IndexFunc(all, func(x token) bool { return x.pos == arg.at.Pos })
	if use < 0 || arg.at.Len != all[use].span().Len {
		return at, ""
	}
	name := all[use].text
	loop, found := loopAround(all, use, name)
	if !found {
		return loop.at, ""
	}
	elsewhere := inOtherSubscript(all, use, name)
	return loop.at, numberedRange(name, [2]string{textOf(loop.first), textOf(loop.last)}, a, d, n, elsewhere)
}

// numberedRange is the hint for a small loop with the given ends, whose number n is not within dimension d of a constant array;
// elsewhere says that its numbers are in other subscripts, too.
func numberedRange(name string, ends [2]string, a *ir.ConstArray, d, n int, elsewhere bool) string {
	bounds := [2]string{strconv.Itoa(a.Lo[d]), strconv.Itoa(a.Hi[d])}
	from, errFrom := strconv.Atoi(ends[0])
	to, errTo := strconv.Atoi(ends[1])
	numbers, whole := errFrom == nil && errTo == nil, name+" = "+bounds[0]+".."+bounds[1]
	if numbers && to-from == a.Hi[d]-a.Lo[d] { // as many iterations as cells: it counts them from another number
		if elsewhere {
			return fmt.Sprintf("one of these: bounds %s..%s for dimension %d of %s, which has as many cells; or %s", ends[0], ends[1], d+1, a.Name, whole)
		}
		return whole
	}
	wrong, right := 1, errFrom
	if n < a.Lo[d] {
		wrong, right = 0, errTo
	}
	ends[wrong] = bounds[wrong]
	text := name + " = " + ends[0] + ".." + ends[1]
	if right != nil { // the other end is no number
		return "one of these: " + text + "; or " + whole + ", which are all its cells"
	}
	return text
}

// inOtherSubscript reports whether a name that is a subscript at token use is also in one elsewhere in the same statement.
func inOtherSubscript(all []token, use int, name string) bool {
	depth := 0
	for k, x := range all {
		switch {
		case x.is("["):
			depth++
		case x.is("]"):
			depth--
		case depth > 0 && k != use && x.text == name && x.pos.Line == all[use].pos.Line:
			return true
		}
	}
	return false
}
