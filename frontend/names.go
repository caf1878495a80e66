package frontend

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"loopc/ir"
	"loopc/ir/diag"
)

// Which name the user may have meant by an unknown name depends on its place: an array before
// subscripts, a function before arguments, and elsewhere a name that the view offers to
// expressions. No other name is suggested.

// lookup returns the meaning of a name in place of a number. It reports unknown names, once
// each, and returns nil for them.
func (c *checker) lookup(v *view, name string, at diag.Span) *entity {
	if c.loopless && (v.lets || v.what == loopBound) && v.own[name] == nil && c.names[name] == nil && c.later[name] == nil {
		return nil // it may mean the loop without a name
	}
	told := len(c.diags)
	ent := c.find(v, name, at, numbersElsewhere[name], func() []string { return c.numberNames(v) })
	if told < len(c.diags) && c.diags[told].Code == diag.UnknownName && c.diags[told].Hint == "" && c.diags[told].Message == "unknown name "+name {
		if told+1 == len(c.diags) && slices.ContainsFunc(c.doubledNumbers, func(n *nameSyntax) bool { return c.meantBy(n, name) }) {
			return nil
		}
		r := report{&c.diags[told]}
		if c.others.reduces[name] {
			r.advise("the result of a reduction is a number for the bodies of the nests behind its own")
			return nil
		}
		switch v.what {
		case arrayBounds, loopBound:
			c.unknownBound(v, r, name)
		case bodyOf, aSubscript:
			c.unknownInBody(v, r, name)
		}
	}
	return ent
}

// unknownInBody advises on an unknown name in a body or a subscript.
func (c *checker) unknownInBody(v *view, r report, name string) {
	if other, ok := c.others.lets[name]; ok {
		r.note(other, "the let %s of another nest is here", name).
			advise("a let belongs to its nest: declare it here, too, or store its values in an array")
		return
	}
	if v.what == bodyOf && c.assignments(name) > 0 {
		r.d.Message += ": " + scalarRoles
		return
	}
	loops := c.loopNames()
	for _, x := range c.repeats {
		if x.in {
			loops = append([]string{x.name.Name}, loops...)
		}
	}
	if len(loops) == 0 { // the nest is missing: this follows
		return
	}
	if v.what == aSubscript && c.suggested <= 2*diag.MaxShown && len(c.cellsWith(name)) > 1 {
		r.advise("%s", c.missing(name))
		return
	}
	r.advise("%s", joined(append(c.within(v, name), "a const, a param or a let before it may have this name; the loops are "+strings.Join(loops, ", "))))
}

// find does what lookup does, for a place where the given candidates may stand. Unless number is empty, the hint
// for an unknown name is this number.
func (c *checker) find(v *view, name string, at diag.Span, number string, candidates func() []string) *entity {
	if e := v.own[name]; e != nil {
		return e
	}
	if e := c.names[name]; e != nil {
		return e
	}
	if c.spoiled[name] || slices.ContainsFunc(c.in, func(r *repeatOutline) bool {
		return slices.ContainsFunc(r.offered, func(o [2]string) bool { return o[0] == name })
	}) {
		return nil
	}
	c.spoiled[name] = true
	if l := c.later[name]; l != nil && v.lets {
		c.errorf(diag.UnknownName, at, "let %s is used before it is declared", name).
			note(l.span(), "%s is declared here", name)
		return nil
	}
	if l := c.inBlocks[name]; l != nil && v.lets {
		word, elem := "var", c.typeOfTarget().String()
		if c.isLet(l.Name) {
			word = "let"
		}
		if l.Type != nil {
			elem = l.Type.Name
		}
		c.errorf(diag.UnknownName, at, "unknown name %s: a %s ends with its block", name, word).note(l.Name.span(), "%s is declared here", name).
			advise("%s", c.beforeBlock(name, elem, l))
		return nil
	}
	if number != "" {
		c.errorf(diag.UnknownName, at, "unknown name %s", name).fix(at, "%s", number)
		return nil
	}
	if _, other := c.others.lets[name]; other && v.lets {
		c.errorf(diag.UnknownName, at, "unknown name %s", name) // lookup says where the let is
		return nil
	}
	if !c.noNumber(v, name, at) {
		if r := c.errorf(diag.UnknownName, at, "unknown name %s", name); !v.lets || c.suggested > 2*diag.MaxShown || !c.otherLoop(r, name) {
			c.suggest(r, name, at, v.what == aSubscript && len(name) == 1, candidates)
		}
	}
	return nil
}

// cellAbove returns a cell of an array as the source has it in the given line of a body, or in one above; "" if there is none.
func (c *checker) cellAbove(array string, line int) string {
	cell := regexp.MustCompile(`(?:^|[^\pL\d_])(` + regexp.QuoteMeta(array) + `\[[^][]*\])`)
	for at := min(line, len(c.nest.Source)) - 1; at >= max(0, line-maxCellLines); at-- {
		found := cell.FindStringSubmatch(c.nest.Source[at])
		if first, _, _ := strings.Cut(strings.TrimSpace(c.nest.Source[at]), " "); found != nil && !slices.Contains([]string{"array", "init", "out", "boundary", "param"}, first) {
			return found[1]
		}
	}
	return ""
}

// maxCellLines is how many lines cellAbove looks at.
const maxCellLines = 50

// beforeBlock is what to do with a let or var of a block whose value is read behind the block.
func (c *checker) beforeBlock(name, elem string, l *letSyntax) string {
	first := flatTree(l.Value)
	if c.isLet(l.Name) {
		return fmt.Sprintf("var %[1]s %[2]s = 0 before the block, and in it %[1]s = ..., without let", name, elem)
	}
	return fmt.Sprintf("var %s %s = %s before the block, and not in it", name, elem, c.text(first.at))
}

// nameInFile is the name that the file has where a let is declared: that of the let, or what lowering made it from by a number behind it.
func (c *checker) nameInFile(n *nameSyntax) string {
	if last := n.Name[len(n.Name)-1]; last < '0' || last > '9' {
		return n.Name
	}
	_, rest := c.sourceAround(n)
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if end < 0 {
		end = len(rest)
	}
	if number, made := strings.CutPrefix(n.Name, rest[:end]); end == 0 || !made || strings.Trim(number, "0123456789") != "" {
		return n.Name
	}
	return rest[:end]
}

// isLet reports whether the file has a let where a let of the lowered body is declared: others are values of vars.
func (c *checker) isLet(n *nameSyntax) bool {
	before, rest := c.sourceAround(n)
	return rest == "" || strings.HasSuffix(strings.TrimSpace(before), "let")
}

// sourceAround divides the line of a name where the name begins; rest is empty if the file has no such place.
func (c *checker) sourceAround(n *nameSyntax) (before, rest string) {
	at := n.span()
	if at.Line < 1 || at.Line > len(c.nest.Source) {
		return "", ""
	}
	line := []rune(c.nest.Source[at.Line-1])
	first := min(at.Col-1, len(line))
	return string(line[:first]), string(line[first:])
}

// typeOfTarget is the type of the first array that the body assigns to, float64 if it is not known.
func (c *checker) typeOfTarget() ir.Type {
	for _, b := range c.body {
		if b.assign == nil {
			continue
		}
		for k := range c.nest.Arrays {
			if c.nest.Arrays[k].Name == b.assign.Cell.Name.Name {
				return c.nest.Arrays[k].Elem
			}
		}
	}
	return ir.Float64
}

// numberNames are the names that stand for numbers in v.
func (c *checker) numberNames(v *view) (names []string) {
	for _, s := range v.indices {
		names = append(names, s.Name)
	}
	if v.params {
		for k := range c.nest.Params {
			p := c.nest.Params[k].Name
			if ent := c.names[p]; ent != nil && !(ent.kind == repeatEntity && v.what == arrayBounds) { // not the index of another repeat
				names = append(names, p)
			}
		}
		for _, f := range c.nest.Floats {
			if !v.integral() {
				names = append(names, f.Name)
			}
		}
	}
	for _, k := range c.consts {
		names = append(names, k.name.Name)
	}
	for k, l := range c.nest.Loops {
		if k < v.loops {
			names = append(names, l.Name)
		}
	}
	for _, b := range c.body {
		if v.lets && b.let != nil && c.later[b.let.Name.Name] == nil && c.nameInFile(b.let.Name) == b.let.Name.Name {
			names = append(names, b.let.Name.Name)
		}
	}
	return names
}

// integral reports whether only integers may stand in a view.
func (v *view) integral() bool {
	return v.integer || v.what == arrayBounds || v.what == loopBound || v.what == aSubscript
}

// arrayNames returns the names that may stand before subscripts.
func (c *checker) arrayNames() (names []string) {
	for _, a := range c.nest.Arrays {
		names = append(names, a.Name)
	}
	return names
}

// arraysOf returns the names of the arrays with dims dimensions; 0 means all arrays.
func (c *checker) arraysOf(dims int) (names []string) {
	for k, a := range c.nest.Arrays {
		if dims == 0 || len(c.arrays[k].syntax.Dims) == dims {
			names = append(names, a.Name)
		}
	}
	return names
}

// loopNames are the loops of the nest.
func (c *checker) loopNames() (names []string) {
	for _, l := range c.nest.Loops {
		names = append(names, l.Name)
	}
	return names
}

// missingLoop is the advice for a name that stands in subscripts.
const missingLoop = "%s = lo..hi among the loops, with the ends of the loop that is missing"

// within has the number of a view whose name is the first letter of a name of two; none if there is no such number. The
// name may be another one as well, so nothing but a list of ways can offer it.
func (c *checker) within(v *view, name string) []string {
	if r := []rune(name); len(r) == 2 && slices.Contains(c.numberNames(v), string(r[:1])) {
		return []string{string(r[:1])}
	}
	return nil
}

// functionNames returns the names that may stand before arguments.
func (c *checker) functionNames() []string {
	names := []string{"select"}
	for _, f := range ir.Funcs() {
		names = append(names, f.String())
	}
	for _, t := range ir.Types() {
		names = append(names, t.String())
	}
	for _, e := range c.nest.Externs {
		names = append(names, e.Name)
	}
	return names
}

// counterparts reports whether two names are of the kind that people give to different things, lu and lv, r0 and r1: they have two
// letters or differ in the digit at their end.
func counterparts(a, b string) bool {
	if strings.EqualFold(a, b) || len(a) != len(b) {
		return false
	}
	const digits = "0123456789"
	stem := strings.TrimRight(a, digits)
	return len(a) == 2 && a[0] == b[0] || len(stem) == len(a)-1 && stem == strings.TrimRight(b, digits)
}

// suggest adds "did you mean" to the first few unknown names; no more are ever shown. loop says that the
// name may stand for a loop which is missing.
func (c *checker) suggest(r report, name string, at diag.Span, loop bool, candidates func() []string) {
	if c.suggested++; c.suggested > 2*diag.MaxShown {
		return
	}
	near := slices.DeleteFunc(diag.Near(name, candidates()), func(x string) bool {
		return len(x) == 1 && strings.Trim(name, x) != "" && len(name) > 1 || counterparts(name, x)
	})
	digit := map[string]string{"l": "1", "I": "1", "O": "0", "o": "0"}[name]
	if loop && len(c.cellsWith(name)) > 1 { // typed by mistake, it would be once
		digit = ""
	}
	if digit != "" && loop && len(near) == 0 { // as it looks
		near = []string{digit}
	}
	if loop && digit == "" {
		cells := c.cellsWith(name)
		if others := c.loopsBeside(cells, name); len(others) > 0 { // no loop is missing: it is another loop's name
			r.d.Message += "; did you mean " + strings.Join(others, " or ") + "?"
			if len(others) == 1 {
				r.fix(at, "%s", others[0])
			}
			return
		}
	}
	if len(near) == 0 {
		return
	}
	if idle := c.idleLoop(); loop && idle != "" && c.counts(idle, name) {
		r.advise(idleLoopNamed, name, idle)
		return
	}
	r.d.Message += "; did you mean " + strings.Join(near, " or ") + "?"
	switch {
	case loop:
		r.advise("%s; or %s", strings.Join(near, " or "), c.missing(name))
	case len(near) == 1:
		r.fix(at, "%s", near[0])
	}
}
