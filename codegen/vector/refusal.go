package vector

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/diag"
)

// A Refusal says why a nest has no kernel of a scheme. Within this package it is thrown as a
// panic.
type Refusal struct {
	Why  string    // a clause; "" if there is a kernel
	At   diag.Span // the place that prevents the kernel; zero if no single place does
	Cure string    // what to write instead, to get the kernel; "" if that is not known
}

// refusal, deferred, sets why if it was thrown.
func refusal(why *Refusal) {
	switch r := recover().(type) {
	case nil:
	case Refusal:
		*why = r
	default:
		panic(r)
	}
}

func refuse(format string, args ...any) { panic(Refusal{Why: fmt.Sprintf(format, args...)}) }

// refuseAt refuses because of the text at a place; cure would be a remedy.
func refuseAt(at diag.Span, cure, format string, args ...any) {
	panic(Refusal{fmt.Sprintf(format, args...), at, cure})
}

// declared is the cure for cells of a given array whose type lanes do not have: to declare the array
// with the type of the results. It is "" for any other expression.
func (s *Shape) declared(e ir.Expr) string {
	if c, ok := e.(*ir.Convert); ok {
		e = c.X
	}
	r, ok := e.(*ir.Read)
	if !ok || s.n.Arrays[r.Array].Role != ir.In {
		return ""
	}
	for k, stmt := range s.n.Body {
		if w, ok := stmt.(*ir.Assign); ok && s.live[k] && s.n.Arrays[w.Array].Elem.Size() == s.lane {
			return fmt.Sprintf("declare %s %s", s.n.Arrays[r.Array].Name, s.n.Arrays[w.Array].Elem)
		}
	}
	return ""
}

// reordered is the cure if cells of an array are not neighbors along a row: the loop that should be
// the innermost one, so that the cells of all arrays are. It is "" if there is no such loop.
func (s *Shape) reordered() string {
	for k, loop := range s.n.Loops {
		if s.rowsAlong(k) {
			return fmt.Sprintf("write the loop over %s innermost", loop.Name)
		}
	}
	return ""
}

// rowsAlong reports whether all given arrays and results would have rows if loop k were the
// innermost one, and iterations along it were independent.
func (s *Shape) rowsAlong(k int) bool {
	inRow := func(subs []ir.Affine) bool {
		for m, sub := range subs {
			if k >= len(sub.Iters) {
				continue
			}
			if c := sub.Iters[k]; m < len(subs)-1 && c != 0 || abs(c) > 1 {
				return false
			}
		}
		return true
	}
	if s.n.Analysis == nil {
		return false
	}
	for _, d := range s.n.Analysis.Deps {
		if d.Kind == ir.Flow && d.Dist[k] != 0 {
			return false
		}
	}
	rows := true
	for x, stmt := range s.n.Body {
		if w, ok := stmt.(*ir.Assign); ok && s.live[x] {
			rows = rows && inRow(w.Subs)
		}
	}
	s.each(func(e ir.Expr) {
		if r, ok := e.(*ir.Read); ok {
			rows = rows && inRow(r.Subs)
		}
	})
	return rows
}
