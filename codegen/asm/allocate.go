package asm

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
)

// ErrRegisters says that a function needs more registers than there are.
var ErrRegisters = errors.New("there are not enough registers")

// Allocate completes the functions of a file: it replaces virtual registers by those of the
// target, and removes useless labels and jumps.
func (f *File) Allocate() error {
	for _, x := range f.functions() {
		x.prune()
		assign := allocate
		if f.Spills {
			assign = allocateSpilling
		}
		if err := assign(x); err != nil {
			return err
		}
		x.finish()
	}
	return nil
}

// prune removes jumps to the next instruction, and labels that no jump leads to.
func (f *Function) prune() {
	used, k := map[Label]bool{}, -1
	f.nodes = slices.DeleteFunc(f.nodes, func(n *node) bool {
		k++
		if n.op == "" {
			return false
		}
		to, conditional := f.target.jump(n)
		if to != "" && !conditional && k+1 < len(f.nodes) && Label(f.nodes[k+1].label) == to {
			return true
		}
		used[to] = true
		return false
	})
	f.nodes = slices.DeleteFunc(f.nodes, func(n *node) bool { return n.label != "" && !used[Label(n.label)] })
}

// finish derives the stack and the required processor features from the registers and instructions
// that the function uses.
func (f *Function) finish() {
	features := map[string]bool{}
	for _, n := range f.instructions() {
		if f.stack == 0 && f.target.saved(n.writes(f.target)) {
			f.stack = 8 // the assembler saves the register only in functions with a stack
		}
		for _, name := range f.target.requires(n) {
			features[name] = true
		}
	}
	f.dropMoves(func(integers, _ bool) bool { return integers })
	for name := range features {
		f.requires = append(f.requires, name)
	}
	slices.Sort(f.requires)
}

// DropMoves removes moves of entire vectors to themselves.
func (f *File) DropMoves() {
	for _, x := range f.functions() {
		x.dropMoves(func(_, vectors bool) bool { return vectors })
	}
}

// dropMoves leaves out moves of a register to itself.
func (f *Function) dropMoves(which func(integers, vectors bool) bool) {
	f.nodes = slices.DeleteFunc(f.nodes, func(n *node) bool {
		if n.op == "" || !which(f.target.moves(n)) {
			return false
		}
		r, ok := n.operands[0].(Reg)
		return ok && r == n.operands[1]
	})
}

// A part is a part of a register, by the register's number.
type part struct {
	number int
	mask   uint8
}

// An allocation is the state of allocate.
type allocation struct {
	target       target
	instructions []*node
	reads        [][]part // by instruction
	writes       []part   // of mask 0 if the instruction writes none
	numbers      map[Reg]int
	registers    []Reg   // entire registers, by number
	adjacent     [][]int // registers that are live at the same time, by number; with repetitions
	physical     []int   // the physical register, by number
	flow         *flow
}

// allocate replaces the virtual registers of a function by physical ones, by coloring the graph
// of registers that are live at the same time: the register with the fewest choices comes next,
// and takes the first choice.
func allocate(f *Function) error {
	_, err := newAllocation(f).run()
	return err
}

// newAllocation finds what each instruction of a function reads and writes.
func newAllocation(f *Function) *allocation {
	a := &allocation{target: f.target, instructions: f.instructions(), numbers: map[Reg]int{0: 0}, registers: []Reg{0}}
	for _, n := range a.instructions {
		a.number(n.registers())
		var reads []part
		for _, r := range n.reads(f.target) {
			reads = append(reads, a.part(r))
		}
		a.reads = append(a.reads, reads)
		a.writes = append(a.writes, a.part(n.writes(f.target)))
	}
	a.flow = flowOf(f, a)
	return a
}

// run replaces the registers. If there are too few, failed is the number of a register that got
// none, or 0 if a single instruction needs more than there are.
func (a *allocation) run() (failed int, err error) {
	if !a.interfere(a.flow) {
		return 0, ErrRegisters
	}
	a.physical = make([]int, len(a.registers))
	for k := General; k < kinds; k++ {
		if failed := a.color(k); failed != 0 {
			return failed, ErrRegisters
		}
	}
	a.bind()
	return 0, nil
}

// number gives numbers to registers that have none.
func (a *allocation) number(registers []Reg) {
	for _, r := range registers {
		if _, known := a.numbers[r.whole()]; !known {
			a.numbers[r.whole()] = len(a.registers)
			a.registers = append(a.registers, r.whole())
		}
	}
}

// part is the number and mask of a register.
func (a *allocation) part(r Reg) part {
	if r == 0 {
		return part{}
	}
	return part{a.numbers[r.whole()], r.mask()}
}

// interfere fills adjacent: a register that an instruction writes must not be one that holds another
// live value. It returns false as soon as more values are live than there are registers.
func (a *allocation) interfere(f *flow) bool {
	f.solve()
	live := newLiveSet(len(a.registers))
	f.load(live, 0)
	entered := make([]bool, len(a.registers)) // live on entry, without having been written
	for _, r := range live.members {
		entered[r] = live.masks[r]&1 != 0
	}
	var most [kinds]int
	for k := General; k < kinds; k++ {
		most[k] = len(a.target.allocatable(k))
	}
	a.adjacent = make([][]int, len(a.registers))
	for b := range f.blocks {
		f.load(live, f.blocks[b].next...)
		for k := f.blocks[b].end - 1; k >= f.blocks[b].start; k-- {
			a.meet(a.writes[k], live)
			a.before(live, k)
			if f.blocks[b].reached && a.crowded(live, entered, &most) {
				return false
			}
		}
	}
	return true
}

// before updates live across instruction k, backwards.
func (a *allocation) before(live *liveSet, k int) {
	live.remove(a.writes[k])
	for _, p := range a.reads[k] {
		live.add(p)
	}
}

// meet makes a written register adjacent to the registers that are live after the instruction.
func (a *allocation) meet(p part, live *liveSet) {
	for _, r := range live.members {
		if r != p.number && live.masks[r]&p.mask != 0 && a.registers[r].Kind() == a.registers[p.number].Kind() {
			a.adjacent[r] = append(a.adjacent[r], p.number)
			a.adjacent[p.number] = append(a.adjacent[p.number], r)
		}
	}
}

// crowded reports whether more registers of a kind are live than there are physical ones. It counts
// only registers of which any two are adjacent. Two live registers are adjacent if the one that was
// written last was written while the other was live. This need not hold for a register that is live
// when the function begins, before any write (entered): crowded does not count it.
func (a *allocation) crowded(live *liveSet, entered []bool, most *[kinds]int) bool {
	var n [kinds]int
	for _, r := range live.members {
		if k := a.registers[r].Kind(); live.masks[r]&1 != 0 && !entered[r] {
			if n[k]++; n[k] > most[k] {
				return true
			}
		}
	}
	return false
}

// color gives physical registers to the virtual ones of a kind. It returns 0 or, if no physical
// register is left for a virtual one, the number of the latter.
func (a *allocation) color(kind Kind) (failed int) {
	choice := a.target.allocatable(kind)
	var all []int                                // registers that need a physical one
	possible := make([]uint32, len(a.registers)) // by number: a bit per possible choice
	for r, id := range a.registers {
		if id.Kind() == kind {
			all = append(all, r)
			possible[r] = 1<<len(choice) - 1
		}
	}
	slices.SortFunc(all, func(r, s int) int { return cmp.Compare(a.registers[r], a.registers[s]) })
	left := newChoices(len(all))
	place := make([]int, len(a.registers)) // index in all
	for k, r := range all {
		place[r] = k
		left.toggle(len(choice), k)
	}
	for range all {
		count, k := left.least()
		r := all[k]
		if count == 0 {
			return r
		}
		left.toggle(count, k)
		c := bits.TrailingZeros32(possible[r])
		a.physical[r], possible[r] = choice[c], 0
		for _, s := range a.adjacent[r] {
			if possible[s]&(1<<c) != 0 {
				n := bits.OnesCount32(possible[s])
				left.toggle(n, place[s])
				left.toggle(n-1, place[s])
				possible[s] &^= 1 << c
			}
		}
	}
	return 0
}

// bind replaces the registers in the operands of all instructions.
func (a *allocation) bind() {
	bound := func(r Reg) Reg {
		if r == 0 || !r.virtual() {
			return r
		}
		return newReg(r.Kind(), r.Bytes(), a.physical[a.numbers[r.whole()]]) | regPhysical
	}
	for _, n := range a.instructions {
		n.replace(bound)
	}
}

// replace replaces the registers in the operands of an instruction.
func (n *node) replace(by func(Reg) Reg) {
	for k, x := range n.operands {
		switch x := x.(type) {
		case Reg:
			n.operands[k] = by(x)
		case Mem:
			x.Base, x.Index = by(x.Base), by(x.Index)
			n.operands[k] = x
		}
	}
}
