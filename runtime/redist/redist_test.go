package redist_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"

	"loopc/runtime/array"
	"loopc/runtime/redist"
	"loopc/runtime/transport"
	"loopc/runtime/transport/inproc"
)

// TestExchange gives every cell of an array a random owner among the ranks whose boxes have it.
// Each rank must get every cell of its box from the owner, cells without an owner must keep their
// content, and nothing may be sent where no boxes of two ranks meet.
func TestExchange(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	moved, quiet := 0, 0
	for range 200 {
		ranks, rows, columns := 1+rng.IntN(5), 1+rng.IntN(40), 1+rng.IntN(40)
		randomBox := func() redist.Box {
			if rng.IntN(5) == 0 {
				return redist.Box{}
			}
			a, b, c, d := rng.IntN(rows), rng.IntN(rows), rng.IntN(columns), rng.IntN(columns)
			return redist.Box{Lo: []int{min(a, b), min(c, d) - 3}, Hi: []int{max(a, b), max(c, d) - 3}}
		}
		need, have := make([]redist.Box, ranks), make([][]redist.Box, ranks)
		owned := make([][]*array.View, ranks)
		content := func(cell []int) float32 { return float32(cell[0]*1000 + cell[1]) }
		taken := map[[2]int]bool{}
		for r := range ranks {
			need[r] = randomBox()
			for range rng.IntN(3) {
				b := randomBox()
				if b.Empty() {
					continue
				}
				have[r] = append(have[r], b)
				v, err := array.Make("float32", b.Lo, b.Hi)
				if err != nil {
					t.Fatal(err)
				}
				v.TrackWritten()
				dense := rng.IntN(3)
				b.Rows(func(row []int) bool {
					for x := b.Lo[1]; x <= b.Hi[1]; x++ {
						cell := []int{row[0], x}
						if key := [2]int(cell); !taken[key] && rng.IntN(1+9*dense) == 0 {
							taken[key] = true
							v.MarkWritten(v.Offset(cell), 1, 1)
							array.Cells[float32](v)[v.Offset(cell)] = content(cell)
						}
					}
					return true
				})
				marked, compact := v.Marked(), redist.Compact(&v)
				for _, c := range compact {
					marked -= c.Marked()
				}
				if marked != 0 {
					t.Fatalf("compaction loses %d cells", marked)
				}
				owned[r] = append(owned[r], compact...)
			}
		}
		messages := make([]int64, ranks)
		var all sync.WaitGroup
		transports, err := inproc.Mesh(ranks, "")
		if err != nil {
			t.Fatal(err)
		}
		for r, tr := range transports {
			all.Go(func() {
				messages[r] = exchange(t, tr, need, have, owned[r], content, taken)
			})
		}
		all.Wait()
		for r := range ranks {
			want := int64(0)
			for q := range ranks {
				for _, b := range have[r] {
					if q != r && !b.Meet(need[q]).Empty() {
						want++
						break
					}
				}
			}
			if messages[r] < want || want == 0 && messages[r] > 0 {
				t.Errorf("rank %d sent %d messages for %d transfers", r, messages[r], want)
			}
			if want == 0 {
				quiet++
			} else {
				moved++
			}
		}
	}
	if moved < 100 || quiet < 100 {
		t.Errorf("%d ranks sent something and %d nothing; the test proves little", moved, quiet)
	}
}

// exchange moves one array twice, as one rank, and checks what it gets.
func exchange(t *testing.T, tr transport.Transport, need []redist.Box, have [][]redist.Box, owned []*array.View, content func([]int) float32, taken map[[2]int]bool) int64 {
	me := tr.Rank()
	m := redist.Move{Size: 4, Need: need, Have: have, Owned: owned}
	x, err := redist.Open(tr, 7, m.Capacity)
	if err != nil {
		t.Error(err)
		return 0
	}
	for range 2 { // edges outlast a move
		if !need[me].Empty() {
			v, err := array.Make("float32", need[me].Lo, need[me].Hi)
			if err != nil {
				t.Error(err)
				return 0
			}
			for k := range array.Cells[float32](v) {
				array.Cells[float32](v)[k] = -1
			}
			m.Into = &v
		}
		if err := x.Run(context.Background(), []redist.Move{m}); err != nil {
			t.Error(err)
			return 0
		}
		need[me].Rows(func(row []int) bool {
			for c := need[me].Lo[1]; c <= need[me].Hi[1]; c++ {
				cell := []int{row[0], c}
				want := float32(-1)
				if taken[[2]int(cell)] {
					want = content(cell)
				}
				if got := array.Cells[float32](*m.Into)[m.Into.Offset(cell)]; got != want {
					t.Errorf("rank %d: cell %v is %g, want %g", me, cell, got, want)
					return false
				}
			}
			return true
		})
	}
	if err := tr.Close(nil); err != nil {
		t.Error(err)
	}
	return x.Stats().Messages / 2
}

// TestBoxes compares the boxes of a random set of cells with the set.
func TestBoxes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 2))
	for range 500 {
		b := redist.Box{Lo: []int{-1, 2, 0}, Hi: []int{rng.IntN(3), 2 + rng.IntN(4), rng.IntN(6)}}
		set := map[[3]int]bool{}
		left, right := rng.IntN(3), 1+rng.IntN(4)
		for _, p := range b.Boxes(func(list [][2]int, cell []int) [][2]int {
			add := func(lo, hi int) {
				if hi = min(hi, b.Hi[2]); lo <= hi {
					list = append(list, [2]int{lo, hi})
				}
			}
			add(0, left-1)
			if cell[1] != 3 {
				add(left+right, b.Hi[2])
			}
			return list
		}) {
			p.Rows(func(row []int) bool {
				for x := p.Lo[2]; x <= p.Hi[2]; x++ {
					key := [3]int{row[0], row[1], x}
					if set[key] {
						t.Fatalf("cell %v is in two boxes", key)
					}
					set[key] = true
				}
				return true
			})
		}
		b.Rows(func(row []int) bool {
			for x := b.Lo[2]; x <= b.Hi[2]; x++ {
				want := x < left || row[1] != 3 && x >= left+right
				if set[[3]int{row[0], row[1], x}] != want {
					t.Fatalf("cell %v, %d: in a box %t, want %t", row, x, !want, want)
				}
			}
			return true
		})
	}
}

// TestOneCell copies, lists and compacts an array without dimensions. As elsewhere, an unmarked
// cell has no owner.
func TestOneCell(t *testing.T) {
	cell := func(x float32) array.View {
		v, err := array.Make("float32", nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		array.Cells[float32](v)[0] = x
		return v
	}
	from := cell(5)
	for _, c := range []struct {
		name          string
		track, marked bool
		want          float32
		boxes         int
	}{
		{"not tracked", false, false, 5, 1},
		{"not marked", true, false, 1, 0},
		{"marked", true, true, 5, 1},
	} {
		to := cell(1)
		if c.track {
			from.TrackWritten()
		}
		if c.marked {
			from.MarkWritten(0, 1, 1)
		}
		redist.CopyOwned(&to, &from)
		if got := array.Cells[float32](to)[0]; got != c.want {
			t.Errorf("%s: copied %v, want %v", c.name, got, c.want)
		}
		if got := redist.Marked(&from); len(got) != c.boxes || c.boxes > 0 && (got[0].Empty() || got[0].Cells() != 1) {
			t.Errorf("%s: boxes %v, want %d", c.name, got, c.boxes)
		}
		if got := redist.Compact(&from); c.track && len(got) != c.boxes {
			t.Errorf("%s: %d views own it, want %d", c.name, len(got), c.boxes)
		}
	}
	if !redist.Of(&array.View{}).Empty() {
		t.Error("a view of nothing holds a cell")
	}
}
