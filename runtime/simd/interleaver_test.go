package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// interleaveSizes are numbers of lanes: those of AVX-512 and of AVX2, and one without assembly
// functions.
func interleaveSizes[T Lane]() []int {
	if NewInterleaver[T](16).size == 4 {
		return []int{16, 8, 3}
	}
	return []int{8, 4, 5}
}

// A interleaveSample is a sequence of vectors and their rows, at random places in larger arrays.
type interleaveSample[T Lane] struct {
	count, step, at int // lane l of step t is all[at+t*step+l]
	all             []T
	rows            []Row[T]
	within          [][2]int // where the rows are in cells
	cells           []T
}

func randomLaces[T Lane](rng *rand.Rand, count int) *interleaveSample[T] {
	s := &interleaveSample[T]{count: count, step: count * (1 + rng.IntN(3)), at: rng.IntN(40)}
	n, skew := rng.IntN([]int{6, 40, 700}[rng.IntN(3)]), rng.IntN(4)
	alike, steps := rng.IntN(2) == 0, 0
	at := rng.IntN(20)
	for l := range count - rng.IntN(2)*rng.IntN(count) {
		first, length := skew*(count-l), n
		if skew > 0 && rng.IntN(2) == 0 {
			first = skew * l
		}
		if !alike {
			first, length = first+rng.IntN(20), rng.IntN(n+1)
		}
		s.rows = append(s.rows, Row[T]{First: first})
		s.within = append(s.within, [2]int{at, at + length})
		steps = max(steps, first+length)
		at += length + rng.IntN(20)
	}
	s.cells, s.all = make([]T, at), make([]T, s.at+(steps+count)*s.step)
	if rng.IntN(2) == 0 {
		s.at, s.step = len(s.all)-count-s.at, -s.step
	}
	for l, w := range s.within {
		s.rows[l].Cells = s.cells[w[0]:w[1]]
	}
	for _, all := range [][]T{s.cells, s.all} {
		for k := range all {
			all[k] = T(rng.Uint64())
		}
	}
	return s
}

// testLaces compares Deinterleave, Stream and Interleave with their definitions. It returns how many
// samples had squares in all rows, and how many had none.
func testLaces[T Lane](t *testing.T, rng *rand.Rand, count int) (whole, none int) {
	z := NewInterleaver[T](count)
	for range 300 {
		s := randomLaces[T](rng, count)
		if x := z.extent(s.rows); x.end-x.full >= count {
			whole++
		} else {
			none++
		}
		name := fmt.Sprintf("%d lanes of %d bytes, step %d, rows %v", count, z.size, s.step, s.rows)
		cells, all := slices.Clone(s.cells), slices.Clone(s.all)
		for l, row := range s.rows {
			for k := range row.Cells {
				cells[s.within[l][0]+k] = s.all[s.at+(row.First+k)*s.step+l]
			}
		}
		if s.step < 0 || rng.IntN(2) == 0 {
			z.Deinterleave(s.rows, s.all, s.at, s.step)
		} else {
			z.Stream(s.rows, s.all[s.at:], s.step)
		}
		if !slices.Equal(s.cells, cells) {
			t.Fatalf("wrong cells in rows or beside them: %.200s", name)
		}
		if !slices.Equal(s.all, all) {
			t.Fatalf("vectors were changed: %.200s", name)
		}
		for k := range s.cells {
			s.cells[k] = T(rng.Uint64())
		}
		copy(cells, s.cells)
		for l, row := range s.rows {
			for k, c := range row.Cells {
				all[s.at+(row.First+k)*s.step+l] = c
			}
		}
		z.Interleave(s.all, s.at, s.step, s.rows)
		if !slices.Equal(s.all, all) {
			t.Fatalf("wrong cells in vectors or beside them: %.200s", name)
		}
		if !slices.Equal(s.cells, cells) {
			t.Fatalf("rows were changed: %.200s", name)
		}
	}
	return whole, none
}

func TestLaces(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	whole, none := 0, 0
	for _, count := range interleaveSizes[int32]() {
		a, b := testLaces[int32](t, rng, count)
		whole, none = whole+a, none+b
	}
	for _, count := range interleaveSizes[int64]() {
		a, b := testLaces[int64](t, rng, count)
		whole, none = whole+a, none+b
	}
	if whole < 300 || none < 300 {
		t.Errorf("only %d samples had squares in all rows, %d had none", whole, none)
	}
	if AVX2() && NewInterleaver[int32](8).code == nil || AVX512() && NewInterleaver[int64](8).code == nil {
		t.Error("the processor's instructions are not used")
	}
}

// BenchmarkLaces copies rows of 1024 cells, skewed by 1, from and to vectors, and for
// comparison the same bytes from rows to rows: in the second cache, and, as large, with rows of
// 64 MB in total.
func BenchmarkLaces(b *testing.B) {
	b.Run("int32", benchmarkLaces[int32])
	b.Run("int64", benchmarkLaces[int64])
}

func benchmarkLaces[T Lane](b *testing.B) {
	const width = 1024
	for _, count := range interleaveSizes[T]()[:2] {
		z := NewInterleaver[T](count)
		for _, large := range []bool{false, true} {
			groups := 1
			if large {
				groups = 64 << 20 / (width * count * z.size)
			}
			cells, lanes := make([]T, groups*count*(width+5)), make([]T, (width+2*count)*count)
			rows, group := make([]Row[T], count), 0
			next := func() {
				for l := range rows {
					at := (group*count + l) * (width + 1)
					rows[l] = Row[T]{cells[at : at+width], l}
				}
				group = (group + 1) % groups
			}
			run := func(name string, f func()) {
				b.Run(fmt.Sprintf("%d/large=%t/%s", count, large, name), func(b *testing.B) {
					b.SetBytes(int64(width * count * z.size))
					for b.Loop() {
						next()
						f()
					}
				})
			}
			run("copy", func() {
				for l := range rows {
					copy(rows[l].Cells, lanes[l*width:])
				}
			})
			run("deinterleave", func() { z.Deinterleave(rows, lanes, 0, count) })
			run("stream", func() { z.Stream(rows, lanes, count) })
			run("interleave", func() { z.Interleave(lanes, 0, count, rows) })
			code := z.code
			z.code = nil
			run("portable", func() { z.Deinterleave(rows, lanes, 0, count) })
			z.code = code
		}
	}
}
