package asm

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// A File is the text to print: functions, and tables of constants, in the order in which they
// were made.
type File struct {
	// Spills: a function that needs more registers than there are keeps values on the stack.
	Spills   bool
	sections []any
}

// A table is a vector of constants.
type table struct {
	name  string
	lanes []uint64
	size  int // bytes of a lane
}

// Join appends the sections of other files.
func (f *File) Join(others ...*File) {
	for _, o := range others {
		f.sections = append(f.sections, o.sections...)
	}
}

// functions are the functions of the file.
func (f *File) functions() (all []*Function) {
	for _, s := range f.sections {
		if x, ok := s.(*Function); ok {
			all = append(all, x)
		}
	}
	return all
}

// Table adds a vector of constants of size bytes each, and returns its memory.
func (f *File) Table(name string, lanes []uint64, size int) Mem {
	f.sections = append(f.sections, &table{name, lanes, size})
	return Mem{Symbol: name + "<>", Base: constants}
}

// A Pool holds the constants of a file, each once.
type Pool struct {
	file  *File
	name  string // names begin with it
	known map[string]Mem
}

// NewPool returns an empty pool, whose constants are added to a file.
func NewPool(f *File, name string) *Pool {
	return &Pool{file: f, name: name, known: map[string]Mem{}}
}

// Constant returns the memory of a vector with the given lanes of size bytes. Lanes of less than 4
// bytes are written to the file as numbers of 8 bytes.
func (p *Pool) Constant(lanes []uint64, size int) Mem {
	if size < 4 {
		lanes, size = joined(lanes, size), 8
	}
	words := []byte{byte(size)}
	for _, x := range lanes {
		words = binary.NativeEndian.AppendUint64(words, x)
	}
	key := string(words)
	if at, ok := p.known[key]; ok {
		return at
	}
	at := p.file.Table(fmt.Sprintf("%sConst%d", p.name, len(p.known)), lanes, size)
	p.known[key] = at
	return at
}

// joined joins lanes of size bytes to numbers of 8 bytes, the first one lowest.
func joined(lanes []uint64, size int) []uint64 {
	all := make([]uint64, len(lanes)*size/8)
	for l, x := range lanes {
		all[l*size/8] |= x << (8 * (l * size % 8))
	}
	return all
}

// A node is an instruction, a label or a comment.
type node struct {
	op             string
	operands       []Operand
	label, comment string
	counts         []count // see Cost.Count
}

// A Function is a function that is being written.
type Function struct {
	name      string
	signature string
	noSplit   bool
	target    target
	nodes     []*node
	made      int // number of registers made
	labels    map[string]int
	stack     int // bytes
	padding   int // part of stack: bytes to align the base
	spills    bool
	frame     Reg // address of the frame
	base      Reg // of the stack
	requires  []string
	later     []late
}

// A late writes rarely executed code, which comes at the end of the function.
type late struct {
	from  int // nodes before it was asked for
	write func()
}

// Name is the name of the function.
func (f *Function) Name() string { return f.name }

// Make returns a new register of a kind.
func (f *Function) Make(k Kind, bytes int) Reg {
	f.made++
	return newReg(k, bytes, f.made)
}

// General returns a new register for an address or an integer.
func (f *Function) General() Reg { return f.Make(General, 8) }

// Emit writes an instruction of the target. Kernels call the methods of x86 instead;
// Emit is for instructions without such a method.
func (f *Function) Emit(op string, operands ...Operand) {
	if !f.target.has(op) {
		panic("BUG: asm: there is no instruction " + op)
	}
	f.nodes = append(f.nodes, &node{op: op, operands: operands})
}

// NewLabel returns a label that the function does not have yet.
func (f *Function) NewLabel(what string) Label {
	f.labels[what]++
	if f.labels[what] == 1 {
		return Label(what)
	}
	return Label(fmt.Sprintf("%s%d", what, f.labels[what]))
}

// Label puts a label here.
func (f *Function) Label(l Label) { f.nodes = append(f.nodes, &node{label: string(l)}) }

// Comment writes a comment. Text from a user's file is reduced to printable ASCII, so that it
// can neither end the comment nor reach the preprocessor of the assembler.
func (f *Function) Comment(format string, args ...any) {
	f.nodes = append(f.nodes, &node{comment: Clean(fmt.Sprintf(format, args...))})
}

// Clean replaces all characters but printable ASCII.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || r == '\\' {
			return '?'
		}
		return r
	}, text)
}

// Later puts rarely executed code at the end of the function.
func (f *Function) Later(write func()) { f.later = append(f.later, late{len(f.nodes), write}) }

// Word is a word of the frame with which the function was called.
func (f *Function) Word(k int) Mem { return Mem{Base: f.frame, Disp: 8 * k} }

// Local is the memory at an offset of the stack: see Machine.Reserve.
func (f *Function) Local(at int) Mem { return Mem{Base: f.base, Disp: at} }

// Base is the base of the stack, or none.
func (f *Function) Base() Reg { return f.base }

// reserve reserves bytes on the stack and returns their offset, a multiple of align.
func (f *Function) reserve(bytes, align int) int {
	at := (f.stack - f.padding + align - 1) / align * align
	f.stack = at + bytes + f.padding
	return at
}

// instructions are the nodes that are instructions.
func (f *Function) instructions() (all []*node) {
	for _, n := range f.nodes {
		if n.op != "" {
			all = append(all, n)
		}
	}
	return all
}
