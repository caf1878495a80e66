package frontend

import "slices"

// Slices and entire arrays in an init: their cells.

// wholeNames are the names of the dimensions of which an init fills several cells; all names if there are none.
func (t *translator) wholeNames(array token, subs [][]token, names []token) (whole []token) {
	for d, s := range subs {
		if len(t.placed(array, d, names[d], s)) == 0 && !t.shifted(s) || slices.ContainsFunc(s, func(x token) bool { return x.is(":") || x.is("..") }) {
			whole = append(whole, names[d])
		}
	}
	if whole == nil {
		return names
	}
	return whole
}

// unsliced replaces subscripts that stand for a whole dimension, as in u[:, 0, :], by names: a cell
// with n such subscripts gets the last n of names.
func unsliced(l, names []token) []token {
	whole := func(k int) bool {
		return (l[k].is(":") || l[k].is("*")) && k > 0 && k+1 < len(l) && (l[k-1].is("[") || l[k-1].is(",")) && (l[k+1].is("]") || l[k+1].is(","))
	}
	around, _ := bracketsOf(l)
	out := slices.Clone(l)
	for k := range l {
		if !whole(k) {
			continue
		}
		behind := 0 // the number of such subscripts of the cell from this one on
		for j := k; j < len(l) && around[j] >= around[k]; j++ {
			if around[j] == around[k] && whole(j) {
				behind++
			}
		}
		if behind <= len(names) {
			out[k] = word(tokIdent, names[len(names)-behind].text, l[k])
		}
	}
	return out
}

// wholeCell returns the cell of an array for the given subscripts; the array may lack the first
// ones.
func (t *translator) wholeCell(array token, names []token) []token {
	dims := t.dims[array.text]
	if dims == 0 || dims > len(names) {
		return []token{array}
	}
	return cellTokens(array, single(names[len(names)-dims:]))
}

// lackingAt is missingAt, or, for an assignment to cells that has no names as subscripts, the last dimension: a row of other languages.
func (t *translator) lackingAt(array token, subs [][]token, filled bool) int {
	if filled && !slices.ContainsFunc(subs, func(s []token) bool { return s[0].kind == tokIdent && !t.numbers[s[0].text] }) {
		return len(subs)
	}
	return t.missingAt(array, subs)
}

// lacksIndex reports whether the value of an init has a name that is nothing else, and so may be that of a subscript.
func (t *translator) lacksIndex(x initLine) bool {
	for k, y := range x.value {
		called := k+1 < len(x.value) && (x.value[k+1].opens() || x.value[k+1].is(".")) || k > 0 && x.value[k-1].is(".")
		if y.kind == tokIdent && !called && !t.numbers[y.text] && !t.arrays[y.text] && !slices.ContainsFunc(x.subs, func(s []token) bool { return len(s) == 1 && s[0].text == y.text }) &&
			numbersElsewhere[y.text] == "" {
			return true
		}
	}
	return false
}
