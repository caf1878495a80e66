package sched

import (
	"context"
	"errors"
	"math"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/transform/plan"
)

// If loops run as they are written, several ranks share the items of batches. Each rank has all cells of all arrays. Each rank runs
// all nests outside of batches, and one range of the items of each batch; the ranges have about the same number of iterations.
// Only the caller reads the results of items, so the ranks exchange no cells: see Program.Divides.

// A division is what a rank does of a run whose items several ranks share.
type division struct {
	rank, ranks int
	of          map[int][2]int // by batch: first and last index of this rank's results; no bound at the ends of the array
	last        map[int]bool   // by nest of a batch: this rank's reductions are the run's, as it has the last item (rank 0, if there is none)
	points      int64          // iterations of this rank's items of the batch that runs
}

// itemsAlone is what an item costs besides its iterations, as a number of iterations.
const itemsAlone = 16

// itemDim returns the dimension of array a along which each item of a batch writes its results at the index that is the item's
// number; -1 if the items write no such results.
func (prog *Program) itemDim(batch *Repeat, a int) int {
	given := len(prog.Nest.Params) + batch.Index
	for k := range sharedNests(batch.Steps, true) {
		n := prog.Parts()[k].Nest
		if arr := &n.Arrays[a]; !arr.Returned() || !prog.Nest.Arrays[a].Returned() {
			continue
		}
		for v := range n.Values {
			if val := &n.Values[v]; val.Array == a {
				return slices.IndexFunc(val.Cell, func(f plan.Affine) bool { return isParam(f, given) })
			}
		}
	}
	return -1
}

// isParam reports whether a form is parameter k.
func isParam(f plan.Affine, k int) bool {
	some := func(c int) bool { return c != 0 }
	return len(f.Params) > k && f.Params[k] == 1 && f.Const == 0 && !slices.ContainsFunc(f.Iters, some) &&
		!slices.ContainsFunc(slices.Concat(f.Params[:k], f.Params[k+1:]), some)
}

// mine runs this rank's range of the items lo..hi of a batch. The runs of nests in s.runs and the repetitions of the batch are
// then those of all items, because the summaries of all ranks must agree on them.
func (s *sequence) mine(step Step, lo, hi int) error {
	r, d, at := step.Repeat, s.division, s.given+step.Repeat.Index
	sums, points := []int64{0}, []int64{0} // of the items before: their work, and their iterations
	for t := lo; t <= hi; t++ {
		s.params[at] = t
		n := s.count(r.Steps, 1)
		sums, points = append(sums, sums[t-lo]+itemsAlone+n), append(points, points[t-lo]+n)
	}
	first := func(rank int) int {
		k, _ := slices.BinarySearch(sums, int64(float64(sums[len(sums)-1])*float64(rank)/float64(d.ranks)))
		return lo + min(k, len(points)-1)
	}
	from, to := first(d.rank), first(d.rank+1)-1
	ends := [2]int{from, to}
	if d.rank == 0 {
		ends[0] = math.MinInt
	}
	if d.rank == d.ranks-1 {
		ends[1], to = math.MaxInt, hi
	}
	d.of[r.Index], d.points = ends, points[max(0, to-lo+1)]-points[from-lo]
	for k := range sharedNests(r.Steps, true) {
		d.last[k] = from <= hi && to == hi || lo > hi && d.rank == 0
	}
	runs := slices.Clone(s.runs)
	err := s.numbers(step, from, to)
	copy(s.runs, runs)
	s.repeats[r.Index] = max(0, hi-lo+1)
	return err
}

// runItems runs this rank's part of the loops as they are written.
func (r *Rank) runItems(ctx context.Context, tr transport.Transport, watch Watch) (Summary, error) {
	sum, err := r.items(ctx, tr, watch)
	if closed := tr.Close(err); err == nil {
		err = closed
	}
	if err != nil {
		return Summary{Rank: r.rank}, err
	}
	sum.Rank, sum.Runs, sum.Repeats = r.rank, append([]int{}, r.loops.runs...), append([]int{}, r.loops.repeats...)
	for k, part := range r.prog.Parts() {
		for i, x := range part.Nest.Reduces {
			one := Reduction{Name: x.Name, Op: x.Op, Type: x.Elem, Whole: true}
			if last, inside := r.loops.division.last[k]; last || !inside && r.rank == 0 {
				one.State = r.loops.nests[k].Reduced[i].Value.Data
			}
			sum.Reductions = append(sum.Reductions, one)
		}
	}
	return sum, nil
}

// items runs this rank's part; the caller closes tr and completes the summary. If items of several ranks fail, the run must report
// the first of these items: each rank waits until the ranks before it, which have earlier items, have succeeded.
func (r *Rank) items(ctx context.Context, tr transport.Transport, watch Watch) (sum Summary, err error) {
	var before transport.RecvEdge
	var behind transport.SendEdge
	if r.rank > 0 {
		before, err = tr.OpenRecv(transport.Edge{Peer: r.rank - 1, Capacity: 1, Slots: 1})
	}
	if err == nil && r.rank < tr.Size()-1 {
		behind, err = tr.OpenSend(transport.Edge{Peer: r.rank + 1, Capacity: 1, Slots: 1})
	}
	if err == nil {
		err = tr.Flush()
	}
	var fields kernel.Fields
	if err == nil {
		fields, err = r.complete()
	}
	if err == nil {
		r.loops, err = newWritten(r.prog, r.plans, fields)
	}
	if err != nil {
		return sum, err
	}
	r.loops.division = &division{rank: r.rank, ranks: tr.Size(), of: map[int][2]int{}, last: map[int]bool{}}
	err = r.loops.runWritten(ctx, &watch, true, &sum)
	if before != nil {
		if _, other := before.Arrived(ctx); other != nil {
			return sum, other
		}
	}
	if err == nil && behind != nil {
		if _, err = behind.Acquire(ctx); err == nil {
			err = errors.Join(behind.Post(1), tr.Flush())
		}
	}
	return sum, err
}

// beside returns the ranks before and behind a rank.
func beside(rank, ranks int) []int {
	return slices.DeleteFunc([]int{rank - 1, rank + 1}, func(r int) bool { return r < 0 || r >= ranks })
}

// complete allocates the program's given arrays and returned slices, with all cells, and fills the given arrays.
func (r *Rank) complete() (kernel.Fields, error) {
	fields := NewFields(r.whole)
	for a := range r.whole.Arrays {
		arr := &r.whole.Arrays[a]
		lo, extent, err := arr.Extent(r.params)
		if err == nil && isGiven(arr) {
			if fields.Given[a], err = array.Make(arr.Elem, lo, top(lo, extent)); err == nil {
				err = r.store.Fill(a, &fields.Given[a])
			}
		}
		if fields.Result[a] = fields.Given[a]; err == nil && arr.Returned() && !isGiven(arr) {
			lo, extent = arr.SliceExtent(r.params)
			fields.Result[a], err = array.Make(arr.Elem, lo, top(lo, extent))
		}
		if err != nil {
			return fields, err
		}
	}
	return fields, nil
}

// deliverItems gives the store this rank's part of the result of array a: the cells of its items or, if no item has cells of its
// own, a share of the first dimension.
func (r *Rank) deliverItems(a int) error {
	from := &r.loops.fields.Result[a]
	box, dim := redist.Between(slices.Clone(from.Lo), slices.Clone(from.Hi)), -1
	for _, step := range r.prog.Steps {
		if step.Repeat == nil {
			continue
		}
		if d := r.prog.itemDim(step.Repeat, a); d >= 0 {
			of := r.loops.division.of[step.Repeat.Index]
			dim, box.Lo[d], box.Hi[d] = d, max(box.Lo[d], of[0]), min(box.Hi[d], of[1])
		}
	}
	if dim < 0 {
		box = portion(r.rank, r.loops.division.ranks, from.Lo, from.Hi)
	}
	if box = box.Meet(redist.Of(from)); box.Empty() {
		return nil
	}
	return inParts(from.Size, box.Lo, box.Hi, r.store.Pool, func(lo, hi []int) error {
		v, err := r.store.Pool.Make(from.Elem, lo, hi)
		if err == nil {
			redist.CopyOwned(&v, from)
			err = r.store.Keep(a, all(&v))
		}
		return err
	})
}
