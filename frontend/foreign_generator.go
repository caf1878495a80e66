package frontend

import (
	"slices"
	"strconv"
	"strings"
)

// A sum, max or min of other languages over a known number of cells or values, such as sum(x[i+k] for k in range(-1, 2)),
// min(d[c-1:c+2]) or max(v for v in (a, b)), is written out: what it combines is named one by one.

// mostGenerated bounds the cells that are named one by one.
const mostGenerated = 9

// generated returns the values x[i-1], x[i], x[i+1] if the call of a function whose bracket is token open has the argument
// "x[i+k] for k in range(-1, 2)", or a list or a slice of as many. It returns nil if the argument has another form.
func (t *translator) generated(open int) (list []string) {
	l := withoutRound(t.tokens[open+1 : t.match[open]])
	if len(l) > 2 && l[0].is("[") && partner(l) == len(l)-1 {
		l = l[1 : len(l)-1]
	}
	at := slices.IndexFunc(l, func(x token) bool { return x.is("for") })
	if at < 0 {
		return t.windowed(l, t.at(open-1).named("maxval", "minval"))
	}
	if at < 1 || len(l) < at+5 || l[at+1].kind != tokIdent || !l[at+2].is("in") || slices.ContainsFunc(l[at+1:], func(x token) bool { return x.is("for") || x.is("if") }) {
		return nil
	}
	for _, value := range listed(l[at+3:]) {
		list = append(list, textOf(withValue(withoutRound(l[:at]), l[at+1].text, value)))
	}
	return list
}

// listed are the values of (a, b), of [a, b], or of a range whose length is known, if there are not too many; else none.
func listed(l []token) (values [][]token) {
	if len(l) > 2 && bracketed(l) {
		if values = commas(l[1 : len(l)-1]); anyEmpty(values) || len(values) > mostGenerated || slices.ContainsFunc(values, isSlice) {
			return nil
		}
		return values
	}
	ends := rangeCall(l)
	if len(ends) != 2 {
		return nil
	}
	return fromTo(ends[0], ends[1])
}

// fromTo are the numbers from lo to hi, both included, if their difference is known and not too large; else none.
func fromTo(lo, hi []token) (values [][]token) {
	x, ok := linear(lo)
	y, also := linear(hi)
	if !ok || !also {
		return nil
	}
	by := y.plus(x, -1)
	if len(by.names) > 0 || by.number < 0 || by.number >= mostGenerated {
		return nil
	}
	for n := range by.number + 1 {
		values = append(values, x.with("", n).tokens(lo[0]))
	}
	return values
}

// windowed returns the cells of a slice that is around a loop, d[r,c-1:c+2], whose end is not included unless toEnd; nil for other
// tokens.
func (t *translator) windowed(l []token, toEnd bool) (list []string) {
	if len(l) < 4 || !t.isArray(l[0]) || !l[1].opens() || partner(l[1:]) != len(l)-2 {
		return nil
	}
	cells := [][][]token{nil}
	for _, s := range commas(l[2 : len(l)-1]) {
		each := [][]token{s}
		if isSlice(s) {
			if each = t.aroundLoop(s, toEnd); each == nil {
				return nil
			}
		}
		var longer [][][]token
		for _, subs := range cells {
			for _, x := range each {
				longer = append(longer, append(slices.Clone(subs), x))
			}
		}
		if cells = longer; len(cells) > mostGenerated {
			return nil
		}
	}
	if len(cells) < 2 {
		return nil
	}
	for _, subs := range cells {
		list = append(list, strings.ReplaceAll(textOf(cellTokens(l[0], subs)), " ", ""))
	}
	return list
}

// aroundLoop are the subscripts of a slice that has a loop in its middle: only then it is known which end is meant, unless toEnd
// says it.
func (t *translator) aroundLoop(s []token, toEnd bool) [][]token {
	ends := cut(s, ":")
	if len(ends) != 2 || anyEmpty(ends) {
		return nil
	}
	lo, ok := linear(ends[0])
	hi, also := linear(ends[1])
	if !ok || !also || len(lo.names) != 1 || lo.factors[0] != 1 || !slices.Contains(t.loops, lo.names[0]) {
		return nil
	}
	if middle := lo.plus(hi, 1); !toEnd && middle.number != 1 {
		return nil
	}
	if !toEnd {
		hi = hi.with("", -1)
	}
	return fromTo(ends[0], hi.tokens(ends[1][0]))
}

// aroundIn reports whether tokens have a slice whose two ends move with the loops around: a window.
func (t *translator) aroundIn(l []token) bool {
	for k, x := range l {
		if !x.is("[") || k+partner(l[k:]) >= len(l) {
			continue
		}
		for _, s := range commas(l[k+1 : k+partner(l[k:])]) {
			if ends := cut(s, ":"); len(ends) > 1 && len(ends[0]) > 0 && len(ends[1]) > 0 && t.loopsIn(textOf(ends[0])) != "" && t.loopsIn(textOf(ends[1])) != "" {
				return true
			}
		}
	}
	return false
}

// withValue returns tokens l with a value in place of a name; subscripts become sums again.
func withValue(l []token, name string, value []token) (out []token) {
	if n, err := strconv.Atoi(textOf(value)); err == nil {
		return withNumber(l, name, n)
	}
	for k, x := range l {
		switch {
		case x.text != name || x.kind != tokIdent:
			out = append(out, x)
		case len(value) == 1 || k > 0 && (l[k-1].is("[") || l[k-1].is(",") || l[k-1].is("(")) && k+1 < len(l) && (l[k+1].is("]") || l[k+1].is(",") || l[k+1].is(")")):
			out = append(out, moved(slices.Clone(value), x)...)
		default:
			out = append(out, slices.Concat([]token{operator("(", x)}, moved(slices.Clone(value), x), []token{operator(")", x)})...)
		}
	}
	return asSums(out)
}

// asSums writes subscripts that are sums of numbers and names without brackets.
func asSums(l []token) (out []token) {
	for k := 0; k < len(l); k++ {
		last := k + partner(l[k:])
		if !l[k].is("[") || last <= k || last >= len(l) {
			out = append(out, l[k])
			continue
		}
		var subs [][]token
		for _, s := range commas(l[k+1 : last]) {
			if x, ok := linearIn(s); ok {
				s = x.tokens(l[k])
			}
			subs = append(subs, s)
		}
		out = append(append(append(out, l[k]), between(subs, ",", l[k])...), l[last])
		k = last
	}
	return out
}

// linearIn reads a sum whose summands may be sums in brackets.
func linearIn(l []token) (sum linearSum, ok bool) {
	for k := 0; k < len(l); {
		sign, first := 1, k
		if l[k].is("+") || l[k].is("-") {
			if l[k].is("-") {
				sign = -1
			}
			k++
		} else if k > 0 {
			return sum, false
		}
		if k < len(l) && l[k].is("(") {
			last := k + partner(l[k:])
			if last <= k || last >= len(l) {
				return sum, false
			}
			inner, fine := linear(l[k+1 : last])
			if !fine {
				return sum, false
			}
			sum, k = sum.plus(inner, sign), last+1
			continue
		}
		for k < len(l) && !l[k].is("+") && !l[k].is("-") {
			k++
		}
		term, fine := linear(l[first:k])
		if !fine {
			return sum, false
		}
		sum = sum.plus(term, 1)
	}
	return sum, len(l) > 0
}

// withNumber returns tokens l with the number n in place of a name. Behind + or -, a negative n changes the
// sign, and 0 is dropped with the sign.
func withNumber(l []token, name string, n int) (out []token) {
	for k, x := range l {
		sum := k > 0 && (l[k-1].is("+") || l[k-1].is("-"))
		switch {
		case x.text != name || x.kind != tokIdent:
			out = append(out, x)
		case sum && n == 0:
			out = out[:len(out)-1]
		case sum && n < 0:
			sign := map[bool]string{true: "-", false: "+"}[l[k-1].is("+")]
			out = append(out[:len(out)-1], operator(sign, x), word(tokInt, strconv.Itoa(-n), x))
		default:
			out = append(out, word(tokInt, strconv.Itoa(n), x))
		}
	}
	return out
}

// window returns the first cell of the slice that is the argument of an aggregate, behind its
// bracket open, if the slice begins at a place that moves with the loops around; otherwise "".
func (t *translator) window(open int) string {
	if t.match[open+2] != t.match[open]-1 || t.at(open+1).kind != tokIdent || !t.at(open+2).is("[") && !(t.at(open+2).is("(") && t.isArray(t.at(open+1))) || t.match[open+2] < 0 {
		return ""
	}
	var subs []string
	moves := false
	for _, s := range commas(t.tokens[open+3 : t.match[open+2]]) {
		if isSlice(s) {
			s = cut(s, ":")[0]
			if len(s) == 0 || !slices.ContainsFunc(t.loops, func(name string) bool { return mentions(textOf(s), name) }) {
				return ""
			}
			moves = true
		}
		subs = append(subs, strings.ReplaceAll(textOf(s), " ", ""))
	}
	if !moves {
		return ""
	}
	return t.at(open+1).text + "[" + strings.Join(subs, ",") + "]"
}
