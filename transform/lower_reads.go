package transform

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"loopc/ir"
	"loopc/transform/plan"
)

// lowerReads resolves the reads of the body. For every value it collects the distances at which
// it is read, and its fallbacks.
func lowerReads(n *ir.Nest, l *ir.Lowered, p *plan.Nest, shift int) {
	valueOf := func(stmt int) int { return slices.Index(l.Values, stmt) }
	for _, r := range n.Analysis.Reads {
		if len(r.Sources) == 0 {
			l.Reads = append(l.Reads, ir.ReadFrom{From: ir.FromInitial})
			continue
		}
		head := r.Sources[0]
		from := ir.ReadFrom{From: ir.FromLocal, Value: valueOf(head.Stmt)}
		if head.Dist.Sign() != 0 {
			from.From, from.Dist = ir.FromBlock, skewed(l, head.Dist, shift)
		}
		l.Reads = append(l.Reads, from)
		if from.From == ir.FromLocal {
			continue
		}
		home := &p.Values[from.Value]
		if r.Initial || len(r.Sources) > 1 {
			home.Need = append(home.Need, from.Dist)
		}
		for i, s := range r.Sources {
			v := valueOf(s.Stmt)
			dist := skewed(l, s.Dist, shift)
			p.Values[v].Flow = append(p.Values[v].Flow, dist)
			if i == 0 {
				continue
			}
			further := make([]int, len(dist))
			for k := range dist {
				further[k] = dist[k] - from.Dist[k]
			}
			fallback := plan.Source{Value: v, Dist: further}
			for _, c := range s.When {
				// c is a form over the reading iteration j; the fallback's condition is a form over the
				// location that is read, j - head.Dist.
				c.Const += ir.Affine{Iters: c.Iters}.Eval(nil, head.Dist)
				fallback.When = append(fallback.When, skewedAffine(l, c, shift))
			}
			home.Fallbacks = append(home.Fallbacks, fallback)
		}
	}
	steps := func(dist []int) ir.Vec { return n.Steps(apply(l.Unskew, dist)[shift:]) }
	for v := range p.Values {
		val := &p.Values[v]
		val.Flow, val.Need = distinct(val.Flow), distinct(val.Need)
		// The most recent write first, in the order of the loops as written: the one at the nearest
		// distance and, within an iteration, that of the later statement.
		slices.SortFunc(val.Fallbacks, func(a, b plan.Source) int {
			if c := slices.Compare(steps(a.Dist), steps(b.Dist)); c != 0 {
				return c
			}
			return cmp.Or(b.Value-a.Value, strings.Compare(fmt.Sprint(a.When), fmt.Sprint(b.When)))
		})
		val.Fallbacks = slices.CompactFunc(val.Fallbacks, func(a, b plan.Source) bool {
			return a.Value == b.Value && slices.Equal(a.Dist, b.Dist) && reflect.DeepEqual(a.When, b.When)
		})
	}
}

// distinct returns the distinct vectors of all in lexicographic order.
func distinct(all [][]int) [][]int {
	slices.SortFunc(all, slices.Compare[[]int])
	return slices.CompactFunc(all, slices.Equal[[]int])
}

// skewed returns T·d over the dimensions of the plan.
func skewed(l *ir.Lowered, d ir.Vec, shift int) []int {
	return apply(l.Skew, append(make([]int, shift), d...))
}

// skewedAffine rewrites an affine form over the loops, a·j, as one over the
// skewed coordinates: a·T⁻¹·p.
func skewedAffine(l *ir.Lowered, a ir.Affine, shift int) plan.Affine {
	out := plan.Affine{Const: a.Const, Params: a.Params, Iters: make([]int, len(l.Skew))}
	for k, c := range a.Iters {
		for x, u := range l.Unskew[k+shift] {
			out.Iters[x] += c * u
		}
	}
	return out
}

// lowerGiven lists the reads of given arrays by kernels and init expressions.
func lowerGiven(n *ir.Nest, l *ir.Lowered, p *plan.Nest, shift int) {
	p.Listed = true
	for of, a := range n.Arrays {
		for table := range n.Arrays {
			if a.Init != nil && ir.LooksUp(a.Init.Expr, table) {
				p.InitReads = append(p.InitReads, plan.InitAccess{Of: of, Array: table, Whole: true})
			}
		}
	}
	inits := func(array int, f func(*ir.Read)) { // calls f for the reads of the array's init expression
		if init := n.Arrays[array].Init; init != nil {
			ir.Walk(init.Expr, func(e ir.Expr) {
				if r, ok := e.(*ir.Read); ok {
					f(r)
				}
			})
		}
	}
	for a := range n.Arrays {
		inits(a, func(r *ir.Read) {
			in := plan.InitAccess{Of: a, Array: r.Array}
			for _, sub := range r.Subs {
				in.Subs = append(in.Subs, plan.Affine{Const: sub.Const, Params: sub.Params, Iters: sub.Iters})
			}
			p.InitReads = append(p.InitReads, in)
		})
	}
	for a := range n.Arrays {
		if n.LooksUp(a) {
			p.Reads = append(p.Reads, plan.Access{Array: a, Whole: true})
		}
	}
	for k, r := range n.Reads {
		if l.Reads[k].From != ir.FromInitial {
			continue
		}
		var cell []plan.Affine
		for _, sub := range r.Subs {
			cell = append(cell, skewedAffine(l, sub, shift))
		}
		if role := n.Arrays[r.Array].Role; role == ir.In || role == ir.InOut {
			p.Reads = append(p.Reads, plan.Access{Array: r.Array, Subs: cell})
			continue
		}
		inits(r.Array, func(in *ir.Read) {
			if n.Analysis.Reads[k].Beyond {
				p.Reads = append(p.Reads, plan.Access{Array: in.Array, Whole: true})
				return
			}
			var subs []plan.Affine
			for _, sub := range in.Subs {
				subs = append(subs, plan.Affine{Const: sub.Const, Params: sub.Params, Iters: sub.Iters}.Of(cell))
			}
			p.Reads = append(p.Reads, plan.Access{Array: in.Array, Subs: subs})
		})
	}
}

// trim drops the zero coefficients at the end of every affine form in v, which have no effect,
// so that programs and goldens do not show them.
func trim(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			trim(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			trim(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[plan.Affine]() {
			a := v.Addr().Interface().(*plan.Affine)
			a.Params, a.Iters = trimmed(a.Params), trimmed(a.Iters)
			return
		}
		for i := range v.NumField() {
			trim(v.Field(i))
		}
	}
}

func trimmed(c []int) []int {
	for len(c) > 0 && c[len(c)-1] == 0 {
		c = c[:len(c)-1]
	}
	return slices.Clip(c)
}

// varies reports whether the nest calls functions whose results may depend on the processor: those
// that the user has written in Go, whose products and sums may be fused.
func varies(n *ir.Nest) (any bool) {
	look := func(e ir.Expr) {
		_, extern := e.(*ir.ExternCall)
		any = any || extern
	}
	for _, s := range n.Body {
		ir.Walk(ir.Value(s), look)
	}
	for _, a := range n.Arrays {
		if a.Init != nil {
			ir.Walk(a.Init.Expr, look)
		}
	}
	return any
}
