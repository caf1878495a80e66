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

// A liveSet has for each register, by its number, a byte with the parts of it that
// are live (reg.Spec), eight registers to a word.
type liveSet []uint64

func (s liveSet) at(r int) uint8 { return uint8(s[r/8] >> (8 * (r % 8))) }

func (s liveSet) add(p part) { s[p.number/8] |= uint64(p.mask) << (8 * (p.number % 8)) }

func (s liveSet) remove(p part) { s[p.number/8] &^= uint64(p.mask) << (8 * (p.number % 8)) }

// A part of a register, which has a number.
type part struct {
	number int
	mask   uint8
}

// An allocation is the state of allocate.
type allocation struct {
	instructions []*avo.Instruction
	numbers      map[reg.ID]int
	registers    []reg.ID // by number
	adjacent     [][]int  // registers that are live at once, by number
	physical     []reg.ID // by number; those given to virtual registers, and the others themselves
}

// allocate replaces the virtual registers of a function by physical ones, by
// coloring the graph of what is live at once: the register with the least choice
// is next, and gets the first that is left.
func allocate(f *avo.Function) error {
	a := &allocation{instructions: f.Instructions(), numbers: map[reg.ID]int{}}
	for _, i := range a.instructions {
		for _, rs := range [][]reg.Register{i.Registers(), i.InputRegisters(), i.OutputRegisters()} {
			for _, r := range rs {
				if _, known := a.numbers[r.ID()]; !known && r.Kind() != reg.KindPseudo {
					a.numbers[r.ID()] = len(a.registers)
					a.registers = append(a.registers, r.ID())
				}
			}
		}
	}
	a.interfere()
	a.physical = slices.Clone(a.registers)
	for _, k := range []reg.Kind{reg.KindGP, reg.KindVector, reg.KindOpmask} {
		if !a.color(k) {
			return errRegisters
		}
	}
	a.bind()
	return nil
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

// interfere finds what is live after each instruction, and fills adjacent: what an
// instruction writes must not be where something else is that is still needed.
func (a *allocation) interfere() {
	words := (len(a.registers) + 7) / 8
	at := make(map[*avo.Instruction]int, len(a.instructions))
	for k, i := range a.instructions {
		at[i] = k
	}
	all := make(liveSet, (2*len(a.instructions)+1)*words)
	set := func() (s liveSet) {
		s, all = all[:words:words], all[words:]
		return s
	}
	before, after := make([]liveSet, len(a.instructions)), make([]liveSet, len(a.instructions))
	next, writes := make([][]int, len(a.instructions)), make([][]part, len(a.instructions))
	for k, i := range a.instructions {
		before[k], after[k] = set(), set()
		for _, p := range a.parts(reads(i)) {
			before[k].add(p)
		}
		writes[k] = a.parts(i.OutputRegisters())
		for _, n := range i.Succ {
			if n != nil {
				next[k] = append(next[k], at[n])
			}
		}
	}
	through := set()
	for changed := true; changed; {
		changed = false
		for k := range slices.Backward(a.instructions) {
			for _, n := range next[k] {
				for w, x := range before[n] {
					after[k][w] |= x
				}
			}
			copy(through, after[k])
			for _, p := range writes[k] {
				through.remove(p)
			}
			for w, x := range through {
				changed = changed || x&^before[k][w] != 0
				before[k][w] |= x
			}
		}
	}
	a.adjacent = make([][]int, len(a.registers))
	meet := make([]bool, len(a.registers)*len(a.registers))
	for k := range a.instructions {
		for _, p := range writes[k] {
			for w, x := range after[k] {
				for ; x != 0; x &= x - 1 {
					r := 8*w + bits.TrailingZeros64(x)/8
					pair := max(r, p.number)*len(a.registers) + min(r, p.number)
					if r != p.number && !meet[pair] && after[k].at(r)&p.mask != 0 && a.registers[r].Kind() == a.registers[p.number].Kind() {
						meet[pair] = true
						a.adjacent[r] = append(a.adjacent[r], p.number)
						a.adjacent[p.number] = append(a.adjacent[p.number], r)
					}
				}
			}
		}
	}
}

// color gives physical registers to the virtual ones of a kind, unless there are
// too few.
func (a *allocation) color(kind reg.Kind) bool {
	choice := allocatable(kind)
	var left []int                               // to be given one
	possible := make([]uint32, len(a.registers)) // by number: a bit per choice
	for r, id := range a.registers {
		if !id.IsVirtual() || id.Kind() != kind {
			continue
		}
		left = append(left, r)
		possible[r] = 1<<len(choice) - 1
		for _, s := range a.adjacent[r] {
			if c := slices.Index(choice, a.registers[s]); c >= 0 {
				possible[r] &^= 1 << c
			}
		}
	}
	slices.SortFunc(left, func(r, s int) int { return cmp.Compare(a.registers[r], a.registers[s]) })
	for len(left) > 0 {
		least := 0
		for k, r := range left {
			if bits.OnesCount32(possible[r]) < bits.OnesCount32(possible[left[least]]) {
				least = k
			}
		}
		r := left[least]
		if possible[r] == 0 {
			return false
		}
		c := bits.TrailingZeros32(possible[r])
		a.physical[r] = choice[c]
		left = slices.Delete(left, least, least+1)
		for _, s := range a.adjacent[r] {
			possible[s] &^= 1 << c
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
