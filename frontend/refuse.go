package frontend

import (
	"slices"
	"strings"

	"loopc/ir"
	"loopc/ir/diag"
)

// A refusal is an assignment to an in array. What to do instead depends on the type of the value,
// which is found when all statements are known.
type refusal struct {
	array int
	idle  string // a cell of the only array that nothing writes, with the same subscripts; "" without one
	told  diag.Span
}

const refusedMessage = " is an in array and is assigned to"

// refuse reports the assignment to a cell of array a, which is an in array.
func (c *checker) refuse(a, subscripts int, at diag.Span) {
	arr := &c.nest.Arrays[a]
	c.errorf(diag.ArrayRole, at, "%s"+refusedMessage, arr.Name).
		note(arr.Span, "%s is declared here", arr.Name)
	r := &refusal{array: a, told: at}
	if idle := c.neverWritten(subscripts); idle != "" {
		_, cell, _ := strings.Cut(c.text(at), "[")
		r.idle = idle + "[" + cell
	}
	c.assigned.refused = r
}

// adviseRefused adds the hints to all refusals. Of refusals with the same hint, the first one remains.
func (c *checker) adviseRefused() {
	seen := map[string]bool{}
	for k := range c.body {
		b := &c.body[k]
		r := b.refused
		if r == nil {
			continue
		}
		at := slices.IndexFunc(c.diags, func(d diag.Diagnostic) bool { return d.Code == diag.ArrayRole && d.At == r.told })
		arr := &c.nest.Arrays[r.array]
		hint, alone := c.rolesFor(arr.Name)
		if b.expr != nil {
			if v := c.types.judge(b.expr); !v.clashes && v.t != ir.Invalid && !v.t.Silent(arr.Elem) {
				hint += ", and as " + v.t.String() + ", because " + arr.Elem.String() + " does not hold all that is assigned"
			}
		}
		if r.idle == "" && alone != "" && hint == "declare "+arr.Name+" as inout" {
			hint = alone
		}
		switch {
		case r.idle != "" && b.expr != nil && c.readsOther(b.expr, r.array, r.told):
			hint += ", to be updated in place; or " + r.idle + ", which nothing writes, if that is meant"
		case r.idle != "":
			hint = r.idle + ", if that is meant, which nothing writes; or " + hint
		}
		if at < 0 {
			continue
		}
		if seen[hint] {
			c.diags = slices.Delete(c.diags, at, at+1)
			continue
		}
		seen[hint] = true
		report{&c.diags[at]}.advise("%s", hint)
	}
}

// rolesFor is the advice for the role of an in array that is assigned to, and the advice with all roles that may be meant, "" if the
// file decides.
func (c *checker) rolesFor(name string) (hint, all string) {
	switch {
	case c.begun[name] && c.noResult():
		return "declare " + name + " as out, to begin with its init and be given back", ""
	case c.begun[name]:
		return "declare " + name + " without in, to begin with its init", ""
	}
	hint = "declare " + name + " as inout"
	if c.needsFirst(name) {
		return hint, hint + "; if it has nothing from the caller, as out, to be given back, or without a role"
	}
	return hint, "declare " + name + " as out, to be given back, as inout if it has something from the caller, too, or without a role if neither"
}

// readsOther reports whether e reads cells of an array other than the one at a place of the source.
func (c *checker) readsOther(e ir.Expr, array int, cell diag.Span) (found bool) {
	ir.Walk(e, func(e ir.Expr) {
		r, ok := e.(*ir.Read)
		found = found || ok && r.Array == array && c.text(r.At) != c.text(cell)
	})
	return found
}

// refusedOnce joins the refusals of assignments to one in array that have the same remedy: the first of them has the places of
// the others.
func refusedOnce(diags []diag.Diagnostic) (out []diag.Diagnostic) {
	first := map[string]int{}
	for _, d := range diags {
		at, told := first[d.Message+d.Hint]
		switch {
		case d.Code != diag.ArrayRole || d.Kind != diag.Advice || !strings.HasSuffix(d.Message, refusedMessage):
			out = append(out, d)
		case told:
			out[at].Notes = append(slices.Clip(out[at].Notes), diag.Note{At: d.At, Message: hereToo})
		default:
			first[d.Message+d.Hint] = len(out)
			out = append(out, d)
		}
	}
	return out
}
