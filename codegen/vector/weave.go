package vector

import (
	"slices"

	avo "github.com/mmcloughlin/avo/ir"
)

// A step of a chain is a line of operations most of which wait for the one before. Where the
// whole line of one chain is followed by that of another, the processor finds what it could do
// meanwhile only behind what waits, and Zen 4 has less room for that than Intel's cores. Woven,
// the lines stand side by side.

// mostWoven is how many chains are woven: their vectors that come and go are in registers at
// once.
const mostWoven = 2

// weaves reports whether instructions of different chains may change places within a step.
// Chains lag one another, so that none reads what another one writes in the same step; but
// one may write over what the chain before it reads for the last time in that step, unless
// no row reads another. With one value a step reads its rows first, and then writes.
func (s *Levels) weaves() bool {
	if len(s.rows) == 1 {
		return true
	}
	n := 0
	for _, stmt := range s.l.Values {
		if s.live[stmt] {
			n++
		}
	}
	return n == 1
}

// weave takes what was written since some node, a step of a chain from each of the given
// ones on, in turn.
func (m *machine) weave(from []int) {
	f := m.unfinished()
	nodes := slices.Clone(f.Nodes)
	var steps [][][]avo.Node
	for k, at := range from {
		end := len(nodes)
		if k+1 < len(from) {
			end = from[k+1]
		}
		steps = append(steps, strands(nodes[at:end], k == 0))
	}
	f.Nodes = f.Nodes[:from[0]]
	for k := 0; len(steps) > 0; k++ {
		steps = slices.DeleteFunc(steps, func(s [][]avo.Node) bool { return k >= len(s) })
		for _, s := range steps {
			f.Nodes = append(f.Nodes, s[k]...)
		}
	}
}

// strands cuts nodes into what has to stay together: an instruction, with the comments
// before it, if they are wanted, a jump that depends on it, and the label where that comes back to.
func strands(nodes []avo.Node, comments bool) (all [][]avo.Node) {
	var next []avo.Node
	for _, n := range nodes {
		switch n := n.(type) {
		case *avo.Comment:
			if comments {
				next = append(next, n)
			}
			continue
		case avo.Label:
			all[len(all)-1] = append(all[len(all)-1], n)
			continue
		case *avo.Instruction:
			if n.IsBranch {
				all[len(all)-1] = append(all[len(all)-1], n)
				continue
			}
		}
		all = append(all, append(next, n))
		next = nil
	}
	return all
}
