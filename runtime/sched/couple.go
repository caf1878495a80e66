package sched

import (
	"context"
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/halo"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// A Coupling lets code of the caller read and change inout arrays between epochs. The results are the same
// as if the sequential loops called this code after each Every levels, except after the last level. A program of several
// nests calls it after each Every repetitions of the outermost repeats, if a nest follows.
type Coupling struct {
	Every int // levels, or repetitions
	// Call is called by each rank, concurrently if they share a process. An error ends the run.
	Call func(b *Between) error
}

// A Between is what code of the caller may read and change between two epochs: a rank's blocks of the inout arrays. Every cell is in the
// block of one rank. The blocks of a rank are the same in all calls.
type Between struct {
	Rank  int
	Done  int          // levels, or repetitions, that are computed
	Views []array.View // by array; without cells if the array is not inout, or the rank has none
}

// BlockOf returns the block of array k.
func BlockOf[T array.Number](b *Between, k int) array.Block[T] {
	v := &b.Views[k]
	if v.Cells() == 0 {
		return array.Block[T]{Rank: b.Rank, Lo: v.Lo, Hi: v.Hi, Stride: v.Stride}
	}
	return array.BlockOf[T](b.Rank, v, v.Lo, v.Hi)
}

// A coupler is a rank's part in a coupling, and in a run that continues one.
type coupler struct {
	*Coupling // nil: nothing is called
	exchange  *redist.Exchange
	calls     polls
	blocks    map[int]*array.View  // by array, if code of the caller changes arrays or has changed the state of a resumed run
	bases     map[int][]redist.Box // by array and rank: see base
}

// coupleBytes is the length of a message between ranks that exchange blocks.
const coupleBytes = 16 << 10

// open opens the edges over which ranks exchange blocks.
func (c *coupler) open(r *Rank) (err error) {
	if c.Coupling == nil || r.layout.several || r.tr.Size() > 1 && !r.layout.passesStates() {
		return nil
	}
	if c.exchange, err = redist.Open(r.tr, coupleEdge, func(_, _ int) int { return coupleBytes }); err == nil {
		err = c.calls.open(r.tr, callEdge)
	}
	return err
}

// due reports whether code of the caller is called after the first done levels.
func (c *coupler) due(done int) bool { return c.Coupling != nil && done%c.Every == 0 }

// changed calls f with the blocks of arrays that code of the caller may have changed before the state with which the run begins.
func (c *Checkpoints) changed(f func(given []checkpoint.Block) error) error {
	if c == nil || c.From == nil {
		return nil
	}
	for k := range c.From.Parts {
		if given := c.From.Parts[k].Given; len(given) > 0 {
			if err := f(given); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes reports whether code of the caller changes given arrays, or has done so before the run begins.
func (w *Watch) changes() bool {
	known := w.Couple != nil
	_ = w.Checkpoints.changed(func([]checkpoint.Block) error { known = true; return nil }) // never fails
	return known
}

// changed puts what code of the caller has changed before the run begins into the caller's complete arrays.
func (w *Watch) changed(nest *plan.Nest, fields kernel.Fields) error {
	return w.Checkpoints.changed(func(given []checkpoint.Block) error {
		for a := range nest.Arrays {
			if nest.Arrays[a].Role != plan.InOut {
				continue
			}
			for _, v := range []array.View{fields.Given[a], fields.Result[a]} {
				if err := fill(&v, given, nest.Arrays[a].Name); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// openBlocks makes this rank's blocks of the inout arrays, if code of the caller changes them or has
// done so before the run begins, and puts these earlier changes into the given arrays.
func (r *Rank) openBlocks(fields kernel.Fields) error {
	wanted := r.watch.changes()
	r.couple.blocks = map[int]*array.View{}
	for a := range r.whole.Arrays {
		arr := &r.whole.Arrays[a]
		if arr.Role != plan.InOut || !wanted {
			continue
		}
		box, err := r.portionOf(a, r.rank)
		if err != nil {
			return err
		}
		into := []*array.View{&fields.Given[a]}
		if r.lent(a) != nil { // the caller's array has the changes already
			into = nil
		}
		if !box.Empty() {
			v, err := array.Make(arr.Elem, box.Lo, box.Hi)
			if err == nil {
				err = r.store.Fill(a, &v)
			}
			if err != nil {
				return fmt.Errorf("rank %d: array %s: %w", r.rank, arr.Name, err)
			}
			r.couple.blocks[a] = &v
			into = append(into, &v)
		}
		for _, v := range into {
			if err := r.saves.changed(func(given []checkpoint.Block) error { return fill(v, given, arr.Name) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// portionOf returns the cells of array a that are a rank's block.
func (r *Rank) portionOf(a, rank int) (redist.Box, error) {
	lo, extent, err := r.whole.Arrays[a].Extent(r.params)
	if err != nil {
		return redist.Box{}, err
	}
	return portion(rank, r.plans[0].Ranks, lo, top(lo, extent)), nil
}

// couples calls code of the caller after window w, which leaves the state has. fields are the arrays of the nest; the results have marks.
func (r *Rank) couples(ctx context.Context, w *plan.Plan, done int, has halo.State, fields kernel.Fields) error {
	c := &r.couple
	if err := c.barrier(ctx, r.tr); err != nil { // all ranks have read what others change
		return err
	}
	r.saves.wait()
	moves, err := r.collected(w, has, fields)
	if err == nil {
		err = c.exchange.Run(ctx, moves)
	}
	if err != nil {
		return err
	}
	if err := r.call(done, "level"); err != nil {
		return err
	}
	if err := r.spread(ctx, w, has, fields); err != nil {
		return err
	}
	return c.barrier(ctx, r.tr) // all ranks have changed what others read
}

// call calls code of the caller, with this rank's blocks, after done units: levels, for example.
func (r *Rank) call(done int, unit string) error {
	b := &Between{Rank: r.rank, Done: done}
	for a := range r.whole.Arrays {
		v, err := noCells(&r.whole.Arrays[a])
		if block := r.couple.blocks[a]; block != nil {
			v = *block
			v.Written = nil // all cells count
		}
		if err != nil {
			return err
		}
		b.Views = append(b.Views, v)
	}
	if err := r.couple.guardedCall(b); err != nil {
		return fmt.Errorf("rank %d, after %s: %w", r.rank, plan.Plural(done, unit), err)
	}
	return nil
}

// barrier returns when all ranks have called it.
func (c *coupler) barrier(ctx context.Context, tr transport.Transport) error {
	others := make([]int, 0, tr.Size())
	for peer := range tr.Size() {
		if peer != tr.Rank() && (peer == 0 || tr.Rank() == 0) {
			others = append(others, peer)
		}
	}
	hear := func() error {
		for _, peer := range others {
			if _, err := c.calls.arrived(ctx, tr, peer); err != nil {
				return err
			}
		}
		return nil
	}
	if tr.Rank() == 0 {
		if err := hear(); err != nil {
			return err
		}
	}
	for _, peer := range others {
		if err := c.calls.post(ctx, tr, peer, []byte{0}); err != nil {
			return err
		}
	}
	if tr.Rank() == 0 {
		return nil
	}
	return hear()
}
