package kernel

import "loopc/runtime/boundary"

// An End describes reads of rows of an array beyond its bounds, where a boundary gives other cells, for kernels of whole rows.
type End struct {
	First  int // subscript of the first iteration's cell
	Width  int // iterations of a row
	Along  int // change of the subscript from an iteration to the next, 1 or -1
	Lo, Hi int // bounds of the subscript
	Ends   boundary.Ends
	Size   int // of a cell, in bytes
	Before int // the words have so many cells beyond the bounds before a row; the others are behind the row
	Reach  int // the farthest read beyond the bounds behind a row, in iterations
}

// Words sets the words of a kernel's frame: the cells of the array before and behind those of the row's iterations and, for each cell
// beyond the bounds that iterations may read, the nearest ones first, the distance of the cell that the boundary gives from the first
// iteration's cell, in bytes. It returns how many of the last iterations read beyond the bounds behind the row.
func (e End) Words(words []int) (few int) {
	last := e.First + e.Along*(e.Width-1)
	words[0], words[1] = e.First-e.Lo, e.Hi-last
	below, above := e.Lo, e.Hi
	if e.Along < 0 {
		words[0], words[1] = e.Hi-e.First, last-e.Lo
		below, above = above, below
	}
	for k := range words[2:] {
		beyond := below - e.Along*(k+1)
		if k >= e.Before {
			beyond = above + e.Along*(k-e.Before+1)
		}
		cell := e.Ends.Cell(beyond, e.Lo, e.Hi)
		words[2+k] = (min(max(cell, e.Lo), e.Hi) - e.First) * e.Size
	}
	if len(words) == 2+e.Before {
		return 0 // no read is beyond the bounds behind the row, even if cells beside those of the iterations are
	}
	return max(0, e.Reach-words[1])
}

// NoEnd sets the words for rows that read nothing beyond bounds.
func NoEnd(words []int) {
	clear(words)
	words[0], words[1] = 1<<30, 1<<30
}
