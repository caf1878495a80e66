package plan

import (
	"slices"

	"loopc/runtime/boundary"
)

// Affine is Const + Σ Params[k]·p_k + Σ Iters[k]·x_k; missing coefficients are zero.
type Affine struct {
	Const  int
	Params []int
	Iters  []int
}

// Of substitutes the forms of cell for the iterators of a: if a is a form over the indices of a cell, the result is one over iterations.
func (a Affine) Of(cell []Affine) Affine {
	out := Affine{Const: a.Const, Params: slices.Clone(a.Params)}
	addTo := func(dst *[]int, src []int, c int) {
		for len(*dst) < len(src) {
			*dst = append(*dst, 0)
		}
		for k, x := range src {
			(*dst)[k] += c * x
		}
	}
	for m, c := range a.Iters {
		if c == 0 {
			continue
		}
		out.Const += c * cell[m].Const
		addTo(&out.Params, cell[m].Params, c)
		addTo(&out.Iters, cell[m].Iters, c)
	}
	return out
}

// Eval returns the value of a. Missing iterators count as zero.
func (a Affine) Eval(params, iters []int) int {
	v := a.Const
	for k, c := range a.Params {
		v += c * params[k]
	}
	for k := range min(len(a.Iters), len(iters)) {
		v += a.Iters[k] * iters[k]
	}
	return v
}

// A Role says who supplies an array and who receives it.
type Role uint8

// The roles of arrays, as in the language.
const (
	Internal Role = iota
	In
	InOut
	Out
)

// An Array is a declared array.
type Array struct {
	Name   string
	Elem   string // the name of a type of package element
	Size   int    // bytes of a cell
	Lo, Hi []Affine
	Role   Role
	// Slice is the part of the array that the caller receives, one entry per dimension: nil for the entire dimension, else the index at
	// which the dimension is fixed; the result does not have that dimension. If Slice is nil, the caller receives the entire array, or
	// nothing of an internal array.
	Slice []*Affine
	// Boundary says, for both ends of each dimension, what reads beyond the bound read instead; nil if reads must stay within the bounds.
	Boundary []boundary.Ends `json:",omitempty"`
	// InitIgnores are the dimensions on whose index the init expression does not depend.
	InitIgnores []int `json:",omitempty"`
	// Initial says where the content of the cells before the nest comes from.
	Initial Initial
	// RowDim is the dimension along which rows of iterations read an array of role In, counted back from the last one. If it is not 0, a run
	// reads a copy of the array in which cells are neighbors along this dimension; otherwise the run reads the caller's array, in C order.
	RowDim int `json:",omitempty"`
	// Item is 1 plus the dimension along which every item of a batch has an index of its own, if the array is internal and of this batch
	// alone. It is 0 for all other arrays.
	Item int `json:",omitempty"`
	// Unseen says that the caller of the program neither gives nor receives the array, whatever its Role in this nest.
	Unseen bool `json:",omitempty"`
	// Indexes are ranges for pseudo-random values of a given array whose cells are subscripts: the bounds of the dimensions they index.
	Indexes [][2]Affine `json:",omitempty"`
}

// Returned reports whether the caller receives cells of a.
func (a *Array) Returned() bool { return a.Role == InOut || a.Role == Out || a.Slice != nil }

// A Source says that location p may hold the result of Values[Value] at p - Dist. It applies only to locations at which every form of When
// is ≥ 0: those whose cell lies beyond certain bounds of the array.
type Source struct {
	Value int
	Dist  []int
	When  []Affine `json:",omitempty"`
}

// A Value is what one assignment of the body computes: one result per iteration. Location p holds the result of iteration p. An exterior
// location holds the content of its cell: the result of the first of Fallbacks that applies and lies in the space, else the initial
// content. If the array has no such cell, Array.Boundary says which other cell's content it holds.
type Value struct {
	Name  string // the array's, with the number of the assignment if there are several
	Array int
	// Flow are the distances, skewed and not zero, at which results are read.
	Flow [][]int
	// Need are the distances of Flow that may lead from an iteration to an exterior location, which must then be filled.
	Need      [][]int
	Fallbacks []Source
	// Cell is the cell written, one affine form over p per dimension of the array.
	Cell []Affine
	// Overwrites are the distances of the writes that may write the same cell next: the result at p is final if no p+o lies in the space.
	Overwrites [][]int
	// Direct says that the kernel itself stores the results in the returned array: all are final, and those of a row are contiguous there.
	Direct bool
	// Written is the set of cells that the value writes, as inequalities over the array's indices.
	Written []Affine
}

// Levels is the number of live levels: the longest distance along dimension 0, plus one.
func (v *Value) Levels() int {
	m := 0
	for _, d := range v.Flow {
		m = max(m, d[0])
	}
	return m + 1
}

// Initial says where the initial content of an array comes from.
type Initial uint8

// Computed: by the emitted init function. Given: by the caller (inout). 0: the cells have none, and nobody reads it.
const (
	Computed Initial = iota + 1
	Given
)

// A Check is a condition on the parameters that the compiler could not decide: the nest is
// refused with Message if every form of Fails is ≥ 0.
type Check struct {
	Fails   []Affine
	Message string
}

// A Reduce combines the values of all iterations into one number.
type Reduce struct {
	Name string
	Op   string // max, min or sum; "first max" or "first min" if the result is where the first such value is: its place
	Elem string // type of the result; the values have the same type, unless the result is a place
}

// A Nest is what the compiler knows about a nest.
//
// Invariants: there are two dimensions or more (a single loop gets a dimension 0 of one level, see Levelled); Skew is unimodular; for each
// coordinate, the space has a lower and an upper bound that depend at most on earlier coordinates; every distance in Flow is nonnegative
// and not zero.
type Nest struct {
	Name   string
	Title  string `json:",omitempty"` // of one of several nests: what messages call it
	Params []string
	// Numbers has an entry for each of the last parameters: these are the numbers of the program's repeats. If the repeat is around the
	// nest, the lower bound of its number is the greatest form of entry[0], and the upper bound the least form of entry[1]; otherwise
	// both are nil. Numbers itself is nil if only values depend on numbers of repeats.
	Numbers [][2][]Affine `json:",omitempty"`
	// Defaults are the values, by name, of parameters that the caller may omit.
	Defaults map[string]int
	// Floats are the float parameters. Plans do not depend on their values.
	Floats []string `json:",omitempty"`
	// Narrow are the float parameters that the nest rounds to float32.
	Narrow []int `json:",omitempty"`
	// FloatDefaults are the values, by name, of float parameters that the caller may omit.
	FloatDefaults map[string]float64 `json:",omitempty"`
	Dims          []string           // names of the loops; if Skew is not triangular, of sums of loops, such as i+t
	// Loops are the names of the loops, if Dims has names of sums.
	Loops []string `json:",omitempty"`
	// Levelled says that dimension 0 is not a loop of the user.
	Levelled bool
	Skew     [][]int // T: p = T·j
	Reversed bool    `json:",omitempty"` // T has the outermost loop run against its direction
	// Whole says that the nest allows skewed storage: see Plan.KeepsWhole.
	Whole bool `json:",omitempty"`
	// InPlace says that in skewed storage, a level may overwrite itself: see Plan.StorageOffset.
	InPlace bool `json:",omitempty"`
	// Tile are the tile sides, in iterations, that the tiling matrix in the file gives, one for
	// each loop of the user; the planner chooses sides that are 0. Options.Tile replaces them.
	Tile   []int    `json:",omitempty"`
	Space  []Affine // ≥ 0, over the skewed coordinates
	Arrays []Array
	Values []Value
	// Reduces are the numbers that the nest returns beside the arrays.
	Reduces []Reduce `json:",omitempty"`
	// Schedule holds the options in the file, which options of the caller override; see Scheduled.
	Schedule Options `json:",omitzero"`
	// Reads and InitReads are the reads of given arrays by kernels and init expressions. Unless Listed, they may read any cell.
	Listed    bool
	Reads     []Access
	InitReads []InitAccess
	Checks    []Check
	// Extends are the parameters of which a greater value only makes a run longer: see ir.Program.Extends.
	Extends []string `json:",omitempty"`
	// Varies says that results may depend on the processor, because the nest calls functions that the user has written in Go.
	Varies bool `json:",omitzero"`
	// Digest identifies the source and every decision of the compiler.
	Digest string
}

// Triangular reports whether Skew is unit lower triangular: each dimension is then a loop plus multiples of outer ones, and has its name.
func (n *Nest) Triangular() bool {
	for k, row := range n.Skew {
		for x, c := range row {
			if x == k && c != 1 || x > k && c != 0 {
				return false
			}
		}
	}
	return true
}

// Distances returns the distinct flow distances of all values, in lexicographic order.
func (n *Nest) Distances() [][]int {
	var all [][]int
	for _, v := range n.Values {
		all = append(all, v.Flow...)
	}
	return sortedDistinct(all)
}

// AnyRowFirst reports whether a level has planes of rows, and its rows may be computed in any order: no row reads what another row of the
// level computes or, in place, overwrites. In place, iteration p overwrites the result at p - c, which p - c + d reads.
func (n *Nest) AnyRowFirst() bool {
	last := len(n.Dims) - 1
	if last < 3 {
		return false
	}
	c := n.HaloWidth()
	for _, d := range n.Distances() {
		overwritten := n.InPlace && d[0] == c[0] && !slices.Equal(d[:last], c[:last])
		if overwritten || d[0] == 0 && slices.Max(d[:last]) > 0 {
			return false
		}
	}
	return true
}

// InitialOnly reports whether exterior cells have their initial content only, and no read goes beyond a boundary. Skewed storage and time
// slabs need this.
func (n *Nest) InitialOnly() bool {
	return !slices.ContainsFunc(n.Values, func(v Value) bool { return len(v.Fallbacks) > 0 }) && !slices.ContainsFunc(n.Arrays, func(a Array) bool { return a.Boundary != nil })
}

// HaloWidth returns the longest flow distance per dimension: the width of the halo below a tile.
func (n *Nest) HaloWidth() []int {
	w := make([]int, len(n.Dims))
	for _, v := range n.Values {
		for _, d := range v.Flow {
			for k := range w {
				w[k] = max(w[k], d[k])
			}
		}
	}
	return w
}

// SliceExtent returns the lower bounds and the extents of the returned part of a: the entire array, or its slice without fixed dimensions.
func (a *Array) SliceExtent(params []int) (lo, extent []int) {
	for k := range a.Lo {
		if a.Slice != nil && a.Slice[k] != nil {
			continue
		}
		l := a.Lo[k].Eval(params, nil)
		lo, extent = append(lo, l), append(extent, a.Hi[k].Eval(params, nil)-l+1)
	}
	return lo, extent
}

// LaneSkew is the number of columns by which each lane is behind the lane of the level below, if lanes are levels. It is 1 if a later level
// reads a result in the same row and column: the result must have been computed a step earlier.
func (n *Nest) LaneSkew() int {
	for v := range n.Values {
		for _, d := range n.Values[v].Flow {
			last := len(d) - 1
			if d[last] < 1 && !slices.ContainsFunc(d[1:last], func(x int) bool { return x != 0 }) {
				return 1
			}
		}
	}
	return 0
}
