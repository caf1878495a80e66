package vector

import (
	"fmt"
	"math"
	"strings"

	avo "github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/operand"

	"loopc/ir"
)

// A Cost is what a kernel takes per vector step, that is for one vector of
// results of each statement, away from the edges of a row: counts of
// instructions by what they occupy, and the two bounds that follow, in cycles.
// Ports and latencies are those of Intel's cores since Ice Lake (uops.info): two
// loads and one store in a cycle, shuffles on one port, arithmetic on two, all
// vector instructions on three or, with 64-byte vectors, two, six instructions
// of any kind. Those of AMD's Zen 4 differ (the same source): its units are 32 bytes wide,
// two of them add floats, two multiply, two shuffle, with two loads and one store in a
// cycle, and a vector of 64 bytes takes two of a kind.
type Cost struct {
	Shuffles, Arithmetic, Other float64 // vector instructions; Other: blends, inserts, logic
	Sums                        float64 // of Arithmetic: sums, minima and comparisons of floats
	Loads, Stores               float64
	Across                      float64 // loads that lie in two lines, which count twice
	Scalar                      float64 // instructions that are none of these
	Divider                     float64 // cycles
	Ports                       float64 // cycles: what the busiest unit takes
	Zen                         float64 // the same on a Zen 4
	Latency                     float64 // cycles: from a result to the next that needs it; 0 for none
	ZenLatency                  float64 // the same on a Zen 4
	Lanes                       int     // points of a step
}

// Cycles is the greater of both bounds per point, with blocks interleaved.
func (c *Cost) Cycles(blocks int) float64 {
	return max(float64(blocks)*c.Ports, c.Latency) / float64(blocks*c.Lanes)
}

// zenCycles is the same on a Zen 4.
func (c *Cost) zenCycles(blocks int) float64 {
	return max(float64(blocks)*c.Zen, c.ZenLatency) / float64(blocks*c.Lanes)
}

// String describes the cost in a line.
func (c *Cost) String() string {
	s := fmt.Sprintf("%d points: %.3g shuffles, %.3g arithmetic, %.3g blends and inserts, %.3g loads, ", c.Lanes, c.Shuffles, c.Arithmetic, c.Other, c.Loads)
	if c.Across > 0 {
		s += fmt.Sprintf("%.3g of them in two lines, ", c.Across)
	}
	s += fmt.Sprintf("%.3g stores", c.Stores)
	if c.Divider > 0 {
		s += fmt.Sprintf(", divider %.3g cycles", c.Divider)
	}
	s += fmt.Sprintf("; ports %.3g cycles, on a Zen 4 %.3g", c.Ports, c.Zen)
	if c.Latency > 0 {
		s += fmt.Sprintf(", latency %.3g", c.Latency)
		if c.ZenLatency != c.Latency {
			s += fmt.Sprintf(", on a Zen 4 %.3g", c.ZenLatency)
		}
	}
	return s
}

// mark is the number of instructions written so far.
func (m *machine) mark() int { return len(m.written()) }

// node is the number of nodes written so far: instructions, labels and comments.
func (m *machine) node() int { return len(m.unfinished().Nodes) }

// written are the instructions of the function that is being written.
func (m *machine) written() []*avo.Instruction { return m.unfinished().Instructions() }

// unfinished is the function that is being written.
func (m *machine) unfinished() *avo.Function {
	file, _ := m.asm.Result() // errors are looked at when all is written
	all := file.Functions()
	return all[len(all)-1]
}

// count adds the instructions from one mark to another, each executed times
// times.
func (c *Cost) count(m *machine, from, to int, times float64) {
	for _, i := range m.written()[from:to] {
		n := len(i.Operands)
		for k, op := range i.Operands {
			if _, ok := op.(operand.Mem); ok && i.Opcode != "LEAQ" {
				if k == n-1 && n > 1 && !strings.HasPrefix(i.Opcode, "CMP") {
					c.Stores += times
				} else {
					c.Loads += times
				}
			}
		}
		c.unit(m, i, times)
	}
}

// unit counts an instruction at the unit that executes it.
func (c *Cost) unit(m *machine, i *avo.Instruction, times float64) {
	name := i.Opcode
	has := func(starts ...string) bool {
		for _, s := range starts {
			if strings.HasPrefix(name, s) {
				return true
			}
		}
		return false
	}
	double := 1.0 // a 64-byte division is two
	if m.wide() {
		double = 2
	}
	switch {
	case has("KORTEST"):
		c.Other += times
	case !has("V"):
		c.Scalar += times
	case has("VMOVU", "VMOVS", "VMOVHPD", "VBROADCAST", "VMOVNT", "VMASKMOV", "VZEROUPPER"):
	case has("VDIVPS"):
		c.Divider += 5 * double * times
	case has("VDIVPD"):
		c.Divider += 8 * double * times
	case has("VSQRTPS"):
		c.Divider += 6 * double * times
	case has("VSQRTPD"):
		c.Divider += 9 * double * times
	case has("VUNPCK", "VPERM", "VALIGN", "VPBROADCAST", "VPMOVZX", "VPMOVSX", "VPTESTN"):
		c.Shuffles += times
	case has("VPTEST"): // two instructions to the processor
		c.Shuffles += times
		c.Other += times
	case has("VADD", "VSUB", "VMIN", "VMAX", "VCMP"):
		c.Arithmetic += times
		c.Sums += times
	case has("VMUL", "VFMADD", "VFMSUB", "VFNMADD", "VCVT", "VPMULLD", "VRND", "VROUND"):
		c.Arithmetic += times
	default:
		c.Other += times
	}
}

// bound computes Ports and Zen from the counts.
func (c *Cost) bound(m *machine) {
	vectors := 3.0
	if m.wide() {
		vectors = 2
	}
	all := c.Shuffles + c.Arithmetic + c.Other
	c.Ports = max(c.Shuffles, c.Arithmetic/2, all/vectors, (c.Loads+c.Across)/2, c.Stores, c.Divider, (all+c.Loads/2+c.Stores+c.Scalar)/6)
	halves := float64(m.isa.Bytes()) / 32 // of a vector; its divider is as long as Intel's, or less
	c.Zen = max(halves/2*max(c.Sums, c.Arithmetic-c.Sums, c.Shuffles, all/2, c.Loads+c.Across, 2*c.Stores), c.Divider, (all+c.Loads/2+c.Stores+c.Scalar)/6)
}

// latency is the longest chain of operations from a result to one that needs it,
// over the steps that lie between them.
func (s *Shape) latency(isa ISA) float64 {
	most := 0.0
	seen := map[int]float64{} // statement to the delay from a chain's start
	for k, stmt := range s.n.Body {
		if !s.live[k] {
			continue
		}
		if r, ok := stmt.(*ir.Reduce); ok {
			most = max(most, collecting(r))
			continue
		}
		seen[k] = s.delay(ir.Value(stmt), isa, seen)
		most = max(most, seen[k])
	}
	return max(0, most)
}

// delay is how long after the last step's results e is known, or minus infinity
// if it does not depend on them. Longer ways back count for less.
func (s *Shape) delay(e ir.Expr, isa ISA, seen map[int]float64) float64 {
	shuffle := 4.0 // a permutation and a blend
	if isa == AVX512 {
		shuffle = 3
	}
	under := func(latency float64, all ...ir.Expr) float64 {
		most := math.Inf(-1)
		for _, x := range all {
			most = max(most, s.delay(x, isa, seen))
		}
		return most + latency
	}
	float := e.Type().Float()
	switch e := e.(type) {
	case *ir.LocalRef:
		return seen[e.Stmt]
	case *ir.Read:
		if from := s.l.Reads[e.ID]; from.From == ir.FromLocal {
			return seen[s.l.Values[from.Value]]
		}
		if s.entry != nil {
			return s.entry(e)
		}
		a := s.reads[e.ID]
		if s.Streams[a.stream].self < 0 || s.Scheme != Wavefront || a.back > 1 {
			return math.Inf(-1)
		}
		return shuffle * float64(min(1, a.lanes))
	case *ir.Convert:
		return under(4, e.X)
	case *ir.Unary:
		return under(1, e.X)
	case *ir.Binary:
		r := reciprocalOf(e)
		switch {
		case r != nil && r.low == 0:
			return under(4, e.X)
		case r != nil:
			return under(8, e.X)
		case e.Op == ir.Quo && e.T == ir.Float64:
			return under(14, e.X, e.Y)
		case e.Op == ir.Quo:
			return under(11, e.X, e.Y)
		case float, e.Op >= ir.Eq && e.Op <= ir.Ge && e.X.Type().Float():
			return under(4, e.X, e.Y)
		case e.Op == ir.Mul:
			return under(10, e.X, e.Y)
		}
		return under(1, e.X, e.Y)
	case *ir.Call:
		switch {
		case e.Fn == ir.Sqrt:
			return under(16, e.Args...)
		case !float:
			return under(float64(len(e.Args)-1), e.Args...)
		case e.Fn == ir.Min, e.Fn == ir.Max:
			return under(5*float64(len(e.Args)-1), e.Args...)
		case e.Fn == ir.Floor:
			return under(8, e.Args...)
		}
		return under(1, e.Args...)
	case *ir.Select:
		return under(2, e.Cond, e.A, e.B)
	}
	return math.Inf(-1)
}
