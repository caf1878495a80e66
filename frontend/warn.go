package frontend

import (
	"go/constant"
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// warn adds a warning.
func (c *checker) warn(code diag.Code, at diag.Span, format string, args ...any) report {
	r := c.errorf(code, at, format, args...)
	r.d.Severity = diag.Warning
	return r
}

// emptyLoop warns of loop k if it has no iteration for the defaults of the parameters, unless
// its bounds are adjacent, as in 1..0: most likely the user wants it backward.
func (c *checker) emptyLoop(k int, l *loopSyntax) {
	loop := &c.nest.Loops[k]
	if p := c.shrinking(loop.Lo, loop.Hi); p != "" && l.Step == nil {
		first, last := c.text(flatTree(l.Range.Lo).at), c.text(flatTree(l.Range.Hi).at)
		c.warn(diag.EmptyLoop, l.Name.span(), "loop %s goes up from %s to %s, and has no iterations if %s is large", l.Name.Name, first, last, p).
			hint("%s = %s..%s step -1", l.Name.Name, first, last)
		return
	}
	c.emptyRange("loop", l.Name, l.Range, loop.Lo, loop.Hi, loop.Backward)
}

// emptyRange does what emptyLoop does, for a loop or a repeat with these bounds.
func (c *checker) emptyRange(what string, name *nameSyntax, ends *rangeSyntax, los, his []ir.Affine, backward bool) {
	lo, known := c.defaultBound(los, slices.Max[[]int])
	hi, also := c.defaultBound(his, slices.Min[[]int])
	if !known || !also || lo <= hi+1 || c.belowZero(los, his) {
		return
	}
	from, to := flatTree(ends.Lo), flatTree(ends.Hi)
	way, first, last := "up", c.text(from.at), c.text(to.at)
	if backward {
		way, first, last = "down", last, first
		lo, hi = hi, lo
	}
	d := c.warn(diag.EmptyLoop, name.span(), "%s %s goes %s from %d to %d by default, and has no iterations", what, name.Name, way, lo, hi)
	switch {
	case from.kind == callExpr || to.kind == callExpr: // of several bounds, others may count if both ends are exchanged
	case what == "repeat":
		if at := join(name.span(), to.at); from.at.Line == to.at.Line && name.span().Line == to.at.Line {
			step := map[bool]string{false: " step -1"}[backward] // else it is there
			d.fix(at, "%s = %s..%s%s", name.Name, first, last, step)
		}
	default:
		d.hint("%s = %s..%s step -%s", name.Name, first, last, strideOf(c.nest.Source, name.span()))
	}
}

// belowZero warns of a parameter whose default is below 0, if a range with these bounds gets longer with it, and is empty by default:
// the range is right then, and one warning is enough for all such ranges. It returns false if there is no such parameter.
func (c *checker) belowZero(los, his []ir.Affine) bool {
	for k, p := range c.nest.Params {
		longer := func(lo, hi ir.Affine) bool { return hi.Param(k) > lo.Param(k) }
		if p.Default == nil || *p.Default >= 0 || !slices.ContainsFunc(los, func(lo ir.Affine) bool {
			return slices.ContainsFunc(his, func(hi ir.Affine) bool { return longer(lo, hi) })
		}) {
			continue
		}
		if !slices.ContainsFunc(c.diags, func(d diag.Diagnostic) bool { return d.Code == diag.EmptyLoop && d.At == p.Span }) {
			c.warn(diag.EmptyLoop, p.Span, "%s is %d by default, below 0, and ranges that end with %[1]s are empty", p.Name, *p.Default)
		}
		return true
	}
	return false
}

// strideOf is by how much the loop at a place goes up or down, as the source has it: without its sign.
func strideOf(source []string, at diag.Span) string {
	if at.Line < 1 || at.Line > len(source) {
		return "1"
	}
	l := []rune(source[at.Line-1])
	tokens, _ := scan([]byte(string(l[min(len(l), at.Col-1):])))
	for k, depth := 0, 0; k+1 < len(tokens) && (depth > 0 || !tokens[k].is(",") && !tokens[k].is("{")); k++ {
		if depth += change(tokens[k]); depth == 0 && k > 1 && tokens[k].named("step") {
			if tokens[k+1].is("-") {
				k++
			}
			return tokens[k+1].text
		}
	}
	return "1"
}

// shrinking names a parameter without a default of which a loop with one pair of bounds has the fewer iterations the greater it
// is, while no other parameter and no loop adds any; "" if there is none.
func (c *checker) shrinking(los, his []ir.Affine) (name string) {
	if len(los) != 1 || len(his) != 1 || los[0].HasIters() || his[0].HasIters() {
		return ""
	}
	for k, p := range c.nest.Params {
		switch more := his[0].Param(k) - los[0].Param(k); {
		case more > 0 || more < 0 && (p.Default != nil || k >= len(c.nest.Params)-len(c.repeats)):
			return ""
		case more < 0 && name == "":
			name = p.Name
		}
	}
	return name
}

// defaultBound returns the bound that counts when parameters have their defaults; false if the
// bounds depend on more than parameters.
func (c *checker) defaultBound(bounds []ir.Affine, counts func([]int) int) (int, bool) {
	var values []int
	for _, b := range bounds {
		v := b.Const
		if b.HasIters() {
			return 0, false
		}
		for k, p := range c.nest.Params {
			switch {
			case b.Param(k) == 0:
			case k >= len(c.nest.Params)-len(c.repeats): // the number of a repeat
				return 0, false
			case p.Default == nil:
				return 0, false
			default:
				v += b.Param(k) * *p.Default
			}
		}
		values = append(values, v)
	}
	if len(values) == 0 {
		return 0, false
	}
	return counts(values), true
}

// unknownStep ends the report of a step that lowering does not know, or of a body that cannot be lowered: a
// mistake in the body makes it idle.
const unknownStep = " must be written as an integer"

// otherStep reports the step v of loop l, or of a repeat, which is neither 1 nor -1, and which was not lowered.
func (c *checker) otherStep(l *loopSyntax, v constant.Value) {
	at := flatTree(l.Step).at
	if k := slices.IndexFunc(c.header, func(x *loopSyntax) bool {
		return bare(flatTree(x.Range.Lo)) == l.Name.Name && slices.Contains(flatTree(x.Range.Hi).names(), l.Name.Name)
	}); k >= 0 {
		c.errorf(diag.BoundShape, at, "step %s of loop %s: the steps are 1 and -1", c.text(at), l.Name.Name).
			advise("the tiles are made by the planner: without the loop %s, the loop %s goes over all iterations", l.Name.Name, c.header[k].Name.Name)
		return
	}
	switch {
	case constant.ToInt(v).Kind() != constant.Int || constant.Sign(v) == 0:
		c.errorf(diag.BoundShape, at, "step %s of loop %s: a step is an integer other than 0", c.text(at), l.Name.Name)
	case slices.Contains(c.header, l):
		c.errorf(diag.BoundShape, at, "step %s of loop %s%s", c.text(at), l.Name.Name, unknownStep)
	default:
		c.errorf(diag.BoundShape, at, "step %s of the repeat %s: the steps are 1 and -1", c.text(at), l.Name.Name)
	}
}
