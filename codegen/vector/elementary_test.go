package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"loopc/codegen/asm"
	"loopc/codegen/asm/asmtest"
	"loopc/ir"
	"loopc/runtime/arith"
)

// elementary are the functions that lanes compute as package arith does, with arguments at which it
// branches.
var elementary = []struct {
	fn  ir.Func
	one func(float64) float64
	at  []float64
}{
	{ir.Exp, arith.Exp[float64], []float64{
		7.09782712893383973096e+02, -7.45133219101941108420e+02, 1.0 / (1 << 28), -1.0 / (1 << 28), 708.3, 709.4, -707.6, -708.4, math.Ln2 / 2, -math.Ln2 / 2, 1.5 * math.Ln2,
	}},
	{ir.Log, arith.Log[float64], []float64{0x1p-1022, math.Sqrt2, math.Sqrt2 / 2, 1, 2, 0x1p-1074}},
}

// TestElementary compares lanes with package arith, bit for bit: special numbers, neighbors of
// those at which it branches, numbers of every size, and numbers near 1.
func TestElementary(t *testing.T) {
	for _, f := range elementary {
		for _, set := range asm.ISAs() {
			all := arguments(f.at)
			wide, narrow := slices.Clone(all), make([]float32, len(all))
			for k, x := range all {
				narrow[k] = float32(x)
			}
			given := slices.Clone(narrow)
			inLanes(t, f.fn, ir.Float64, set, wide)
			inLanes(t, f.fn, ir.Float32, set, narrow)
			for k, x := range all {
				if want := f.one(x); math.Float64bits(wide[k]) != math.Float64bits(want) && !(math.IsNaN(want) && math.IsNaN(wide[k])) {
					t.Fatalf("%s: %s(%v) = %v, want %v", set, f.fn, x, wide[k], want)
				}
				if want := float32(f.one(float64(given[k]))); math.Float32bits(narrow[k]) != math.Float32bits(want) && !(want != want && narrow[k] != narrow[k]) {
					t.Fatalf("%s: %s(float32(%v)) = %v, want %v", set, f.fn, given[k], narrow[k], want)
				}
			}
		}
	}
}

// inLanes replaces numbers of type typ by their fn. There are as many as fill vectors.
func inLanes[T float32 | float64](t *testing.T, fn ir.Func, typ ir.Type, set asm.ISA, of []T) {
	file := &asm.File{Spills: true}
	m := asm.NewLeaf(file, set, typ.Size(), "f", "(frame *uintptr)")
	m.Enter(0, nil, nil)
	at := m.General()
	m.Copy(m.Word(0), at)
	b := &body{Machine: m, s: &Shape{lane: typ.Size()}, lets: map[int]asm.Operand{0: m.Load(asm.Mem{Base: at})}}
	call := &ir.Call{Fn: fn, T: typ, Args: []ir.Expr{&ir.LocalRef{T: typ}}}
	write, _ := formOf(call)
	m.Move(b.Load(write(b, call)), asm.Mem{Base: at})
	m.Return()
	if err := file.Allocate(); err != nil {
		t.Fatal(err)
	}
	code := asmtest.Parse(string(file.Print("the test")))
	for k := 0; k < len(of); k += m.Lanes() {
		frame := uintptr(unsafe.Pointer(&of[k]))
		code.Call("f", unsafe.Pointer(&frame))
	}
}

// arguments returns numbers for TestElementary, as many as fill vectors.
func arguments(at []float64) []float64 {
	rng := rand.New(rand.NewPCG(3, uint64(len(at))))
	all := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64}
	for _, x := range at {
		for range 4 {
			x = math.Nextafter(x, math.Inf(-1))
		}
		for range 8 {
			all = append(all, x, -x)
			x = math.Nextafter(x, math.Inf(1))
		}
	}
	for range 6000 {
		all = append(all, math.Float64frombits(rng.Uint64()), 1+rng.NormFloat64()/100, 300*rng.NormFloat64(), 60*rng.NormFloat64(), rng.NormFloat64())
	}
	return all[:len(all)/16*16]
}
