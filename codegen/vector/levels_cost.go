package vector

import (
	"fmt"
	"math"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"

	"loopc/ir"
	"loopc/runtime/halo"
)

// depths are how many steps back vectors of the row itself may be held in registers,
// the best first.
var depths = []int{2, 1}

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
	ctx := build.NewContext()
	for _, isa := range ISAs {
		if s.most >= isa.Bytes()/s.lane {
			why = "a dependence spans more levels than a vector has lanes"
			continue
		}
		name := prefix + "Levels" + strings.ToUpper(isa.String())
		k, ok := s.kernel(ctx, isa, name)
		if !ok {
			why = "there are not enough registers"
			continue
		}
		kernels = append(kernels, k)
	}
	if len(kernels) == 0 {
		return nil, nil, why
	}
	file, err := ctx.Result()
	if err == nil {
		err = pass.Compile.Execute(file)
	}
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	text, err = printer.NewGoAsm(printer.Config{Name: "loopc from " + clean(from), Pkg: "main"}).Print(file)
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	return text, kernels, ""
}

// kernel writes the functions for an instruction set.
func (s *Levels) kernel(ctx *build.Context, isa ISA, name string) (LevelKernel, bool) {
	for _, depth := range depths {
		one, ok := s.option(isa, 1, depth)
		if !ok {
			continue
		}
		constants := &pool{ctx: ctx, name: name, known: map[string]operand.Mem{}}
		k := LevelKernel{ISA: isa, Lanes: s.layout(isa, depth).Lanes}
		k.One = s.function(ctx, constants, isa, name+"x1", one)
		chains := min(mostChains, int(math.Ceil(k.One.Cost.Latency/k.One.Cost.Ports)))
		for ; chains > 1; chains-- {
			if many, ok := s.option(isa, chains, depth); ok {
				k.Lanes.Chains = chains
				k.Many = s.function(ctx, constants, isa, fmt.Sprintf("%sx%d", name, chains), many)
				break
			}
		}
		return k, true
	}
	return LevelKernel{}, false
}

// option returns the best way to write a function for which there are registers.
func (s *Levels) option(isa ISA, chains, depth int) (levelOption, bool) {
	for _, hoist := range []bool{true, false} {
		o := levelOption{chains: chains, depth: depth, hoist: hoist, unroll: 2}
		if s.fits(isa, o) {
			return o, true
		}
	}
	return levelOption{}, false
}

// fits reports whether there are enough registers for a function.
func (s *Levels) fits(isa ISA, o levelOption) bool {
	ctx := build.NewContext()
	s.function(ctx, &pool{ctx: ctx, name: "constants", known: map[string]operand.Mem{}}, isa, "kernel"+strings.ToUpper(isa.String()), o)
	file, err := ctx.Result()
	if err != nil {
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if err := pass.Compile.Execute(file); err != nil {
		if strings.Contains(err.Error(), "allocat") {
			return false
		}
		panic(fmt.Sprintf("BUG: vector: %v", err))
	}
	if isa == AVX512 {
		return true
	}
	for _, f := range file.Functions() {
		for _, i := range f.Instructions() {
			for _, r := range i.OutputRegisters() {
				if p := reg.ToPhysical(r); p != nil && p.Kind() == reg.KindVector && p.PhysicalIndex() >= 16 {
					return false
				}
			}
		}
	}
	return true
}

// function writes one function.
func (s *Levels) function(ctx *build.Context, constants *pool, isa ISA, name string, o levelOption) Function {
	y := s.layout(isa, o.depth)
	y.Chains = o.chains
	f := &levelFunction{
		machine: &machine{Context: ctx, isa: isa, lane: s.lane, name: name, pool: constants, count: map[string]int{}},
		s:       s, y: y, o: o,
		strides: map[int]reg.GPVirtual{}, kept: map[int]reg.GPVirtual{}, top: map[int]reg.Register{}, fixed: map[int]reg.Register{},
	}
	f.write()
	f.cost.Lanes = f.lanes()
	f.cost.bound(f.machine)
	f.cost.Latency = s.chainLatency(isa)
	return Function{Name: name, ISA: isa, Rows: o.chains * f.lanes(), Blocks: o.chains, Cost: f.cost}
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
