package ir

import "slices"

// Extends reports, for each parameter, whether a run with a greater value of it begins like one with a smaller
// value: the parameter is in upper bounds of the outermost loop, or of the last of the outermost repeats, and otherwise
// only in upper bounds of arrays without a boundary, and in slices that are given back.
func (p *Program) Extends() []bool {
	u := paramUses{ends: make([]bool, len(p.Params)), other: make([]bool, len(p.Params))}
	for k := range p.Arrays {
		u.array(&p.Arrays[k])
	}
	for _, n := range p.Nests {
		for k := range n.Arrays {
			u.array(&n.Arrays[k])
		}
		for k := range n.Loops {
			l := &n.Loops[k]
			outermost := p.Single() && k == 0 && len(n.Loops) > 1 && !l.Backward // a nest of one loop has only one level
			u.header(l.Lo, l.Hi, outermost)
		}
		for _, s := range n.Body {
			if a, ok := s.(*Assign); ok {
				u.forms(a.Subs)
			}
			u.expr(Value(s))
		}
	}
	for k, s := range p.Steps {
		if s.Repeat != nil {
			later := slices.ContainsFunc(p.Steps[k+1:], func(s Step) bool { return s.Repeat != nil })
			u.repeat(s.Repeat, !later)
		}
	}
	for k := range u.ends {
		u.ends[k] = u.ends[k] && !u.other[k]
	}
	return u.ends
}

// paramUses marks parameters of a program by where they are.
type paramUses struct {
	ends  []bool // in an upper bound of the outermost loop, or of the last of the outermost repeats
	other []bool // where their value may matter for all iterations
}

// forms marks the parameters of forms.
func (u *paramUses) forms(list []Affine) {
	for _, f := range list {
		for k := range u.other {
			u.other[k] = u.other[k] || f.Param(k) != 0
		}
	}
}

// upper marks the parameters whose greater values lower an upper bound.
func (u *paramUses) upper(list []Affine) {
	for _, f := range list {
		for k := range u.other {
			u.other[k] = u.other[k] || f.Param(k) < 0
		}
	}
}

// header marks the parameters in the bounds of a loop or repeat. outermost says that it is the outermost loop or the last of the
// outermost repeats: a greater upper bound then only adds iterations after all others.
func (u *paramUses) header(lo, hi []Affine, outermost bool) {
	u.forms(lo)
	if !outermost {
		u.forms(hi)
		return
	}
	u.upper(hi)
	for _, f := range hi {
		for k := range u.ends {
			u.ends[k] = u.ends[k] || f.Param(k) > 0
		}
	}
}

// repeat marks the parameters of a repeat and of those in it.
func (u *paramUses) repeat(r *Repeat, outermost bool) {
	u.header(r.Lo, r.Hi, outermost && !r.Backward && !r.Batch)
	if r.Until != nil {
		u.expr(r.Until.Cond)
	}
	for _, s := range r.Steps {
		if s.Repeat != nil {
			u.repeat(s.Repeat, false)
		}
	}
}

// array marks the parameters of an array.
func (u *paramUses) array(a *Array) {
	u.forms(a.Lo)
	if u.upper(a.Hi); a.Boundary != nil {
		u.forms(a.Hi)
	}
	if a.Init != nil {
		u.expr(a.Init.Expr)
	}
}

// expr marks the parameters of an expression.
func (u *paramUses) expr(e Expr) {
	Walk(e, func(e Expr) {
		switch e := e.(type) {
		case *ParamRef:
			if e.Param < len(u.other) { // else it is the number of a repeat
				u.other[e.Param] = true
			}
		case *Read:
			u.forms(e.Subs)
		}
	})
}
