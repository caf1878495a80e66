package simd

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// lineRows returns rows of lanes, skewed by 1, in memory of their own. If alike, each line has
// the same steps of all rows; otherwise any.
func lineRows[T Lane](rng *rand.Rand, z *Interleaver[T], n int, alike bool) (rows []Row[T], cells []T) {
	line := streamLine / z.size
	stride := (n/line+2)*line + 1
	cells = make([]T, z.count*stride+5*line)
	from := int(-uintptr(unsafe.Pointer(&cells[0]))%streamLine)/z.size + rng.IntN(line)
	for l := range z.count {
		at := from + l*stride
		first, end := rng.IntN(3), n-rng.IntN(3)
		if !alike {
			at += rng.IntN(line)
		}
		rows = append(rows, Row[T]{cells[at+first : at+end], first + l})
	}
	for k := range cells {
		cells[k] = T(rng.Uint64())
	}
	return rows, cells
}

// testLines streams rows a few steps at a time, and requires that they then have the lanes'
// cells and nothing else has changed. The vectors are written step by step. It returns how many
// samples were streamed, and how often vectors overwrote earlier ones.
func testLines[T Lane](t *testing.T, rng *rand.Rand, count int) (some, again int) {
	z := NewInterleaver[T](count)
	if !AVX512() {
		t.Skip("the processor has no vectors that are lines, or the race detector does not see what they do")
	}
	if z.code == nil || z.code.lines == nil {
		t.Fatal("vectors of lines are not stored as lines")
	}
	var s Lines[T]
	for range 200 {
		n := count + rng.IntN(200)
		rows, cells := lineRows(rng, z, n, rng.IntN(3) == 0)
		step := count * (1 + rng.IntN(3))
		lanes, all := make([]T, (n+3*count)*step), make([]T, (n+3*count)*step)
		for k := range all {
			all[k] = T(rng.Uint64())
		}
		want := slices.Clone(cells)
		for l, row := range rows {
			at := int(uintptr(unsafe.Pointer(&row.Cells[0]))-uintptr(unsafe.Pointer(&cells[0]))) / z.size
			for k := range row.Cells {
				want[at+k] = all[(row.First+k)*step+l]
			}
		}
		x := z.extent(rows)
		if !s.Begin(z, rows) {
			if x.end-x.full >= (LinesAtOnce+1)*count {
				t.Fatalf("rows with squares are not streamed: %d steps", x.end-x.full)
			}
			continue
		}
		some++
		s.Lay(lanes, step)
		// Vectors overwrite others, back steps before their own place.
		v, back, history := 0, 0, 1+rng.IntN(2*count)
		layAgain := func(steps int) {
			s.LayAgain(int(uintptr(unsafe.Pointer(&lanes[(v-back)*step]))), steps, history)
			back -= steps
			if at := v - back; !slices.Equal(lanes[(at-history)*step:at*step], all[(v-history)*step:v*step]) {
				t.Fatalf("%d lanes of %d bytes: vectors of %d steps before are not where those after %d are laid again", count, z.size, history, v)
			}
			again++
		}
		for v < x.to {
			to := min(x.to, v+1+rng.IntN(3*count))
			if least, most := s.groupSteps()+history, v-s.groupSteps()-history; back > 0 && (v >= s.End() || rng.IntN(3) == 0) {
				layAgain(back)
			} else if back == 0 && s.begun && v < s.End() && most >= least {
				layAgain(-least - rng.IntN(most-least+1))
			}
			if back > 0 {
				to = min(to, s.End())
			}
			copy(lanes[(v-back)*step:(to-back)*step], all[v*step:])
			v = to
			s.Upto(v)
		}
		s.Finish()
		z.Drain()
		if !slices.Equal(cells, want) {
			t.Fatalf("%d lanes of %d bytes: wrong cells in rows or beside them", count, z.size)
		}
	}
	return some, again
}

func TestLines(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	some, again := testLines[int32](t, rng, 16)
	more, other := testLines[int64](t, rng, 8)
	if min(some, more) < 50 || min(again, other) < 50 {
		t.Errorf("hardly any rows were streamed, %d and %d, or laid again, %d and %d times", some, more, again, other)
	}
}
