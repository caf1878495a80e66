package asm

import "math"

// If a function needs more registers than there are, some values live on the stack: they are loaded
// before each instruction that reads them, and stored after each instruction that writes them. Values
// that are live for long and seldom touched go first (Chaitin: see doc.go). Loads and stores change no
// flags, so they may stand between a comparison and its jump.

// A spiller moves values of a function to the stack.
type spiller struct {
	f         *Function
	slots     map[Reg]int  // offsets, by whole register
	temporary map[Reg]bool // whole registers that hold a value of the stack for one instruction
	marked    map[Reg]bool // registers that go to the stack next
	cost      []float64    // by number; infinite for registers that cannot go
}

// allocateSpilling does what allocate does, for a file with Spills.
func allocateSpilling(f *Function) error {
	s := &spiller{f: f, slots: map[Reg]int{}, temporary: map[Reg]bool{}}
	for {
		a := newAllocation(f)
		failed, err := a.run()
		if err == nil {
			return nil
		}
		s.marked = map[Reg]bool{}
		s.choose(a)
		if len(s.marked) == 0 {
			s.chooseNear(a, failed)
		}
		if len(s.marked) == 0 {
			return err
		}
		s.rewrite(a)
	}
}

// choose marks, at each instruction, as many values as do not fit the registers.
func (s *spiller) choose(a *allocation) {
	a.flow.solve()
	s.price(a)
	live := newLiveSet(len(a.registers))
	a.backward(live, func(_, k int) {
		live.add(a.writes[k])
		s.fit(a, live, k)
	}, func(k int) { s.fit(a, live, k) })
}

// backward walks over all instructions, and calls after and before when live has the registers that
// are live after and before the instruction.
func (a *allocation) backward(live *liveSet, after func(block, k int), before func(k int)) {
	for b := range a.flow.blocks {
		a.flow.load(live, a.flow.blocks[b].next...)
		for k := a.flow.blocks[b].end - 1; k >= a.flow.blocks[b].start; k-- {
			after(b, k)
			a.before(live, k)
			before(k)
		}
	}
}

// touched are the parts of registers that an instruction reads and writes.
func (a *allocation) touched(k int) []part {
	return append(a.reads[k : k+1 : k+1][0], a.writes[k])
}

// fit marks the cheapest live values until the others fit the registers, together with the
// temporary registers of the marked values that instruction k touches.
func (s *spiller) fit(a *allocation, live *liveSet, k int) {
	for kind := General; kind < kinds; kind++ {
		n := -len(a.target.allocatable(kind))
		counts := func(r int, marked bool) bool {
			id := a.registers[r]
			return r != 0 && id.Kind() == kind && s.marked[id] == marked
		}
		for _, r := range live.members {
			if counts(r, false) {
				n++
			}
		}
		for _, p := range a.touched(k) {
			if counts(p.number, true) {
				n++
			}
		}
		for ; n > 0; n-- {
			best := 0
			for _, r := range live.members {
				if counts(r, false) && (best == 0 || s.cost[r] < s.cost[best]) {
					best = r
				}
			}
			s.mark(a, best)
		}
	}
}

// chooseNear marks the cheapest of a virtual register that got no physical one and its neighbors.
func (s *spiller) chooseNear(a *allocation, failed int) {
	best := failed
	for _, r := range a.adjacent[failed] {
		if s.cost[r] < s.cost[best] {
			best = r
		}
	}
	s.mark(a, best)
}

func (s *spiller) mark(a *allocation, r int) {
	if r != 0 && !math.IsInf(s.cost[r], 1) {
		s.marked[a.registers[r]] = true
	}
}

// loopWeight is how often a loop is assumed to be repeated.
const loopWeight = 8

// price finds the cost of each register: the number of times it is touched, divided by the number of
// instructions at which it is live.
func (s *spiller) price(a *allocation) {
	s.cost = make([]float64, len(a.registers))
	lives := make([]float64, len(a.registers))
	depths := a.flow.depths()
	live := newLiveSet(len(a.registers))
	a.backward(live, func(b, k int) {
		for _, p := range a.touched(k) {
			s.cost[p.number] += math.Pow(loopWeight, float64(depths[b]))
		}
	}, func(int) {
		for _, r := range live.members {
			lives[r]++
		}
	})
	for r, id := range a.registers {
		s.cost[r] /= lives[r] + 1
		if s.temporary[id] || id == s.f.base.whole() {
			s.cost[r] = math.Inf(1)
		}
	}
}

// depths counts the loops around each block. A jump back is a loop over the blocks between. Jumps
// back from the code after the function's return (Later) are no loops.
func (f *flow) depths() []int {
	all := make([]int, len(f.blocks))
	for from := range f.blocks {
		if len(f.blocks[from].next) == 0 {
			break
		}
		for _, to := range f.blocks[from].next {
			for b := to; b <= from; b++ {
				all[b]++
			}
		}
	}
	return all
}

// rewrite writes loads and stores of the marked values.
func (s *spiller) rewrite(a *allocation) {
	widths := map[Reg]int{}
	for _, n := range a.instructions {
		for _, r := range n.registers() {
			widths[r.whole()] = max(widths[r.whole()], r.Bytes())
			if r.Kind() != Vector {
				widths[r.whole()] = 8
			}
		}
	}
	var nodes []*node
	for _, n := range s.f.nodes {
		var loads, stores []*node
		if n.op != "" {
			loads, stores = s.around(n, widths)
		}
		nodes = append(append(append(nodes, loads...), n), stores...)
	}
	s.f.nodes = nodes
}

// around replaces the marked registers of an instruction by temporary ones, and returns the
// instructions that load and store these.
func (s *spiller) around(n *node, widths map[Reg]int) (loads, stores []*node) {
	temporaries := map[Reg]Reg{} // of whole registers
	hold := func(r Reg) Reg {
		t := temporaries[r.whole()]
		if t == 0 {
			t = s.f.Make(r.Kind(), widths[r.whole()])
			temporaries[r.whole()], s.temporary[t.whole()] = t, true
		}
		return t
	}
	loaded := map[Reg]bool{}
	for _, r := range n.reads(s.f.target) {
		if s.marked[r.whole()] && !loaded[r.whole()] {
			loaded[r.whole()] = true
			loads = append(loads, s.move(n, s.slot(r, widths), hold(r)))
		}
	}
	if r := n.writes(s.f.target); r != 0 && s.marked[r.whole()] {
		if r.Kind() == General && r.Bytes() == 1 && !loaded[r.whole()] { // its other bytes must stay as they are
			loads = append(loads, s.move(n, s.slot(r, widths), hold(r)))
		}
		stores = append(stores, s.move(n, hold(r), s.slot(r, widths)))
	}
	n.replace(func(r Reg) Reg {
		if r == 0 || !s.marked[r.whole()] {
			return r
		}
		return hold(r).As(r.Bytes())
	})
	return loads, stores
}

// move writes a move to or from the stack, which is executed as often as n is.
func (s *spiller) move(n *node, from, to Operand) *node {
	kind := Special
	for _, x := range []Operand{from, to} {
		if r, ok := x.(Reg); ok {
			kind = r.Kind()
		}
	}
	for _, c := range n.counts {
		if _, load := from.(Mem); load {
			c.cost.Loads += c.times
		} else {
			c.cost.Stores += c.times
		}
	}
	return &node{op: s.f.target.spill(kind), operands: []Operand{from, to}, counts: n.counts}
}

// slot is the place of a value on the stack.
func (s *spiller) slot(r Reg, widths map[Reg]int) Mem {
	at, known := s.slots[r.whole()]
	if !known {
		at = s.f.reserve(widths[r.whole()], widths[r.whole()])
		s.slots[r.whole()] = at
	}
	return s.f.Local(at)
}
