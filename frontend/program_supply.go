package frontend

import (
	"fmt"
	"slices"
	"strings"

	"loopc/frontend/depend"
	"loopc/ir"
	"loopc/ir/diag"
)

// Whether the cells that nests read, of an array that several of them have, were written before.

// writtenBeforeReads reports whether an array that neither init nor caller supplies needs initial content, which may
// be any: nests write each cell before a nest reads it, perhaps in an earlier repetition, or before it is given back. If the
// first nest writes the whole array, the array needs no initial content, and the result is false.
func (p *programChecker) writtenBeforeReads(arr *ir.Array, a int, have []int) bool {
	if arr.Init != nil || arr.Role == ir.In || arr.Role == ir.InOut || len(have) == 0 {
		return false
	}
	writes, reads, known := p.accesses(a, have)
	first := p.checkers[have[0]].nest
	if p.lacks(arr, a, have) == "" && !writesNumbered(first, a) && depend.WritesWhole(first, a) {
		return false
	}
	for _, r := range reads {
		known = known && depend.WrittenBefore(r, writes)
	}
	return known && (!arr.Returned() || depend.WrittenAtAll(p.checkers[0].nest, a, writes))
}

// accesses returns the accesses of array a by the nests that have it. known is false if a nest looks up cells with computed
// subscripts, which are not among the accesses.
func (p *programChecker) accesses(a int, have []int) (writes, reads []depend.TimedAccess, known bool) {
	known = true
	for _, k := range have {
		n := p.checkers[k].nest
		known = known && !n.LooksUp(a)
		at := depend.TimedAccess{Occurrence: depend.Occurrence{Nest: n, Array: a}, NestIndex: k}
		for _, r := range p.outline.nests[k].in {
			at.Repeats = append(at.Repeats, depend.EnclosingRepeat{Index: r.index, Backward: p.repeats[r.index].Backward, EndsEarly: p.headers[r.index].Until != nil && !p.untilIgnored})
		}
		for _, s := range n.Assigns(a) {
			at.Subs, at.Statement = n.Body[s].(*ir.Assign).Subs, s
			writes = append(writes, at)
		}
		for _, r := range n.Reads {
			if r.Array == a {
				at.Subs, at.Statement, at.Read = r.Subs, n.ReadStmt[r.ID], r
				reads = append(reads, at)
			}
		}
	}
	return writes, reads, known
}

// lacking changes the message that nothing supplies a cell of an array, in a program of several nests. If one nest gives
// back an array that is internal to the program, the message shows a read of a later nest that needs a cell; without such
// a read, it states the rule. Notes about the array's role in one nest become notes about its declaration.
func (p *programChecker) lacking(prog *ir.Program, d *diag.Diagnostic) {
	const back = " is given back, but nothing supplies it"
	if d.Code != diag.NotSupplied {
		return
	}
	for a, arr := range prog.Arrays {
		if arr.Role != ir.Internal || !strings.HasPrefix(d.Message, arr.Name+"[") {
			continue
		}
		for k := range d.Notes {
			if d.Notes[k].At == arr.Span {
				d.Notes[k].Message = arr.Name + " is declared here, without init"
			}
		}
		cell, given := strings.CutSuffix(d.Message, back)
		if !given {
			return
		}
		if arr.Out == nil {
			d.Message = fmt.Sprintf("%s is not written by the first nest that has %s, and nothing else supplies it", cell, arr.Name)
		}
		have, _, _ := p.uses(a)
		writes, reads, _ := p.accesses(a, have)
		for _, r := range reads {
			if r.NestIndex == have[0] {
				continue
			}
			if needed := depend.Needed(r, writes); needed != "" {
				d.Message = fmt.Sprintf("%s may read a cell that nothing writes before: %s", spanText(r.Nest.Source, r.Read.At), needed)
				d.At = r.Read.At
				if len(writes) > 0 && len(writes[0].Nest.Loops) > 0 { // not the loop around the read
					d.Hint = strings.Replace(d.Hint, ", whose iterations", fmt.Sprintf(" in line %d, whose iterations", writes[0].Nest.Loops[0].Span.Line), 1)
				}
				if loops := likeWriter(r, writes, have[0]); loops != "" && d.Kind == diag.Advice {
					_, others, several := strings.Cut(d.Hint, depend.OneOf)
					if !several {
						others = strings.TrimPrefix(d.Hint, "what the cells have before is said by ")
					}
					d.Hint = depend.OneOf + "the loop " + loops + ", whose cells another nest writes" + depend.Or + others
				}
				return
			}
		}
		return
	}
}

// likeWriter returns the ranges with which read r takes only the cells that the array's one write writes, such as x = 1..N: the
// names of r's loops, and the bounds of the writer's. Loops whose bounds agree are left out. It returns "" unless nest first has
// the only write, and the subscripts are loops.
func likeWriter(r depend.TimedAccess, writes []depend.TimedAccess, first int) string {
	if len(writes) != 1 || writes[0].NestIndex != first {
		return ""
	}
	var ranges []string
	for d, sub := range r.Subs {
		from, to := plainLoop(r.Nest, sub), plainLoop(writes[0].Nest, writes[0].Subs[d])
		if from == nil || to == nil || from.Backward || to.Backward || len(to.Lo) != 1 || len(to.Hi) != 1 || to.Lo[0].HasIters() || to.Hi[0].HasIters() {
			return ""
		}
		text := fmt.Sprintf("%s = %s..%s", from.Name, depend.AffineText(writes[0].Nest, to.Lo[0], nil), depend.AffineText(writes[0].Nest, to.Hi[0], nil))
		if !slices.EqualFunc(from.Lo, to.Lo, ir.Affine.Equal) || !slices.EqualFunc(from.Hi, to.Hi, ir.Affine.Equal) {
			ranges = append(ranges, text)
		}
	}
	return strings.Join(ranges, ", ")
}

// plainLoop returns the loop whose name a subscript is; nil if the subscript is anything else.
func plainLoop(n *ir.Nest, sub ir.Affine) *ir.Loop {
	for k := range n.Loops {
		if name := iteratorOf(n, k); sub.Equal(name) {
			return &n.Loops[k]
		}
	}
	return nil
}
