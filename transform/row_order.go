package transform

import (
	"slices"

	"loopc/ir"
)

// AlongRows is ir.Lowered.Why of loops in the order of rowOrder.
const AlongRows = "chosen: rows lie along arrays, and no iteration waits for one in its row"

// rowOrder moves one loop innermost and returns the matrix T of this order, so that rows of iterations lie along the
// last dimension of all written arrays, and no iteration depends on another one of its row. A loop of sums comes
// directly before it: the kernel then keeps a result in registers over several terms. It returns nil if the
// loops are in such an order, or if there is none. skew is the matrix that is used otherwise.
//
//	rewrite:
//	  for k { for j { for i { C[i,j] += A[k,i]*B[k,j] } } }
//	    =>
//	  for i { for k { for j { C[i,j] += A[k,i]*B[k,j] } } }     p = T·(k, j, i), T = [0 0 1; 1 0 0; 0 1 0]
//
// Every distance keeps nonnegative components, so each result is computed from the same results as
// before.
func rowOrder(n *ir.Nest, dists []ir.Vec, skew [][]int) [][]int {
	along, ok := rowLoop(n)
	if !ok || n.Loops[along].Backward || len(n.Reduces()) > 0 || !diagonal(skew) || !readInRows(n, along) {
		return nil
	}
	for _, d := range dists {
		if !across(d, along) {
			return nil // iterations of a row would depend on one another in the new order, too
		}
	}
	var order []int
	for k := range n.Loops {
		if k != along {
			order = append(order, k)
		}
	}
	if k := slices.IndexFunc(order, func(k int) bool { return sums(n, dists, k) }); k >= 0 {
		order = append(slices.Delete(slices.Clone(order), k, k+1), order[k])
	}
	if order = append(order, along); slices.IsSorted(order) {
		return nil
	}
	var t [][]int
	for _, k := range order {
		t = append(t, skew[k])
	}
	return t
}

// sums reports whether a loop adds terms to each written cell, and whether several written cells share each cell that is read
// with this loop's index. Without sharing, another order saves no memory traffic.
func sums(n *ir.Nest, dists []ir.Vec, loop int) bool {
	for _, d := range dists {
		if across(d, loop) {
			return false
		}
	}
	has := func(sub ir.Affine) bool { return sub.Iter(loop) != 0 }
	for _, s := range n.Body {
		if w, is := s.(*ir.Assign); is && slices.ContainsFunc(w.Subs, has) {
			return false
		}
	}
	shared := false
	for _, r := range n.Reads {
		if slices.ContainsFunc(r.Subs, has) {
			if len(r.Subs) == n.Depth() {
				return false // each iteration reads another cell
			}
			shared = true
		}
	}
	return shared && len(dists) > 0
}

// across reports whether a distance has a component along a loop other than the given one.
func across(d ir.Vec, loop int) bool {
	for k, c := range d {
		if k != loop && c != 0 {
			return true
		}
	}
	return false
}

// rowLoop returns the one loop in the last subscripts of all written cells, such as j of C[i,j]. ok is false if the last
// subscripts have different loops, none, or a multiple of one, or if another subscript has the loop, too.
func rowLoop(n *ir.Nest) (along int, ok bool) {
	along = -1
	for _, s := range n.Body {
		w, is := s.(*ir.Assign)
		if !is {
			continue
		}
		for m, sub := range slices.Backward(w.Subs) {
			for k := range n.Loops {
				c := sub.Iter(k)
				switch last := m == len(w.Subs)-1; {
				case c == 0:
				case last && c == 1 && (along < 0 || along == k):
					along = k
				case last || k == along:
					return 0, false
				}
			}
		}
	}
	return along, along >= 0
}

// diagonal reports whether T is diagonal: no loop is skewed.
func diagonal(t [][]int) bool {
	for x, row := range t {
		for k, c := range row {
			if k != x && c != 0 {
				return false
			}
		}
	}
	return true
}

// readInRows reports whether, in each read, successive iterations of a loop read the same cell or successive cells along
// the array's last dimension. An array that is only read may have another dimension in place of the last, if it has
// fewer dimensions than there are loops: a run then copies the array into another order of dimensions (lowerRowDims).
func readInRows(n *ir.Nest, along int) bool {
	dims := map[int]int{}
	for _, r := range n.Reads {
		last := len(r.Subs) - 1
		for m, sub := range r.Subs {
			c := sub.Iter(along)
			if c == 0 {
				continue
			}
			before, seen := dims[r.Array]
			copied := len(n.Assigns(r.Array)) == 0 && last+1 < n.Depth() && n.Arrays[r.Array].Boundary == nil
			if c != 1 && c != -1 || seen && before != m || m != last && !copied {
				return false
			}
			dims[r.Array] = m
		}
	}
	return true
}
