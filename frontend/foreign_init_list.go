package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// initLists rewrites an init of several names as one init for each array: init a, b = 0, 1 and init a[i] = b[i] = 0. A name of the
// list that is no array has its first value there, as a statement of other languages: other passes report it.
func (t *translator) initLists() {
	if !slices.ContainsFunc(t.tokens, func(x token) bool { return x.is("init") }) {
		return
	}
	lines := t.lines()
	for n, l := range lines {
		last := lastOf(l, ";")
		if last < 3 || last > maxForeignTokens || !l[0].is("init") || !balanced(l[:last+1]) {
			continue
		}
		targets, values := initTargets(l[1 : last+1])
		if targets == nil || len(targets) == 1 && t.hasCells(targets[0]) {
			continue
		}
		var inits, others []token
		for k, x := range targets {
			name, value := x[0], append(slices.Clip(values[k]), operator(";", l[0]))
			if !t.hasCells(x) {
				others = slices.Concat(others, x, []token{operator("=", name)}, value)
				continue
			}
			if len(x) == 1 && t.dims[name.text] > 0 {
				x = cellTokens(name, single(t.indexNames(name, nil)))
			}
			inits = slices.Concat(inits, []token{operator("init", l[0])}, x, []token{operator("=", name)}, value)
			t.noteInit(name.text)
		}
		out := slices.Concat(inits, others)
		for k := range out {
			out[k].pos.Line = l[0].pos.Line
		}
		lines[n] = slices.Concat(out, l[last+1:])
		if len(targets) == 1 || inits == nil {
			continue
		}
		message := "an init is of one array, and names its subscripts"
		if others != nil {
			message = "an init is of one array, and " + others[0].text + " is none"
			if t.assignedBelow(others[0]) {
				message += ": " + scalarRoles
			}
		}
		if !t.found("init list", join(l[0].span(), l[last].span()), message, func() string { return statementsText(inits[:len(inits)-1]) }, diag.Replacement) {
			return
		}
	}
	t.tokens = slices.Concat(lines...)
}

// initTargets reads the targets and the values of an init behind its keyword: a, b = 0, 1, and a, b = 0, and a = 0, b = 1, and
// a = b = 0. It returns nil for anything else.
func initTargets(l []token) (targets, values [][]token) {
	sides := cut(l, "=")
	value := sides[len(sides)-1]
	switch lists := commas(l); {
	case len(sides) == 2:
		targets, values = commas(sides[0]), commas(value)
		if len(values) == 1 {
			values = slices.Repeat(values, len(targets))
		}
	case len(lists) > 1 && len(sides) == len(lists)+1:
		for _, x := range lists {
			equals := slices.IndexFunc(x, func(y token) bool { return y.is("=") })
			if equals < 1 {
				return nil, nil
			}
			targets, values = append(targets, x[:equals]), append(values, x[equals+1:])
		}
	default:
		targets, values = sides[:len(sides)-1], slices.Repeat([][]token{value}, len(sides)-1)
	}
	isTarget := func(x []token) bool {
		return len(x) > 0 && x[0].kind == tokIdent && (len(x) == 1 || x[1].is("[") && partner(x[1:]) == len(x)-2)
	}
	if len(targets) != len(values) || anyEmpty(values) || slices.ContainsFunc(targets, func(x []token) bool { return !isTarget(x) }) {
		return nil, nil
	}
	return targets, values
}

// hasCells reports whether the target of an init is an array, or has subscripts here or elsewhere.
func (t *translator) hasCells(target []token) bool {
	return len(target) > 1 || t.dims[target[0].text] > 0 || t.usedDims(target[0].text) > 0
}

// noteInit notes that an array has an init.
func (t *translator) noteInit(array string) {
	u := t.uses[array]
	u.init = true
	t.uses[array] = u
}
