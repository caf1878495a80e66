package vector

import (
	"cmp"
	"errors"
	"math/bits"
	"slices"
	"strings"

	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/reg"
)

// errRegisters says that a function needs more registers than there are.
var errRegisters = errors.New("there are not enough registers")

// compile is avo's pass.Compile: it gives the virtual registers of a file's
// functions physical ones, the same as avo does. Liveness and allocation, which
// are nearly all of its time, keep sets in words here, where avo has maps.
func compile(file *avo.File) error {
	return pass.Concat(
		pass.Verify,
		pass.FunctionPass(pass.PruneJumpToFollowingLabel),
		pass.FunctionPass(pass.PruneDanglingLabels),
		pass.FunctionPass(pass.LabelTarget),
		pass.FunctionPass(pass.CFG),
		pass.InstructionPass(pass.ZeroExtend32BitOutputs),
		pass.FunctionPass(allocate),
		pass.FunctionPass(pass.VerifyAllocation),
		pass.FunctionPass(pass.EnsureBasePointerCalleeSaved),
		pass.Func(pass.IncludeTextFlagHeader),
		pass.FunctionPass(pass.PruneSelfMoves),
		pass.FunctionPass(pass.RequiredISAExtensions),
	).Execute(file)
}

// A part of a register, which has a number.
type part struct {
	number int
	mask   uint8 // reg.Spec
}

// An allocation is the state of allocate.
type allocation struct {
	instructions  []*avo.Instruction
	reads, writes [][]part // by instruction
	numbers       map[reg.ID]int
	registers     []reg.ID // by number
	adjacent      [][]int  // registers that are live at once, by number; some of them several times
	physical      []reg.ID // by number; those given to virtual registers, and the others themselves
}

// allocate replaces the virtual registers of a function by physical ones, by
// coloring the graph of what is live at once: the register with the least choice
// is next, and gets the first that is left.
func allocate(f *avo.Function) error {
	a := &allocation{instructions: f.Instructions(), numbers: map[reg.ID]int{}}
	for _, i := range a.instructions {
		a.number(i.Registers())
		in, out := reads(i), i.OutputRegisters()
		a.number(in)
		a.number(out)
		a.reads, a.writes = append(a.reads, a.parts(in)), append(a.writes, a.parts(out))
	}
	if !a.interfere() {
		return errRegisters
	}
	a.physical = slices.Clone(a.registers)
	for _, k := range allocated {
		if !a.color(k) {
			return errRegisters
		}
	}
	a.bind()
	return nil
}

// allocated are the kinds of registers that functions use.
var allocated = []reg.Kind{reg.KindGP, reg.KindVector, reg.KindOpmask}

// number gives numbers to registers that have none.
func (a *allocation) number(registers []reg.Register) {
	for _, r := range registers {
		if _, known := a.numbers[r.ID()]; !known && r.Kind() != reg.KindPseudo {
			a.numbers[r.ID()] = len(a.registers)
			a.registers = append(a.registers, r.ID())
		}
	}
}

// parts returns the numbers and masks of registers.
func (a *allocation) parts(registers []reg.Register) []part {
	var out []part
	for _, r := range registers {
		if n, ok := a.numbers[r.ID()]; ok {
			out = append(out, part{n, uint8(r.Mask())})
		}
	}
	return out
}

// reads returns the registers that an instruction reads. To avo that is also what an
// instruction with a mask writes, whose other lanes stay. Blends write them all; a register
// that one writes would be taken from the beginning of the function on.
func reads(i *avo.Instruction) []reg.Register {
	if strings.HasPrefix(i.Opcode, "VBLENDM") || strings.HasPrefix(i.Opcode, "VPBLENDM") {
		var all []reg.Register
		for _, op := range i.Operands[:len(i.Operands)-1] {
			all = append(all, operand.Registers(op)...)
		}
		return all
	}
	return i.InputRegisters()
}

// interfere fills adjacent: what an instruction writes must not be where something
// else is that is still needed. It returns false as soon as it sees that there are
// too few registers.
func (a *allocation) interfere() bool {
	f := a.flow()
	f.solve()
	live := newLiveSet(len(a.registers))
	f.load(live, 0)
	entered := make([]bool, len(a.registers)) // without having been written
	for _, r := range live.members {
		entered[r] = live.masks[r]&1 != 0
	}
	var most perKind
	for _, k := range allocated {
		most[k] = len(allocatable(k))
	}
	a.adjacent = make([][]int, len(a.registers))
	for b := range f.blocks {
		f.loadAfter(live, b)
		for k := f.blocks[b].end - 1; k >= f.blocks[b].start; k-- {
			for _, p := range a.writes[k] {
				a.meet(p, live)
			}
			a.before(live, k)
			if f.blocks[b].reached && a.crowded(live, entered, &most) {
				return false
			}
		}
	}
	return true
}

// before makes live what is live before an instruction of what is live after it.
func (a *allocation) before(live *liveSet, k int) {
	for _, p := range a.writes[k] {
		live.remove(p)
	}
	for _, p := range a.reads[k] {
		live.add(p)
	}
}

// meet makes a register that is written adjacent to those that are live after that.
func (a *allocation) meet(p part, live *liveSet) {
	for _, r := range live.members {
		if r != p.number && live.masks[r]&p.mask != 0 && a.registers[r].Kind() == a.registers[p.number].Kind() {
			a.adjacent[r] = append(a.adjacent[r], p.number)
			a.adjacent[p.number] = append(a.adjacent[p.number], r)
		}
	}
}

// crowded reports whether more virtual registers of a kind are live than can have
// different physical ones. Of two that are live here, one was written last, while the
// other was live, so all are adjacent to one another; but those that a path from the
// beginning reaches unwritten need not be.
func (a *allocation) crowded(live *liveSet, entered []bool, most *perKind) bool {
	var n perKind
	for _, r := range live.members {
		if id := a.registers[r]; id.IsVirtual() && live.masks[r]&1 != 0 && !entered[r] {
			if n[id.Kind()]++; n[id.Kind()] > most[id.Kind()] {
				return true
			}
		}
	}
	return false
}

// perKind has a number for each kind of registers.
type perKind [reg.KindOpmask + 1]int

// color gives physical registers to the virtual ones of a kind, unless there are
// too few.
func (a *allocation) color(kind reg.Kind) bool {
	choice := allocatable(kind)
	bit := map[reg.ID]uint32{}
	for c, id := range choice {
		bit[id] = 1 << c
	}
	var all []int                                // to be given one
	possible := make([]uint32, len(a.registers)) // by number: a bit per choice
	for r, id := range a.registers {
		if !id.IsVirtual() || id.Kind() != kind {
			continue
		}
		all = append(all, r)
		possible[r] = 1<<len(choice) - 1
		for _, s := range a.adjacent[r] {
			possible[r] &^= bit[a.registers[s]]
		}
	}
	slices.SortFunc(all, func(r, s int) int { return cmp.Compare(a.registers[r], a.registers[s]) })
	place := make([]int, len(a.registers)) // in all
	var next choices
	for k, r := range all {
		place[r] = k
		next.add(bits.OnesCount32(possible[r]), k)
	}
	given := make([]bool, len(all))
	for range all {
		k := next.least(func(k, count int) bool { return !given[k] && bits.OnesCount32(possible[all[k]]) == count })
		r := all[k]
		if possible[r] == 0 {
			return false
		}
		given[k] = true
		c := bits.TrailingZeros32(possible[r])
		a.physical[r] = choice[c]
		for _, s := range a.adjacent[r] {
			if possible[s]&(1<<c) == 0 {
				continue
			}
			possible[s] &^= 1 << c
			if !given[place[s]] {
				next.add(bits.OnesCount32(possible[s]), place[s])
			}
		}
	}
	return true
}

// allocatable returns the registers of a kind that may be given to virtual ones,
// the base pointer, which would have to be saved, last.
func allocatable(kind reg.Kind) []reg.ID {
	var out, last []reg.ID
	for _, r := range reg.FamilyOfKind(kind).Registers() {
		switch {
		case r.Info()&reg.Restricted != 0 || slices.Contains(out, r.ID()) || slices.Contains(last, r.ID()):
		case r.Info()&reg.BasePointer != 0:
			last = append(last, r.ID())
		default:
			out = append(out, r.ID())
		}
	}
	slices.Sort(out)
	return append(out, last...)
}

// bind replaces the registers in the operands of all instructions.
func (a *allocation) bind() {
	known := map[part]reg.Register{}
	bound := func(r reg.Register) reg.Register {
		if r == nil || !r.ID().IsVirtual() {
			return r
		}
		p := part{a.numbers[r.ID()], uint8(r.Mask())}
		if known[p] == nil {
			known[p] = reg.LookupID(a.physical[p.number], reg.Spec(p.mask))
		}
		return known[p]
	}
	for _, i := range a.instructions {
		for _, operands := range [][]operand.Op{i.Operands, i.Inputs, i.Outputs} {
			for k, op := range operands {
				switch op := op.(type) {
				case reg.Register:
					operands[k] = bound(op)
				case operand.Mem:
					op.Base, op.Index = bound(op.Base), bound(op.Index)
					operands[k] = op
				}
			}
		}
	}
}
