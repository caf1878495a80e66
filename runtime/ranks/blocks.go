package ranks

import (
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// Blocks say where the content of a program's arrays comes from and where it goes. Each
// array has either a function that every rank calls, or a slice with the complete array in
// the leading process.
type Blocks struct {
	nest   *plan.Nest
	params []int
	arrays []binding
	fields kernel.Fields // complete arrays, for arrays without functions
}

// A binding is the entry of an array in Blocks.
type binding struct {
	field   string                              // the user's name for the array
	supply  func(rank int, v *array.View) error // fills v; nil: the array is a slice
	receive func(rank int, v *array.View) error // takes the marked cells of v
	whole   []func(fields *kernel.Fields) error // bind the slices
}

// NewBlocks returns empty blocks for a run of nest, to be filled by Supply and Receive.
func NewBlocks(nest *plan.Nest, params []int) *Blocks {
	return &Blocks{nest: nest, params: params, arrays: make([]binding, len(nest.Arrays)), fields: sched.NewFields(nest)}
}

// Fields are the complete arrays, and after a successful run the results of reductions.
func (b *Blocks) Fields() kernel.Fields { return b.fields }

// Supply sets the source of array k, which is in or inout: the function f, or if f is nil
// the slice cells, in C order. field is the user's name for the array.
func Supply[T array.Number](b *Blocks, k int, field string, cells []T, f func(array.Block[T]) error) {
	a := &b.arrays[k]
	a.field = field
	if f == nil {
		a.whole = append(a.whole, func(fields *kernel.Fields) error { return sched.Give(fields, b.nest, b.params, k, cells) })
		return
	}
	a.supply = func(rank int, v *array.View) error {
		if v.Cells() == 0 {
			return nil
		}
		return f(array.BlockOf[T](rank, v, v.Lo, v.Hi))
	}
}

// Receive sets the destination of array k's results: the function f, or if f is nil the
// slice *cells, which is allocated if it is nil.
func Receive[T array.Number](b *Blocks, k int, field string, cells *[]T, f func(array.Block[T]) error) {
	a := &b.arrays[k]
	a.field = field
	if f == nil {
		a.whole = append(a.whole, func(fields *kernel.Fields) error { return sched.Take(fields, b.nest, b.params, k, cells) })
		return
	}
	a.receive = func(rank int, v *array.View) error {
		for _, box := range redist.Marked(v) {
			if err := f(array.BlockOf[T](rank, v, box.Lo, box.Hi)); err != nil {
				return err
			}
		}
		return nil
	}
}

// given reports whether the caller supplies array k.
func (b *Blocks) given(k int) bool {
	role := b.nest.Arrays[k].Role
	return role == plan.In || role == plan.InOut
}

// bindWhole binds the slices of the arrays that have no functions.
func (b *Blocks) bindWhole() error {
	for k := range b.arrays {
		a := &b.arrays[k]
		for _, bind := range a.whole {
			if err := bind(&b.fields); err != nil {
				if b.given(k) && a.supply == nil {
					return fmt.Errorf("%s, or Supply%s: %w", a.field, a.field, err)
				}
				return err
			}
		}
	}
	return nil
}

// byFunctions reports whether any array is supplied or received by a function.
func (b *Blocks) byFunctions() bool {
	for _, a := range b.arrays {
		if a.supply != nil || a.receive != nil {
			return true
		}
	}
	return false
}

// store returns the store of a rank: the user's functions where they are set, otherwise the
// functions of whole.
func (b *Blocks) store(rank int, whole sched.Store) sched.Store {
	return sched.Store{
		Untouched: true,
		Fill: func(k int, v *array.View) error {
			if f := b.arrays[k].supply; f != nil {
				return f(rank, v)
			}
			return whole.Fill(k, v)
		},
		Keep: func(k int, v *array.View) error {
			if f := b.arrays[k].receive; f != nil {
				return f(rank, v)
			}
			return whole.Keep(k, v)
		},
	}
}

// spans calls f for runs of marked cells of v (all cells if v does not track writes) that
// are contiguous both in v and in an array with the cells lo..hi in C order. f gets the
// position of the first cell in v, its position in the array, and the number of cells.
func spans(v *array.View, lo, hi []int, f func(at, in, n int) error) error {
	stride, size := make([]int, len(lo)), 1
	for k := len(lo) - 1; k >= 0; k-- {
		stride[k] = size
		size *= hi[k] - lo[k] + 1
	}
	at, in, n := 0, 0, 0 // the current run, which may continue
	err := redist.Owned(v, redist.Of(v), func(cell []int, more int) error {
		there, here := 0, v.Offset(cell)
		for k, x := range cell {
			there += (x - lo[k]) * stride[k]
		}
		if n > 0 && here == at+n && there == in+n {
			n += more
			return nil
		}
		var err error
		if n > 0 {
			err = f(at, in, n)
		}
		at, in, n = here, there, more
		return err
	})
	if err == nil && n > 0 {
		err = f(at, in, n)
	}
	return err
}
