package ranks_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/sched"
	"loopc/testdata/emit/relaxation"
)

var relaxed = relaxation.Params{T: 4, N: 12, Eps: 0.1}

// relaxationArrays are what relaxation is given.
func relaxationArrays() relaxation.Arrays {
	return relaxation.Arrays{F: field(3, 14*14), U: field(4, 14*14)}
}

// relaxedRows is code of a caller between repetitions: it changes the left boundary by its neighbors and by
// the time, and a cell within.
func relaxedRows(b *relaxation.Between) error {
	for cell, row := range b.U.Rows() {
		row[0] = 0.5*row[1] + 0.125*float64(b.Done)
		if cell[0] == 7 {
			row[9] = float64(b.Done)
		}
	}
	return nil
}

// plainRelaxation runs the nests of relaxation in plain Go, with the changes of relaxedRows; every
// is the number of repetitions between two changes. It returns u and the number of repetitions of
// the first repeat.
func plainRelaxation(p relaxation.Params, a relaxation.Arrays, every int) (u []float64, repetitions int) {
	w := p.N + 2
	u = slices.Clone(a.U)
	done := 0
	between := func() {
		if done++; done%every != 0 {
			return
		}
		for i := range w {
			u[i*w] = 0.5*u[i*w+1] + 0.125*float64(done)
		}
		u[7*w+9] = float64(done)
	}
	within := func(f func(i, at int)) {
		for i := 1; i <= p.N; i++ {
			for j := 1; j <= p.N; j++ {
				f(i, i*w+j)
			}
		}
	}
	for at := range u {
		u[at] = float64(0.5*u[at]) + float64(0.25*a.F[at])
	}
	for t := 1; t <= p.T; t++ {
		old, change := slices.Clone(u), 0.0
		for color := range 2 {
			within(func(i, at int) {
				if (at-i*w+i+color)%2 == 0 {
					u[at] = float64(0.25*(u[at-w]+u[at-1]+u[at+w]+u[at+1])) + float64(0.01*a.F[at])/float64(t)
				}
			})
		}
		for i := 1; i <= p.N; i++ {
			for at := i*w + p.N; at > i*w; at-- {
				u[at] = float64(0.7*u[at]) + float64(0.3*u[at+1])
			}
		}
		within(func(_, at int) { change = max(change, math.Abs(u[at]-old[at])) })
		repetitions++
		if end := change <= p.Eps; end || t == p.T {
			between()
			break
		}
		between()
	}
	for range 3 {
		within(func(_, at int) { u[at] = 0.5 * (u[at-w] + u[at-1]) })
		between()
	}
	return u, repetitions
}

// relax runs relaxation on the arrays a, which receive the results: whole, or in parts.
func relax(t *testing.T, a *relaxation.Arrays, o relaxation.Options, whole bool) error {
	t.Helper()
	if whole {
		_, err := relaxation.Run(t.Context(), relaxed, a, o)
		return err
	}
	u, last := newBoard[float64]([]int{0, 0}, []int{13, 13}), newBoard[float64]([]int{0, 0}, []int{13, 13})
	steps, h := newBoard[int32]([]int{0}, []int{12}), newBoard[float64]([]int{0}, []int{12})
	p := relaxation.Parts{
		SupplyF:  func(b array.Block[float64]) error { return b.CopyFrom(a.F, u.lo, u.hi) },
		SupplyU:  func(b array.Block[float64]) error { return b.CopyFrom(a.U, u.lo, u.hi) },
		ReceiveU: u.receive, ReceiveSteps: steps.receive, ReceiveH: h.receive, ReceiveLast: last.receive,
	}
	_, err := relaxation.RunRanks(t.Context(), relaxed, &p, relaxation.RankOptions{Options: o})
	if err == nil {
		a.U, a.Last, a.Steps, a.H, a.Change, a.Total = u.cells, last.cells, steps.cells, h.cells, p.Change, p.Total
		err = errors.Join(u.once(), last.once(), steps.once(), h.once())
	}
	return err
}

// sameRelaxation compares all results.
func sameRelaxation(a, b *relaxation.Arrays) bool {
	return same(a.U, b.U) && same(a.H, b.H) && same(a.Last, b.Last) && slices.Equal(a.Steps, b.Steps) && same([]float64{a.Change, a.Total}, []float64{b.Change, b.Total})
}

// TestStoppedBetweenNests ends a run of several nests wherever it can be cut, and continues each time on
// another number of ranks: in the end, all results have the bits of the sequential loops. So they have if the
// arrays are whole and if they are not, and with code of the caller between repetitions.
func TestStoppedBetweenNests(t *testing.T) {
	plain := relaxationArrays()
	if err := relaxation.Sequential(relaxed, &plain); err != nil {
		t.Fatal(err)
	}
	for _, every := range []int{1000, 2} {
		want := plain
		var repetitions int
		if want.U, repetitions = plainRelaxation(relaxed, relaxationArrays(), every); every == 1000 && !same(want.U, plain.U) {
			t.Fatal("the plain loops are wrong")
		}
		if repetitions < 2 || repetitions == relaxed.T {
			t.Fatalf("the until proves little with %d repetitions", repetitions)
		}
		var from *checkpoint.State
		cuts, ended := 0, 0
		for {
			a := relaxationArrays()
			o := relaxation.Options{Ranks: []int{1, 2, 3, 5}[cuts%4], CPUs: 1 + cuts%2}
			if cuts%5 == 4 {
				o.Tile = []int{3, 4}
			}
			var kept checkpoint.Memory
			o.Watch.Checkpoints = &sched.Checkpoints{From: from, Keep: kept.Add, Due: func(at sched.Cut) sched.Due {
				if at.Ends {
					ended++
				}
				return sched.Keep | sched.End
			}}
			o.Watch.Couple = relaxation.Couple(every, relaxedRows)
			given := slices.Clone(a.U)
			err := relax(t, &a, o, cuts%3 < 2)
			if errors.Is(err, sched.ErrStopped) && same(a.U, given) && len(kept.States()) == 1 {
				from = kept.States()[0]
				cuts++
				continue
			}
			if err != nil {
				t.Fatalf("%s: %v, with %d states", sched.After(from.Done, from.At), err, len(kept.States()))
			}
			if every < 1000 { // the rest follows from u
				want.H, want.Steps, want.Change, want.Total = a.H, a.Steps, a.Change, a.Total
				for k, x := range a.U {
					want.Last = append(want.Last[:k:k], a.Last[k])
					if a.Last[k%14*14+k/14] != x {
						t.Fatal("last is not u, transposed")
					}
				}
			}
			if !sameRelaxation(&a, &want) {
				t.Errorf("code after each %d repetitions: after %d cuts, the bits differ", every, cuts)
			}
			break
		}
		if want := 3 + 5*repetitions + 3; cuts != want || ended != repetitions+3 {
			t.Errorf("%d cuts, %d of which at the end of a repetition; not %d and %d", cuts, ended, want, repetitions+3)
		}
	}
}

// TestKeptBetweenNests continues from each state that a run has kept, on other numbers of ranks,
// and must get the bits of the sequential loops. A state of a place that does not exist must be
// refused.
func TestKeptBetweenNests(t *testing.T) {
	want := relaxationArrays()
	if err := relaxation.Sequential(relaxed, &want); err != nil {
		t.Fatal(err)
	}
	var kept checkpoint.Memory
	o := relaxation.Options{Ranks: 3, CPUs: 1}
	o.Watch.Checkpoints = &sched.Checkpoints{Due: func(sched.Cut) sched.Due { return sched.Keep }, Keep: kept.Add}
	a := relaxationArrays()
	if err := relax(t, &a, o, true); err != nil || !sameRelaxation(&a, &want) {
		t.Fatalf("%v, or the bits differ", err)
	}
	for k, from := range kept.States() {
		a, o := relaxationArrays(), relaxation.Options{Ranks: []int{2, 1, 5}[k%3], CPUs: 1}
		o.Watch.Checkpoints = &sched.Checkpoints{From: from}
		if err := relax(t, &a, o, k%2 == 0); err != nil || !sameRelaxation(&a, &want) {
			t.Fatalf("%s: %v, or the bits differ", sched.After(from.Done, from.At), err)
		}
	}
	from := *kept.States()[6]
	for _, change := range []func(at *checkpoint.Place){
		func(at *checkpoint.Place) { at.Path[0].Step = 9 },
		func(at *checkpoint.Place) { at.Path[0].Value = relaxed.T + 1 },
		func(at *checkpoint.Place) { at.Path = at.Path[:1] },
		func(at *checkpoint.Place) { at.Runs = at.Runs[1:] },
	} {
		at := *from.At
		at.Path = slices.Clone(at.Path)
		change(&at)
		other := from
		other.At = &at
		o := relaxation.Options{Ranks: 2, CPUs: 1}
		o.Watch.Checkpoints = &sched.Checkpoints{From: &other}
		a := relaxationArrays()
		if err := relax(t, &a, o, true); err == nil {
			t.Errorf("a run continues at %+v", at)
		}
	}
}

// TestHeldBetweenNests requires that no rank goes on to the next nest while rank 0 holds, whether or not the state is kept before.
func TestHeldBetweenNests(t *testing.T) {
	var atCut []int64 // iterations before each cut
	var points atomic.Int64
	var kept checkpoint.Memory
	o := relaxation.Options{Ranks: 1, CPUs: 1}
	o.Watch.Points = &points
	count := func(sched.Cut) sched.Due { atCut = append(atCut, points.Load()); return 0 }
	o.Watch.Checkpoints = &sched.Checkpoints{Due: count, Keep: kept.Add}
	a := relaxationArrays()
	if err := relax(t, &a, o, true); err != nil || len(atCut) < 10 {
		t.Fatalf("%v; %d cuts", err, len(atCut))
	}
	for _, ranks := range []int{2, 5} {
		points.Store(0)
		cut, held := 0, 0
		o.Ranks = ranks
		o.Watch.Checkpoints = &sched.Checkpoints{Keep: kept.Add, Due: func(sched.Cut) sched.Due {
			cut++
			return []sched.Due{0, sched.Keep, sched.Show}[cut%3]
		}, Hold: func(context.Context, int) error {
			held++
			time.Sleep(3 * time.Millisecond)
			if did := points.Load(); did > atCut[cut-1] {
				t.Errorf("%d ranks: %d iterations are done at cut %d, where rank 0 holds after %d", ranks, did, cut, atCut[cut-1])
			}
			return nil
		}}
		a := relaxationArrays()
		if err := relax(t, &a, o, true); err != nil || held != len(atCut) {
			t.Errorf("%d ranks: %v, and rank 0 held %d times at %d cuts", ranks, err, held, len(atCut))
		}
	}
}
