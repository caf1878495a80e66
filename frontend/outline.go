package frontend

import (
	"slices"

	"loopc/ir/diag"
)

// An outline is the structure of a file: its nests and repeats.
type outline struct {
	declarations []*statement
	nests        []*nestOutline
	repeats      []*repeatOutline
	steps        []outlineStep
	tooMany      *statement // the first nest beyond maxNests

}

// A nestOutline is a for with the statements that belong to it alone.
type nestOutline struct {
	loop *statement
	own  []*statement     // reductions and schedules before it
	in   []*repeatOutline // outermost first
}

// ofBatch reports whether the nest runs for each item of a batch.
func (n *nestOutline) ofBatch() bool {
	return slices.ContainsFunc(n.in, func(r *repeatOutline) bool { return r.batch != nil })
}

// A repeatOutline is a repeat.
type repeatOutline struct {
	index    int
	header   *statement
	batch    *repeatOutline // the batch that this repeat stands for, with its item's parameter of that number; nil: none
	item     int            // 0: the batch itself
	misplace []*statement   // statements of its block that do not belong there
	offered  [][2]string    // names for parameters of its items, which a hint declares, and their cells
	deep     bool           // too many repeats around it: its block is not examined
	nests    []*nestOutline
	steps    []outlineStep
}

// An outlineStep is a nest or a repeat, by index.
type outlineStep struct{ nest, repeat int }

// outlineOf makes the outline of the statements of a file.
func outlineOf(top []*statement) *outline {
	o := &outline{}
	o.steps = o.walk(top, nil)
	return o
}

// walk adds statements that are within repeats.
func (o *outline) walk(list []*statement, in []*repeatOutline) (steps []outlineStep) {
	var own []*statement
	for _, st := range list {
		switch st.keyword() {
		case "for":
			if len(o.nests) >= maxNests {
				if o.tooMany == nil {
					o.tooMany = st
				}
				continue
			}
			n := &nestOutline{loop: st, own: own, in: slices.Clone(in)}
			own = nil
			steps = append(steps, outlineStep{nest: len(o.nests), repeat: -1})
			o.nests = append(o.nests, n)
			for _, r := range in {
				r.nests = append(r.nests, n)
			}
		case "repeat":
			r := &repeatOutline{index: len(o.repeats), header: st}
			o.repeats = append(o.repeats, r)
			steps = append(steps, outlineStep{repeat: r.index})
			if r.deep = len(in) >= maxDepth; !r.deep {
				r.steps = o.walk(st.body, append(slices.Clone(in), r))
			}
		case "batch":
			steps = append(steps, o.batch(st, in))
		case "reduce", "schedule":
			own = append(own, st)
		default:
			if len(in) == 0 {
				o.declarations = append(o.declarations, st)
			} else {
				r := in[len(in)-1]
				r.misplace = append(r.misplace, st)
			}
		}
	}
	if len(own) > 0 && len(o.nests) > 0 { // behind the last nest, to which they then belong
		last := o.nests[len(o.nests)-1]
		last.own = append(last.own, own...)
	}
	return steps
}

// otherNests are the lets and reductions of the other nests of a file, and the names that they assign to.
type otherNests struct {
	lets            map[string]diag.Span
	writes, reduces map[string]bool
	names           map[string]bool // all in their bodies
}

// but returns the lets and the assigned names of all nests except one.
func (o *outline) but(one *nestOutline) otherNests {
	others := otherNests{map[string]diag.Span{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	for _, n := range o.nests {
		if n == one {
			continue
		}
		for _, st := range n.own {
			for _, x := range st.tokens[1:max(1, slices.IndexFunc(st.tokens, func(x token) bool { return x.is("=") }))] {
				others.reduces[x.text] = true
			}
		}
		for _, st := range n.loop.body {
			for _, x := range st.tokens {
				others.names[x.text] = true
			}
			switch {
			case st.keyword() == "let" && len(st.tokens) > 1 && st.name().kind == tokIdent:
				others.lets[st.name().text] = st.name().span()
			case len(st.tokens) > 0 && st.first().kind == tokIdent:
				others.writes[st.first().text] = true
			}
		}
	}
	return others
}

// loopsInLoop is what is said of a for inside a for that lowering has left there.
const loopsInLoop = "a for inside a for has statements in its body, and loops with names of their own"

// notNested reports a for inside a for that lowering has left there.
func (c *checker) notNested(st *statement) {
	for x := []*statement{st}; len(x) > 0; x = slices.Concat(x[1:], x[0].body) {
		if x[0].keyword() == "for" && x[0].block && len(x[0].body) == 0 {
			c.errorf(diag.OneNest, x[0].first().span(), "this for has no statements").
				advise("the statements that belong to it, between its braces; those before and behind it run once for all its iterations")
			return
		}
	}
	c.errorf(diag.OneNest, st.first().span(), loopsInLoop).
		pattern("%s", forms["for"])
}
