package frontend

import (
	"slices"
	"strconv"
	"strings"
)

// A sum, max or min of Python over a range of numbers, such as sum(x[i+k] for k in range(-1, 2)), is written
// out: its cells are named one by one.

// mostGenerated bounds the cells that are named one by one.
const mostGenerated = 9

// generated returns the values x[i-1], x[i], x[i+1] if the call whose bracket is token open has the argument
// "x[i+k] for k in range(-1, 2)". It returns nil if the argument has another form.
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
	if t.at(open+1).kind != tokIdent || !t.at(open+2).is("[") || t.match[open+2] < 0 {
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
