package cli

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// The values of the factor "epochs" of the matrix. All but the first are for programs of one nest of
// several loops, whose run is cut.
const (
	epochsChosen    = iota
	epochsCut       // of a drawn length
	epochsShown     // with snapshots after each
	epochsContinued // stops after one, and continues by another plan
	epochsValues
)

// mostEpochs bounds the epochs of a trial.
const mostEpochs = 10

// setEpochs sets what a value of the factor "epochs" stands for, if the nest and its parameters allow it.
func (t *trial) setEpochs(prog *sched.Program, value int, rng *rand.Rand) {
	if value == epochsChosen || prog.Several() || prog.Nest.Levelled {
		return
	}
	one := attempt{nest: prog.Nest, params: t.params, Options: t.nests[0]}
	p, err := one.plan()
	if err != nil || p.Empty {
		return
	}
	levels := p.Hi[0] - p.Lo[0] + 1
	least := max(1, p.HaloWidth[0], levels/mostEpochs)
	if levels <= least {
		return
	}
	one.Epoch = least + rng.IntN(min(levels-least, 2*least+10))
	if _, err := one.plan(); err != nil {
		return
	}
	if value == epochsContinued {
		next := attempt{nest: prog.Nest, params: t.params, Options: plan.Options{
			Ranks: 1 + rng.IntN(8), CPUs: 1 + rng.IntN(2), Comm: plan.Comm(1 + rng.IntN(2)), Done: one.Epoch * (1 + rng.IntN(plan.CeilDiv(levels, one.Epoch)-1)),
		}}
		if rng.IntN(2) == 0 {
			next.Epoch = least + rng.IntN(min(levels-least, 2*least+10))
		}
		next.setTile(rng.IntN(tileValues))
		next.loosen()
		if _, err := next.plan(); err != nil {
			return
		}
		t.next = []plan.Options{next.Options}
	}
	t.nests, t.epochs = []plan.Options{one.Options}, value
}

// flagsOfNext says how a trial continues, "" if it does not.
func (t *trial) flagsOfNext() string {
	if t.next == nil {
		return ""
	}
	o := t.next[0]
	return fmt.Sprintf("\n        stopped after %s, and continued with %s", plural(o.Done, "level"), strings.Join(o.Flags(), " "))
}

// runStages runs a trial, including its actions between epochs. If the trial continues with another
// plan, p has that plan at the end.
func (c *command) runStages(ctx context.Context, t *trial, p *planned, givens []*given, fields kernel.Fields) (sched.Summary, error) {
	if t.epochs != epochsShown && t.epochs != epochsContinued {
		return c.runTrial(ctx, t, p, fields, sched.Watch{})
	}
	var memory checkpoint.Memory
	keep := sched.Checkpoints{Keep: memory.Add, Due: func(at sched.Cut) sched.Due {
		if t.next != nil && at.Done == t.next[0].Done {
			return sched.Keep | sched.End
		}
		return sched.Keep
	}}
	sum, err := c.runTrial(ctx, t, p, fields, sched.Watch{Checkpoints: &keep})
	states := memory.States()
	switch {
	case t.next == nil && err == nil:
		return sum, c.compareShown(ctx, t, p, givens, states)
	case t.next == nil || err != nil && !errors.Is(err, sched.ErrStopped):
		return sum, err
	case err == nil:
		return sum, fmt.Errorf("the run was to stop after %s, and went on", plural(t.next[0].Done, "level"))
	}
	if p.plans, err = c.trialPlans(t, t.next); err != nil {
		return sum, err
	}
	keep = sched.Checkpoints{From: states[len(states)-1]}
	return c.runTrial(ctx, t, p, fields, sched.Watch{Checkpoints: &keep})
}

// compareShown compares the arrays after each epoch with the arrays that another run shows there: one rank,
// one CPU, one tile, and the portable kernel.
func (c *command) compareShown(ctx context.Context, t *trial, p *planned, givens []*given, states []*checkpoint.State) error {
	plain := *t
	plain.kernel, plain.carrier, plain.epochs = kernel.Portable, "", epochsChosen
	one := attempt{nest: c.prog.Nest, params: t.params, Options: plan.Options{Ranks: 1, CPUs: 1, Epoch: t.nests[0].Epoch}}
	one.setTile(tileWhole)
	own := planned{prog: c.prog}
	var err error
	if own.plans, err = c.trialPlans(&plain, []plan.Options{one.Options}); err != nil {
		return err
	}
	fields, err := makeFields(ctx, c.prog, t.params, givens)
	if err != nil {
		return err
	}
	var memory checkpoint.Memory
	keep := sched.Checkpoints{Keep: memory.Add, Due: func(sched.Cut) sched.Due { return sched.Keep }}
	if _, err := c.runTrial(ctx, &plain, &own, fields, sched.Watch{Checkpoints: &keep}); err != nil {
		return err
	}
	want := memory.States()
	if len(states) != len(want) {
		return fmt.Errorf("%d states between epochs, and %d of one rank", len(states), len(want))
	}
	for a := range c.prog.Nest.Arrays {
		if arr := &c.prog.Nest.Arrays[a]; !arr.Returned() || arr.Slice != nil || sched.CanShow(c.prog, a) != nil {
			continue
		}
		initial, err := p.initial(ctx, givens, a)
		if err != nil {
			return err
		}
		for k := range states {
			shown := [2]array.View{initial, initial}
			for side, run := range []struct {
				plans []*plan.Plan
				state *checkpoint.State
			}{{p.plans, states[k]}, {own.plans, want[k]}} {
				shown[side].Data = slices.Clone(initial.Data)
				if err := sched.Snapshot(run.plans[0], run.state, a, &shown[side]); err != nil {
					return err
				}
			}
			if at := difference(shown[0], shown[1]); at >= 0 {
				return fmt.Errorf("after %s, cell %d of array %s is %s, but on one rank %s", plural(states[k].Done, "level"), at, c.prog.Nest.Arrays[a].Name, cellText(shown[0], at), cellText(shown[1], at))
			}
		}
	}
	return nil
}
