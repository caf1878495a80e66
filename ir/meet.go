package ir

import "loopc/ir/lattice"

// NeverMeet reports whether it can prove that accesses to an array with subscripts a and accesses with subscripts b are to
// different cells, in any two iterations of one run of the nest. The proof uses the bounds of the loops and of the numbers of
// repeats: if i is the number of a repeat, all iterations overwrite row i, and k < i in the nest, then rows k and i never
// meet. If NeverMeet returns false, the accesses may or may not meet. The nest must be analysed.
func (n *Nest) NeverMeet(a, b []Affine) bool { return n.neverMeet(a, b, 0) }

// NeverMeetInRow does what NeverMeet does, for two iterations that differ in the innermost loop alone.
func (n *Nest) NeverMeetInRow(a, b []Affine) bool { return n.neverMeet(a, b, len(n.Loops)-1) }

// neverMeet does what NeverMeet does, for two iterations with the same values of the given number of outermost loops.
func (n *Nest) neverMeet(a, b []Affine, same int) bool {
	params, loops := len(n.Params), len(n.Loops)
	all := lattice.New(params + 2*loops) // the iteration at a, then the one at b
	row := func(f Affine, first int) lattice.Row {
		r := make(lattice.Row, all.Columns()+1)
		for k := range params {
			r[k] = int64(f.Param(k))
		}
		for k := range loops {
			r[first+k] = int64(f.Iter(k))
		}
		r[all.Columns()] = int64(f.Const)
		return r
	}
	for _, c := range n.Analysis.Space {
		all.Add(row(c, params))
		all.Add(row(c, params+loops))
	}
	for _, f := range n.NumbersWithin() {
		all.Add(row(f, params))
	}
	equal := func(x, y lattice.Row) {
		for k, c := range y {
			x[k] -= c
		}
		all.AddZero(x)
	}
	for m := range a {
		equal(row(a[m], params), row(b[m], params+loops))
	}
	for k := range same {
		loop := Affine{Iters: make([]int, loops)}
		loop.Iters[k] = 1
		equal(row(loop, params), row(loop, params+loops))
	}
	return all.Empty()
}

// NumbersWithin returns the affine forms that are not negative because the numbers of repeats are within their bounds.
func (n *Nest) NumbersWithin() (forms []Affine) {
	for _, x := range n.Numbers {
		number := Affine{Params: make([]int, x.Param+1)}
		number.Params[x.Param] = 1
		for _, lo := range x.Lo {
			forms = append(forms, number.PlusTimes(-1, lo))
		}
		for _, hi := range x.Hi {
			forms = append(forms, hi.PlusTimes(-1, number))
		}
	}
	return forms
}
