// Package asmtest executes Go assembly for amd64, for tests: kernels with instructions that this
// processor lacks can be compared with the interpreter of the language.
//
// Parse reads a text as package asm prints it. Call executes a function on the memory of the
// process, so that emitted programs run as they are, with Call in place of their kernels.
//
// What holds:
//
//   - Instructions, registers and operands that are not in the tables are refused with a panic. So
//     are misaligned addresses, at which an instruction faults, and jumps on flags that the processor
//     leaves undefined.
//   - Lanes that a mask leaves out are neither read nor written.
//   - Registers and the stack begin with arbitrary content. The memory around the stack must stay
//     as it is.
//   - Floats round to the nearest even number; denormals are numbers, as in Go. Which NaN an
//     instruction returns does not count.
//
// The source is Intel's manual, volume 2. Go's assembler takes operands in the opposite order,
// except for comparisons of integer registers.
package asmtest

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A Code is a parsed text.
type Code struct {
	functions map[string]*function
	tables    map[string][]byte // constants, by symbol
}

// A function is a list of instructions.
type function struct {
	name         string
	stack        int // bytes
	instructions []*instruction
	calls        atomic.Int64
}

// An instruction is one line of a function.
type instruction struct {
	op       string
	line     int
	operands []operand
	to       int // of a jump: the next instruction
	do       func(m *machine, i *instruction)
	form     form // of instructions on vectors
	executed atomic.Int64
}

// A machine is the state of a processor within a function.
type machine struct {
	general [16]uint64
	vectors [32][64]byte
	masks   [8]uint64

	// Flags: the last result was zero, or negative if nothing had overflowed.
	zero, less bool
	known      bool // they are defined

	frame, stack uint64 // addresses
	next         int    // instruction
	returned     bool
}

// mostInstructions is more than any call of a test executes.
const mostInstructions = 1 << 32

// guard is the size of the memory on either side of the stack.
const guard = 256

// arbitrary is the content of registers and of the stack when a function begins.
const arbitrary = 0xa7

// Call executes a function. frame is its argument. The caller keeps alive what its words point to: they are numbers.
func (c *Code) Call(name string, frame unsafe.Pointer) {
	f := c.functions[name]
	if f == nil {
		panic("asmtest: there is no function " + name)
	}
	f.calls.Add(1)
	memory := make([]byte, guard+f.stack+64+guard)
	for k := range memory {
		memory[k] = arbitrary
	}
	m := &machine{frame: uint64(uintptr(frame))}
	start := uint64(uintptr(unsafe.Pointer(&memory[guard])))
	m.stack = start + (8-start%64+64)%64 // aligned no better than a real stack
	for r := range m.general {
		m.general[r] = arbitrary * 0x0101010101010101
	}
	for r := range m.vectors {
		copy(m.vectors[r][:], memory)
	}
	for r := range m.masks {
		m.masks[r] = m.general[0]
	}
	f.run(m)
	runtime.KeepAlive(frame)
	first := int(m.stack - start)
	for k, b := range memory {
		if (k < guard+first || k >= guard+first+f.stack) && b != arbitrary {
			panic(fmt.Sprintf("asmtest: %s writes beside its stack, at %d of %d", name, k-guard-first, f.stack))
		}
	}
}

// run executes a function until it returns.
func (f *function) run(m *machine) {
	var i *instruction
	defer func() {
		if why := recover(); why != nil {
			panic(fmt.Sprintf("asmtest: %s, line %d, %s: %v", f.name, i.line, i.op, why))
		}
	}()
	for range mostInstructions {
		i = f.instructions[m.next]
		m.next++
		i.executed.Add(1)
		i.do(m, i)
		if m.returned {
			return
		}
	}
	panic("it does not end")
}

// counted are the texts of Counted.
var (
	counting sync.Mutex
	counted  []*Code
)

// Counted does what Parse does, for a text that Executed counts.
func Counted(text string) *Code {
	c := Parse(text)
	counting.Lock()
	defer counting.Unlock()
	counted = append(counted, c)
	return c
}

// Executed returns how often each function of the texts of Counted was called, by name, and how often
// each instruction was executed, by name and by the size of its longest vector register.
func Executed() (calls, instructions map[string]int64) {
	counting.Lock()
	defer counting.Unlock()
	calls, instructions = map[string]int64{}, map[string]int64{}
	for _, c := range counted {
		for name, f := range c.functions {
			calls[name] += f.calls.Load()
			for _, i := range f.instructions {
				instructions[i.sized()] += i.executed.Load()
			}
		}
	}
	return calls, instructions
}

// sized is the name of an instruction with the size of its longest vector register, if it has any.
func (i *instruction) sized() string {
	most := 0
	for _, o := range i.operands {
		if o.kind == vector {
			most = max(most, o.bytes)
		}
	}
	if most == 0 {
		return i.op
	}
	return fmt.Sprintf("%s %d", i.op, most)
}

// at returns n bytes of the memory of the process.
func at(address uint64, n int) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n)
}

// address returns where a memory operand is.
func (m *machine) address(o *operand) uint64 {
	a := uint64(int64(o.value))
	switch o.base {
	case atFrame:
		a += uint64(uintptr(unsafe.Pointer(&m.frame)))
	case atStack:
		a += m.stack
	case atTable:
		a += uint64(uintptr(unsafe.Pointer(unsafe.SliceData(o.table))))
	default:
		a += m.general[o.base]
	}
	if o.scale > 0 {
		a += m.general[o.index] * uint64(o.scale)
	}
	return a
}

// get returns lane l of size bytes.
func get(from []byte, size, l int) uint64 {
	switch size {
	case 1:
		return uint64(from[l])
	case 2:
		return uint64(binary.LittleEndian.Uint16(from[2*l:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(from[4*l:]))
	}
	return binary.LittleEndian.Uint64(from[8*l:])
}

// put sets lane l of size bytes to the low bytes of x.
func put(to []byte, size, l int, x uint64) {
	switch size {
	case 1:
		to[l] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(to[2*l:], uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(to[4*l:], uint32(x))
	default:
		binary.LittleEndian.PutUint64(to[8*l:], x)
	}
}

// signed returns the number that the low size bytes of x are.
func signed(x uint64, size int) int64 { return int64(x<<(64-8*size)) >> (64 - 8*size) }

// low returns the low size bytes of x.
func low(x uint64, size int) uint64 { return x << (64 - 8*size) >> (64 - 8*size) }
