package vector

import (
	"strings"

	"loopc/codegen/asm"
)

// A Function is one emitted kernel.
type Function struct {
	Name string
	ISA  asm.ISA
	Rows int // rows that a call computes together: 1, or the lanes of all interleaved blocks
	// Blocks is the number of interleaved blocks; 0 in the contiguous scheme.
	Blocks int
	Ends   bool // whole rows are computed, with the reads beyond bounds of Shape.Ends
	Cost   asm.Cost
}

// Assembly returns the text of a Go assembly file with the kernels of s, whose names begin with
// prefix, and their descriptions; or nothing, and why there are none.
func (s *Shape) Assembly(prefix, from string) (text []byte, functions []Function, why Refusal) {
	tries := []attempt{{blocks: 2}, {blocks: 1}, {blocks: 1, spills: true}}
	if s.places() {
		tries = tries[1:] // the runtime compares the lanes of one vector
	}
	if s.Scheme == Contiguous {
		tries = nil
		loads := !s.ordered() && s.straightPart() != nil // a row by itself loads what rows together gather
		for _, rows := range jams {
			if !loads && s.jammable(rows) {
				tries = append(tries, attempt{keeps: 1, jam: rows}, attempt{keeps: 0.5, jam: rows})
			}
		}
		if len(tries) == 0 || !s.ordered() {
			tries = append(tries, []attempt{{keeps: 1}, {keeps: 0.75}, {keeps: 0.5}, {keeps: 0.25}, {}, {keeps: 1, spills: true}}...)
		}
	}
	for _, a := range tries {
		if text, functions, why = s.assembly(prefix, from, a); why.Why != noRegisters {
			s.sharing = text != nil && s.sharesIn(a)
			break
		}
	}
	return text, functions, why
}

// An attempt says how much a kernel keeps in registers.
type attempt struct {
	blocks int     // wavefront scheme: most interleaved blocks
	keeps  float64 // contiguous scheme: the fraction of mostHeld and mostShared, see contiguous
	jam    int     // contiguous scheme: rows that are computed together, or 0
	spills bool    // values that do not fit live on the stack; only if no other attempt fits
}

// noRegisters is why an attempt gives no kernel; an attempt that keeps less may give one.
const noRegisters = "there are not enough registers"

// assembly does what Assembly does, in one attempt.
func (s *Shape) assembly(prefix, from string, a attempt) (text []byte, functions []Function, why Refusal) {
	defer refusal(&why)
	file := &asm.File{Spills: a.spills}
	var all []Function
	var written []*function // of all
	add := func(f *function, x Function) { all, written = append(all, x), append(written, f) }
	share := s.sharesIn(a)
	for _, isa := range asm.ISAs() {
		if !s.fits(isa) {
			if short := len(all) - 1; s.spacedOut() && short >= 0 { // its vectors are short enough
				x := all[short]
				x.ISA = isa
				add(written[short], x)
			}
			continue
		}
		name := prefix + strings.ToUpper(isa.String())
		constants := asm.NewPool(file, name)
		if s.Scheme == Contiguous {
			if short := len(all) - 1; isa == asm.AVX512 && share {
				x := all[short]
				x.ISA = isa
				add(written[short], x)
				continue
			}
			f := s.kernel(file, isa, name, constants)
			reused := 0
			if a.keeps > 0 && a.jam == 0 {
				reused = s.mostReused(isa)
			}
			f.contiguous(a.keeps, reused, share && isa == asm.AVX2, a.jam)
			one := f.result(0, 1)
			if one.Cost.Latency = f.s.latencyOfRows(one.Cost.Latency, a.jam); s.entire && a.jam > 0 {
				one.Rows = a.jam
			}
			for k := range one.Cost.Latency {
				one.Cost.Latency[k] = max(one.Cost.Latency[k], s.latencyApart(isa))
			}
			add(f, one)
			continue
		}
		one := s.kernel(file, isa, name+"x1", constants)
		one.wavefront(1)
		single := one.result(1, one.Lanes())
		add(one, single)
		if a.blocks > 1 && single.Cost.Cycles(asm.Whole, 2) < worthwhile*single.Cost.Cycles(asm.Whole, 1) {
			two := s.kernel(file, isa, name+"x2", constants)
			two.wavefront(2)
			add(two, two.result(2, 2*two.Lanes()))
		}
	}
	if len(all) == 0 {
		refuse("a dependence is longer than a vector, or shorter")
	}
	if file.Allocate() != nil {
		return nil, nil, Refusal{Why: noRegisters}
	}
	for k, f := range written { // with the spilled values
		latency := all[k].Cost.Latency
		all[k].Cost = f.result(0, 1).Cost
		all[k].Cost.Latency = latency
	}
	return file.Print("loopc from " + from), all, Refusal{}
}

// kernel returns a function that is to be written.
func (s *Shape) kernel(file *asm.File, isa asm.ISA, name string, constants *asm.Pool) *function {
	return &function{s: s, Machine: asm.NewMachine(file, constants, isa, s.lane, name)}
}

// trial returns a function that is written only to find its cost.
func (s *Shape) trial(isa asm.ISA) *function {
	file := &asm.File{}
	return s.kernel(file, isa, "trial", asm.NewPool(file, "trial"))
}

// Divides reports whether the divider bounds a step.
func (f *Function) Divides() bool {
	return f.Cost.Divider > 0 && f.Cost.Divider >= f.Cost.Ports[asm.Whole]
}

// worthwhile bounds the time per point with more interleaved blocks, relative to the time with
// fewer: it must be clearly less than 1, because more blocks have longer edges.
const worthwhile = 0.9

// result describes what was written.
func (f *function) result(blocks, rows int) Function {
	f.cost.Bound(f.Machine)
	latency := f.s.latency(f.ISA())
	f.cost.Latency = asm.Bound{latency, latency} // no decision depends on the other model
	return Function{Name: f.Name(), ISA: f.ISA(), Rows: rows, Blocks: blocks, Ends: f.ends(), Cost: f.cost}
}
