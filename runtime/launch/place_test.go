package launch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// least is the least traffic between hosts of any assignment of ranks to the
// processes of hosts, by trying all.
func least(host []int, traffic [][]int64) int64 {
	best := int64(-1)
	on := slices.Clone(host)
	slices.Sort(on)
	var try func(k int)
	try = func(k int) {
		if k == len(on) {
			if b := between(on, traffic); best < 0 || b < best {
				best = b
			}
			return
		}
		for j := k; j < len(on); j++ {
			if slices.Contains(on[k:j], on[j]) {
				continue // tried already
			}
			on[k], on[j] = on[j], on[k]
			try(k + 1)
			on[k], on[j] = on[j], on[k]
		}
	}
	try(0)
	return best
}

// grid returns the traffic of ranks in a grid whose neighbors along dimension d
// exchange face[d] bytes.
func grid(sides []int, face []int64) [][]int64 {
	n := 1
	for _, s := range sides {
		n *= s
	}
	t := make([][]int64, n)
	for a := range t {
		t[a] = make([]int64, n)
	}
	for a := range t {
		step := n
		for d, s := range sides {
			step /= s
			if b := a + step; a/step%s < s-1 {
				t[a][b], t[b][a] = face[d], face[d]
			}
		}
	}
	return t
}

// TestPlace places ranks of grids and of random graphs on hosts, and compares
// what hosts exchange with the least that is possible, found by trying all.
func TestPlace(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var got, want, before int64
	optimal, cases := 0, 0
	for range 60 {
		n := 4 + rng.IntN(5)
		traffic := make([][]int64, n)
		for a := range traffic {
			traffic[a] = make([]int64, n)
			for b := range a {
				if rng.IntN(3) == 0 {
					traffic[a][b] = rng.Int64N(1000)
					traffic[b][a] = traffic[a][b]
				}
			}
		}
		if rng.IntN(2) == 0 {
			n = 8
			traffic = grid([]int{2, 2, 2}, []int64{rng.Int64N(1000), rng.Int64N(1000), rng.Int64N(1000)})
		}
		hosts := 2 + rng.IntN(2)
		members := make([]Member, n)
		host := make([]int, n)
		for k := range members {
			host[k] = rng.IntN(hosts)
			members[k] = Member{Host: fmt.Sprint(host[k])}
		}
		places := Place(members, traffic)
		on := make([]int, n)
		seen := make([]bool, n)
		for k, rank := range places {
			if seen[rank] {
				t.Fatalf("two processes are rank %d: %v", rank, places)
			}
			seen[rank] = true
			on[rank] = host[k]
		}
		g, w, b := between(on, traffic), least(host, traffic), between(host, traffic)
		if g > b {
			t.Errorf("places %v exchange %d bytes, the launcher's order %d", places, g, b)
		}
		cases++
		if g == w {
			optimal++
		}
		got, want, before = got+g, want+w, before+b
	}
	if before < want*5/4 {
		t.Errorf("the cases say nothing: %d bytes in the launcher's order, %d at best", before, want)
	}
	if float64(got) > 1.05*float64(want) || optimal < cases*2/3 {
		t.Errorf("%d bytes between hosts, %d at best; %d of %d cases optimal", got, want, optimal, cases)
	}
}

// TestPlaceGrid places the ranks of a 4 x 4 grid whose heavy faces lie along its
// first dimension on four hosts that the launcher fills one after the other, and
// on four that it deals to in turn.
func TestPlaceGrid(t *testing.T) {
	traffic := grid([]int{4, 4}, []int64{1000, 1})
	for name, host := range map[string]func(k int) int{
		"filled": func(k int) int { return k / 4 },
		"dealt":  func(k int) int { return k % 4 },
	} {
		members := make([]Member, 16)
		for k := range members {
			members[k].Host = fmt.Sprint(host(k))
		}
		on := make([]int, 16)
		for k, rank := range Place(members, traffic) {
			on[rank] = host(k)
		}
		if got := between(on, traffic); got != 12 {
			t.Errorf("%s: %d bytes between hosts, want 12: %v", name, got, on)
		}
	}
	// Nothing to gain: everybody keeps its number.
	if got := Place(make([]Member, 3), grid([]int{3}, []int64{5})); !slices.Equal(got, []int{0, 1, 2}) {
		t.Errorf("on one host: %v", got)
	}
}
