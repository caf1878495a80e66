// Package cost predicts what a plan takes on a Machine: time, memory, and messages between
// ranks. A Machine has the figures that loopc calibrate measured, or built-in ones.
//
// There are two predictions. Estimate, with which a search prunes, is the closed form [P1] eq. (1),
// except that a face between ranks takes the time of its message, not one step. Simulate executes
// the plan tile by tile, by the rules of the executor; a Predictor does so for several machines.
//
// The work of a tile is counted as package halo performs it: row by row; step by step, for a kernel whose lanes are levels; and by boxes of
// exterior cells, if the iterations of a level are a box. Some rows and levels are examined and represent others. A factor corrects the sum
// for tiles whose sides are close to those of measured tiles.
//
// For nests that nobody has measured, some kernels have built-in figures of their own (see Machine.With): kernels whose lanes are levels,
// vector kernels in skewed storage, and the portable kernel with unroll-and-jam, whose rows take time to begin and to copy their results.
//
// # Invariants
//
// The walk that is priced is the walk that is run: counts call the functions of packages plan and walk that the runtime calls, and tests of
// package walk compare them with what a tile did. Equal plans and machines have equal predictions: samples are chosen in a fixed way, and
// the effort of a search is counted, not timed.
//
// # Source
//
// [P1] of DIVERGENCE.md for the step time. The mean of a Gaussian process for tiles close to measured ones, see Kernel.shapeFactor.
package cost
