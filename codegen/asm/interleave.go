package asm

import "slices"

// Interleave reorders the nodes since from[0]. Each element of from is the beginning of a part;
// parts must be independent of one another. Afterwards, instructions of the parts alternate: parts
// one after the other would fill the reorder buffer with waiting instructions.
func (f *Function) Interleave(from []int) {
	nodes := slices.Clone(f.nodes)
	var parts [][][]*node
	for k, at := range from {
		end := len(nodes)
		if k+1 < len(from) {
			end = from[k+1]
		}
		parts = append(parts, f.indivisible(nodes[at:end], k == 0))
	}
	f.nodes = f.nodes[:from[0]]
	for k := 0; len(parts) > 0; k++ {
		parts = slices.DeleteFunc(parts, func(s [][]*node) bool { return k >= len(s) })
		for _, s := range parts {
			f.nodes = append(f.nodes, s[k]...)
		}
	}
}

// indivisible divides nodes into units that must stay together: an instruction, a jump that depends
// on it, the label to which the code at the jump's target returns and, if comments is set, the
// comments before the instruction.
func (f *Function) indivisible(nodes []*node, comments bool) (all [][]*node) {
	var next []*node
	for _, n := range nodes {
		switch {
		case n.comment != "":
			if comments {
				next = append(next, n)
			}
			continue
		case n.op != "":
			if to, _ := f.target.jump(n); to == "" {
				all = append(all, append(next, n))
				next = nil
				continue
			}
		}
		all[len(all)-1] = append(all[len(all)-1], n)
	}
	return all
}
