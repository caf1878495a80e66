package frontend

import (
	"slices"
	"strconv"
)

// Sums of Python over a range of numbers, sum(x[i+k] for k in range(-1, 2)), name their cells one by one.

// mostGenerated bounds the cells that are named one by one.
const mostGenerated = 9

// generated are the values of an expression for the numbers of a range, in the arguments of a call
// that begin with the bracket open: x[i+k] for k in range(-1, 2). It is nil if there is no such range.
func (t *translator) generated(open int) (list []string) {
	l := t.tokens[open+1 : t.match[open]]
	at := slices.IndexFunc(l, func(x token) bool { return x.is("for") })
	if at < 1 || len(l) < at+5 || l[at+1].kind != tokIdent || !l[at+2].is("in") {
		return nil
	}
	ends := rangeCall(l[at+3:])
	if len(ends) != 2 {
		return nil
	}
	lo, err := strconv.Atoi(textOf(ends[0]))
	hi, also := strconv.Atoi(textOf(ends[1]))
	if err != nil || also != nil || hi < lo || hi-lo >= mostGenerated {
		return nil
	}
	for n := lo; n <= hi; n++ {
		list = append(list, textOf(withNumber(withoutRound(l[:at]), l[at+1].text, n)))
	}
	return list
}

// withNumber are tokens with a number in place of a name; in a sum, with its sign.
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
