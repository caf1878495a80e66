// Package codegen emits Go. It takes a nest, the decisions about it, and what its program
// needs. It returns one readable Go file and, for processors with vector instructions,
// assembly. Code that does not depend on the nest is not emitted; it is in package runtime.
//
// The file has the plan in its package comment, typed parameters and arrays, Run, the
// sequential reference, and a kernel: the body of the loops for one row of a tile at a time,
// with the source line above each statement. A repeat whose nests may all run as they are written, and that no condition
// ends, also has a function of its own, with the loops of its nests inside a loop over its numbers.
//
// # Invariants
//
// Every iteration evaluates the same expression on the same operands, whatever the plan, so
// results do not depend on it. Products of floats are emitted as float64(x*y), because Go may
// otherwise fuse them with a sum.
//
// Which statements are live is known before anything is printed. Definitions around them
// (parameters, strides, positions, values of loops) are always printed; prune then removes, on
// the syntax tree, each definition that nothing reads.
//
// There are no build tags: files for amd64 add their kernels to Program.Versions in an init,
// package simd asks the processor, and --kernel or LOOPC_KERNEL overrides the choice. Builds
// with the race detector use the portable kernel. Two compilations of one file give the same
// bytes.
package codegen
