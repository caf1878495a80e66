package cli

import (
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// writeRepeats prints, for each repeat that may end early, how many repetitions ran.
func (c *command) writeRepeats(sum sched.Summary) error {
	for _, r := range c.prog.Repeats() {
		if r.Until == nil || r.Index >= len(sum.Repeats) {
			continue
		}
		params, many := c.params(), ""
		ofOuter := func(f plan.Affine) bool { return len(f.Params) > len(params) }
		if slices.ContainsFunc(slices.Concat(r.Lo, r.Hi), ofOuter) { // each repetition of the outer repeat has others
			many = plural(sum.Repeats[r.Index], "repetition")
		} else {
			lo, hi := r.Bounds(params)
			many = fmt.Sprintf("%d of %s", sum.Repeats[r.Index], plural(max(0, hi-lo+1), "repetition"))
			if all := sum.Repeats[r.Index]; all > 0 && all == hi-lo+1 && !c.ends(r.Until, &sum) {
				many += ", and the condition of its until does not hold"
			}
		}
		if _, err := fmt.Fprintf(c.stdout, "%s: %s\n", r.Name, many); err != nil {
			return err
		}
	}
	return nil
}

// ends reports whether the condition of an until holds for the reductions of a run, or nothing is known of them.
func (c *command) ends(u *sched.Until, sum *sched.Summary) bool {
	var views []array.View
	for _, at := range u.Reduces {
		k := at.Reduce
		for _, part := range c.prog.Parts()[:at.Nest] {
			k += len(part.Nest.Reduces)
		}
		if k >= len(sum.Reductions) {
			return true
		}
		views = append(views, sum.Reductions[k].Result())
	}
	return u.Holds(append(slices.Clone(c.params()), make([]int, len(c.prog.Repeats()))...), c.settings.floats, views)
}
