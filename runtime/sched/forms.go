package sched

import "loopc/transform/plan"

// forms keep values of affine forms of numbers, such as parameters. From one run of a nest to the next few numbers change, as those of
// repeats do: then only the values that these numbers move are computed.
type forms struct {
	numbers []int    // that the values are of; 0 before the first set
	terms   [][]term // by number: the values that it moves
}

type term struct {
	value *int
	by    int
}

// add adds times form to a value, which set then changes. It is called before the first set.
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

// set makes the values those of these numbers.
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
