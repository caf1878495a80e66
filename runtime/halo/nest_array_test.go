package halo_test

import (
	"fmt"
	"slices"

	"loopc/runtime/array"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// array makes the array of value v, of any cell size and role: with a dimension for every loop
// or for all but the outermost, in any order, and sometimes with another dimension in front
// that two values share.
func (b *nestBuilder) array(v int) {
	rng, val := b.rng, &b.nest.Values[v]
	if v == 1 && len(b.nest.Arrays[0].Lo) > b.n { // shared
		val.Array = 0
		val.Cell = slices.Clone(b.nest.Values[0].Cell)
		val.Cell[0] = plan.Affine{Const: 1}
		val.Written = slices.Clone(b.nest.Values[0].Written)
		val.Written[0], val.Written[1] = fixed(b.n+1, 1)
		return
	}
	elems := b.elems
	if elems == nil {
		elems = []string{"int64", "int32", "uint8", "float64"}
	}
	elem := elems[rng.IntN(len(elems))]
	arr := plan.Array{Name: fmt.Sprint("a", v), Elem: elem, Size: array.SizeOf(elem), Role: plan.Out, Initial: plan.Computed}
	val.Array = len(b.nest.Arrays)
	inPlace := rng.IntN(3) == 0 || b.levels > 0
	shared := !inPlace && v == 0 && len(b.nest.Values) > 1 && rng.IntN(3) == 0
	var order []int // the loop of each dimension
	for k := range b.n {
		if !inPlace || k > 0 {
			order = append(order, k)
		}
	}
	if rng.IntN(3) == 0 {
		rng.Shuffle(len(order), func(x, y int) { order[x], order[y] = order[y], order[x] })
	}
	if shared {
		val.Cell = append(val.Cell, plan.Affine{})
		low, high := fixed(b.n+1, 0)
		val.Written = append(val.Written, low, high)
	}
	shift := make([]int, b.n)
	for _, k := range order {
		shift[k] = rng.IntN(5) - 2
		f := plan.Affine{Const: shift[k], Iters: make([]int, b.n)}
		f.Iters[k] = 1
		val.Cell = append(val.Cell, b.skewed(f))
	}
	// The written cells: the bounds of the loops, in terms of the indices.
	for _, f := range b.loops {
		w := plan.Affine{Const: f.Const, Params: f.Params, Iters: make([]int, len(val.Cell))}
		for m, k := range order {
			if shared {
				m++
			}
			w.Iters[m] = f.Iters[k]
			w.Const -= f.Iters[k] * shift[k]
		}
		if inPlace && f.Iters[0] != 0 {
			continue // the outermost loop runs at least once: see enumerate
		}
		val.Written = append(val.Written, w)
	}
	if inPlace {
		o := make([]int, b.n)
		for x := range o {
			o[x] = b.skew[x][0]
		}
		val.Overwrites = [][]int{o}
	}
	b.nest.Arrays = append(b.nest.Arrays, arr)
	b.role(v)
	if inPlace && !b.box {
		// The written cells are a projection of the space. They matter only if the array has no
		// initial content of its own.
		a := &b.nest.Arrays[val.Array]
		a.Role, a.Initial, a.Slice, val.Written = plan.InOut, plan.Given, nil, nil
	}
	if a := &b.nest.Arrays[val.Array]; shared {
		a.Lo, a.Hi = append(a.Lo, plan.Affine{}), append(a.Hi, plan.Affine{Const: 1})
	}
	a := &b.nest.Arrays[val.Array]
	for len(a.Lo) < len(val.Cell) {
		a.Lo, a.Hi = append(a.Lo, plan.Affine{Const: 1000}), append(a.Hi, plan.Affine{Const: -1000})
	}
	if a.Slice != nil && !shared && len(b.points) > 0 {
		m := rng.IntN(len(val.Cell))
		a.Slice[m] = &plan.Affine{Const: val.Cell[m].Eval(b.params, b.points[rng.IntN(len(b.points))])}
	}
	b.direct(v)
}

// fixed returns the inequalities that say index 0 is at.
func fixed(dims, at int) (low, high plan.Affine) {
	low, high = plan.Affine{Const: -at, Iters: make([]int, dims)}, plan.Affine{Const: at, Iters: make([]int, dims)}
	low.Iters[0], high.Iters[0] = 1, -1
	return low, high
}

// role decides who supplies and who receives the array.
func (b *nestBuilder) role(v int) {
	val := &b.nest.Values[v]
	arr := &b.nest.Arrays[val.Array]
	switch b.rng.IntN(5) {
	case 0:
		arr.Role, arr.Initial = plan.InOut, plan.Given
	case 1:
		arr.Role, arr.Slice = plan.Internal, make([]*plan.Affine, len(val.Cell))
	case 2:
		arr.Role = plan.Internal
		if len(val.Need) == 0 && len(val.Cell) <= b.n { // not shared
			arr.Initial = 0
		}
	}
}

// direct decides whether the kernel writes results of value v to the returned array itself.
func (b *nestBuilder) direct(v int) {
	val := &b.nest.Values[v]
	arr := &b.nest.Arrays[val.Array]
	last := len(val.Cell) - 1
	for m, f := range val.Cell {
		want := 0
		if m == last {
			want = 1
		}
		if len(f.Iters) == b.n && f.Iters[b.n-1] != want {
			return
		}
	}
	val.Direct = arr.Role == plan.Out && len(val.Overwrites) == 0 && b.rng.IntN(3) > 0
}

// give widens the declared bounds to every cell that is read or written, and makes random
// content for the caller's arrays.
func (b *nestBuilder) give() {
	far := make([]int, b.n)
	for _, val := range b.nest.Values {
		for _, d := range val.Flow {
			for k := range d {
				far[k] = max(far[k], d[k])
			}
		}
	}
	for v := range b.nest.Values {
		val := &b.nest.Values[v]
		arr := &b.nest.Arrays[val.Array]
		for _, p := range b.points {
			for corner := range 1 << b.n {
				q := slices.Clone(p)
				for k := range q {
					q[k] -= far[k] * (corner >> k & 1)
				}
				for m := range val.Cell {
					x := val.Cell[m].Eval(b.params, q)
					arr.Lo[m].Const, arr.Hi[m].Const = min(arr.Lo[m].Const, x), max(arr.Hi[m].Const, x)
				}
			}
		}
		for m := range arr.Lo {
			if arr.Lo[m].Const > arr.Hi[m].Const {
				arr.Lo[m], arr.Hi[m] = plan.Affine{}, plan.Affine{}
			}
		}
	}
	b.given = sched.NewFields(b.nest)
	for a := range b.nest.Arrays {
		arr := &b.nest.Arrays[a]
		if arr.Role != plan.InOut {
			continue
		}
		v := viewOf(b.nest, b.params, a)
		for k := range v.Data {
			v.Data[k] = byte(b.rng.Uint32())
		}
		b.given.Given[a] = v
	}
}

// viewOf allocates the returned part of array a.
func viewOf(nest *plan.Nest, params []int, a int) array.View {
	arr := &nest.Arrays[a]
	lo, extent := arr.SliceExtent(params)
	hi := slices.Clone(lo)
	for k := range hi {
		hi[k] += extent[k] - 1
	}
	v, err := array.Make(arr.Elem, lo, hi)
	if err != nil {
		panic(err)
	}
	return v
}

// initial is the content of a cell before the nest.
func (s *sample) initial(a int, cell []int) uint64 {
	switch arr := &s.nest.Arrays[a]; arr.Initial {
	case plan.Given:
		v := &s.given.Given[a]
		return load(v.Data, v.Offset(cell), v.Size)
	case plan.Computed:
		of := append([]int{a}, cell...)
		for _, m := range arr.InitIgnores {
			of[1+m] = 0
		}
		return hash(of...) & mask(arr.Size)
	}
	panic("the initial content of " + s.nest.Arrays[a].Name + " is asked for")
}

func mask(size int) uint64 { return ^uint64(0) >> (64 - 8*size) }

// evaluate computes every result by the definition.
func (b *nestBuilder) evaluate() {
	for range b.nest.Values {
		b.results = append(b.results, map[string]uint64{})
	}
	for range b.nest.Arrays {
		b.finals = append(b.finals, map[string]uint64{})
	}
	for _, p := range b.points {
		b.evaluateAt(p)
	}
}

// evaluateAt computes the results of an iteration.
func (s *sample) evaluateAt(p []int) {
	for v := range s.nest.Values {
		a := s.nest.Values[v].Array
		x := result(s.nest, v, p, func(u int, q []int) bool { return s.inside[key(q)] }, s.content) & mask(s.nest.Arrays[a].Size)
		s.results[v][key(p)] = x
		s.finals[a][key(s.cell(v, p))] = x
	}
}

// cell returns the cell of the result of value v at location q.
func (s *sample) cell(v int, q []int) (cell []int) {
	for m := range s.nest.Values[v].Cell {
		cell = append(cell, s.nest.Values[v].Cell[m].Eval(s.params, q))
	}
	return cell
}

// result is the function that value v computes at p: a number that depends on p and on every
// location that it reads. For distances that need no filling, it reads only locations in the
// space.
func result(nest *plan.Nest, v int, p []int, inside func(u int, q []int) bool, content func(u int, q []int) uint64) uint64 {
	h := hash(append([]int{v}, p...)...)
	for u := range nest.Values {
		for _, d := range nest.Values[u].Flow {
			q := moved(p, -1, d)
			need := slices.ContainsFunc(nest.Values[u].Need, func(e []int) bool { return slices.Equal(d, e) })
			if need || inside(u, q) {
				h = hash(int(h), int(content(u, q)))
			}
		}
	}
	return h
}

// content returns what location q of value u holds.
func (s *sample) content(u int, q []int) uint64 {
	if s.inside[key(q)] {
		return s.results[u][key(q)]
	}
	val := &s.nest.Values[u]
	for _, f := range val.Fallbacks {
		meant := !slices.ContainsFunc(f.When, func(w plan.Affine) bool { return w.Eval(s.params, q) < 0 })
		if from := moved(q, -1, f.Dist); meant && s.inside[key(from)] {
			return s.results[f.Value][key(from)] & mask(s.nest.Arrays[val.Array].Size)
		}
	}
	return s.initial(val.Array, s.cell(u, q))
}
