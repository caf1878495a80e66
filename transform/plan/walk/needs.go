package walk

import (
	"cmp"
	"slices"
)

// A needBox is a box of distances, all of them in Value.Need and with the same coordinate 0.
// The reads of a box of iterations at these distances are a box, too.
type needBox struct{ lo, hi []int }

// needBoxes returns boxes that contain exactly the given distances. It merges two boxes that
// are adjacent along one coordinate and equal along the others.
func needBoxes(need [][]int) []needBox {
	var all []needBox
	need = slices.Clone(need)
	slices.SortFunc(need, slices.Compare[[]int])
	for _, d := range slices.CompactFunc(need, slices.Equal[[]int]) {
		all = append(all, needBox{slices.Clone(d), slices.Clone(d)})
	}
	if len(all) == 0 {
		return nil
	}
	for x := len(all[0].lo) - 1; x >= 1; x-- {
		slices.SortFunc(all, func(a, b needBox) int {
			return cmp.Or(a.compareBeside(&b, x), cmp.Compare(a.lo[x], b.lo[x]))
		})
		n := 1
		for _, b := range all[1:] {
			if a := &all[n-1]; a.compareBeside(&b, x) == 0 && b.lo[x] <= a.hi[x]+1 {
				a.hi[x] = max(a.hi[x], b.hi[x])
				continue
			}
			all[n] = b
			n++
		}
		all = all[:n]
	}
	return all
}

// compareBeside compares the boxes along all coordinates but x.
func (a *needBox) compareBeside(b *needBox, x int) int {
	for y := range a.lo {
		if y == x {
			continue
		}
		if c := cmp.Or(cmp.Compare(a.lo[y], b.lo[y]), cmp.Compare(a.hi[y], b.hi[y])); c != 0 {
			return c
		}
	}
	return 0
}
