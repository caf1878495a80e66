package frontend

import (
	"slices"

	"loopc/frontend/depend"
	"loopc/ir"
)

// A box has the bounds of the iterations of a leaf.
type box struct {
	batches [][2]string // per batch around the nest, the items of which have cells of their own
	bounds  [][2]string // per loop around the leaf
	full    bool        // the iterations fill it
	open    []*branch   // loops to a parameter of items, whose range is not known
}

// boxOf returns the box of a leaf for all numbers of the repeats around it.
func (f *fission) boxOf(l *part) (x box) {
	names := f.repeats
	var around []*branch // repeats whose numbers are loops here
	f.repeats = slices.DeleteFunc(slices.Clone(f.repeats), func(r repeatName) bool {
		k := slices.IndexFunc(f.around, func(b *branch) bool { return b.name == r.name.Name })
		if k < 0 {
			return false // a parameter of items
		}
		around = append(around, f.around[k].ranges()...)
		return len(f.around[k].ranges()) > 0
	})
	items := map[string]bool{}
	for _, r := range f.repeats {
		items[r.name.Name] = true
	}
	c := f.checkNest(l.st.first(), slices.Concat(around, l.path), f.withCopies([]*part{f.asCells(l, f.declared(l))}), true)
	n := c.nest
	f.repeats = names
	ofItem := func(a ir.Affine) bool {
		for k, p := range n.Params {
			if items[p.Name] && a.Param(k) != 0 {
				return true
			}
		}
		return false
	}
	x.full = true
	var los, his []ir.Affine
	for k, loop := range n.Loops {
		pick := func(list []ir.Affine) ir.Affine {
			f := still(list)
			x.full = x.full && (k < len(around) || len(list) == 1 && !f.HasIters() && !ofItem(f))
			return f
		}
		lo, hi := extreme(pick(loop.Lo), los, his), extreme(pick(loop.Hi), his, los)
		if k >= len(around) && (ofItem(lo) || ofItem(hi)) {
			lo, hi = f.limited(&x, l.path[k-len(around)], lo, hi, ofItem)
		}
		los, his = append(los, lo), append(his, hi)
		ends := [2]string{depend.AffineText(n, lo, nil), depend.AffineText(n, hi, nil)}
		if k >= len(around) {
			x.bounds = append(x.bounds, ends)
		} else if around[k].batch {
			x.batches = append(x.batches, ends)
		}
	}
	return x
}

// limited returns the ends of a loop, and instead of those that have a parameter of items what the loop can reach at most.
func (f *fission) limited(x *box, loop *branch, lo, hi ir.Affine, ofItem func(ir.Affine) bool) (ir.Affine, ir.Affine) {
	least, most, ok := f.reached(loop)
	if !ok {
		x.open = append(x.open, loop)
	}
	if ofItem(lo) {
		lo = least
	}
	if ofItem(hi) {
		hi = most
	}
	return lo, hi
}

// ranges returns the loop of the header of a repeat, without its until; nil if it has a mistake.
func (b *branch) ranges() []*branch {
	end := slices.IndexFunc(b.tokens, func(t token) bool { return t.named("until") })
	if end < 0 {
		end = len(b.tokens)
	}
	list := branchesOf(&statement{tokens: append([]token{madeKeyword("for", b.tokens[0])}, b.tokens[:end]...)})
	for _, x := range list {
		x.batch = b.batch
	}
	return list
}

// reached returns what a loop can reach at most, because a cell that its iterations write, or all of them read, has the
// loop as a subscript. ok is false if there is no such cell.
func (f *fission) reached(loop *branch) (least, most ir.Affine, ok bool) {
	for _, l := range f.tree.leaves {
		at := slices.Index(l.path, loop)
		if at < 0 {
			continue
		}
		c := f.check(f.asCells(l, f.declared(l)))
		cell := func(array int, subs []ir.Affine) {
			for d, sub := range subs {
				alone := ir.Affine{Const: sub.Const, Iters: make([]int, at+1)}
				alone.Iters[at] = 1
				if arr := c.nest.Arrays[array]; !ok && arr.Boundary == nil && d < len(arr.Lo) && sub.Equal(alone) {
					least, most, ok = arr.Lo[d], arr.Hi[d], true
					least.Const, most.Const = least.Const-sub.Const, most.Const-sub.Const
				}
			}
		}
		for _, b := range c.body {
			if b.assign != nil && b.array >= 0 && f.assigns(l) {
				cell(b.array, b.subs)
			}
			if b.expr != nil {
				ir.WalkAlways(b.expr, func(e ir.Expr) {
					if read, is := e.(*ir.Read); is {
						cell(read.Array, read.Subs)
					}
				})
			}
		}
	}
	return least, most, ok
}

// still returns a form of a list that does not depend on a loop, if there is one, else the first.
func still(list []ir.Affine) (f ir.Affine) {
	for k, g := range list {
		if k == 0 || !g.HasIters() && f.HasIters() {
			f = g
		}
	}
	return f
}

// extreme returns the form with each loop at its near end if its coefficient is positive, else at its far end.
func extreme(f ir.Affine, near, far []ir.Affine) ir.Affine {
	out := ir.Affine{Const: f.Const, Params: slices.Clone(f.Params)}
	for k := range near {
		c, end := f.Iter(k), near[k]
		if c < 0 {
			end = far[k]
		}
		out = out.PlusTimes(c, end)
	}
	return out
}
