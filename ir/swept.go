package ir

// Swept returns bounds of a subscript in all iterations: it is at least each of least, and at most each of most. known has, for
// some loops, a form that equals the loop's variable, such as one of a cell's indices. In the bounds it stands for the loop.
func (n *Nest) Swept(sub Affine, known map[int]Affine) (least, most []Affine) {
	loop, ok := sub.OnlyLoop()
	if !ok {
		return nil, nil
	}
	if _, fixed := known[loop]; loop < 0 || fixed {
		form, _ := sub.In(known)
		return []Affine{form}, []Affine{form}
	}
	c, rest := sub.Iter(loop), Affine{Const: sub.Const, Params: sub.Params}
	add := func(bound Affine, lower bool) { // of the loop
		form, ok := bound.In(known)
		switch form = rest.PlusTimes(c, form); {
		case !ok:
		case lower == (c > 0):
			least = append(least, form)
		default:
			most = append(most, form)
		}
	}
	for k := range n.Loops {
		for side, bounds := range [2][]Affine{n.Loops[k].Lo, n.Loops[k].Hi} {
			for _, f := range bounds {
				if k == loop {
					add(f, side == 0)
					continue
				}
				// The bound says f ≤ loop k, or f ≥ loop k, which bounds the loop by f's other parts and by loop k.
				if by := f.Iter(loop); by == 1 || by == -1 {
					other := Affine{}.PlusTimes(by, Affine{Iters: unit(k)}).PlusTimes(-by, f)
					add(other.PlusTimes(1, Affine{Iters: unit(loop)}), (side == 0) != (by > 0))
				}
			}
		}
	}
	return least, most
}

// In returns a with known forms in place of its loops. ok is false if a has a loop that is not known.
func (a Affine) In(known map[int]Affine) (form Affine, ok bool) {
	form, ok = Affine{Const: a.Const, Params: a.Params}, true
	for k, c := range a.Iters {
		if x, is := known[k]; is {
			form = form.PlusTimes(c, x)
		} else if c != 0 {
			ok = false
		}
	}
	return form, ok
}

// unit returns the coefficients of an iterator alone.
func unit(k int) []int {
	all := make([]int, k+1)
	all[k] = 1
	return all
}
