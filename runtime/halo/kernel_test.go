package halo_test

import (
	"slices"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
)

// An interpreter is a kernel that computes the function result, reading the block cell by cell.
type interpreter struct {
	s      *sample
	fields kernel.Fields
	block  *kernel.Block
}

// program returns s as a program whose kernels interpret it.
func (s *sample) program() *sched.Program {
	return &sched.Program{Nest: s.nest, Kernel: kernel.InGo(func(_ []int, fields kernel.Fields) kernel.Loops {
		return &interpreter{s: s, fields: fields}
	}, 0)}
}

// Bind implements kernel.Loops.
func (k *interpreter) Bind(b *kernel.Block) { k.block = b }

// position returns where location q of value v is in the block.
func (k *interpreter) position(v int, q []int) int {
	at := k.block.Row0(v, q[0])
	for x := 1; x < len(q); x++ {
		at += q[x] * k.block.Stride(x)
	}
	return at
}

// Box implements kernel.Loops.
func (k *interpreter) Box(lo, hi []int) {
	p := slices.Clone(lo)
	for {
		k.iteration(p)
		x := len(p) - 1
		for ; x >= 1; x-- {
			if p[x]++; p[x] <= hi[x] {
				break
			}
			p[x] = lo[x]
		}
		if x < 1 {
			return
		}
	}
}

func (k *interpreter) iteration(p []int) {
	nest := k.s.nest
	if !k.s.inside[key(p)] {
		panic("iteration " + key(p) + " lies outside")
	}
	for v := range nest.Values {
		val := &nest.Values[v]
		size := nest.Arrays[val.Array].Size
		x := result(nest, v, p, func(_ int, q []int) bool { return k.s.inside[key(q)] }, func(u int, q []int) uint64 {
			return load(k.block.Data[u], k.position(u, q), nest.Arrays[nest.Values[u].Array].Size)
		})
		if k.block.Data[v] != nil {
			save(k.block.Data[v], k.position(v, p), size, x)
		}
		if val.Direct {
			view := &k.fields.Result[val.Array]
			var cell []int
			for m := range val.Cell {
				cell = append(cell, val.Cell[m].Eval(k.s.params, p))
			}
			save(view.Data, view.Offset(cell), size, x)
		}
	}
}

// Init implements kernel.Loops.
func (k *interpreter) Init(arr int, cell []int, dim, n int, dst []byte, at, stride int) {
	cell = slices.Clone(cell)
	for range n {
		save(dst, at, k.s.nest.Arrays[arr].Size, k.s.initial(arr, cell))
		at += stride
		if dim >= 0 {
			cell[dim]++
		}
	}
}

// load and save read and write a cell of size bytes.
func load(b []byte, at, size int) (x uint64) {
	for k := range size {
		x |= uint64(b[at*size+k]) << (8 * k)
	}
	return x
}

func save(b []byte, at, size int, x uint64) {
	for k := range size {
		b[at*size+k] = byte(x >> (8 * k))
	}
}
