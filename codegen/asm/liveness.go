package asm

import "math/bits"

// Liveness is computed per block: one backward walk through a block finds the live registers at
// each instruction, so only the beginnings of blocks need sets.

// A liveSet is the parts of registers that are live at a point of a function.
type liveSet struct {
	members []int   // numbers
	places  []int   // by number: the index in members
	masks   []uint8 // by number: the parts that are live, 0 for no member
}

func newLiveSet(registers int) *liveSet {
	return &liveSet{places: make([]int, registers), masks: make([]uint8, registers)}
}

func (s *liveSet) add(p part) {
	if s.masks[p.number] == 0 {
		s.places[p.number] = len(s.members)
		s.members = append(s.members, p.number)
	}
	s.masks[p.number] |= p.mask
}

func (s *liveSet) remove(p part) {
	if s.masks[p.number] == 0 {
		return
	}
	if s.masks[p.number] &^= p.mask; s.masks[p.number] == 0 {
		last := s.members[len(s.members)-1]
		s.members[s.places[p.number]], s.places[last] = last, s.places[p.number]
		s.members = s.members[:len(s.members)-1]
	}
}

func (s *liveSet) clear() {
	for _, r := range s.members {
		s.masks[r] = 0
	}
	s.members = s.members[:0]
}

// A block is a run of instructions that is entered at the first and left at the last.
type block struct {
	start, end int // instructions
	next       []int
	reached    bool // from the beginning of the function

	reads, writes, before partSet
}

// A partSet is a set of parts of registers: by number, one byte each, eight to a word.
type partSet []uint64

func (s partSet) add(p part) { s[p.number/8] |= uint64(p.mask) << (8 * (p.number % 8)) }

// A flow is the blocks of a function.
type flow struct{ blocks []block }

// flowOf divides a function into blocks, and finds the registers that each reads and writes.
func flowOf(x *Function, a *allocation) *flow {
	f := &flow{}
	f.divide(x)
	live := newLiveSet(len(a.registers))
	for b := range f.blocks {
		x := &f.blocks[b]
		for _, set := range []*partSet{&x.reads, &x.writes, &x.before} {
			*set = make(partSet, (len(a.registers)+7)/8)
		}
		live.clear()
		for k := x.end - 1; k >= x.start; k-- {
			a.before(live, k)
			x.writes.add(a.writes[k])
		}
		for _, r := range live.members {
			x.reads.add(part{r, live.masks[r]})
		}
	}
	return f
}

// divide finds the blocks, and which of them are reached.
func (f *flow) divide(x *Function) {
	places := map[Label]int{} // index of the instruction after each label
	all := x.instructions()
	k := 0
	for _, n := range x.nodes {
		if n.label != "" {
			places[Label(n.label)] = k
		} else if n.op != "" {
			k++
		}
	}
	next := make([][]int, len(all)) // successors of each instruction
	starts := make([]bool, len(all)+1)
	for k, n := range all {
		to, conditional := x.target.jump(n)
		if to != "" {
			next[k] = append(next[k], places[to])
			starts[k+1], starts[places[to]] = true, true
		}
		if (to == "" || conditional) && !x.target.ends(n) {
			next[k] = append(next[k], k+1)
		} else {
			starts[k+1] = true
		}
	}
	blockOf := make([]int, len(all))
	for k := range all {
		if k == 0 || starts[k] {
			f.blocks = append(f.blocks, block{start: k})
		}
		blockOf[k] = len(f.blocks) - 1
		f.blocks[blockOf[k]].end = k + 1
	}
	for b := range f.blocks {
		for _, n := range next[f.blocks[b].end-1] {
			if n < len(all) {
				f.blocks[b].next = append(f.blocks[b].next, blockOf[n])
			}
		}
	}
	f.reach()
}

// reach marks the blocks that are reached.
func (f *flow) reach() {
	if len(f.blocks) == 0 {
		return
	}
	left := []int{0}
	f.blocks[0].reached = true
	for len(left) > 0 {
		b := left[len(left)-1]
		left = left[:len(left)-1]
		for _, n := range f.blocks[b].next {
			if !f.blocks[n].reached {
				f.blocks[n].reached = true
				left = append(left, n)
			}
		}
	}
}

// solve finds the registers that are live at the beginning of each block.
func (f *flow) solve() {
	for changed := true; changed; {
		changed = false
		for b := len(f.blocks) - 1; b >= 0; b-- {
			x := &f.blocks[b]
			for w := range x.before {
				after := uint64(0)
				for _, n := range x.next {
					after |= f.blocks[n].before[w]
				}
				was := x.before[w]
				x.before[w] = x.reads[w] | after&^x.writes[w]
				changed = changed || x.before[w] != was
			}
		}
	}
}

// load sets live to the registers that are live at the beginning of the given blocks, possibly
// none.
func (f *flow) load(live *liveSet, blocks ...int) {
	live.clear()
	for _, b := range blocks {
		if b == len(f.blocks) {
			continue
		}
		for w, x := range f.blocks[b].before {
			for ; x != 0; x &= x - 1 {
				k := bits.TrailingZeros64(x)
				live.add(part{8*w + k/8, 1 << (k % 8)})
			}
		}
	}
}

// choices[n] is the set of the registers that still need a physical one and have n to choose from, a
// bit per index. Bit w of some says that word w of all has bits: most words have none.
type choices [33]struct{ all, some []uint64 }

func newChoices(places int) (c choices) {
	for n := range c {
		words := (places + 63) / 64
		c[n].all, c[n].some = make([]uint64, words), make([]uint64, (words+63)/64)
	}
	return c
}

// toggle adds or removes a place.
func (c *choices) toggle(count, place int) {
	set, w := &c[count], place/64
	set.all[w] ^= 1 << (place % 64)
	set.some[w/64] &^= 1 << (w % 64)
	if set.all[w] != 0 {
		set.some[w/64] |= 1 << (w % 64)
	}
}

// least returns the first of the registers with the fewest choices.
func (c *choices) least() (count, place int) {
	for n := range c {
		for k, x := range c[n].some {
			if x != 0 {
				w := 64*k + bits.TrailingZeros64(x)
				return n, 64*w + bits.TrailingZeros64(c[n].all[w])
			}
		}
	}
	panic("BUG: asm: no register is left")
}
