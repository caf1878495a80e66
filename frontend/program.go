package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// CompileProgram compiles a file of one or several nests. A file of one nest gives the result
// of Compile.
//
// Of several, every nest is compiled as if it were alone in the file with the
// declarations: loops and lets are its own, and so are the reductions declared
// before it. What becomes of arrays that several nests have is said at ir.Program.
//
// Hints are tried before they are given, see tried.
func CompileProgram(file string, src []byte) (*ir.Program, []diag.Diagnostic) {
	prog, diags := compileProgram(file, src)
	diags = withoutDependences(src, updatesInLoop(file, src, tried(file, src, diags)))
	if turned, ok := wrongWay(file, src, diags); ok {
		return prog, honest(file, src, turned)
	}
	return prog, honest(file, src, withoutOffers(refusedOnce(keptBefore(file, src, asRepeats(file, src, sumsAsLoops(file, src, letsInPlaces(file, src, diags)))))))
}

// compileProgram is CompileProgram with hints that are not tried.
func compileProgram(file string, src []byte) (*ir.Program, []diag.Diagnostic) {
	if d := tooLarge(src); d != nil {
		return nil, d
	}
	tokens, lexical := scan(src)
	prog, s, diags := compileTokens(file, src, tokens, lexical, nil, nil)
	if prog != nil && !misread(tokens) {
		diags = withReversed(slices.Concat(diags, idleNames(tokens, diags), hiddenNames(tokens), octalNumbers(tokens), signsTwice(tokens)), tokens)
		diag.Sort(diags)
		return prog, diags
	} else if s.read && !misread(tokens) {
		return nil, withoutUndivided(s.undivided, diags)
	}
	translated, foreign, spoiled := translate(tokens)
	meant, s, told := compileTokens(file, src, translated, lexical, foreign, spoiled)
	told = withoutUndivided(s.undivided, told)
	if meant != nil && prog == nil {
		return nil, diags // the translation has removed all mistakes without a report: report the original ones
	}
	return meant, told
}

// told returns what was found before a file is parsed.
func (s *splitter) told(lexical, foreign []diag.Diagnostic) []diag.Diagnostic {
	diags := onlyExamples(slices.Concat(lexical, foreign, s.diags), foreign)
	diag.Sort(diags)
	return diags
}

// compileLowered does what compileTokens does, for the statements of a source.
func compileLowered(file string, src []byte, s *splitter, lexical, foreign []diag.Diagnostic, spoiled map[string]bool) (*ir.Program, []diag.Diagnostic) {
	if s.ends {
		return nil, s.told(lexical, foreign)
	}
	o := outlineOf(s.top)
	if len(o.nests) <= 1 && len(o.repeats) == 0 {
		n, diags := parseLowered(file, src, s, lexical, foreign, spoiled)
		s.read = n != nil
		n, diags = analyzed(n, diags)
		if n == nil {
			return nil, diags
		}
		return ir.Alone(n), diags
	}
	p := &programChecker{file: file, src: src, outline: o, spoiled: spoiled, itemDim: map[int]int{}, itemInits: map[*repeatOutline][]int{}, itemChecks: map[*ir.Nest][]ir.Check{}}
	p.diags = slices.Concat(lexical, foreign, s.diags)
	p.parse()
	var prog *ir.Program
	if !diag.HasErrors(p.diags) {
		prog = p.assemble()
	}
	p.diags = onlyExamples(p.diags, foreign)
	diag.Sort(p.diags)
	if !diag.HasErrors(p.diags) {
		p.diags = s.faultless(p.diags)
	}
	for k, d := range p.diags {
		p.diags[k] = d.Reworded(s.words)
	}
	if diag.HasErrors(p.diags) {
		return nil, p.diags
	}
	if err := prog.Verify(); err != nil {
		panic("BUG: frontend: " + err.Error())
	}
	prog.Words = s.words
	titled(prog)
	return prog, p.diags
}

// A programChecker turns an outline into a program.
type programChecker struct {
	file    string
	src     []byte
	outline *outline
	spoiled map[string]bool // by the translator
	diags   []diag.Diagnostic

	untilIgnored bool // see onlyUntilMisses

	checkers []*checker // by nest
	headers  []*repeatSyntax
	repeats  []*ir.Repeat

	itemInits  map[*repeatOutline][]int // by batch: the arrays that each item fills by their init
	itemDim    map[int]int              // of arrays that nests of a batch write: the dimension for its items
	itemChecks map[*ir.Nest][]ir.Check  // that subscripts along itemDim are within the bounds of the array
}

// add adds diagnostics that are new, because declarations are checked for every nest.
func (p *programChecker) add(diags []diag.Diagnostic) {
	for _, d := range diags {
		old := slices.IndexFunc(p.diags, func(old diag.Diagnostic) bool {
			return old.At == d.At && old.Code == d.Code && (old.Message == d.Message || d.Code == diag.Redeclared && strings.HasPrefix(d.Message, old.Message))
		})
		switch {
		case old < 0:
			p.diags = append(p.diags, d)
		case p.diags[old].Message != d.Message: // one nest knows more of it
			p.diags[old] = d
		case p.diags[old].Hint == "":
			p.diags[old].Hint, p.diags[old].Kind, p.diags[old].Replace = d.Hint, d.Kind, d.Replace
		}
	}
}

// parse parses the repeats and the nests.
func (p *programChecker) parse() {
	o := p.outline
	c := newChecker(p.file, p.src) // for everything that belongs to no nest
	if o.tooMany != nil {
		c.errorf(diag.TooMany, o.tooMany.first().span(), "a file with more than %d nests", maxNests)
	}
	for _, r := range o.repeats {
		p.headers = append(p.headers, p.header(c, r))
	}
	p.add(c.diags)
	reduces, unread := map[string]*nameSyntax{}, map[string]bool{}
	for _, n := range o.nests {
		c := newChecker(p.file, p.src)
		maps.Copy(c.spoiled, p.spoiled)
		maps.Copy(c.spoiled, unread)
		c.others, c.in = o.but(n), n.in
		c.spoilMisplaced()
		for k, before := range p.checkers {
			c.earlier.add(k, before.nest)
		}
		if diag.HasErrors(p.diags) { // some are missing
			for name := range reduces {
				c.spoiled[name] = true
			}
		}
		for k, r := range o.repeats {
			if h := p.headers[k]; h != nil {
				c.repeats = append(c.repeats, repeatName{h.Name, slices.Contains(n.in, r), r})
			} else {
				c.spoil(r.header)
			}
		}
		c.firstNest = o.nests[0].loop.tokens[0].pos.Line
		f := c.parseFile(slices.Concat(o.declarations, n.own, []*statement{n.loop}))
		for _, st := range n.own {
			if st.keyword() == "reduce" && st.bad && len(st.tokens) > 1 {
				unread[st.tokens[1].text] = true
			}
		}
		for _, r := range f.reduces {
			if old := reduces[r.Name.Name]; old != nil {
				c.errorf(diag.Redeclared, r.Name.span(), "%s is declared twice", r.Name.Name).
					note(old.span(), "%s is declared here, as a reduction", r.Name.Name)
			}
			reduces[r.Name.Name] = r.Name
		}
		c.declareAll(f)
		c.resolveAll(f)
		for _, r := range n.in {
			if r.nests[0] == n {
				p.bounds(c, r)
			}
		}
		// Only the first checker reports a syntax mistake in a shared declaration. The next ones lack
		// the declaration without an error of their own, and must not finish.
		if !diag.HasErrors(p.diags) {
			c.finish()
		}
		p.checkers = append(p.checkers, c)
		p.add(p.ofOtherNest(n, c.diags))
	}
}

// header parses the header of a repeat, and reports mistakes in its block; nil after a mistake
// in the header.
func (p *programChecker) header(c *checker, r *repeatOutline) *repeatSyntax {
	st := r.header
	h, what := c.repeatHeader(r), st.keyword()
	if h != nil && !st.block {
		c.errorf(diag.Syntax, st.end(), "unexpected %s: the nests of the %s are missing", newline, what).
			pattern("%s", forms[what])
		return nil
	}
	if r.deep {
		c.errorf(diag.TooDeep, st.first().span(), "repeats are nested more than %d deep", maxDepth)
	}
	for _, m := range c.letsOfItems(r) {
		c.parseIdle(m)
		if m.bad {
			continue
		}
		switch what := m.keyword(); what {
		case "":
			p.strayInRepeat(c.errorf(diag.Misplaced, m.first().span(), "an assignment belongs in the body of a for"), r, m)
		case "let", "var", "if", "else":
			c.ofRepeat(c.errorf(diag.Misplaced, m.first().span(), "a %s belongs in the body of a for", what), r, m)
		default:
			c.ofEachItem(c.errorf(diag.Misplaced, m.first().span(), "%s belongs before the %s", what, st.keyword()), r, m)
		}
	}
	if h != nil && len(r.steps) == 0 && len(r.misplace) == 0 && !r.deep && !p.spoiled[droppedStatement] {
		c.errorf(diag.OneNest, st.first().span(), "the %s has no for", what).pattern("%s", forms[what])
	}
	return h
}

// bounds resolves the bounds of a repeat with the checker of its first nest.
func (p *programChecker) bounds(c *checker, r *repeatOutline) {
	h := p.headers[r.index]
	if h == nil {
		return
	}
	if h.cell != nil {
		p.repeats = append(p.repeats, &ir.Repeat{Name: h.Name.Name, Index: r.index, Item: c.item(r, h, p.headers[r.batch.index]), Span: h.Name.span()})
		return
	}
	first, last, backward := h.Range.Lo, h.Range.Hi, c.backward(&loopSyntax{Name: h.Name, Range: h.Range, Step: h.Step})
	if backward {
		first, last = last, first
	}
	lo, hi := c.bound(0, first, ir.Max, backward), c.bound(0, last, ir.Min, backward)
	c.emptyRange("repeat", h.Name, h.Range, lo, hi, backward)
	at := 0 // of the repeat in c.repeats, which lacks those whose header has a mistake
	for _, before := range p.headers[:r.index] {
		if before != nil {
			at++
		}
	}
	for _, f := range slices.Concat(lo, hi) {
		for k, inner := range c.repeats[at:] {
			if f.Param(len(c.nest.Params)-len(c.repeats)+at+k) != 0 {
				c.errorf(diag.BoundShape, h.Name.span(), "a bound of the repeat %s has the number %s, which is not that of an outer repeat", h.Name.Name, inner.name.Name)
			}
		}
	}
	p.repeats = append(p.repeats, &ir.Repeat{Name: h.Name.Name, Index: r.index, Lo: lo, Hi: hi, Backward: backward, Batch: r.batch != nil, Span: h.Name.span()})
}

// A repeatName is a repeat as seen by a nest.
type repeatName struct {
	name *nameSyntax
	in   bool           // the nest is in it
	of   *repeatOutline // nil while a nest is being divided
}

// declareRepeats declares the indices of the repeats around the nest, and makes the index of
// every repeat a parameter, after the others. Its default is 1, so that the package comment of the
// emitted program can show a plan.
func (c *checker) declareRepeats() {
	for _, r := range c.repeats {
		if r.in {
			c.declare(r.name, repeatEntity, len(c.nest.Params))
		}
		one := 1
		c.nest.Params = append(c.nest.Params, ir.Param{Name: r.name.Name, Default: &one, Span: r.name.span()})
	}
}

// assemble makes the program after every nest is correct.
func (p *programChecker) assemble() *ir.Program {
	first := p.checkers[0].nest
	prog := &ir.Program{
		Name: nestName(p.file), File: first.File, Source: first.Source, Consts: first.Consts, Externs: first.Externs,
		Params: first.Params[:len(first.Params)-len(p.outline.repeats)], Floats: first.Floats,
		Arrays: slices.Clone(first.Arrays),
	}
	slices.SortFunc(p.repeats, func(a, b *ir.Repeat) int { return a.Index - b.Index })
	p.itemsApart()
	p.rangesOfItems()
	for k, c := range p.checkers {
		c.nest.Numbers = p.numbersOf(k)
	}
	p.readCopies(p.outline.steps, false)
	inits := p.roles(prog)
	for _, a := range inits {
		prog.Steps = append(prog.Steps, ir.Step{Nest: len(prog.Nests)})
		prog.Nests = append(prog.Nests, p.initNest(prog, a))
	}
	for k, c := range p.checkers {
		c.nest.Name = fmt.Sprintf("%sNest%d", prog.Name, k+1)
		for _, f := range c.nest.Floats[len(prog.Floats):] {
			f.Of.Nest += len(inits)
		}
		prog.Nests = append(prog.Nests, c.nest)
	}
	itemSteps := map[*repeatOutline][]ir.Step{}
	for _, b := range p.outline.repeats {
		for _, a := range p.itemInits[b] {
			first := len(prog.Nests)
			p.fillItem(prog, b, a)
			for k := first; k < len(prog.Nests); k++ {
				itemSteps[b] = append(itemSteps[b], ir.Step{Nest: k})
			}
		}
	}
	prog.Steps = append(prog.Steps, p.steps(p.outline.steps, len(inits), itemSteps)...)
	for k, h := range p.headers {
		if h.Until != nil {
			p.until(p.repeats[k], h, len(inits))
		}
	}
	for _, n := range prog.Nests {
		if slices.ContainsFunc(p.checkers, func(c *checker) bool { return c.nest == n }) { // not of an init, whose bounds nobody writes
			p.add(emptyRanges(n, p.diags))
		}
		analysis, found := depend.AnalyzeIn(n, prog.Arrays, p.ownNests())
		for k := range found {
			p.lacking(prog, &found[k])
		}
		p.add(found)
		n.Analysis = analysis
		if analysis != nil {
			analysis.Checks = append(analysis.Checks, p.itemChecks[n]...)
			for k := range analysis.Checks {
				check := &analysis.Checks[k]
				d := diag.Diagnostic{Code: check.Code, Message: check.Message, At: check.At}
				p.lacking(prog, &d)
				check.Message, check.At = d.Message, d.At
			}
		}
	}
	p.slices(prog)
	p.diags = withoutFollowing(p.diags)
	if slices.ContainsFunc(p.diags, isEmptyLoop) {
		return prog // a loop that does not run makes other warnings wrong
	}
	p.add(unused(prog.Arrays, prog.Nests))
	p.add(unwritten(prog.Arrays, prog.Nests))
	p.add(idleInits(prog.Arrays, prog.Nests, func(nest int) bool {
		return nest < len(inits) || len(p.outline.nests[nest-len(inits)].in) > 0
	}))
	p.add(oddities(prog.Params, prog.Arrays, prog.Nests))
	p.add(p.itemCells(prog))
	if !diag.HasErrors(p.diags) {
		p.add(idleRepeats(prog))
		p.add(nestsInWrongOrder(prog))
		p.add(sharedEarlyReads(prog))
	}
	return prog
}

// steps returns the steps of the program; the file's nests are numbered from base. itemSteps are, by batch, the steps with which
// each item begins.
func (p *programChecker) steps(list []outlineStep, base int, itemSteps map[*repeatOutline][]ir.Step) (out []ir.Step) {
	for _, s := range list {
		if s.repeat < 0 {
			out = append(out, ir.Step{Nest: base + s.nest})
			continue
		}
		r, o := p.repeats[s.repeat], p.outline.repeats[s.repeat]
		r.Steps = p.steps(o.steps, base, itemSteps)
		if s.repeat+1 == len(p.repeats) || o.batch != p.outline.repeats[s.repeat+1].batch {
			r.Steps = slices.Concat(itemSteps[o.batch], r.Steps) // r is the last parameter of the item
		}
		out = append(out, ir.Step{Repeat: r})
	}
	return out
}

// errorf adds an error.
func (p *programChecker) errorf(code diag.Code, at diag.Span, format string, args ...any) report {
	p.diags = append(p.diags, diag.Diagnostic{Code: code, At: at, Message: fmt.Sprintf(format, args...)})
	return report{&p.diags[len(p.diags)-1]}
}
