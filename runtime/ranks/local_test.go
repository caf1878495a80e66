package ranks_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"loopc/runtime/array"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/seidel"
	"loopc/transform/plan"
)

// field returns n pseudo-random cells.
func field(seed uint64, n int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 1))
	out := make([]float64, n)
	for k := range out {
		out[k] = rng.Float64() - 0.5
	}
	return out
}

// A board takes blocks that ranks receive, and knows which cells have come.
type board[T array.Number] struct {
	mu     sync.Mutex
	lo, hi []int
	cells  []T
	taken  []uint8 // how often
	ranks  map[int]bool
	blocks int
}

func newBoard[T array.Number](lo, hi []int) *board[T] {
	n := 1
	for k := range lo {
		n *= hi[k] - lo[k] + 1
	}
	return &board[T]{lo: lo, hi: hi, cells: make([]T, n), taken: make([]uint8, n), ranks: map[int]bool{}}
}

// receive is what ranks call.
func (b *board[T]) receive(block array.Block[T]) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ranks[block.Rank] = true
	b.blocks++
	whole, err := array.Of(b.taken, b.lo, b.hi)
	if err != nil {
		return err
	}
	for cell, row := range block.Rows() {
		at := whole.Offset(cell)
		for k := range row {
			b.taken[at+k]++
		}
	}
	return block.CopyTo(b.cells, b.lo, b.hi)
}

// once returns an error unless every cell came once, from several ranks if there
// are many.
func (b *board[T]) once() error {
	for k, n := range b.taken {
		if n != 1 {
			return fmt.Errorf("cell %d was received %d times", k, n)
		}
	}
	return nil
}

// same reports whether two fields have the same bits.
func same(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) })
}

// TestParts runs nests with several ranks in this process, each of which supplies and receives its
// part, under random plans. Every cell must arrive once, with the bits of the sequential loops.
func TestParts(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var jagged, shared int
	for range 40 {
		var o plan.Options
		o.Ranks, o.CPUs = 1+rng.IntN(5), 1+rng.IntN(2)
		o.Assign = plan.Assign(rng.IntN(1 + len(plan.Assign(plan.Any).All())))
		if rng.IntN(2) == 0 {
			o.Tile = []int{0, 3 + rng.IntN(9), 3 + rng.IntN(9)}
		}
		o.Map = []string{"", "i", "j"}[rng.IntN(3)]
		T, N := rng.IntN(7), 1+rng.IntN(40)
		lo, hi := []int{0, 0}, []int{N + 1, N + 1}
		u0 := field(rng.Uint64(), (N+2)*(N+2))
		supply := func(b array.Block[float64]) error { return b.CopyFrom(u0, lo, hi) }

		got := newBoard[float64](lo, hi)
		parts := diffusion.Parts{SupplyU0: supply, ReceiveU: got.receive}
		ro := diffusion.RankOptions{Options: diffusion.Options{Ranks: o.Ranks, CPUs: o.CPUs, Assign: o.Assign, Tile: o.Tile, Map: o.Map}}
		_, err := diffusion.RunRanks(t.Context(), diffusion.Params{T: T, N: N}, &parts, ro)
		if err != nil {
			if strings.Contains(err.Error(), "tile") { // too few cells for so many
				continue
			}
			t.Fatalf("diffusion, T = %d, N = %d, %+v: %v", T, N, o, err)
		}
		want := diffusion.Arrays{U0: u0}
		if err := diffusion.Sequential(diffusion.Params{T: T, N: N}, &want); err != nil {
			t.Fatal(err)
		}
		if err := got.once(); err != nil || !same(got.cells, want.U) {
			t.Fatalf("diffusion, T = %d, N = %d, %+v: %v, or the bits differ", T, N, o, err)
		}
		jagged += got.blocks
		if len(got.ranks) > 1 {
			shared++
		}

		// In place: cells that no iteration writes come back too, once.
		got = newBoard[float64](lo, hi)
		place := seidel.Parts{SupplyU: supply, ReceiveU: got.receive}
		if _, err := seidel.RunRanks(t.Context(), seidel.Params{T: T, N: N}, &place, seidel.RankOptions{Options: seidel.Options{Ranks: o.Ranks, CPUs: o.CPUs, Assign: o.Assign, Tile: o.Tile, Map: o.Map}}); err != nil {
			t.Fatalf("seidel, T = %d, N = %d, %+v: %v", T, N, o, err)
		}
		inPlace := seidel.Arrays{U: slices.Clone(u0)}
		if err := seidel.Sequential(seidel.Params{T: T, N: N}, &inPlace); err != nil {
			t.Fatal(err)
		}
		if err := got.once(); err != nil || !same(got.cells, inPlace.U) {
			t.Fatalf("seidel, T = %d, N = %d, %+v: %v, or the bits differ", T, N, o, err)
		}
	}
	if shared < 20 || jagged < 100 {
		t.Errorf("several ranks received in %d runs, %d blocks in all; the test proves little", shared, jagged)
	}
}

// TestErrorsHere: errors of the caller's functions, and errors about unsuitable arrays, must say
// what is wrong.
func TestErrorsHere(t *testing.T) {
	p := diffusion.Params{T: 4, N: 30}
	wrong := errors.New("the disk is full")
	good := func(b array.Block[float64]) error { return nil }
	bad := func(array.Block[float64]) error { return wrong }
	second := func(b array.Block[float64]) error {
		if b.Rank == 1 {
			return wrong
		}
		return nil
	}
	short := func(b array.Block[float64]) error {
		return b.CopyFrom(make([]float64, 31*31), []int{0, 0}, []int{30, 30})
	}
	for _, c := range []struct {
		parts diffusion.Parts
		want  string
		is    error
	}{
		{diffusion.Parts{SupplyU0: bad, ReceiveU: good}, "array u0: the disk is full", wrong},
		{diffusion.Parts{SupplyU0: second, ReceiveU: good}, "rank 1: array u0: the disk is full", wrong},
		{diffusion.Parts{SupplyU0: good, ReceiveU: second}, "rank 1: result u: the disk is full", wrong},
		{diffusion.Parts{SupplyU0: short, ReceiveU: good}, "are not all among", nil},
		{diffusion.Parts{ReceiveU: good}, "U0, or SupplyU0: array u0 of diffusion: 0 cells given, 1024 needed", nil},
		{diffusion.Parts{Arrays: diffusion.Arrays{U0: make([]float64, 32*32), U: make([]float64, 5)}}, "result of array u of diffusion: 5 cells given, 1024 needed", nil},
	} {
		o := diffusion.RankOptions{}
		o.Ranks, o.Grid, o.Map = 2, []int{1, 2, 1}, "j"
		_, err := diffusion.RunRanks(t.Context(), p, &c.parts, o)
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}
