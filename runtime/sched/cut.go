package sched

import (
	"fmt"
	"slices"

	"loopc/transform/plan"
)

// CutAfter returns a length of epochs, in levels, such that a run by plan p is cut after every, 2·every, 3·every, ... levels of the run: of
// the possible lengths up to most, or of all if none is so short, the one whose ratio to wanted is nearest to 1.
func CutAfter(p *plan.Plan, every, wanted, most int) (epoch int, err error) {
	apart := func(n int) float64 { return float64(max(n, wanted)) / float64(min(n, wanted)) }
	for _, n := range divisors(every) {
		if n-p.Done%n >= p.HaloWidth[0] && (epoch == 0 || n <= most && apart(n) < apart(epoch)) {
			epoch = n
		}
	}
	if epoch == 0 {
		return 0, fmt.Errorf("after %s, the shortest epoch has %s", plan.Plural(p.Done, "level"), plan.Plural(p.HaloWidth[0], "level"))
	}
	return epoch, nil
}

// divisors returns the divisors of n, in order. Their number is small, and so is the time for any n of 32 bits.
func divisors(n int) (all []int) {
	for d := 1; d <= n/d; d++ {
		if n%d == 0 {
			all = append(all, d, n/d)
		}
	}
	slices.Sort(all)
	return all
}

// cutForCalls makes a plan of a nest by calling newPlan. The plan is cut wherever the caller's code is called, and
// begins where the caller's checkpoint ends.
func (o *Options) cutForCalls(prog *Program, each plan.Options, newPlan func(each plan.Options) (*plan.Plan, error)) (*plan.Plan, error) {
	if c := o.Watch.Checkpoints; c != nil && c.From != nil && c.From.At == nil {
		each.Done = c.From.Done
	}
	p, err := newPlan(each)
	c := o.Watch.Couple
	if c == nil || err != nil {
		return p, err
	}
	if err := c.check(prog); err != nil || p.Empty || prog.Several() {
		return p, err
	}
	wanted := c.Every
	if p.Windows > 1 {
		wanted = p.Epoch
	}
	epoch, err := CutAfter(p, c.Every, wanted, c.Every)
	switch {
	case err != nil:
		return nil, fmt.Errorf("no code is called after each %s: %w", plan.Plural(c.Every, "level"), err)
	case p.Windows > 1 && p.Epoch == epoch || p.Windows == 1 && epoch-p.Done%epoch > p.Hi[0]-p.Lo[0]:
		return p, nil
	case each.Epoch > 0 && each.Epoch != epoch:
		return nil, fmt.Errorf("no code is called after each %s in epochs of %d", plan.Plural(c.Every, "level"), each.Epoch)
	}
	each.Epoch = epoch
	return newPlan(each)
}

// check refuses programs whose inout arrays are not known between epochs, or that have none.
func (c *Coupling) check(prog *Program) error {
	none := true
	for a := range prog.Nest.Arrays {
		if arr := &prog.Nest.Arrays[a]; arr.Role == plan.InOut {
			none = false
			if err := CanShow(prog, a); err != nil {
				return fmt.Errorf("no code is called between levels of %s: array %s: %w", prog.Nest.Name, arr.Name, err)
			}
		}
	}
	switch {
	case c.Every < 1:
		return fmt.Errorf("code is called after every %d levels, want 1 or more", c.Every)
	case c.Call == nil:
		return fmt.Errorf("no code is given that is called between levels")
	case prog.Several() && len(prog.Repeats()) == 0:
		return fmt.Errorf("code is called between repetitions; %s has several nests, and no repeat", prog.Nest.Name)
	case prog.Nest.Levelled:
		return fmt.Errorf("code is called between levels of nests of several loops; %s has one", prog.Nest.Name)
	case none:
		return fmt.Errorf("code that is called between levels may change inout arrays; %s has none", prog.Nest.Name)
	}
	return nil
}
