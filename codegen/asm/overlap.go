package asm

import "slices"

// Software pipelining. If a step divides and then does much with the quotients, many instructions wait for the divisions. They fill
// the processor's queues, so that it begins the divisions of the next step late. A loop that computes the first half of the next
// step before the second half of this step begins them early, and has the quotients when it needs them.

// A Halved is a step in two halves, taken out of a function. The first half ends with the last division.
type Halved struct {
	first, second []*node
	carried       []int // instructions of first whose results second needs
	most          int   // vectors that are needed at one time if the first half of another step precedes the second half
	earlier       int   // vectors that were made before the step
}

// Halve takes the nodes from a mark on, which are a step, out of the function. ok says that it has halves; if not, the nodes stay.
func (m *Machine) Halve(from int) (h Halved, ok bool) {
	all := m.nodes[from:]
	last := -1
	for k, n := range all {
		if n.label != "" || n.op != "" && n.op[0] == 'J' {
			return h, false
		}
		if n.op != "" && dividers[m.target.unit(n.op)] > 0 {
			last = k
		}
	}
	if last < 0 {
		return h, false
	}
	h.first, h.second = slices.Clone(all[:last+1]), slices.Clone(all[last+1:])
	if !h.carry(m) {
		return h, false
	}
	m.nodes = m.nodes[:from]
	return h, true
}

// carry finds what is carried from the first half to the second. It reports whether these are vectors that the first half
// writes once.
func (h *Halved) carry(m *Machine) bool {
	t, written, made := m.target, map[Reg]int{}, map[Reg]bool{}
	for k, n := range h.first {
		if n.op == "" {
			continue
		}
		r := n.writes(t)
		if _, again := written[r.whole()]; again && r != 0 {
			written[r.whole()] = -1
			continue
		}
		written[r.whole()] = k
	}
	carries := map[Reg]bool{}
	for _, n := range h.second {
		if n.op == "" {
			continue
		}
		for _, r := range n.reads(t) {
			k, ok := written[r.whole()]
			if !ok || made[r.whole()] || carries[r.whole()] {
				continue
			}
			if k < 0 || r.Kind() != Vector || h.first[k].writes(t).Bytes() != m.Bytes() || t.effect(h.first[k]) != writes {
				return false
			}
			carries[r.whole()] = true
			h.carried = append(h.carried, k)
		}
		made[n.writes(t).whole()] = true
	}
	h.count(m, carries)
	return true
}

// count sets most and earlier.
func (h *Halved) count(m *Machine, carries map[Reg]bool) {
	t, live := m.target, map[Reg]bool{}
	walk := func(half []*node) (most int) {
		for _, n := range slices.Backward(half) {
			if n.op == "" {
				continue
			}
			if r := n.writes(t); r.Kind() == Vector && t.effect(n) == writes {
				most = max(most, len(live))
				delete(live, r.whole())
			}
			for _, r := range n.reads(t) {
				if r.Kind() == Vector {
					live[r.whole()] = true
				}
			}
			most = max(most, len(live))
		}
		return most
	}
	h.most = walk(h.second)
	h.most = max(h.most, walk(h.first))
	h.earlier = len(live)
	h.most += len(carries) - h.earlier
}

// Fits reports whether the registers hold all vectors of a loop that begins each step before it ends the one before. Vectors that
// were made before the loop may live on the stack, if values of the function may.
func (h *Halved) Fits(m *Machine) bool {
	most := h.most + 1
	if !m.spills {
		most += h.earlier
	}
	return most <= len(m.target.allocatable(Vector))
}

// First writes the first half, Second the second.
func (h *Halved) First(m *Machine)  { m.put(h.first) }
func (h *Halved) Second(m *Machine) { m.put(h.second) }

// Become moves the results of the first half of h that the second half needs to the registers in which the second half of other
// reads them. It reports whether both steps are equal, except for registers and for offsets in memory; if not, it moves nothing.
func (h *Halved) Become(m *Machine, other *Halved) bool {
	same := func(a, b *node) bool { return a.op == b.op && a.comment == b.comment }
	if !slices.EqualFunc(h.first, other.first, same) || !slices.EqualFunc(h.second, other.second, same) || !slices.Equal(h.carried, other.carried) {
		return false
	}
	for _, k := range h.carried {
		from, to := h.first[k].writes(m.target), other.first[k].writes(m.target)
		if from.whole() == to.whole() {
			return false
		}
		m.Move(from, to)
	}
	return true
}

// put writes copies of nodes.
func (f *Function) put(nodes []*node) {
	for _, n := range nodes {
		f.nodes = append(f.nodes, &node{op: n.op, operands: slices.Clone(n.operands), label: n.label, comment: n.comment})
	}
}
