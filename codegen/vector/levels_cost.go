package vector

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
	"loopc/runtime/halo"
)

// forms are how the vectors of rows may be kept, the best first.
var forms = []levelForm{{2, true}, {1, true}, {2, false}, {1, false}}

// mostChains is how many chains are interleaved at most.
const mostChains = 4

// A LevelKernel is the functions of Levels for one instruction set.
type LevelKernel struct {
	ISA   ISA
	Lanes halo.Lanes // without the functions
	One   Function   // one chain
	Many  Function   // Lanes.Chains chains; no name if that is one
}

// Last is the function with the most chains.
func (k *LevelKernel) Last() *Function {
	if k.Many.Name != "" {
		return &k.Many
	}
	return &k.One
}

// Assembly returns the text of a Go assembly file with the kernels of s, named
// after prefix, and what it has; or nothing and why.
func (s *Levels) Assembly(prefix, from string) (text []byte, kernels []LevelKernel, why string) {
	file := avo.NewFile()
	for _, isa := range ISAs {
		if s.most >= isa.Bytes()/s.lane {
			why = "a dependence spans more levels than a vector has lanes"
			continue
		}
		k, ok := s.kernel(file, isa, prefix+"Levels"+strings.ToUpper(isa.String()))
		if !ok {
			why = "there are not enough registers"
			continue
		}
		kernels = append(kernels, k)
	}
	if len(kernels) == 0 {
		return nil, nil, why
	}
	dropMoves(file)
	text, err := printer.NewGoAsm(printer.Config{Name: "loopc from " + clean(from), Pkg: "main"}).Print(file)
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	return text, kernels, ""
}

// dropMoves leaves out moves of whole vectors to where they are already.
func dropMoves(file *avo.File) {
	for _, f := range file.Functions() {
		f.Nodes = slices.DeleteFunc(f.Nodes, func(n avo.Node) bool {
			i, ok := n.(*avo.Instruction)
			if !ok || i.Opcode != "VMOVUPD" && i.Opcode != "VMOVUPS" || len(i.Operands) != 2 {
				return false
			}
			from, ok := i.Operands[0].(reg.Register)
			return ok && from == i.Operands[1]
		})
	}
}

// kernel adds the functions for an instruction set to a file.
func (s *Levels) kernel(file *avo.File, isa ISA, name string) (LevelKernel, bool) {
	for _, form := range forms {
		if form.inPlace && s.replaced() == 0 {
			continue
		}
		one, ok := s.best(file, isa, name, 1, form)
		if !ok {
			continue
		}
		k := LevelKernel{ISA: isa, Lanes: s.layout(isa, form).Lanes, One: one}
		chains := min(mostChains, int(math.Ceil(one.Cost.Latency/one.Cost.Ports)))
		for ; chains > 1; chains-- {
			if many, ok := s.best(file, isa, name, chains, form); ok {
				k.Lanes.Chains, k.Many = chains, many
				break
			}
		}
		return k, true
	}
	return LevelKernel{}, false
}

// best adds a function for so many chains, written the best way for which there
// are registers.
func (s *Levels) best(file *avo.File, isa ISA, name string, chains int, form levelForm) (Function, bool) {
	for _, hoist := range []bool{true, false} {
		o := levelOption{chains: chains, form: form, hoist: hoist, unroll: 2}
		if f, part := s.function(isa, fmt.Sprintf("%sx%d", name, chains), o); part != nil {
			if len(part.Includes) > 0 {
				file.Includes = part.Includes
			}
			file.Sections = append(file.Sections, part.Sections...)
			return f, true
		}
	}
	return Function{}, false
}

// function writes a function with its constants; the file is nil if there are not
// enough registers.
func (s *Levels) function(isa ISA, name string, o levelOption) (Function, *avo.File) {
	ctx := build.NewContext()
	y := s.layout(isa, o.form)
	y.Chains = o.chains
	f := &levelFunction{
		machine: &machine{asm: ctx, isa: isa, lane: s.lane, name: name, pool: &pool{ctx: ctx, name: name, known: map[string]operand.Mem{}}, count: map[string]int{}},
		s:       s, y: y, o: o,
		strides: map[int]reg.GPVirtual{}, kept: map[int]reg.GPVirtual{}, fixed: map[int]reg.Register{},
	}
	f.write()
	f.cost.Lanes = f.lanes()
	f.cost.bound(f.machine)
	f.cost.Latency = s.chainLatency(isa)
	file, err := ctx.Result()
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if err := compile(file); err != nil {
		if errors.Is(err, errRegisters) {
			return Function{}, nil
		}
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if isa == AVX2 && highest(file) >= 16 {
		return Function{}, nil // that takes AVX-512
	}
	return Function{Name: name, ISA: isa, Rows: o.chains * f.lanes(), Blocks: o.chains, Cost: f.cost}, file
}

// highest is the highest number of a vector register in a file.
func highest(file *avo.File) int {
	most := 0
	for _, f := range file.Functions() {
		for _, i := range f.Instructions() {
			for _, r := range i.OutputRegisters() {
				if p := reg.ToPhysical(r); p != nil && p.Kind() == reg.KindVector {
					most = max(most, int(p.PhysicalIndex()))
				}
			}
		}
	}
	return most
}

// chainLatency is the longest chain of operations from the vectors of a step to
// those of the next.
func (s *Levels) chainLatency(isa ISA) float64 {
	x := *s.Shape
	shuffle := 4.0 // a permutation and a blend
	if isa == AVX512 {
		shuffle = 3
	}
	x.entry = func(r *ir.Read) float64 {
		f, ok := s.flows[r.ID]
		if !ok || f.row > 0 || f.back > 1 {
			return math.Inf(-1)
		}
		return shuffle * float64(f.vector.up)
	}
	return x.latency(isa)
}
