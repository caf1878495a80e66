package asm

import (
	"fmt"
	"slices"
)

// A Model is a processor whose costs are modeled [note port-models].
type Model int

// The models. Whole has units for entire vectors; one of the units shuffles. Halves has units of 32
// bytes, two of each kind.
const (
	Whole Model = iota
	Halves
	models
)

// halves describes the model Halves in texts for users.
const halves = "units of 32 bytes"

// A Bound is a lower bound of the time of a step, in cycles, on each model.
type Bound [models]float64

// Sum adds the bounds on both models.
func (b Bound) Sum() float64 { return b[Whole] + b[Halves] }

// A Cost is the cost of a vector step of a kernel, away from the edges of a row; a vector step
// computes one vector of results of each statement. It has counts of instructions by the units
// they occupy, and the two bounds that follow from these.
type Cost struct {
	Shuffles, Arithmetic, Other float64 // vector instructions; Other: blends, inserts, logic
	Sums                        float64 // part of Arithmetic: sums, minima and comparisons of floats
	Loads, Stores               float64
	Across                      float64 // loads across a line boundary, which count twice
	Scalar                      float64 // all other instructions
	Divider                     float64 // cycles
	Ports                       Bound   // time of the busiest unit
	Latency                     Bound   // from a result to the next result that needs it; 0 if none does
	Lanes                       int     // points of a step
}

// Latencies of operations on vectors, in cycles.
const (
	LatencyLogic  = 1.0 // also sums of integers
	LatencyBlend  = 2.0
	LatencyFloat  = 4.0 // sums, products, comparisons, conversions
	LatencyMinMax = 5.0 // of floats, as Go defines them
	LatencyFloor  = 8.0
	LatencyMulInt = 10.0
	LatencyDiv32  = 11.0
	LatencyDiv64  = 14.0
	LatencySqrt   = 16.0
	LatencyMemory = 7.0  // from a store to a load of the same cell
	LatencyStored = 64.0 // of loads, a store, and a load of some of the stored bytes and of others: the last load waits until the store is complete
)

// LatencyShift is the latency of moving lanes up. AVX2 takes a permutation and a blend for it.
func LatencyShift(m Model, set ISA) float64 {
	return [...][2]float64{Whole: {AVX2: 4, AVX512: 3}, Halves: {AVX2: 5, AVX512: 5}}[m][set]
}

// Cycles is the time per point if the given number of blocks is interleaved: the greater of the two
// bounds.
func (c *Cost) Cycles(m Model, blocks int) float64 {
	return max(float64(blocks)*c.Ports[m], c.Latency[m]) / float64(blocks*c.Lanes)
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
	s += fmt.Sprintf("; ports %.3g cycles, on %s %.3g", c.Ports[Whole], halves, c.Ports[Halves])
	if c.Latency[Whole] > 0 {
		s += fmt.Sprintf(", latency %.3g", c.Latency[Whole])
		if c.Latency[Halves] != c.Latency[Whole] {
			s += fmt.Sprintf(", on %s %.3g", halves, c.Latency[Halves])
		}
	}
	return s
}

// Mark is the number of nodes written so far: instructions, labels and comments.
func (f *Function) Mark() int { return len(f.nodes) }

// Forget removes what was written since a mark.
func (f *Function) Forget(mark int) {
	f.nodes = f.nodes[:mark]
	f.later = slices.DeleteFunc(f.later, func(x late) bool { return x.from >= mark })
}

// A count says how many times an instruction was counted. Loads and stores that spilling adds around
// the instruction are counted as often.
type count struct {
	cost  *Cost
	times float64
}

// Count adds the instructions between two marks. Each is executed the given number of times.
func (c *Cost) Count(m *Machine, from, to int, times float64) {
	for _, n := range m.nodes[from:to] {
		if n.op == "" {
			continue
		}
		n.counts = append(n.counts, count{c, times})
		effect := m.target.effect(n)
		for k, x := range n.operands {
			if _, ok := x.(Mem); !ok || n.op == "LEAQ" {
				continue
			}
			if k > 0 && k == len(n.operands)-1 && effect != reads {
				c.Stores += times
			} else {
				c.Loads += times
			}
		}
		c.occupy(m, m.target.unit(n.op), times)
	}
}

// A unit is the execution unit of an instruction.
type unit uint8

const (
	scalar      unit = iota // of integers
	memory                  // loads and stores alone
	shuffle                 // moves lanes
	sum                     // adds or compares floats
	product                 // multiplies, or converts
	other                   // any other instruction on vectors
	gather                  // a load per lane
	shuffleTest             // two instructions: a shuffle and another one
	quotient4               // the divider, for floats of 4 and 8 bytes, and its square roots
	quotient8
	root4
	root8
)

// dividers are the cycles for which vectors of 32 bytes occupy the divider; longer vectors
// count as two.
var dividers = map[unit]float64{quotient4: 5, quotient8: 8, root4: 6, root8: 9}

// occupy adds an instruction to the count of its unit.
func (c *Cost) occupy(m *Machine, u unit, times float64) {
	c.Divider += dividers[u] * float64(m.Bytes()) / 32 * times
	switch u {
	case scalar:
		c.Scalar += times
	case shuffle:
		c.Shuffles += times
	case shuffleTest:
		c.Shuffles += times
		c.Other += times
	case sum:
		c.Arithmetic += times
		c.Sums += times
	case product:
		c.Arithmetic += times
	case other:
		c.Other += times
	case gather: // and a load, which Count has counted
		c.Loads += float64(m.Lanes()-1) * times
		c.Other += times
	}
}

// Bound computes Ports from the counts. Whole: two loads and one store per cycle, shuffles on
// one port, arithmetic on two, all vector instructions on three or, with 64-byte vectors, on
// two, six instructions of any kind. Halves: two units of 32 bytes add floats, two multiply,
// two shuffle, with two loads and one store per cycle; a vector of 64 bytes occupies two units.
func (c *Cost) Bound(m *Machine) {
	vectors := 3.0
	if m.set == AVX512 {
		vectors = 2
	}
	all := c.Shuffles + c.Arithmetic + c.Other
	any := max(c.Divider, (all+c.Loads/2+c.Stores+c.Scalar)/6) // a lower bound on both models
	c.Ports[Whole] = max(c.Shuffles, c.Arithmetic/2, all/vectors, (c.Loads+c.Across)/2, c.Stores, any)
	parts := float64(m.Bytes()) / 32 // of a vector
	c.Ports[Halves] = max(parts/2*max(c.Sums, c.Arithmetic-c.Sums, c.Shuffles, all/2, c.Loads+c.Across, 2*c.Stores), any)
	c.Lanes = m.Lanes()
}
