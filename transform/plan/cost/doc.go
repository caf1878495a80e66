// Package cost says what a plan takes on a Machine: time, memory, and messages between
// ranks. Machines are figures that loopc calibrate measured, or built-in ones.
//
// There are two predictions. Estimate is a closed form ([P1] eq. (1), with the real
// latency in place of a step): it prunes. Simulate executes the plan, tile by tile, by
// the rules of the executor, and a Predictor does so for several machines.
//
// What a tile costs its CPU is counted as package halo does the work: row by row, for
// a kernel whose lanes are levels step by step, and, where the iterations of a level
// are a box, by the boxes that are filled, of which some are looked at. A factor
// corrects that by what tiles of about the same sides took when they were measured.
//
// Where nobody measured the nest, kernels have built-in figures of their own: those
// whose lanes are levels (Machine.WithLevels), those whose levels are kept whole
// (WithRows), and the portable one where rows advance together (WithTogether: what a
// row costs at its beginning and as it is given back).
//
// # Invariants
//
// What is priced is what is run: counts ask the functions of packages plan and region that
// the runtime runs by, and tests of package walk compare them with what a tile did. Equal
// plans and machines have equal predictions: what is sampled is sampled alike, and the
// effort of a search is counted, not timed.
//
// # Source
//
// [P1] of DIVERGENCE.md for the step time; the mean of a Gaussian process for tiles near
// measured ones, see Kernel.ShapeFactor.
package cost
