// Package transform prepares an analyzed nest for the planner and the code generator: it skews
// the nest so that it can be tiled, and decides where each value is stored and where each read
// finds it.
//
// It takes an *ir.Nest with its Analysis. It returns an *ir.Lowered for package codegen and a
// *plan.Nest, which the emitted program carries. Everything that depends on sizes, ranks and
// CPUs is decided at launch, by package plan.
//
// # Values are stored by iteration, not by cell
//
// Each assignment is a value: one result per iteration. Location p of the value's storage holds
// the result of the iteration j with p = T·j, where T makes every flow distance nonnegative. So
// every array is single-assignment, whatever the source says. Anti and output dependences
// vanish; a sweep in place and a nest with a time subscript become the same; and the dependence
// matrix D has only the flow distances.
//
// Exterior locations, outside the iteration space, hold the content of the array's cell: the
// result of the last write to the cell (Value.Fallbacks), or the initial content. The last write
// is found exactly, part by part of the space, so in-place updates of triangles work, too. A read
// beyond a boundary (copied, reflecting, periodic) reads another cell, whose writer package
// depend finds. The value then gets further fallbacks: one for each number of cells by which a
// read may exceed the bound. Kernels do not notice: before a row is computed, the runtime fills
// the exterior locations that the row's iterations read.
//
// # Skew
//
// T is unimodular, so rectangular tiles of the skewed space are legal, H·D ≥ 0 [irigoin88], and
// have no holes. T is the least unit lower triangular matrix that makes D nonnegative; or the
// matrix of --tiling; or, if the planner predicts that it is faster, a matrix whose rows are
// extreme rays of the cone { h : h·D ≥ 0 }. A loop that runs backward keeps its variable
// everywhere; only its row of T is negative. Only kernels compute j = T⁻¹·p.
//
// # Invariants
//
// All arithmetic that decides legality is on integers. Returned values are never changed.
//
// References:
//
//	[irigoin88]  Irigoin and Triolet. Supernode partitioning. POPL 1988.
//
// DIVERGENCE.md says where this departs from the papers.
package transform
