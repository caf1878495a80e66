package vector

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"
)

// A Function is one emitted kernel.
type Function struct {
	Name string
	ISA  ISA
	Rows int // computed together: 1, or the lanes of all interleaved blocks
	// Blocks are those that are interleaved; 0 in the contiguous scheme.
	Blocks int
	Cost   Cost
}

// Assembly returns the text of a Go assembly file with the kernels of s, named
// after prefix, and what it has; or nothing and why.
func (s *Shape) Assembly(prefix, from string) (text []byte, functions []Function, why string) {
	tries := []attempt{{blocks: 2}, {blocks: 1}}
	if s.Scheme == Contiguous {
		tries = []attempt{{keeps: 1}, {keeps: 0.75}, {keeps: 0.5}, {keeps: 0.25}, {}}
	}
	for _, a := range tries {
		if text, functions, why = s.assembly(prefix, from, a); why != noRegisters {
			s.sharing = text != nil && s.sharesIn(a)
			break
		}
	}
	return text, functions, why
}

// An attempt is how much one would like to have in registers.
type attempt struct {
	blocks int     // in the wavefront scheme: interleaved, at most
	keeps  float64 // in the contiguous scheme: the part of mostHeld and mostShared, see contiguous
}

// noRegisters is why there is no kernel where one that wants less might do.
const noRegisters = "there are not enough registers"

// assembly is Assembly as one attempt has it.
func (s *Shape) assembly(prefix, from string, a attempt) (text []byte, functions []Function, why string) {
	defer func() {
		if r := recover(); r != nil {
			if no, ok := r.(refused); ok {
				text, functions, why = nil, nil, no.why
				return
			}
			panic(r)
		}
	}()
	ctx := build.NewContext()
	constants := &pool{ctx: ctx, name: prefix}
	share := s.sharesIn(a)
	for _, isa := range ISAs {
		constants.known = map[string]operand.Mem{}
		constants.name = prefix + strings.ToUpper(isa.String())
		m := func(name string) *function { return s.kernel(isa, name, constants) }
		name := constants.name
		if s.Scheme == Contiguous {
			if short := len(functions) - 1; isa == AVX512 && (functions[short].Divides() || share) {
				f := functions[short]
				f.ISA = isa
				functions = append(functions, f)
				continue
			}
			f := m(name)
			slid := 0
			if isa == AVX512 && a.keeps > 0 {
				slid = s.mostSlid(isa)
			}
			f.contiguous(a.keeps, slid, share && isa == AVX2)
			functions = append(functions, f.result(0, 1))
			continue
		}
		one := m(name + "x1")
		one.wavefront(1)
		single := one.result(1, one.lanes())
		functions = append(functions, single)
		if a.blocks > 1 && single.Cost.Cycles(2) < worthwhile*single.Cost.Cycles(1) {
			two := m(name + "x2")
			two.wavefront(2)
			functions = append(functions, two.result(2, 2*two.lanes()))
		}
	}
	file, err := ctx.Result()
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if err := compile(file); err != nil {
		if errors.Is(err, errRegisters) {
			return nil, nil, noRegisters
		}
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	text, err = printer.NewGoAsm(printer.Config{Name: "loopc from " + clean(from), Pkg: "main"}).Print(file)
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if high := avx2High(string(text)); high {
		return nil, nil, noRegisters
	}
	return text, functions, ""
}

// kernel returns a function that is to be written.
func (s *Shape) kernel(isa ISA, name string, constants *pool) *function {
	return &function{s: s, machine: &machine{asm: constants.ctx, isa: isa, lane: s.lane, name: name, pool: constants, count: map[string]int{}}}
}

// Divides reports whether the divider bounds a step. It takes two short vectors in the
// time of a long one; in fact, as ADI showed on a Sapphire Rapids, a tenth less.
func (f *Function) Divides() bool { return f.Cost.Divider > 0 && f.Cost.Divider >= f.Cost.Ports }

// worthwhile is the share of the time per point that more interleaved blocks must
// get below: their edges are longer.
const worthwhile = 0.9

// result describes what was written.
func (f *function) result(blocks, rows int) Function {
	f.cost.Lanes = f.lanes()
	f.cost.bound(f.machine)
	f.cost.Latency = f.s.latency(f.isa)
	f.cost.ZenLatency = f.cost.Latency // not looked at
	return Function{Name: f.name, ISA: f.isa, Rows: rows, Blocks: blocks, Cost: f.cost}
}

var highRegister = regexp.MustCompile(`\b[XY](1[6-9]|2[0-9]|3[01])\b`)

// avx2High reports whether an AVX2 kernel uses a register that needs AVX-512.
func avx2High(text string) bool {
	for part := range strings.SplitSeq(text, "\nTEXT ") {
		name, _, _ := strings.Cut(part, "(SB)")
		if strings.Contains(name, "AVX2") && highRegister.MatchString(part) {
			return true
		}
	}
	return false
}
