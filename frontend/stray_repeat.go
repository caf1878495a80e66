package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
)

// Assignments in the block of a repeat, beside its fors, and what the user may have meant: a reduction, or a for of its own.

// strayInRepeat completes the report of an assignment in the block of repeat r. The hint is the reduction of the cells that the
// value has, or else a for around the assignment, of one iteration if the file has no index of it.
func (p *programChecker) strayInRepeat(report report, r *repeatOutline, m *statement) {
	a, mistake := parseTokens(assignParser, m, m.tokens)
	if mistake != nil || a == nil || p.outline == nil { // loopc fmt has no outline
		return
	}
	f := &strayRepeat{repeat: r, numbers: map[string]bool{}, extents: map[string][][]token{}}
	for _, st := range p.outline.declarations {
		f.declare(st)
	}
	f.numbersOf(p.outline.repeats)
	name, value := a.Cell.Name.Name, flatTree(a.Value)
	if report.strayAgain(a, true, p.ofRepeats(name), p.declaresNumber(name)) || value.callsUnknownBut("sum") {
		return
	}
	if len(a.Cell.Subs) > 0 {
		p.strayCellInRepeat(report, f, a, m)
		return
	}
	_, known := f.extents[name]
	if known || f.numbers[name] || value.kind != callExpr || len(value.args) != 1 || !slices.Contains([]string{"max", "min", "sum"}, value.name) || a.Sign.Op != "=" {
		return
	}
	if loops, ok := f.loopsOf(nil, nil, value); ok && len(loops) > 0 {
		report.d.Message += ": what the cells of all iterations have together is a reduction, before a for, which may be empty"
		report.fixStatement(a, "reduce "+name+" = "+bare(value)+"; for "+strings.Join(loops, ", ")+" { }")
	}
}

// numbersOf notes the numbers of repeats, and the reductions of the nests in this one.
func (f *strayRepeat) numbersOf(repeats []*repeatOutline) {
	for _, x := range repeats {
		for k, t := range x.header.tokens[1:] {
			if t.is("=") && k > 0 { // of the repeat, or a parameter of an item
				f.numbers[x.header.tokens[k].text] = true
			}
		}
	}
	for _, n := range f.repeat.nests {
		for _, st := range n.own {
			if st.keyword() == "reduce" && len(st.tokens) > 1 {
				f.numbers[st.tokens[1].text] = true
			}
		}
	}
}

// strayCellInRepeat completes the report of an assignment to a cell.
func (p *programChecker) strayCellInRepeat(report report, f *strayRepeat, a *assignSyntax, m *statement) {
	dims, value := f.extents[a.Cell.Name.Name], flatTree(a.Value)
	loops, ok := f.loopsOf(dims, flatTrees(a.Cell.Subs), value)
	if len(dims) != len(a.Cell.Subs) || !ok || named([]*expr{value}, "sum") {
		return
	}
	if len(loops) == 0 {
		loops = []string{p.freeLoop() + " = 1..1"}
	}
	report.fixStatement(a, "for "+strings.Join(loops, ", ")+" { "+lineOf(m.tokens, maxTokens)+" }")
}

// callsUnknownBut does what callsUnknown does, but for one name.
func (e *expr) callsUnknownBut(name string) bool {
	x := *e
	if e.kind == callExpr && e.name == name {
		x.name = "max"
	}
	return x.callsUnknown()
}

// freeLoop is a name for a loop around a statement.
func (p *programChecker) freeLoop() string {
	used := wordsOf(p.src)
	for _, name := range []string{"k", "n", "m", "q", "v", "w"} {
		if !used[name] {
			return name
		}
	}
	return "once"
}

// A strayRepeat is a repeat that has an assignment in its block, with the names of the file.
type strayRepeat struct {
	repeat  *repeatOutline
	numbers map[string]bool      // declared numbers, and those of repeats
	extents map[string][][]token // of arrays, by dimension
}

// declare notes what a declaration declares.
func (f *strayRepeat) declare(st *statement) {
	switch st.keyword() {
	case "array":
		open := slices.IndexFunc(st.tokens, func(t token) bool { return t.is("[") })
		if end := closer(st.tokens, open); open == 2 && end > open {
			f.extents[st.tokens[1].text] = commas(st.tokens[open+1 : end])
		}
	case "param", "const":
		for _, t := range st.tokens[1:] {
			if t.is("=") {
				return
			}
			f.numbers[t.text] = true
		}
	}
}

// loopsOf returns a loop for each name in the subscripts of cells, in the order of the text, that nothing declares: with the
// range that a for of the repeat gives it where it assigns to one of these arrays, or else that of the dimension. It returns
// false if the value has such names elsewhere, or if a range is not known. subs are the subscripts of the target, and dims its
// dimensions.
func (f *strayRepeat) loopsOf(dims [][]token, subs []*expr, value *expr) (loops []string, ok bool) {
	ranges, arrays := map[string]string{}, map[string]bool{}
	var order []string
	ok = true
	note := func(name string, dims [][]token, d int, alone bool) {
		if _, array := f.extents[name]; f.numbers[name] || array {
			return
		}
		if _, seen := ranges[name]; !seen {
			order = append(order, name)
			ranges[name] = ""
		}
		if alone && ranges[name] == "" && d < len(dims) {
			ranges[name] = lineOf(dims[d], maxTokens)
		}
	}
	var walk func(e *expr)
	walk = func(e *expr) {
		switch e.kind {
		case nameExpr:
			ok = ok && (f.numbers[e.name] || slices.Contains(order, e.name))
		case cellExpr:
			arrays[e.name] = true
			for d, s := range e.args {
				for _, name := range s.names() {
					note(name, f.extents[e.name], d, s.kind == nameExpr)
				}
			}
		default:
			for _, x := range e.args {
				walk(x)
			}
		}
	}
	for d, s := range subs {
		for _, name := range s.names() {
			note(name, dims, d, s.kind == nameExpr)
		}
	}
	walk(value)
	for _, name := range order {
		text := f.rangeOf(name, arrays)
		if text == "" {
			text = ranges[name]
		}
		ok = ok && text != ""
		loops = append(loops, name+" = "+strings.ReplaceAll(text, " ", ""))
	}
	return loops, ok
}

// rangeOf is the range of a loop of the repeat, upward and without other loops, in whose for one of these arrays is assigned to;
// "" if there is none.
func (f *strayRepeat) rangeOf(name string, arrays map[string]bool) string {
	for _, n := range f.repeat.nests {
		if !slices.ContainsFunc(n.loop.body, func(st *statement) bool { return len(st.tokens) > 0 && arrays[st.first().text] }) {
			continue
		}
		for _, b := range branchesOf(n.loop) {
			others := slices.ContainsFunc(b.tokens[2:], func(t token) bool {
				_, builtin := ir.FuncNamed(t.text)
				return t.named("step") || t.kind == tokIdent && !f.numbers[t.text] && !builtin
			})
			if b.name == name && !others {
				return lineOf(b.tokens[2:], maxTokens)
			}
		}
	}
	return ""
}
