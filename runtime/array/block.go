package array

import (
	"fmt"
	"iter"
)

// A Block is a box of an array's cells, for functions that supply or receive cells. It has the cells from Lo to Hi, both ends inclusive, in
// the array's own indices. Cell x is Cells[Σ (x[k]-Lo[k])·Stride[k]].
type Block[T Number] struct {
	Rank   int   // the rank of the run that reads these cells, or has computed them
	Lo, Hi []int // empty if the array is a single cell
	Stride []int // cells between neighbors along each dimension; the last is 1
	Cells  []T
}

// BlockOf returns the cells lo..hi of v, which must contain them and be of type T.
func BlockOf[T Number](rank int, v *View, lo, hi []int) Block[T] {
	first, last := v.Offset(lo), v.Offset(hi)
	return Block[T]{Rank: rank, Lo: lo, Hi: hi, Stride: v.Stride, Cells: Cells[T](*v)[first : last+1 : last+1]}
}

// Rows yields the rows of the block: the indices of the first cell, valid until the next row, and the cells in the block's memory.
func (b Block[T]) Rows() iter.Seq2[[]int, []T] {
	return func(yield func([]int, []T) bool) {
		n := len(b.Lo)
		if n == 0 {
			yield(nil, b.Cells[:1])
			return
		}
		for k := range n {
			if b.Lo[k] > b.Hi[k] {
				return
			}
		}
		cell := append([]int(nil), b.Lo...)
		width := b.Hi[n-1] - b.Lo[n-1] + 1
		for at := 0; ; {
			if !yield(cell, b.Cells[at:at+width:at+width]) {
				return
			}
			k := n - 2
			for ; k >= 0; k-- {
				if cell[k]++; cell[k] <= b.Hi[k] {
					at += b.Stride[k]
					break
				}
				at -= (b.Hi[k] - b.Lo[k]) * b.Stride[k]
				cell[k] = b.Lo[k]
			}
			if k < 0 {
				return
			}
		}
	}
}

// CopyFrom fills the block from the given cells, the cells lo..hi of the array in C order. The box lo..hi must contain the block.
func (b Block[T]) CopyFrom(cells []T, lo, hi []int) error {
	return b.copies(cells, lo, hi, func(own, other []T) { copy(own, other) })
}

// CopyTo copies the block to its place among the given cells, the cells lo..hi of the array in C
// order. The box lo..hi must contain the block.
func (b Block[T]) CopyTo(cells []T, lo, hi []int) error {
	return b.copies(cells, lo, hi, func(own, other []T) { copy(other, own) })
}

// copies calls f with the rows of b and their places among the cells lo..hi.
func (b Block[T]) copies(cells []T, lo, hi []int, f func(own, other []T)) error {
	if len(lo) != len(b.Lo) || len(hi) != len(b.Lo) {
		return fmt.Errorf("cells %v..%v are no box of an array of %d dimensions", lo, hi, len(b.Lo))
	}
	whole, err := Of(cells, lo, hi)
	if err != nil {
		return fmt.Errorf("cells %v..%v: %w", lo, hi, err)
	}
	for k := range lo {
		if b.Lo[k] <= b.Hi[k] && (b.Lo[k] < lo[k] || b.Hi[k] > hi[k]) {
			return fmt.Errorf("cells %v..%v are not all among %v..%v", b.Lo, b.Hi, lo, hi)
		}
	}
	for cell, row := range b.Rows() {
		at := whole.Offset(cell)
		f(row, cells[at:at+len(row)])
	}
	return nil
}
