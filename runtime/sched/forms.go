package sched

import "loopc/transform/plan"

// forms compute values, each of which is an affine form of the same numbers, such as parameters. From one run of a nest to the next, only
// a few numbers change, such as those of repeats: set changes only the values that depend on them.
type forms struct {
	numbers []int    // the numbers of the last set; all 0 before the first one
	terms   [][]term // by number: the values that depend on it
}

type term struct {
	value *int
	by    int // the coefficient of the number
}

// add adds the product of form and times to a value, which set then keeps up to date. All calls of add come before the first set.
func (f *forms) add(value *int, form plan.Affine, times int) {
	*value += times * form.Const
	for x, c := range form.Params {
		if len(f.terms) <= x {
			f.numbers, f.terms = append(f.numbers, 0), append(f.terms, nil)
		}
		if c != 0 {
			f.terms[x] = append(f.terms[x], term{value, times * c})
		}
	}
}

// set computes the values for these numbers.
func (f *forms) set(numbers []int) {
	for x, before := range f.numbers {
		if d := numbers[x] - before; d != 0 {
			f.numbers[x] = numbers[x]
			for _, t := range f.terms[x] {
				*t.value += d * t.by
			}
		}
	}
}
