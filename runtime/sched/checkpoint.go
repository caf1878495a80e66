package sched

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/transform/plan"
)

// Checkpoints receive the state of a run between epochs, or between nests, and may supply the state with which it begins.
type Checkpoints struct {
	// Due says whether the state at a cut is wanted. Rank 0 calls it when it begins the epoch before
	// the cut, or between two nests, and tells the other ranks. It is nil in other processes.
	Due func(at Cut) Due
	// Levels says how many levels the next epoch has; nil: as planned. It is called before Due, if one rank runs one nest without a Coupling.
	Levels func(in Room) int
	// Hold waits until the next epoch, or nest, may begin; nil: nothing waits. When that epoch has ended, done levels are computed; when the
	// repetition with that nest has ended, done repetitions. Rank 0 calls Hold before each epoch, or nest, but the first.
	Hold func(ctx context.Context, done int) error
	// Keep receives a rank's part of a state that was due; nil: no state is ever due. The ranks of a process call it concurrently. The run
	// goes on meanwhile, so Keep reads only cells marked as written (all, if a view has no marks); it calls Part.Release in the end.
	Keep func(p *checkpoint.Part)
	// Wait waits until nothing reads the parts that Keep has received any more; nil: Keep itself waits for that.
	// A run that fails, or ends early, calls Wait before it gives its arrays their old content.
	Wait func()
	// From is the state with which the run begins; nil: it begins with the first level. If the program
	// is one nest, plan.Plan.Done counts the levels before.
	From *checkpoint.State
}

// A Cut is where a run can be interrupted: between two epochs or, if the program has several nests, before each run of one but the first.
type Cut struct {
	Done  int  // how many levels are computed; in a program of several nests: how many repetitions of the outermost repeats
	Ends  bool // the last of these has just ended; false: a program of several nests has run a nest since
	State int  // how many levels are computed; in a program of several nests: how many nests ran (checkpoint.State.Done)
}

// A Room says how many levels the next epoch may have, if Done levels are computed and Left levels remain: at most Most, and at least Least
// unless it is the last epoch. Workers have equally much to do if the epoch has a multiple of Unit levels.
type Room struct{ Done, Left, Least, Most, Unit int }

// wait calls Wait, if there is one.
func (c *Checkpoints) wait() {
	if c != nil && c.Wait != nil {
		c.Wait()
	}
}

// A Due says what happens between two epochs: a sum of Keep, End and Show, 0 if nothing.
type Due byte

// What may happen between two epochs.
const (
	Keep Due = 1 << iota // the state is kept
	End                  // the run ends
	Show                 // the state is wanted for a snapshot
)

// ErrStopped says that a run has ended early, because End was due.
var ErrStopped = errors.New("stopped after a checkpoint")

// A saver is a rank's part in the checkpoints of a run.
type saver struct {
	Checkpoints
	calls polls                 // from rank 0: what is due
	due   Due                   // on rank 0: what is due after the window at hand
	final map[int][]*array.View // by array: this rank's share of the results in the state with which the run began
}

// open opens the edges over which rank 0 tells the others what is due, if the run has cuts and several ranks.
func (s *saver) open(r *Rank) error {
	if s.Keep == nil || !r.layout.passesStates() && !r.layout.several {
		return nil
	}
	return s.calls.open(r.tr, dueEdge)
}

// announce decides on rank 0 what is due at a cut, and tells the other ranks. If the cut is the end of an epoch, it does so when the epoch
// begins, so that the message has arrived when the other ranks need it.
func (r *Rank) announce(ctx context.Context, at Cut) error {
	if r.saves.Keep == nil || r.rank > 0 {
		return nil
	}
	r.saves.due = r.saves.Due(at)
	return r.tell(ctx, byte(r.saves.due))
}

// tell sends the other ranks a byte from rank 0.
func (r *Rank) tell(ctx context.Context, what byte) error {
	for peer := 1; peer < r.tr.Size(); peer++ {
		if err := r.saves.calls.post(ctx, r.tr, peer, []byte{what}); err != nil {
			return err
		}
	}
	return nil
}

// isDue reports whether something may be due at the next cut of a program of one nest. Only rank 0 knows; on other ranks isDue is true.
func (r *Rank) isDue() bool {
	return !r.layout.several && r.saves.Keep != nil && (r.saves.due > 0 || r.rank > 0)
}

// hold waits, on rank 0, until the next epoch or nest may begin: see Checkpoints.Hold. If that is a nest, the other ranks wait for rank 0.
func (r *Rank) hold(ctx context.Context, done int) (err error) {
	if r.rank == 0 && r.saves.Hold != nil {
		err = r.saves.Hold(ctx, done)
	}
	switch {
	case err != nil || !r.layout.several || r.saves.Keep == nil:
	case r.rank == 0:
		err = r.tell(ctx, 0)
	default:
		_, err = r.announced(ctx)
	}
	return err
}

// announced returns what is due at the next cut.
func (r *Rank) announced(ctx context.Context) (Due, error) {
	if r.saves.Keep == nil || r.rank == 0 {
		return r.saves.due, nil
	}
	message, err := r.saves.calls.arrived(ctx, r.tr, 0)
	if err == nil && len(message) != 1 {
		err = fmt.Errorf("rank %d: rank 0 announces a checkpoint by %d bytes", r.rank, len(message))
	}
	if err != nil {
		return 0, err
	}
	return Due(message[0]), nil
}

// save keeps the state, results and reductions of this rank after window w, if they are due. It reports whether the run ends here.
func (r *Rank) save(ctx context.Context, w *plan.Plan, done int, has halo.State, fields kernel.Fields, reduced []Reduction) (ends bool, err error) {
	due, err := r.announced(ctx)
	if err != nil || due == 0 {
		return false, err
	}
	p := r.newPart(done, due, reduced)
	for v := range has {
		p.Values = append(p.Values, checkpoint.Block{Name: w.Nest.Values[v].Name, View: has[v]})
	}
	for a := range w.Nest.Arrays {
		add := func(v array.View) {
			p.Results = append(p.Results, checkpoint.Block{Name: w.Nest.Arrays[a].Name, View: v})
		}
		for _, v := range r.saves.final[a] {
			add(*v)
		}
		if v := fields.Result[a]; v.Written != nil { // later epochs mark more cells
			v.Written = slices.Clone(v.Written)
			add(v)
		}
	}
	for a := range r.whole.Arrays {
		if v := r.couple.blocks[a]; v != nil {
			p.Given = append(p.Given, checkpoint.Block{Name: r.whole.Arrays[a].Name, View: *v})
		}
	}
	r.memory.share(has)
	p.Release = func() { r.releases(has) }
	r.saves.Keep(p)
	return due&End > 0, nil
}

// newPart returns this rank's part of a state, with its parts of the reductions and still without cells.
func (r *Rank) newPart(done int, due Due, reduced []Reduction) *checkpoint.Part {
	p := &checkpoint.Part{Done: done, Keep: due&Keep > 0, Show: due&Show > 0, Rank: r.rank}
	for _, one := range reduced {
		p.Reductions = append(p.Reductions, checkpoint.Reduction{Name: one.Name, Op: one.Op, Type: one.Type, State: slices.Clone(one.State)})
	}
	return p
}

// begins returns what this rank's first window reads of the state with which the run begins, if any, and on rank 0 its reductions.
func (r *Rank) begins(w *plan.Plan, given kernel.Fields) (needs halo.State, reduced []Reduction, err error) {
	from := r.saves.From
	if r.layout.several {
		return nil, nil, nil
	}
	if err := r.openBlocks(given); err != nil || from == nil {
		return nil, nil, err
	}
	needs, err = r.newState(w, func(v int) [2][]int { _, box, _ := w.State(r.rank, v); return box })
	if err != nil {
		return nil, nil, err
	}
	for k := range from.Parts {
		for v := range needs {
			if err := fill(&needs[v], from.Parts[k].Values, w.Nest.Values[v].Name); err != nil {
				return nil, nil, err
			}
		}
	}
	if r.rank == 0 {
		reduced, err = reducedOf(from, w.Nest)
	}
	if err != nil {
		return nil, nil, err
	}
	return needs, reduced, r.restore(w.Nest)
}

// reducedOf returns the reductions of all parts of a state of nest.
func reducedOf(from *checkpoint.State, nest *plan.Nest) (all []Reduction, err error) {
	for k := range from.Parts {
		var part []Reduction
		for _, one := range from.Parts[k].Reductions {
			part = append(part, Reduction{Name: one.Name, Op: one.Op, Type: one.Type, State: slices.Clone(one.State)})
		}
		if all, err = joined(nest, all, part); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// shareOf returns a rank's share of the results in the run's first state, which may be that of more ranks, or fewer, than run now.
func (r *Rank) shareOf(rank int) (blocks []checkpoint.Block) {
	for k := rank; k < len(r.saves.From.Parts); k += r.plans[0].Ranks {
		blocks = append(blocks, r.saves.From.Parts[k].Results...)
	}
	return blocks
}

// restore reads this rank's share of the results in the run's first state: see shareOf.
func (r *Rank) restore(nest *plan.Nest) error {
	blocks := r.shareOf(r.rank)
	r.saves.final = map[int][]*array.View{}
	for a := range nest.Arrays {
		name, hull := nest.Arrays[a].Name, redist.Box{} // hull: around all cells of the array in these blocks
		lo, extent := nest.Arrays[a].SliceExtent(r.plans[0].Params)
		for k := range blocks {
			if blocks[k].Name != name || redist.Of(&blocks[k].View).Empty() {
				continue
			}
			if err := suits(&blocks[k], len(lo), nest.Arrays[a].Elem); err != nil {
				return err
			}
			hull = hull.Hull(redist.Of(&blocks[k].View).Meet(redist.Between(lo, top(lo, extent))))
		}
		if hull.Empty() {
			continue
		}
		v, err := array.Make(nest.Arrays[a].Elem, hull.Lo, hull.Hi)
		if err != nil {
			return fmt.Errorf("final cells of %s: %w", name, err)
		}
		v.TrackWritten()
		if err := fill(&v, blocks, name); err != nil {
			return err
		}
		r.saves.final[a] = append(r.saves.final[a], &v)
	}
	return nil
}

// suits refuses a block of a checkpoint that has another number of dimensions or another type than its array.
func suits(b *checkpoint.Block, dims int, elem string) error {
	if len(b.View.Lo) != dims || b.View.Elem != elem {
		return fmt.Errorf("the checkpoint's cells of %s have %d dimensions and type %s, not %d and %s", b.Name, len(b.View.Lo), b.View.Elem, dims, elem)
	}
	return nil
}

// fill copies into v, and marks, the cells of the named blocks that v holds.
func fill(v *array.View, blocks []checkpoint.Block, name string) error {
	for k := range blocks {
		b := &blocks[k]
		if b.Name != name || v.Cells() == 0 || redist.Of(&b.View).Empty() {
			continue
		}
		if err := suits(b, len(v.Lo), v.Elem); err != nil {
			return err
		}
		if redist.Of(v).Meet(redist.Of(&b.View)).Empty() {
			continue
		}
		from, err := b.Load(v.Lo, v.Hi)
		if err != nil {
			return fmt.Errorf("the checkpoint's cells of %s: %w", name, err)
		}
		err = redist.Owned(&from, redist.Of(v), func(cell []int, n int) error {
			at := v.Offset(cell)
			array.Copy(v.Data, at, 1, from.Data, from.Offset(cell), 1, n, v.Size)
			v.MarkWritten(at, n, 1)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// tracked returns a view of a result that all ranks of this process write. It marks what this rank writes, if that is read between epochs.
func (r *Rank) tracked(view array.View) array.View {
	if r.saves.Keep != nil || r.couple.Coupling != nil {
		view.TrackWritten()
	}
	return view
}
