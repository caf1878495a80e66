package frontend

import (
	"slices"

	"loopc/ir"
	"loopc/ir/diag"
)

// idleRepeats warns of repeats in which every repetition computes the same: none of its nests reads what an
// earlier repetition wrote, or the number of the repeat.
func idleRepeats(prog *ir.Program) (out []diag.Diagnostic) {
	for _, s := range allRepeats(prog.Steps) {
		if s.Batch || s.Item != nil {
			continue
		}
		if nests := ir.NestsOf(s.Steps); !carries(prog, nests, len(prog.Params)+s.Index) {
			out = append(out, diag.Diagnostic{
				Severity: diag.Warning, Code: diag.NoResult, At: s.Span,
				Message: "every repetition of " + s.Name + " computes the same: no nest of the repeat reads what an earlier one wrote",
				Hint:    "a nest at the end that copies what is computed to what is read", Kind: diag.Advice,
			})
		}
	}
	return out
}

// allRepeats are the repeats of some steps, and those inside of them.
func allRepeats(steps []ir.Step) (list []*ir.Repeat) {
	for _, s := range steps {
		if s.Repeat != nil {
			list = append(append(list, s.Repeat), allRepeats(s.Repeat.Steps)...)
		}
	}
	return list
}

// carries reports whether a repetition may depend on earlier ones, or on its number: some nest uses the
// parameter number, or reads an array that a nest of the repeat writes, with content from before its own run.
func carries(prog *ir.Program, nests []int, number int) bool {
	written := make([]bool, len(prog.Arrays))
	for _, k := range nests {
		for a := range written {
			written[a] = written[a] || len(prog.Nests[k].Assigns(a)) > 0
		}
	}
	for _, k := range nests {
		n := prog.Nests[k]
		if n.Analysis == nil {
			return true
		}
		for a := range written {
			if written[a] && n.LooksUp(a) {
				return true
			}
		}
		for id, r := range n.Reads {
			if written[r.Array] && n.Analysis.Reads[id].Initial {
				return true
			}
		}
		numbered := func(f ir.Affine) bool { return f.Param(number) != 0 }
		for _, r := range n.Reads {
			if slices.ContainsFunc(r.Subs, numbered) {
				return true
			}
		}
		for _, l := range n.Loops {
			if slices.ContainsFunc(slices.Concat(l.Lo, l.Hi), numbered) {
				return true
			}
		}
		if usesNumber(n, number) || slices.ContainsFunc(n.Floats, func(f ir.FloatParam) bool { return f.Of != nil }) {
			return true
		}
	}
	return false
}

// usesNumber reports whether the body of a nest uses the parameter number in a value.
func usesNumber(n *ir.Nest, number int) (used bool) {
	look := func(e ir.Expr) {
		ir.Walk(e, func(x ir.Expr) {
			p, ok := x.(*ir.ParamRef)
			used = used || ok && p.Param == number
		})
	}
	for _, s := range n.Body {
		switch s := s.(type) {
		case *ir.Let:
			look(s.Expr)
		case *ir.Assign:
			look(s.Expr)
		case *ir.Reduce:
			look(s.Expr)
		}
	}
	return used
}

// nestsInWrongOrder warns of a nest that reads an array before the first nest that writes it, if init gives all cells
// the same value: most likely, the user means what the later nest computes.
func nestsInWrongOrder(prog *ir.Program) (out []diag.Diagnostic) {
	for a := range prog.Arrays {
		arr := &prog.Arrays[a]
		if arr.Init == nil || len(arr.Init.Ignored()) < len(arr.Init.Names) {
			continue
		}
		writes := func(nest int) bool { return firstWrite(arr, prog.Nests[nest:nest+1], a) != nil }
		for k, s := range prog.Steps {
			if slices.ContainsFunc(ir.NestsOf(prog.Steps[k:k+1]), writes) {
				break
			}
			if s.Repeat != nil || !slices.ContainsFunc(ir.NestsOf(prog.Steps[k+1:]), writes) {
				continue
			}
			if r := firstRead(prog.Nests[s.Nest:s.Nest+1], a); r != nil {
				out = append(out, diag.Diagnostic{
					Severity: diag.Warning, Code: diag.NotSupplied, At: r.At,
					Message: arr.Name + " is read before the nest that writes it: it is what init gives",
					Hint:    "this belongs behind that nest; a reduction of what it writes stands right before its for", Kind: diag.Advice,
				})
			}
		}
	}
	return out
}

// sharedEarlyReads does what earlyRead does, for arrays that several nests share, in the first nest that writes the
// array: unless a repeat runs this nest several times, it reads what init gives.
func sharedEarlyReads(prog *ir.Program) (out []diag.Diagnostic) {
	for a := range prog.Arrays {
		arr := &prog.Arrays[a]
		if arr.Init == nil {
			continue
		}
		for k, s := range prog.Steps {
			if firstWriteIn(prog, prog.Steps[k:k+1], a) == nil {
				continue
			}
			if n := prog.Nests[max(s.Nest, 0)]; s.Repeat == nil && n.Arrays[a].Role == ir.InOut {
				view := *n
				view.Arrays = slices.Clone(n.Arrays)
				view.Arrays[a] = *arr
				parts := inComponents(&view)
				for id, r := range n.Reads {
					if d := earlyRead(parts, id); r.Array == a && d != nil {
						out = append(out, *d)
						break
					}
				}
			}
			break
		}
	}
	return out
}

// firstWriteIn is the first write of an array by the nests of some steps, apart from that of its init.
func firstWriteIn(prog *ir.Program, steps []ir.Step, a int) *ir.Assign {
	for _, k := range ir.NestsOf(steps) {
		n := prog.Nests[k]
		if w := firstWrite(&prog.Arrays[a], []*ir.Nest{n}, a); w != nil && w.Span != prog.Arrays[a].Init.Span {
			return w
		}
	}
	return nil
}
