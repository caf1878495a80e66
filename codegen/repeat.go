package codegen

import (
	"fmt"
	"slices"

	"loopc/ir"
)

// A repeatWriter prints the function that runs the repetitions of a repeat with its nests as they are written:
// the loops of the nests stand within the loop over its numbers, and find the arrays only once.
type repeatWriter struct {
	*generator
	p     *ir.Program
	parts []*generator
	nests []int        // of the repeat
	inner []*ir.Repeat // the repeat, and those inside
	of    *generator   // a nest of the repeat: all have its names
	run   string       // the variable of the run
	scope *scope
	views map[int]string // of arrays that all repetitions share

	exchanges []exchange
}

// repeats prints the functions of all repeats that have one and are not inside another one.
func (g *generator) repeats(p *ir.Program, parts []*generator) {
	g.funcRepeats = map[*ir.Repeat]string{}
	var look func([]ir.Step)
	look = func(steps []ir.Step) {
		for _, s := range steps {
			if s.Repeat == nil {
				continue
			}
			w := &repeatWriter{generator: g, p: p, parts: parts}
			if w.asWritten(s.Repeat) && w.names() {
				w.function(s.Repeat)
			} else {
				look(s.Repeat.Steps)
			}
		}
	}
	look(p.Steps)
}

// asWritten collects the nests of a repeat. It reports whether all may run as they are written, and no condition ends
// a repeat.
func (w *repeatWriter) asWritten(r *ir.Repeat) bool {
	w.inner = append(w.inner, r)
	for _, s := range r.Steps {
		switch {
		case s.Repeat != nil:
			if !w.asWritten(s.Repeat) {
				return false
			}
		case w.parts[s.Nest].pace == 0:
			return false
		default:
			w.nests = append(w.nests, s.Nest)
		}
	}
	return r.Until == nil && len(w.nests) > 0
}

// names chooses the variable of the run. It reports whether the nests have the same Go names for what they share.
func (w *repeatWriter) names() bool {
	w.of = w.parts[w.nests[0]]
	s := newScope()
	values := map[string]launched{}
	for _, k := range w.nests {
		part := w.parts[k]
		if !slices.Equal(part.params, w.of.params) || !slices.Equal(part.arrays, w.of.arrays) {
			return false
		}
		for _, name := range slices.Concat(part.derived, part.arrays) {
			s.used[name] = true
		}
		for _, v := range part.launched() {
			if other, ok := values[v.name]; ok && other != v {
				return false
			}
			s.used[v.name], values[v.name] = true, v
		}
	}
	w.run, w.scope = s.name("run"), s
	return true
}

// function prints the function of a repeat.
func (w *repeatWriter) function(r *ir.Repeat) {
	name := fmt.Sprintf("sequential%sRepeat%d", exported(w.p.Name), r.Index+1)
	w.funcRepeats[r] = name
	w.blank()
	w.linef("// %s runs repetitions of repeat %s, with the loops of its nests in the order in which they are written.", name, r.Name)
	if slices.ContainsFunc(w.nests, func(k int) bool { return w.parts[k].fails }) {
		w.linef("func %s(%s *kernel.Repetitions) (err error) {", name, w.run)
		w.linef("defer arith.Catch(&err)")
	} else {
		w.linef("func %s(%s *kernel.Repetitions) error {", name, w.run)
	}
	w.linef("params := %s.Params", w.run)
	w.findExchanges(r.Steps)
	w.shared()
	w.beginExchanges()
	w.repeat(r)
	w.endExchanges()
	w.linef("return nil")
	w.linef("}")
}

// shared prints what all repetitions share: parameters, and the arrays of nests that do not prepare each run.
func (w *repeatWriter) shared() {
	own := mapped(w.inner, w.number)
	once := func(values []launched) {
		for _, v := range values {
			if !slices.Contains(own, v.name) {
				own = append(own, v.name)
				w.linef("%s := %s", v.name, v.value)
			}
		}
	}
	once(w.of.launched()[:len(w.of.params)])
	w.linef("fields := %s.Nests[%d]", w.run, w.nests[0])
	w.views = map[int]string{}
	for _, k := range w.nests {
		if w.prepares(k) {
			continue
		}
		part := w.parts[k]
		once(part.launched())
		s := newSeqWriter(part.fresh())
		for _, st := range s.arrays {
			if !s.used(st) || w.views[st.a] != "" {
				continue
			}
			w.views[st.a] = s.view(st, fmt.Sprintf("%s.Nests[%d]", w.run, k))
		}
		w.buf.Write(s.buf.Bytes())
	}
}

// fresh returns a generator of the same nest that has printed nothing.
func (g *generator) fresh() *generator {
	out := *g
	out.printer = printer{}
	return &out
}

// prepares reports whether each run of nest k prepares something: memory, initial content, or results of earlier nests.
func (w *repeatWriter) prepares(k int) bool {
	part := w.parts[k]
	s := newSeqWriter(part.fresh())
	return part.earlier() != "" || slices.ContainsFunc(s.arrays, func(st *seqArray) bool {
		role := part.n.Arrays[st.a].Role
		return role == ir.Internal && (s.used(st) || part.n.Arrays[st.a].Returned()) || part.initial(st.a)
	})
}

// number is the variable with the number of a repeat.
func (w *repeatWriter) number(r *ir.Repeat) string { return w.of.params[len(w.p.Params)+r.Index] }

// repeat prints the loop over the numbers of a repeat.
func (w *repeatWriter) repeat(r *ir.Repeat) {
	lo, hi := w.run+".First", w.run+".Last"
	switch {
	case r == w.inner[0]:
	case r.Item != nil:
		w.linef("{ // one number")
		w.linef("%s := %s.Item(%d)", w.number(r), w.run, r.Index)
		w.linef("params[%d] = %s", len(w.p.Params)+r.Index, w.number(r))
		w.steps(r.Steps)
		w.linef("}")
		return
	default:
		lo, hi = extremeOf("max", r.Lo, nil, w.of.params), extremeOf("min", r.Hi, nil, w.of.params)
	}
	header(&w.printer, w.number(r), lo, hi, r.Backward)
	w.linef("params[%d] = %s", len(w.p.Params)+r.Index, w.number(r))
	w.steps(r.Steps)
	w.linef("if %s.Left--; %s.Left < 0 {", w.run, w.run)
	w.linef("if err := %s.Look(); err != nil {\nreturn err\n}", w.run)
	w.linef("}")
	w.linef("}")
}

// steps prints the steps of a repetition.
func (w *repeatWriter) steps(steps []ir.Step) {
	for _, s := range steps {
		if s.Repeat != nil {
			w.repeat(s.Repeat)
		} else {
			w.nest(s.Nest)
		}
	}
}

// nest prints the loops of nest k.
func (w *repeatWriter) nest(k int) {
	part := w.parts[k].fresh()
	w.linef("if %s.Starts != nil {\n%s.Starts(%d)\n}", w.run, w.run, k)
	w.exchange(k)
	s := newSeqWriter(part)
	if part.callsBoxes() && !w.prepares(k) {
		s.callBox(fmt.Sprintf("%s.Row[%d]", w.run, k), w.run+".Frame")
		w.buf.Write(part.buf.Bytes())
		part.buf.Reset()
	}
	if part.inArrays() || part.front.shape != nil {
		w.linef("if %s.Rows[%d] != nil {", w.run, k)
		w.linef("if err := %s.Rows[%d](); err != nil {\nreturn err\n}", w.run, k)
		w.linef("} else { // %s", part.n.Name)
	} else {
		w.linef("{ // %s", part.n.Name)
	}
	s.again = true // nests share these arrays
	if part.callsRows() && s.jam == nil && !s.alone() {
		s.call = &rowCall{row: s.s.name("row"), frame: s.s.name("frame"), fields: "*fields"}
		if w.prepares(k) {
			s.call.fields = "fields"
		}
		part.linef("%s, %s := %s.Row[%d], &%s.Frame", s.call.row, s.call.frame, w.run, k, w.run)
	}
	s.statements()
	part.constants(part.bodyExprs()...)
	if w.prepares(k) {
		part.linef("fields := %s.Begin(%d)", w.run, k)
		for _, v := range part.launched()[len(part.params):] {
			part.linef("%s := %s", v.name, v.value)
		}
		s.begin()
	} else {
		part.linef("fields := &%s.Nests[%d]", w.run, k)
	}
	s.all()
	w.buf.Write(part.buf.Bytes())
	w.linef("}")
}
