package asm

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"testing"
)

// scarce is a target with few registers.
type scarce struct{ target }

func (t scarce) allocatable(k Kind) []int {
	return t.target.allocatable(k)[:map[Kind]int{General: 4, Vector: 4, Mask: 3}[k]]
}

// TestSpill writes random functions that need more registers than there are, allocates them with
// few registers, and executes them. They must store the same values at the same places as with
// unlimited registers.
func TestSpill(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 12))
	moves, compared := 0, 0
	for round := range 300 {
		f := &File{Spills: true}
		randomFunction(rng, f, ISA(round%2))
		x := f.functions()[0]
		seed := rng.Uint64()
		x.prune()
		want, defined := execute(x, seed)
		if !defined {
			continue
		}
		compared++
		before := len(x.nodes)
		x.target = scarce{x.target}
		if err := f.Allocate(); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		moves += len(x.nodes) - before
		for _, n := range x.instructions() {
			for _, r := range n.registers() {
				if r.virtual() || !slices.Contains(x.target.allocatable(r.Kind()), r.number()) {
					t.Fatalf("round %d: %s has a register that the target lacks", round, n.op)
				}
			}
		}
		if got, _ := execute(x, seed); !slices.Equal(got, want) {
			t.Fatalf("round %d:\nspilled: %v\nwant:    %v", round, got, want)
		}
	}
	if moves < 3000 || compared < 100 {
		t.Errorf("%d functions were compared, with %d moves to and from the stack; the test proves little", compared, moves)
	}
}

// execute executes a function symbolically: a value is a hash of how it was computed, and a seed
// decides the branches. It returns the stores outside of the stack, and whether everything that it
// read was written before.
func execute(f *Function, seed uint64) (stores []string, defined bool) {
	x := &execution{f: f, registers: map[Reg]uint64{}, memory: map[string]uint64{}, stack: map[uint64]bool{}}
	branches := rand.New(rand.NewPCG(seed, 0))
	labels := map[Label]int{}
	for k, n := range f.nodes {
		labels[Label(n.label)] = k
	}
	for k, jumps := 0, 0; k < len(f.nodes) && jumps < 40; k++ {
		n := f.nodes[k]
		if n.op == "" {
			continue
		}
		if to, conditional := f.target.jump(n); to != "" {
			if jumps++; !conditional || branches.IntN(2) == 0 {
				k = labels[to]
			}
			continue
		}
		if f.target.ends(n) {
			break
		}
		x.one(n)
	}
	return x.stores, !x.undefined
}

// An execution is the state of execute.
type execution struct {
	f         *Function
	registers map[Reg]uint64    // by whole register
	memory    map[string]uint64 // by place
	stack     map[uint64]bool   // addresses of the function's stack
	stores    []string
	undefined bool // a register was read that nothing has written
}

func hash(x ...any) uint64 {
	h := fnv.New64()
	fmt.Fprint(h, x...)
	return h.Sum64()
}

func (x *execution) register(r Reg) uint64 {
	if r.Kind() == Special {
		return uint64(r)
	}
	v, written := x.registers[r.whole()]
	x.undefined = x.undefined || !written
	return v
}

// place is the name of memory.
func (x *execution) place(m Mem) string {
	return fmt.Sprint(m.Symbol, x.register(m.Base), x.register(m.Index), m.Scale, m.Disp)
}

// value returns the value of an operand. Memory that was not written has a value of its own.
func (x *execution) value(o Operand) uint64 {
	switch o := o.(type) {
	case Reg:
		return x.register(o)
	case Mem:
		if v, written := x.memory[x.place(o)]; written {
			return v
		}
		return hash("memory", x.place(o))
	}
	return hash(text(x.f.target, o))
}

// one executes an instruction. The result of a copy is the copied value; other results are hashes
// of the instruction's name and operands.
func (x *execution) one(n *node) {
	last := len(n.operands) - 1
	if last < 0 || x.f.target.effect(n) == reads {
		return
	}
	if to, ok := n.operands[last].(Reg); ok && (x.f.target.forgets(n) || n.op == "KXORW") {
		x.registers[to.whole()] = hash(n.op)
		return
	}
	inputs := []any{n.op}
	for k, o := range n.operands {
		if k < last || x.f.target.effect(n) == updates {
			inputs = append(inputs, x.value(o), " ")
		}
	}
	result := hash(inputs...)
	m, memory := n.operands[0].(Mem)
	switch {
	case n.op == "LEAQ":
		result = hash(n.op, x.place(m))
	case last == 1 && slices.Contains([]string{"MOVQ", "MOVL", "MOVB", "VMOVUPS", "KMOVW", "KMOVQ"}, n.op):
		result = x.value(n.operands[0])
	}
	switch to := n.operands[last].(type) {
	case Reg:
		if memory && m.Base == stack || x.f.target.effect(n) == updates && x.stack[x.register(to)] {
			x.stack[result] = true // the base of the stack, and what it is made of
		}
		x.registers[to.whole()] = result
	case Mem:
		x.memory[x.place(to)] = result
		if !x.stack[x.register(to.Base)] {
			x.stores = append(x.stores, fmt.Sprint(x.place(to), " = ", result))
		}
	}
}
