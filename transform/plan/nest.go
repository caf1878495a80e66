package plan

import (
	"slices"

	"loopc/runtime/boundary"
)

// Affine is Const + Σ Params[k]·p_k + Σ Iters[k]·x_k; missing coefficients are
// zero.
type Affine struct {
	Const  int
	Params []int
	Iters  []int
}

// Of returns a, whose iterators are the indices of a cell, for the cell at the given place.
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

// Eval returns the value of a. Iterators that are not given count as zero.
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

// A Role says who supplies an array and who gets it back.
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
	Elem   string // float32, float64, int32, int64 or uint8
	Size   int    // bytes of a cell
	Lo, Hi []Affine
	Role   Role
	// Slice is the part that is given back, one entry per dimension: nil for a
	// whole dimension, else the index at which it is fixed and dropped from the
	// result's shape. A nil Slice of an internal array gives nothing back.
	Slice []*Affine
	// Boundary says, of both ends of each dimension, what reads beyond them read
	// instead; nil if nothing may be read there.
	Boundary []boundary.Ends `json:",omitempty"`
	// InitIgnores are the dimensions whose index the init expression does not depend
	// on.
	InitIgnores []int `json:",omitempty"`
	// Initial says where the content of the cells before the nest comes from.
	Initial Initial
}

// Returned reports whether cells of a are given back to the caller.
func (a *Array) Returned() bool { return a.Role == InOut || a.Role == Out || a.Slice != nil }

// A Source is another place to look for a value: that of Values[Value], Dist
// before. It is for locations only at which every form of When is ≥ 0: those
// whose cell is so far beyond a bound of the array.
type Source struct {
	Value int
	Dist  []int
	When  []Affine `json:",omitempty"`
}

// A Value is what one assignment of the body computes, one result per
// iteration. Its results live at their iteration's coordinates: location p
// holds the result of iteration p. A location outside the iteration space
// holds what the cell contains there: the result of the first of Fallbacks
// that is for it and lies in the space, else the cell's initial content; if the
// array has no such cell, that of the one that Array.Boundary puts in its place.
type Value struct {
	Name  string // the array's, with the number of the assignment if there are several
	Array int
	// Flow are the distances, skewed and not zero, at which results are read.
	Flow [][]int
	// Need are those of Flow that read locations which may lie outside the
	// iteration space, and so must be filled.
	Need      [][]int
	Fallbacks []Source
	// Cell is the cell written, one affine form over p per dimension of the
	// array.
	Cell []Affine
	// Overwrites are the distances of the writes that may come next to the
	// same cell: the result at p is final if no p+o lies in the space.
	Overwrites [][]int
	// Direct tells that the kernel itself puts the results where they are given
	// back, since all are final and those of a row lie side by side.
	Direct bool
	// Written is the set of cells written, as inequalities over the array's
	// indices.
	Written []Affine
}

// Levels is the number of levels that are live at once: the longest distance
// along dimension 0, plus one.
func (v *Value) Levels() int {
	m := 0
	for _, d := range v.Flow {
		m = max(m, d[0])
	}
	return m + 1
}

// Initial says where the initial content of an array comes from.
type Initial uint8

// NoInitial: nobody may ask for it. Computed: by the emitted init function.
// Given: by the caller (inout).
const (
	NoInitial Initial = iota
	Computed
	Given
)

// A Check is a condition on the parameters that the compiler could not decide:
// the nest is refused with Message if every one of Fails is ≥ 0.
type Check struct {
	Fails   []Affine
	Message string
}

// A Reduce is a number made of all iterations.
type Reduce struct {
	Name string
	Op   string // max, min or sum
	Elem string // type of the values and of the result
}

// A Nest is what the compiler knows about a nest.
//
// Invariants: there are two dimensions or more (a single loop gets a dimension
// 0 of one level in front of it, see Levelled); Skew is unimodular, and the space
// has an inequality for each coordinate alone, or with coordinates before it, in
// both senses; every distance in Flow is nonnegative and not zero.
type Nest struct {
	Name   string
	Params []string
	// Defaults are the values of parameters that need not be given, by name.
	Defaults map[string]int
	Dims     []string // names of the loops; of sums of loops, such as i+t, if Skew is not triangular
	// Loops are the names of the loops, if Dims has those of sums.
	Loops []string `json:",omitempty"`
	// Levelled tells that dimension 0 is no loop of the user's.
	Levelled bool
	Skew     [][]int // T: p = T·j
	// Whole asks that levels be kept whole: see Plan.KeepsWhole.
	Whole bool `json:",omitempty"`
	// InPlace tells that levels kept whole may take the place of one another: see
	// Plan.Drift.
	InPlace bool `json:",omitempty"`
	// Tile are the sides of the tiles, in iterations, that the tiling matrix gave,
	// for every dimension but that of Levelled; 0 leaves one to the planner, and
	// nil all. Options.Tile replaces them.
	Tile   []int    `json:",omitempty"`
	Space  []Affine // ≥ 0, over the skewed coordinates
	Arrays []Array
	Values []Value
	// Reduces are the numbers that are given back beside the arrays.
	Reduces []Reduce `json:",omitempty"`
	// Schedule is what the file says where the user of the program does not; see
	// Scheduled.
	Schedule Options `json:",omitzero"`
	// Reads and InitReads are what kernels and init expressions read of the
	// given arrays. If they are not Listed, it may be anything.
	Listed    bool
	Reads     []Access
	InitReads []InitAccess
	Checks    []Check
	// Digest names the source and everything that the compiler decided.
	Digest string
}

// Triangular reports whether Skew is unit lower triangular: each dimension is
// then a loop plus multiples of the loops outside it, and has the loop's name.
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

// Distances returns the distinct flow distances of all values, in
// lexicographic order.
func (n *Nest) Distances() [][]int {
	var all [][]int
	for _, v := range n.Values {
		all = append(all, v.Flow...)
	}
	return sortedDistinct(all)
}

// AnyRowFirst reports whether the rows of a level may be computed in any order, where a
// level has planes of them: none reads what another one computes or replaces.
func (n *Nest) AnyRowFirst() bool {
	last := len(n.Dims) - 1
	if last < 3 || n.InPlace {
		return false
	}
	for _, d := range n.Distances() {
		if d[0] == 0 && slices.Max(d[:last]) > 0 {
			return false
		}
	}
	return true
}

// InitialOnly reports whether exterior cells have their initial content only, and no array is
// read beyond a boundary: then levels can be kept whole, or computed together.
func (n *Nest) InitialOnly() bool {
	return n.InitialValues() && !slices.ContainsFunc(n.Arrays, func(a Array) bool { return a.Boundary != nil })
}

// InitialValues is InitialOnly of the arrays that are computed.
func (n *Nest) InitialValues() bool {
	return !slices.ContainsFunc(n.Values, func(v Value) bool { return len(v.Fallbacks) > 0 || n.Arrays[v.Array].Boundary != nil })
}

// Margin returns, per dimension, the longest flow distance: the number of ghost
// cells below a tile.
func (n *Nest) Margin() []int {
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

// NeedsFill reports whether any location outside the iteration space is ever
// read.
func (n *Nest) NeedsFill() bool {
	for k := range n.Values {
		if len(n.Values[k].Need) > 0 {
			return true
		}
	}
	return false
}

// SliceExtent returns the lower bounds and the extents of what is given back of
// a: the whole array, or its slice without the fixed dimensions.
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

// GivesAll reports whether all results of value v are given back.
func (n *Nest) GivesAll(v int) bool {
	a := &n.Arrays[n.Values[v].Array]
	return a.Returned() && a.Slice == nil && len(n.Values[v].Overwrites) == 0
}
