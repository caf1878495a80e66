// Package asm is the instruction set layer: it writes functions in Go assembly. The vector
// kernels (codegen/vector) and the interleave kernels of runtime/simd (codegen/interleave) are
// written with it.
//
// A File has Functions and tables of constants. A Machine writes one Function with the
// instructions of one ISA, for lanes of one width. These instructions are the methods of x86, in
// x86_*.go; their names and meanings do not depend on processors. A target describes a processor to
// the rest of the package: its registers, and what an instruction reads, writes and occupies.
//
// There are two ISAs, AVX2 and AVX-512. Another one, such as NEON, would need a target, and a type with the
// methods of x86. A Machine, which now embeds x86, would then embed an interface with these methods.
//
// What holds:
//
//   - Registers are virtual while a function is written. File.Allocate replaces them by registers
//     of the target. If these do not suffice, it does not spill but fails with ErrRegisters: the
//     caller then tries a form of kernel that keeps less in registers. If no form fits, the caller
//     sets File.Spills, and values that do not fit live on the stack.
//   - Allocation is deterministic: it depends on the order in which registers were made, and on
//     the instructions. The same calls give the same text.
//   - A Function is called with a pointer to a frame of machine words (Word), and has a stack
//     (Reserve, Local) whose base is a multiple of the size of a vector.
//   - Only mnemonics of the target's table can be written.
//   - The package uses the standard library only, and knows nothing of nests or schemes.
//
// Allocation colors the interference graph as avo does (github.com/mmcloughlin/avo), whose
// results it reproduces. The idea is from G. J. Chaitin, Register Allocation and Spilling via
// Graph Coloring, 1982. Ports and latencies are those of uops.info.
package asm
