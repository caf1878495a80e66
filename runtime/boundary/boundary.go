// Package boundary says which cell of an array a read beyond the array's bounds gives.
//
// The package is the only definition: the analysis of dependences, the planner, the interpreter, the runtime and emitted programs all ask
// Kind.Inward. A kind is a constant, a row of kinds and a case of Inward; the rest follows from these.
//
// # Invariants
//
// Inward is affine in both arguments. So if a read's subscript is affine in some variables, the subscript of the cell that it gives is
// affine in them, too, and an interval of indices beyond one bound becomes an interval.
//
// The kinds give the cells that scipy.ndimage and numpy.pad document: TestPictures has their
// diagrams, such as dcba|abcd|dcba for symmetric.
package boundary

import (
	"math"
	"strings"
)

// A Kind says what a read beyond a bound of a dimension gives.
type Kind uint8

// The kinds. With None, such a read is a mistake.
const (
	None Kind = iota
	Copied
	Reflecting
	Symmetric
	Periodic
)

// kinds are the words of the language for the kinds, and what a read gives.
var kinds = [...]struct{ word, gives string }{
	None:       {"*", "nothing: such a read is a mistake"},
	Copied:     {"copied", "the last cell, so that nothing flows across"},
	Reflecting: {"reflecting", "mirrored in the last cell"},
	Symmetric:  {"symmetric", "mirrored behind the last cell"},
	Periodic:   {"periodic", "the cell at the other end"},
}

// Inward returns how far a read m cells beyond the last cell of a dimension of extent cells
// is moved inward, to the cell that it gives. A move by m leads to the last cell itself.
func (k Kind) Inward(m, extent int) int {
	switch k {
	case Copied:
		return m
	case Reflecting:
		return 2 * m
	case Symmetric:
		return 2*m - 1
	case Periodic:
		return extent
	}
	return 0
}

// All returns the kinds but None.
func All() (all []Kind) {
	for k := range kinds {
		if Kind(k) != None {
			all = append(all, Kind(k))
		}
	}
	return all
}

// Words returns the words of All.
func Words() (words []string) {
	for _, k := range All() {
		words = append(words, k.String())
	}
	return words
}

// Named returns the kind with the given word; false if no kind but None has the word.
func Named(word string) (Kind, bool) {
	for _, k := range All() {
		if k.String() == word {
			return k, true
		}
	}
	return None, false
}

// String returns the word of the language.
func (k Kind) String() string { return kinds[k].word }

// GoString returns the name of the constant, with the name of the package.
func (k Kind) GoString() string {
	if k == None {
		return "boundary.None"
	}
	word := k.String()
	return "boundary." + strings.ToUpper(word[:1]) + word[1:]
}

// Gives says in a few words what a read beyond the bound gives.
func (k Kind) Gives() string { return kinds[k].gives }

// Affine returns Inward(m, extent) as constant + slope·extent.
func (k Kind) Affine(m int) (constant, slope int) {
	constant = k.Inward(m, 0)
	return constant, k.Inward(m, 1) - constant
}

// Wraps reports whether reads beyond one end give cells near the other end. A dimension has such a kind at both ends or at none.
func (k Kind) Wraps() bool {
	_, slope := k.Affine(1)
	return slope != 0
}

// Below returns the index that is read for index x of bounds lo..hi, if the lower bound has kind k: x itself if x is not less than lo.
// Emitted code calls Below with a constant kind; Below must be inlined.
func (k Kind) Below(x, lo, hi int) int {
	if x < lo {
		return x + k.Inward(lo-x, hi-lo+1)
	}
	return x
}

// Above does what Below does, for the upper bound: the result is x itself if it is not more than hi.
func (k Kind) Above(x, lo, hi int) int {
	if x > hi {
		return x - k.Inward(x-hi, hi-lo+1)
	}
	return x
}

// Ends are the kinds of a dimension at its lower and its upper end.
type Ends [2]Kind

// Cell returns the index that is read for index x of bounds lo..hi. The result lies beyond the bounds if there is no boundary at that end,
// or if x is farther beyond than the kind has cells for.
func (e Ends) Cell(x, lo, hi int) int {
	if x < lo {
		return e[0].Below(x, lo, hi)
	}
	return e[1].Above(x, lo, hi)
}

// Image returns the smallest interval that has all cells of bounds lo..hi that are read for
// the indices from..to. There must be at least one index.
func (e Ends) Image(from, to, lo, hi int) (least, most int) {
	least, most = math.MaxInt, math.MinInt
	// Cell is monotonic below the bounds, within them, and above them.
	for _, piece := range [...][2]int{{from, min(to, lo-1)}, {max(from, lo), min(to, hi)}, {max(from, hi+1), to}} {
		if piece[0] > piece[1] {
			continue
		}
		x, y := e.Cell(piece[0], lo, hi), e.Cell(piece[1], lo, hi)
		least, most = min(least, x, y), max(most, x, y)
	}
	return least, most
}
