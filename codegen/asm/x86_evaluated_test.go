package asm

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
	"unsafe"

	"loopc/codegen/asm/asmtest"
)

// TestEvaluatedIntegers executes quotients by constants, shifts and products of integers of all sizes, and the conversion of
// int64 to float64, with both instruction sets, and compares them with those of Go.
func TestEvaluatedIntegers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 13))
	for _, set := range ISAs() {
		for _, lane := range []int{1, 2, 4, 8} {
			for _, unsigned := range []bool{false, true} {
				if unsigned && lane > 2 {
					continue
				}
				for range 60 {
					evaluateIntegers(t, rng, set, lane, unsigned)
				}
			}
		}
	}
}

// evaluateIntegers compares a quotient by a random constant and a product, for some vectors of random numbers.
func evaluateIntegers(t *testing.T, rng *rand.Rand, set ISA, lane int, unsigned bool) {
	t.Helper()
	width := 8 * lane
	by := int(int64(rng.Uint64()) << (64 - min(width, 32)) >> (64 - min(width, 32)) >> rng.IntN(min(width, 32)))
	if unsigned {
		by = int(uint64(by) << (64 - width) >> (64 - width))
	}
	if by == 0 {
		by = 3
	}
	file := &File{}
	m := NewMachine(file, NewPool(file, "numbers"), set, lane, "numbers").In(lane, unsigned)
	m.Enter(0, nil, nil)
	word := func(k int) Mem {
		p := m.General()
		m.Copy(m.Word(k), p)
		return Mem{Base: p}
	}
	x, y := m.Load(word(0)), m.Load(word(1))
	m.Move(m.Quotient(x, by), word(2))
	m.Move(m.Binary(Mul, false, x, y), word(3))
	if lane == 8 {
		m.Move(m.FromLongs(x), word(4))
	}
	halvings := 1 + rng.IntN(width-1)
	if lane > 1 {
		m.Move(m.FloorHalved(halvings, x), word(5))
	}
	m.End()
	if err := file.Allocate(); err != nil {
		t.Fatal(err)
	}
	code := asmtest.Parse(string(file.Print("the test")))
	for range 20 {
		var vectors [6][64]byte
		for k := range 64 / lane {
			for v := range 2 {
				put(vectors[v][k*lane:], lane, rng.Uint64()>>rng.IntN(64)*(rng.Uint64()|1)>>rng.IntN(64))
			}
		}
		var frame [6]*byte
		for k := range frame {
			frame[k] = &vectors[k][0]
		}
		code.Call("numbers", unsafe.Pointer(&frame))
		for k := range m.Lanes() {
			x, y := get(vectors[0][k*lane:], lane, unsigned), get(vectors[1][k*lane:], lane, unsigned)
			if got, want := get(vectors[2][k*lane:], lane, false), int64(uint64(x/int64(by))<<(64-width))>>(64-width); got != want {
				t.Fatalf("%v, %d bytes, unsigned %v: %d/%d = %d, want %d", set, lane, unsigned, x, by, got, want)
			}
			if got, want := get(vectors[3][k*lane:], lane, false), int64(uint64(x*y)<<(64-width))>>(64-width); got != want {
				t.Fatalf("%v, %d bytes: %d·%d = %d, want %d", set, lane, x, y, got, want)
			}
			if got, want := get(vectors[5][k*lane:], lane, unsigned), x>>halvings; lane > 1 && got != want {
				t.Fatalf("%v, %d bytes, unsigned %v: %d >> %d = %d, want %d", set, lane, unsigned, x, halvings, got, want)
			}
			if got := math.Float64frombits(uint64(get(vectors[4][k*lane:], lane, false))); lane == 8 && got != float64(x) {
				t.Fatalf("%v: float64(%d) = %v", set, x, got)
			}
		}
	}
}

// TestEvaluatedExtremes executes minima and maxima of two and of three floats, special ones among them, with both instruction sets, and
// compares them with those of Go.
func TestEvaluatedExtremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 30))
	special := []float64{math.NaN(), 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), 1, -1, 5e-324, -math.MaxFloat32}
	for _, set := range ISAs() {
		for _, lane := range []int{4, 8} {
			for _, op := range []Op{Min, Max} {
				evaluateExtremes(t, set, lane, op, func() float64 { return special[rng.IntN(len(special))] })
			}
		}
	}
}

// evaluateExtremes compares minima or maxima of some vectors of numbers.
func evaluateExtremes(t *testing.T, set ISA, lane int, op Op, number func() float64) {
	t.Helper()
	file := &File{}
	m := NewMachine(file, NewPool(file, "extremes"), set, lane, "extremes")
	m.Enter(0, nil, nil)
	word := func(k int) Mem {
		p := m.General()
		m.Copy(m.Word(k), p)
		return Mem{Base: p}
	}
	x, y, z := m.Load(word(0)), m.Load(word(1)), m.Load(word(2))
	m.Move(m.Least(op, true, x, word(1)), word(3))
	for k := range 2 {
		all := m.Least(op, true, m.Least(op, true, x, y), z)
		if m.MovesLanes() {
			numbers, first := m.Numbers(m.Numbers(0, x, word(1)), z, z), m.LeastNumber(op, x, y)
			if all = m.Choose(numbers, m.LeastNumber(op, first, z), m.Splat(m.AllOnes())); k > 0 {
				all = m.LeastNumberWithin(numbers, op, first, word(2))
			}
		}
		m.Move(all, word(4+k))
	}
	m.End()
	if err := file.Allocate(); err != nil {
		t.Fatal(err)
	}
	code := asmtest.Parse(string(file.Print("the test")))
	least := func(x, y float64) float64 { return min(x, y) }
	if op == Max {
		least = func(x, y float64) float64 { return max(x, y) }
	}
	for range 100 {
		var vectors [6][64]byte
		at := func(v, k int) float64 {
			if lane == 4 {
				return float64(math.Float32frombits(uint32(get(vectors[v][4*k:], 4, true))))
			}
			return math.Float64frombits(uint64(get(vectors[v][8*k:], 8, false)))
		}
		for k := range m.Lanes() {
			for v := range 3 {
				if x := number(); lane == 4 {
					put(vectors[v][4*k:], 4, uint64(math.Float32bits(float32(x))))
				} else {
					put(vectors[v][8*k:], 8, math.Float64bits(x))
				}
			}
		}
		var frame [6]*byte
		for k := range frame {
			frame[k] = &vectors[k][0]
		}
		code.Call("extremes", unsafe.Pointer(&frame))
		for k := range m.Lanes() {
			two := least(at(0, k), at(1, k))
			for v, want := range []float64{two, least(two, at(2, k)), least(two, at(2, k))} {
				if got := at(3+v, k); math.Float64bits(got) != math.Float64bits(want) && !(math.IsNaN(got) && math.IsNaN(want)) {
					t.Fatalf("%v, %d bytes, operation %d of %v, %v, %v: %v, not %v", set, lane, v, at(0, k), at(1, k), at(2, k), got, want)
				}
			}
		}
	}
}

// put stores the low bytes of x, and get returns the number that some bytes are.
func put(to []byte, bytes int, x uint64) {
	var all [8]byte
	binary.LittleEndian.PutUint64(all[:], x)
	copy(to[:bytes], all[:])
}

func get(from []byte, bytes int, unsigned bool) int64 {
	var all [8]byte
	copy(all[:bytes], from)
	x, unused := binary.LittleEndian.Uint64(all[:]), 64-8*bytes
	if unsigned {
		return int64(x)
	}
	return int64(x<<unused) >> unused
}
