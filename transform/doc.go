// Package transform turns an analyzed nest into what the planner and the code
// generator work on: it skews the nest so that it can be tiled, and decides where
// each value lives and where each read finds it.
//
// In comes an *ir.Nest with its Analysis. Out come an *ir.Lowered for package
// codegen and a *plan.Nest, which the emitted program carries. Everything that
// depends on sizes, ranks and CPUs is decided at launch, by package plan.
//
// # Values live at iterations, not at cells
//
// Each assignment is a value: one result per iteration. Location p of its storage
// holds the result of the iteration j with p = T·j, and T makes every flow distance
// nonnegative. So every array is single-assignment, whatever the source says. Anti
// and output dependences vanish; a sweep in place and a nest with a time subscript
// become the same thing; and the dependence matrix D has the flow distances alone.
//
// What is left of an array is what its cells contain outside the iteration space. A
// location there holds the last write that reaches the cell (Value.Fallbacks, exact
// by region, so that triangles in place work too) or the initial content. A read
// beyond a boundary (copied, reflecting, periodic) is a read of another cell.
// Package depend finds the writer of that cell, part by part of the space, and the
// value gets further fallbacks, each for the locations so many cells beyond the
// bound. Kernels do not notice: the runtime fills such locations before a row is
// computed, and only those that some iteration reads.
//
// # Skew
//
// T is unimodular, so rectangular tiles of the skewed space are legal, H·D ≥ 0
// [irigoin88], and have no holes. T is the least unit lower triangular matrix that
// makes D nonnegative, or the matrix of --tiling, or one whose rows are extreme rays
// of the cone { h : h·D ≥ 0 } where the planner predicts that it is faster. A loop
// that runs backward keeps its variable everywhere; only its row of T is negative.
// Only kernels go back to j = T⁻¹·p.
//
// # Invariants
//
// All arithmetic that decides legality is on integers. Values that are returned are
// never changed.
//
// References:
//
//	[irigoin88]  Irigoin and Triolet. Supernode partitioning. POPL 1988.
//
// DIVERGENCE.md says where this departs from the papers.
package transform
