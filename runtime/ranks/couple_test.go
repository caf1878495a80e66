package ranks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/checkpoint"
	"loopc/runtime/sched"
	"loopc/testdata/emit/seidel"
)

// warmed is code of a caller between levels: it changes the left boundary by its neighbors and by the
// time, and a cell within.
func warmed(b *seidel.Between) error {
	for cell, row := range b.U.Rows() {
		row[0] = 0.5*row[1] + 0.125*float64(b.Done)
		if cell[0] == 7 {
			row[9] = float64(b.Done)
		}
	}
	return nil
}

// plainLoop runs the nest seidel in plain Go, with the changes of warmed after each number of
// levels that every says, except at the end.
func plainLoop(u []float64, p seidel.Params, every int) []float64 {
	u, width := slices.Clone(u), p.N+2
	for t := 1; t <= p.T; t++ {
		for i := 1; i <= p.N; i++ {
			for j := 1; j <= p.N; j++ {
				at := i*width + j
				u[at] = float64(0.25 * (u[at-width] + u[at-1] + u[at+width] + u[at+1]))
			}
		}
		if t%every == 0 && t < p.T {
			for i := range width {
				u[i*width] = 0.5*u[i*width+1] + 0.125*float64(t)
			}
			u[7*width+9] = float64(t)
		}
	}
	return u
}

// TestCoupling requires that code which changes the boundary every ten steps gives the bits of a plain
// loop, on 1 and 3 ranks, with whole arrays and in parts, and where a run continues.
func TestCoupling(t *testing.T) {
	p := seidel.Params{T: 40, N: 40}
	u := field(8, 42*42)
	want := plainLoop(u, p, 10)
	for _, o := range []seidel.Options{
		{Ranks: 1}, {Ranks: 3}, {Ranks: 3, CPUs: 2, Tile: []int{5, 7, 9}}, {Ranks: 3, Epoch: 5, Map: "t"}, {Ranks: 50, CPUs: 1, Tile: []int{4, 1, 0}, Map: "j"},
	} {
		o.Watch.Couple = seidel.Couple(10, warmed)
		var kept checkpoint.Memory
		o.Watch.Checkpoints = &sched.Checkpoints{Due: func(sched.Cut) sched.Due { return sched.Keep }, Keep: kept.Add}
		a := seidel.Arrays{U: slices.Clone(u)}
		if _, err := seidel.Run(t.Context(), p, &a, o); err != nil {
			t.Fatal(err)
		}
		if !same(a.U, want) {
			t.Fatalf("%+v: the bits differ", o)
		}
		for k, from := range kept.States() {
			o := seidel.Options{Ranks: 1 + k}
			o.Watch.Couple = seidel.Couple(10, warmed)
			o.Watch.Checkpoints = &sched.Checkpoints{From: from}
			got := newBoard[float64]([]int{0, 0}, []int{41, 41})
			parts := seidel.Parts{SupplyU: func(b array.Block[float64]) error { return b.CopyFrom(u, got.lo, got.hi) }, ReceiveU: got.receive}
			if _, err := seidel.RunRanks(t.Context(), p, &parts, seidel.RankOptions{Options: o}); err != nil {
				t.Fatal(err)
			}
			if err := got.once(); err != nil || !same(got.cells, want) {
				t.Fatalf("%+v, from level %d: %v, or the bits differ", o, from.Done, err)
			}
		}
	}
}

// TestCouplingFails requires that a run with code of a caller fails with a reason, and gives arrays their old
// content.
func TestCouplingFails(t *testing.T) {
	p := seidel.Params{T: 20, N: 20}
	u := field(8, 22*22)
	enough := errors.New("enough")
	failing := func(b *seidel.Between) error {
		for _, row := range b.U.Rows() {
			row[0] = 1
		}
		if b.Done == 10 && b.Rank == 1 {
			return enough
		}
		return nil
	}
	for want, o := range map[string]seidel.Options{
		"after 10 levels: enough":                               {Ranks: 3, Watch: sched.Watch{Couple: seidel.Couple(10, failing)}},
		"after every 0 levels":                                  {Watch: sched.Watch{Couple: seidel.Couple(0, warmed)}},
		"no code is called after each 10 levels in epochs of 4": {Epoch: 4, Watch: sched.Watch{Couple: seidel.Couple(10, warmed)}},
	} {
		a := seidel.Arrays{U: slices.Clone(u)}
		_, err := seidel.Run(t.Context(), p, &a, o)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(want, "enough") && !errors.Is(err, enough) {
			t.Errorf("%v, want %s", err, want)
		}
		if !same(a.U, u) {
			t.Errorf("%s: the array has changed", want)
		}
	}
}

// coupledParts is run by processes. Their code changes the boundary again and again: every is the
// number of levels between two changes.
func coupledParts(ctx context.Context, every int) error {
	o, cells := seidelOneCPU(), 0
	o.Watch.Couple = seidel.Couple(every, warmed)
	p := seidel.Parts{SupplyU: supplied, ReceiveU: compared(&cells, plainLoop(startContent(), seidelParams, every))}
	_, err := seidel.RunRanks(ctx, seidelParams, &p, o)
	if err == nil {
		fmt.Printf("cells %d\n", cells)
	}
	return err
}
