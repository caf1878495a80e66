package irtest

import (
	"fmt"

	"loopc/ir"
	"loopc/ir/diag"
)

// checks checks that the launch is refused if and only if a fault was noted.
func (o *observer) checks([]ir.Vec) error {
	o.returned()
	o.initReads()
	refused := map[diag.Code]bool{}
	for _, c := range o.an.Checks {
		fails := true
		for _, f := range c.Fails {
			fails = fails && f.Eval(o.params, nil) >= 0
		}
		if fails {
			refused[c.Code] = true
		}
	}
	for _, code := range []diag.Code{diag.OutOfBounds, diag.NotSupplied} {
		if refused[code] != o.faults[code] {
			return fmt.Errorf("%s: refused at launch %v, seen %v", code, refused[code], o.faults[code])
		}
	}
	return nil
}

// returned notes a fault if a returned cell is never initialized, or does not exist.
func (o *observer) returned() {
	for k := range o.nest.Arrays {
		arr := &o.nest.Arrays[k]
		o.sliceInside(arr)
		if !arr.Returned() || arr.Init != nil || arr.Role == ir.InOut {
			continue
		}
	cells:
		for cell := range cells(arr, o.params) {
			for d, fixed := range arr.Out {
				if fixed != nil && fixed.Eval(o.params, nil) != cell[d] {
					continue cells
				}
			}
			if len(o.writes[cellKey{k, pointOf(cell)}]) == 0 {
				o.faults[diag.NotSupplied] = true
			}
		}
	}
}

// sliceInside notes a fault if the out slice of arr lies outside arr.
func (o *observer) sliceInside(arr *ir.Array) {
	for d, fixed := range arr.Out {
		if fixed == nil {
			continue
		}
		if x := fixed.Eval(o.params, nil); x < arr.Lo[d].Eval(o.params, nil) || x > arr.Hi[d].Eval(o.params, nil) {
			o.faults[diag.OutOfBounds] = true
		}
	}
}

// initReads notes a fault if an init expression reads a cell that does not
// exist.
func (o *observer) initReads() {
	for k := range o.nest.Arrays {
		arr := &o.nest.Arrays[k]
		if arr.Init == nil {
			continue
		}
		var reads bool
		ir.Walk(arr.Init.Expr, func(e ir.Expr) {
			_, read := e.(*ir.Read)
			reads = reads || read
		})
		if !reads {
			continue
		}
		for cell := range cells(arr, o.params) {
			o.visit(arr.Init.Expr, cell, func(r *ir.Read) error {
				o.cell(r.Array, r.Subs, cell, false)
				return nil
			})
		}
	}
}

// Faulty finds by brute force the faults that diagnostics should report: running n with the
// given parameters leaves the bounds of an array, or reads or returns a cell that is never
// initialized. ran is false if n has no iterations, an array without cells, or more than
// limit iterations. read has the reads that are evaluated in some iteration.
func Faulty(n *ir.Nest, params []int, limit int) (faults map[diag.Code]bool, read map[int]bool, ran bool) {
	all, ok := iterations(n, params, limit)
	if !ok || len(all) == 0 {
		return nil, nil, false
	}
	read = map[int]bool{}
	o := &observer{nest: n, params: params, writes: map[cellKey][]toucher{}, faults: map[diag.Code]bool{}}
	for k := range n.Arrays {
		for d := range n.Arrays[k].Lo {
			if n.Arrays[k].Hi[d].Eval(params, nil) < n.Arrays[k].Lo[d].Eval(params, nil) {
				return nil, nil, false
			}
		}
	}
	for _, j := range all {
		for stmt, s := range n.Body {
			o.visit(ir.Value(s), j, func(r *ir.Read) error {
				o.content(r.ID, j)
				read[r.ID] = true
				return nil
			})
			if w, ok := s.(*ir.Assign); ok {
				key := o.cell(w.Array, w.Subs, j, false)
				o.writes[key] = append(o.writes[key], toucher{stmt, -1, j, w.Span})
			}
		}
	}
	o.returned()
	o.initReads()
	return o.faults, read, true
}
