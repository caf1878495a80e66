package bench

import (
	"os"
	"runtime"
	"strings"
)

// vectorsPerCycle is how many vector operations of full width are taken to begin in
// each cycle, divisions apart: the two ports of the processors that loopc has
// vector kernels for. Loads, stores and shuffles are taken to cost nothing.
const vectorsPerCycle = 2

// A roof is the least time that any program could need for an iteration, by the
// figures of the machine.
type roof struct {
	ns    float64
	limit string // what it comes from: memory, arithmetic or divider
}

// roofOf computes the roof of a nest on so many processors: the largest of the
// times for
//
//   - the bytes that have to move, read at the speed of loads and then written at
//     that of the faster kind of stores, as measured over an array of that size, so
//     in the cache if it fits there;
//   - the operations, vectorsPerCycle vectors of vectorBytes per cycle;
//   - the divisions at the throughput measured.
func roofOf(n *nest, p params, m *machine, vectorBytes, cpus int) roof {
	points := n.points(p)
	read, written := n.moved(p)
	memory := (read/m.Load + written/max(m.Store, m.Stream)) / points
	perVector := 1 / (m.GHz * vectorsPerCycle * float64(cpus))
	arithmetic := n.ops * perVector * float64(n.elem) / float64(vectorBytes)
	division := n.divisions * m.division(n) / float64(cpus)
	best := roof{memory, "memory"}
	if arithmetic > best.ns {
		best = roof{arithmetic, "arithmetic"}
	}
	if division > best.ns {
		best = roof{division, "divider"}
	}
	return best
}

// division is what a division takes the divider, in nanoseconds, for the numbers of a nest.
func (m *machine) division(n *nest) float64 {
	if n.elem == 8 {
		return m.Divide64
	}
	return m.Divide32
}

// A processor is what the operating system tells of the processor.
type processor struct {
	model       string // names the kind of machine, for records
	vectorBytes int    // of its widest vectors
}

// readProcessor reads a text such as /proc/cpuinfo. Without one, it is a machine of
// an unknown kind with vectors of 16 bytes.
func readProcessor(cpuinfo string) processor {
	fields := map[string]string{}
	for line := range strings.SplitSeq(cpuinfo, "\n") {
		key, value, ok := strings.Cut(line, ":")
		key = strings.TrimSpace(key)
		if _, seen := fields[key]; ok && !seen {
			fields[key] = strings.TrimSpace(value)
		}
	}
	p := processor{model: "unknown " + runtime.GOARCH, vectorBytes: 16}
	if name := fields["model name"]; name != "" {
		p.model = name + ", family " + fields["cpu family"] + " model " + fields["model"] + " stepping " + fields["stepping"]
	}
	flags := " " + fields["flags"] + " "
	switch {
	case strings.Contains(flags, " avx512f "):
		p.vectorBytes = 64
	case strings.Contains(flags, " avx2 "):
		p.vectorBytes = 32
	}
	return p
}

// thisProcessor is the processor of this machine.
func thisProcessor() processor {
	text, _ := os.ReadFile("/proc/cpuinfo") // there is none on other systems
	return readProcessor(string(text))
}

// Evenness tells how evenly the processors of a row run. All of them run equal pieces of
// vector arithmetic of about a millisecond at the same time; some pieces are slow where
// a core is shared, as with another virtual machine.
type Evenness struct {
	Half  float64 `json:"half"`  // half of the pieces take longer than so many times the fastest
	Tenth float64 `json:"tenth"` // a tenth of them take longer than this
}

// medianEvenness returns the medians of several; zeros of none.
func medianEvenness(all []Evenness) Evenness {
	if len(all) == 0 {
		return Evenness{}
	}
	var half, tenth []float64
	for _, e := range all {
		half, tenth = append(half, e.Half), append(tenth, e.Tenth)
	}
	return Evenness{median(half), median(tenth)}
}
