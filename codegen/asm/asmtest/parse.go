package asmtest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// A kind says what an operand is.
type kind uint8

const (
	general kind = iota
	vector
	mask
	memory
	constant
	label
)

// An operand of an instruction.
type operand struct {
	kind  kind
	reg   int // number of a register
	bytes int // size of a vector register, or 1: the low byte of an integer register
	value int // of a constant; bytes from the address in memory
	base  int // number of an integer register, or one of those below
	index int // number of an integer register, if scale is not 0; of a vector register if each lane has its own index
	scale int
	table []byte
	name  string // of a label
}

// Bases of memory other than integer registers.
const (
	atFrame = -1 - iota // the arguments
	atStack
	atTable // constants
)

var generalNames = strings.Fields("AX CX DX BX SP BP SI DI R8 R9 R10 R11 R12 R13 R14 R15")

var (
	lineOfTable  = regexp.MustCompile(`^DATA (\w+<>)\+(\d+)\(SB\)/(\d+), \$(0x[0-9a-f]+)$`)
	lineOfText   = regexp.MustCompile(`^TEXT ·(\w+)\(SB\),(?: NOSPLIT,)? \$(\d+)(?:-\d+)?$`)
	lineOfLabel  = regexp.MustCompile(`^(\w+):$`)
	inMemory     = regexp.MustCompile(`^(-?\d+)?\(([A-Z0-9]+)\)(?:\(([A-Z0-9]+)\*([1248])\))?$`)
	inTable      = regexp.MustCompile(`^(\w+<>)([+-]\d+)\(SB\)$`)
	inArguments  = regexp.MustCompile(`^\w+\+0\(FP\)$`)
	vectorOrMask = regexp.MustCompile(`^([XYZK])(\d+)$`)
)

// alignment is what the linker promises for tables. So that no code relies on more, the address of a table is an odd multiple of it.
const alignment = 32

// Parse reads a text that package asm has printed.
func Parse(text string) *Code {
	c := &Code{functions: map[string]*function{}, tables: map[string][]byte{}}
	c.readTables(text)
	var f *function
	places := map[string]int{}
	finish := func() {
		for k := range places {
			for _, i := range f.instructions {
				if len(i.operands) == 1 && i.operands[0].kind == label && i.operands[0].name == k {
					i.to = places[k]
				}
			}
		}
		places = map[string]int{}
	}
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "#include") || strings.HasPrefix(line, "GLOBL") || lineOfTable.MatchString(line):
		case lineOfText.MatchString(line):
			finish()
			part := lineOfText.FindStringSubmatch(line)
			f = &function{name: part[1], stack: number(part[2])}
			c.functions[f.name] = f
		case lineOfLabel.MatchString(line):
			places[lineOfLabel.FindStringSubmatch(line)[1]] = len(f.instructions)
		default:
			f.instructions = append(f.instructions, c.instruction(line, n+1))
		}
	}
	finish()
	return c
}

// readTables reads the constants of a text.
func (c *Code) readTables(text string) {
	size := map[string]int{}
	var all [][]string
	for line := range strings.SplitSeq(text, "\n") {
		if part := lineOfTable.FindStringSubmatch(strings.TrimSpace(line)); part != nil {
			size[part[1]] = max(size[part[1]], number(part[2])+number(part[3]))
			all = append(all, part)
		}
	}
	for name, bytes := range size {
		room := make([]byte, bytes+4*alignment)
		first := 0
		for uint64(uintptr(unsafe.Pointer(&room[first])))%(2*alignment) != alignment {
			first++
		}
		c.tables[name] = room[first : first+bytes]
	}
	for _, part := range all {
		x, err := strconv.ParseUint(part[4], 0, 64)
		if err != nil {
			panic(err)
		}
		at, bytes := number(part[2]), number(part[3])
		put(c.tables[part[1]][at:], bytes, 0, x)
	}
}

func number(text string) int {
	x, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return x
}

// instruction reads a line.
func (c *Code) instruction(line string, n int) *instruction {
	op, rest, _ := strings.Cut(line, " ")
	i := &instruction{op: op, line: n, to: -1}
	if rest = strings.TrimSpace(rest); rest != "" {
		for text := range strings.SplitSeq(rest, ", ") {
			i.operands = append(i.operands, c.operand(text, op[0] == 'J'))
		}
	}
	f, isVector := forms[strings.TrimSuffix(op, zeroing)]
	switch do, isScalar := scalars[op]; {
	case isScalar:
		i.do = do
	case isVector:
		i.form, i.do = f, (*machine).vector
	default:
		panic(fmt.Sprintf("asmtest: line %d: there is no instruction %s", n, line))
	}
	return i
}

// operand reads an operand.
func (c *Code) operand(text string, jump bool) operand {
	if number, found := strings.CutPrefix(text, "$"); found {
		x, err := strconv.ParseInt(number, 0, 64)
		if err != nil { // bits with the highest one set
			var bits uint64
			if bits, err = strconv.ParseUint(number, 0, 64); err != nil {
				panic(err)
			}
			x = int64(bits)
		}
		return operand{kind: constant, value: int(x)}
	}
	if part := vectorOrMask.FindStringSubmatch(text); part != nil {
		if part[1] == "K" {
			return operand{kind: mask, reg: number(part[2])}
		}
		return operand{kind: vector, reg: number(part[2]), bytes: map[string]int{"X": 16, "Y": 32, "Z": 64}[part[1]]}
	}
	if k := slices.Index(generalNames, text); k >= 0 {
		return operand{kind: general, reg: k, bytes: 8}
	}
	if k := slices.Index([]string{"AL", "CL", "DL", "BL"}, text); k >= 0 {
		return operand{kind: general, reg: k, bytes: 1}
	}
	if inArguments.MatchString(text) {
		return operand{kind: memory, base: atFrame}
	}
	if part := inTable.FindStringSubmatch(text); part != nil && c.tables[part[1]] != nil {
		return operand{kind: memory, base: atTable, table: c.tables[part[1]], value: number(part[2])}
	}
	if part := inMemory.FindStringSubmatch(text); part != nil {
		return inRegisters(part)
	}
	if !jump {
		panic("asmtest: what is " + text)
	}
	return operand{kind: label, name: text}
}

// inRegisters is memory at the sum of registers.
func inRegisters(part []string) operand {
	o := operand{kind: memory, base: slices.Index(generalNames, part[2])}
	if part[2] == "SP" {
		o.base = atStack
	}
	if part[1] != "" {
		o.value = number(part[1])
	}
	if v := vectorOrMask.FindStringSubmatch(part[3]); v != nil {
		o.index, o.scale = number(v[2]), number(part[4])
	} else if part[3] != "" {
		o.index, o.scale = slices.Index(generalNames, part[3]), number(part[4])
	}
	if o.base == -1 || o.index == -1 {
		panic("asmtest: memory at " + strings.Join(part, " "))
	}
	return o
}
