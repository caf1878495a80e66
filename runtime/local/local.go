// Package local is what the code of a nest uses of the runtime if the nest runs in one process: no
// processes of other ranks, no network, no files, no command line.
//
// Nothing imports the package. loopc compile --runtime local copies the declarations that its declarations need, directly or indirectly,
// the functions of package arith, any of which an expression may call, and nothing else. A type that an alias names is copied with its
// exported methods, because the user's code may call them.
package local

import (
	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/boundary"
	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/simd"
	"loopc/runtime/transport/inproc"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// Types that users and kernels see.
type (
	Block[T array.Number] = array.Block[T]
	Of                    = kernel.Block
	Prefetcher            = kernel.Prefetcher
	Prepared              = sched.Prepared
	StreamedRows[T any]   = simd.StreamedRows[T]
	Place                 = arith.Place
	Sum                   = arith.Sum
	Summary               = sched.Summary
	Version               = kernel.Version
	View                  = array.View
)

// The plan of a nest, and the options of a run.
type (
	_ plan.Access
	_ plan.Affine
	_ plan.Check
	_ plan.InitAccess
	_ plan.Nest
	_ plan.Options
	_ plan.Reduce
	_ plan.Source
	_ plan.Value
	_ boundary.Ends
	_ cost.Machine
	_ sched.Watch
)

const (
	_ = plan.In + plan.Out + plan.InOut + plan.Internal
	_ = plan.Given + plan.Computed
	_ = boundary.None
	_ = plan.Blocking
	_ = plan.Vertical
	_ = plan.Mirror
	_ = plan.ShapeModel
)

// The run of a program.
var (
	_ sched.Program
	_ sched.ReducePlace
	_ sched.Repeat
	_ sched.Until
	_ = inproc.Mesh
	_ = kernel.Gathers
	_ = (*kernel.Fields).Due
	_ = sched.BlockOf[float64]
	_ = sched.Give[float64]
	_ = sched.NewFields
	_ = sched.Reduced[float64]
	_ = sched.Prepare
	_ = sched.PrepareRecent
	_ = sched.RunSequential
	_ = sched.SameSlice[float64]
	_ = sched.Take[float64]
	_ = sched.Update[float64]
	_ = (*sched.Program).With
)

// Kernels.
type (
	_ kernel.Fields
	_ kernel.Kernel
	_ kernel.LaneGiven
	_ kernel.LaneParam
	_ kernel.LanePlane
	_ kernel.LaneValue
	_ kernel.LoopIndex
	_ kernel.Loops
	_ kernel.Prefetcher
	_ kernel.Temporal
	_ kernel.Traits
)

const (
	_ = kernel.Fixed
	_ = kernel.Interleaved
	_ = kernel.Piece
	_ = kernel.Window
	_ = simd.StreamedRowBytes
)

var (
	_ = array.Alike
	_ = array.Cast[float64]
	_ = array.Cells[float64]
	_ = array.Fill[float64]
	_ = kernel.InGo
	_ = kernel.Address[float64]
	_ = kernel.Alike
	_ = kernel.Exchange[float64]
	_ = kernel.FewIterations
	_ = kernel.InLanes
	_ = kernel.Bits[float64]
	_ = kernel.NewSplit
	_ = kernel.EachLevel
	_ = kernel.End.Words
	_ = kernel.NoEnd
	_ = simd.AVX2
	_ = simd.AVX512
	_ = simd.Copied[float64]
	_ = simd.Copy[float64]
	_ = simd.Streams
)
