package codegen

import (
	"fmt"
	"slices"
	"strings"

	"loopc/ir"
)

// A seqWriter prints the sequential reference.
type seqWriter struct {
	*generator
	s      *scope
	body   printer
	arrays []*seqArray
	lets   map[int]string
	quo    bool
}

// sequential prints the loops as they were written, on whole arrays.
func (g *generator) sequential() {
	w := &seqWriter{generator: g, lets: map[int]string{}}
	w.s = g.scope()
	for a := range g.n.Arrays {
		w.arrays = append(w.arrays, w.store(a))
	}
	w.statements()

	g.blank()
	g.linef("// %s runs the loops in the order in which they are written.", g.funcSeq)
	for a := range g.n.Arrays {
		if init := g.n.Arrays[a].Init; init != nil && mayFail(init.Expr) {
			w.quo = true
		}
	}
	result := "error"
	if w.quo {
		result = "(err error)"
	}
	g.linef("func %s(params []int, fields halo.Fields) %s {", g.funcSeq, result)
	if w.quo {
		g.linef("defer arith.Catch(&err)")
	}
	g.constants(g.bodyExprs()...)
	// Everything else is printed first, to see which parameters it uses.
	code := &printer{}
	keep := g.printer
	g.printer = printer{}
	w.prepare()
	w.reduceBegin()
	w.loops()
	w.finish()
	w.reduceEnd()
	*code, g.printer = g.printer, keep
	bare := uncommented(code.buf.String())
	for k, p := range g.params {
		if word(bare, p) {
			g.linef("%s := params[%d]", p, k)
		}
	}
	if strings.Contains(bare, "kernel.") {
		g.linef("kernel := %s(params, fields).(*%s)", g.funcKernel, g.typeKernel)
	}
	g.buf.Write(code.buf.Bytes())
	g.linef("return nil")
	g.linef("}")
}

// word reports whether the identifier name occurs in src.
func word(src, name string) bool {
	ident := func(b byte) bool {
		return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
	}
	for from := 0; ; {
		i := strings.Index(src[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before := i == 0 || !ident(src[i-1]) && src[i-1] != '.'
		end := i + len(name)
		if before && (end == len(src) || !ident(src[end])) {
			return true
		}
		from = i + 1
	}
}

// affine prints an affine form with Go names.
func (w *seqWriter) affine(a ir.Affine, iters []string) string {
	var terms []term
	for k, c := range a.Iters {
		if c != 0 {
			terms = append(terms, term{c, iters[k]})
		}
	}
	for k, c := range a.Params {
		terms = append(terms, term{c, w.params[k]})
	}
	return sum(append(terms, term{a.Const, ""})...)
}

// position returns the position of a cell of array st.
func (w *seqWriter) position(st *seqArray, subs []ir.Affine, iters []string) string {
	at := []string{st.name + "Origin"}
	for m, sub := range subs {
		if m == st.roll {
			at = append(at, w.rolled(st, sub.Const))
			continue
		}
		at = append(at, times(w.affine(sub, iters), st.stride(m)))
	}
	return plus(at...)
}

// statements prints the body.
func (w *seqWriter) statements() {
	m := &emitter{p: &w.body, r: &refs{
		names: w.s, consts: w.consts, externs: w.externs,
		iter:  func(k int) string { return w.generator.loops[k] },
		param: func(k int) string { return w.params[k] },
		local: func(s int) string { return w.lets[s] },
		line:  func(e ir.Expr) string { w.quo = true; return fmt.Sprintf("%s:%d", w.n.File, e.Span().Line) },
		iters: func() string { return strings.Join(w.generator.loops, ", ") },
		read: func(r *ir.Read) string {
			st := w.arrays[r.Array]
			return fmt.Sprintf("%s[%s]", st.name, w.position(st, r.Subs, w.generator.loops))
		},
	}}
	reduced := 0
	all := slices.Repeat([]bool{true}, len(w.n.Body))
	for s, stmt := range w.n.Body {
		switch stmt := stmt.(type) {
		case *ir.Let:
			used := w.referenced(s, all)
			if !used && !mayFail(stmt.Expr) {
				continue
			}
			w.provenance(&w.body, stmt.Span.Line)
			w.lets[s] = w.s.name(stmt.Name)
			m.define(w.lets[s], stmt.Expr)
			if !used {
				w.body.linef("_ = %s", w.lets[s])
			}
		case *ir.Assign:
			w.provenance(&w.body, stmt.Line)
			st := w.arrays[stmt.Array]
			target := fmt.Sprintf("%s[%s]", st.name, w.position(st, stmt.Subs, w.generator.loops))
			if _, ok := stmt.Expr.(*ir.Select); ok {
				name := w.s.name(st.name + "New")
				m.define(name, stmt.Expr)
				w.body.linef("%s = %s", target, name)
				continue
			}
			m.assign(target, stmt.Expr)
		case *ir.Reduce:
			w.provenance(&w.body, stmt.Span.Line)
			m.addTo(w.generator.reduces[reduced], stmt)
			reduced++
		}
	}
}

// loops prints the nest.
func (w *seqWriter) loops() {
	g := w.generator
	for k, l := range w.n.Loops {
		bound := func(all []ir.Affine, fn string) string {
			var list []string
			for _, a := range all {
				list = append(list, w.affine(a, g.loops))
			}
			if len(list) == 1 {
				return list[0]
			}
			return fn + "(" + strings.Join(list, ", ") + ")"
		}
		lo, hi := bound(l.Lo, "max"), bound(l.Hi, "min")
		if k == 0 {
			for _, st := range w.arrays {
				if st.roll < 0 || !w.initial(st.a) || !w.used(st) {
					continue
				}
				for c := st.least; c < st.most; c++ {
					from := slices.Clone(l.Lo)
					for i := range from {
						from[i].Const += c
					}
					g.linef("%s(%s)", w.enter(st), bound(from, "max"))
				}
			}
		}
		if l.Backward {
			g.linef("for %s := %s; %s >= %s; %s-- {", g.loops[k], hi, g.loops[k], lo, g.loops[k])
		} else {
			g.linef("for %s := %s; %s <= %s; %s++ {", g.loops[k], lo, g.loops[k], hi, g.loops[k])
		}
		if k == 0 {
			w.advance()
		}
	}
	g.buf.Write(w.body.buf.Bytes())
	for k := len(w.n.Loops) - 1; k >= 0; k-- {
		if k == 0 {
			w.keepLevels()
		}
		g.linef("}")
	}
}

// advance prints what happens when the outermost loop comes to an iteration:
// rolled arrays get a new level.
func (w *seqWriter) advance() {
	g := w.generator
	for _, st := range w.arrays {
		if st.roll < 0 || !w.used(st) {
			continue
		}
		if w.initial(st.a) {
			g.linef("%s(%s)", w.enter(st), sum(term{1, g.loops[0]}, term{st.most, ""}))
		}
		for c := st.least; c <= st.most; c++ {
			if name, ok := st.positionVars[c]; ok {
				g.linef("%s := arith.Mod(%s, %d) * %s", name, sum(term{1, g.loops[0]}, term{c, ""}), st.levels, strideName(st.name, st.roll))
			}
		}
	}
}

// keepLevels prints, at the end of an iteration of the outermost loop, the
// copying of a level that is given back.
func (w *seqWriter) keepLevels() {
	g := w.generator
	for _, st := range w.arrays {
		if st.roll < 0 || st.result == "" {
			continue
		}
		at := w.affine(*w.n.Arrays[st.a].Out[st.roll], nil)
		loop := g.loops[0]
		if st.least == st.most {
			g.linef("if %s == %s {", at, sum(term{1, loop}, term{st.most, ""}))
		} else {
			g.linef("if %s >= %s && %s <= %s {", at, sum(term{1, loop}, term{st.least, ""}), at, sum(term{1, loop}, term{st.most, ""}))
		}
		w.copySlice(st, false)
		g.linef("}")
	}
}

// finish prints what gives back the slices of arrays that are stored whole.
func (w *seqWriter) finish() {
	for _, st := range w.arrays {
		if st.roll < 0 && st.result != "" {
			w.copySlice(st, false)
		}
	}
}
