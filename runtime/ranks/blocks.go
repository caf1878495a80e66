package ranks

import (
	"fmt"

	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/redist"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// Blocks say where the content of a program's arrays comes from and where it goes:
// for each of them a function of every rank, or else a slice with the whole array,
// in the process that leads the run.
type Blocks struct {
	nest   *plan.Nest
	params []int
	arrays []binding
	fields kernel.Fields // whole arrays, where there are no functions
}

// A binding is what Blocks know of an array.
type binding struct {
	field   string                              // of the user's arrays
	supply  func(rank int, v *array.View) error // fills v; nil: the array is whole
	receive func(rank int, v *array.View) error // takes the marked cells of v
	whole   []func(fields *kernel.Fields) error // bind the whole array
}

// NewBlocks returns the blocks of a run of nest, for Supply and Receive to fill.
func NewBlocks(nest *plan.Nest, params []int) *Blocks {
	return &Blocks{nest: nest, params: params, arrays: make([]binding, len(nest.Arrays)), fields: sched.NewFields(nest)}
}

// Fields are the whole arrays, and the results of reductions once the run has
// succeeded.
func (b *Blocks) Fields() kernel.Fields { return b.fields }

// Supply has f supply array k, which is in or inout; if f is nil, cells, in C order.
// The field is how the user knows the array.
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

// Receive has f receive what is given back of array k; if f is nil, *cells, which
// is allocated if it is nil.
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

// store returns what a rank supplies and receives: by functions, or else as whole has it.
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

// spans calls f for runs of the marked cells of v, all if it does not track them, in
// an array with the cells lo..hi in C order: the position of the first in v, that in
// the array, and how many follow one another in both.
func spans(v *array.View, lo, hi []int, f func(at, in, n int) error) error {
	stride, size := make([]int, len(lo)), 1
	for k := len(lo) - 1; k >= 0; k-- {
		stride[k] = size
		size *= hi[k] - lo[k] + 1
	}
	at, in, n := 0, 0, 0 // a run that may go on
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
