package bench

import (
	"os"
	"runtime"
	"strings"
)

// vectorsPerCycle is how many full-width vector operations begin in each cycle, divisions
// excepted: processors with AVX2 have two ports for them. The roof leaves out
// the instructions that load, store and shuffle.
const vectorsPerCycle = 2

// A roof is the least time that any program could need for an iteration, by the
// figures of the machine.
type roof struct {
	ns    float64
	limit string // the bottleneck: memory, arithmetic or divider
}

// roofOf computes the roof of a nest on the given number of processors, the largest of
// these times:
//
//   - the bytes that have to move, read at the speed of loads, and then written at the
//     speed of the faster kind of stores. Both speeds are measured over an array of that
//     size, so in the cache if the array fits there;
//   - the operations, vectorsPerCycle vectors of vectorBytes per cycle;
//   - the divisions at the throughput measured.
func roofOf(f *facts, p params, m *machine, vectorBytes, cpus int) roof {
	w := f.work(p)
	read, written := f.moved(p)
	memory := (read/m.Load + written/max(m.Store, m.Stream)) / w.points
	perVector := 1 / (m.GHz * vectorsPerCycle * float64(cpus))
	arithmetic := w.ops / w.points * perVector * float64(f.elem) / float64(vectorBytes)
	division := w.divisions / w.points * m.division(f.elem) / float64(cpus)
	best := roof{memory, "memory"}
	if arithmetic > best.ns {
		best = roof{arithmetic, "arithmetic"}
	}
	if division > best.ns {
		best = roof{division, "divider"}
	}
	return best
}

// division is how long the divider is busy with one division of numbers of the given bytes, in
// nanoseconds.
func (m *machine) division(bytes int) float64 {
	if bytes == 8 {
		return m.Divide64
	}
	return m.Divide32
}

// A processor is the operating system's description of the processor.
type processor struct {
	model       string // names the kind of machine, for records
	vectorBytes int    // of its widest vectors
}

// readProcessor reads a text such as /proc/cpuinfo. An empty text gives an unknown model
// with vectors of 16 bytes.
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
	text, _ := os.ReadFile("/proc/cpuinfo") // only Linux has this file
	return readProcessor(string(text))
}

// A HostLoad tells how loaded the processors were when a row of the table was measured. All of them
// repeat a reference kernel of about a millisecond, simultaneously; a repetition is slow if something
// else, such as another virtual machine, uses its core.
type HostLoad struct {
	Median  float64 `json:"half"`  // the median time of a repetition, divided by the fastest
	Decile9 float64 `json:"tenth"` // the time that a tenth of the repetitions exceed, divided by the fastest
}

// medianLoad returns the medians of both figures, or zeros if all is empty.
func medianLoad(all []HostLoad) HostLoad {
	if len(all) == 0 {
		return HostLoad{}
	}
	var half, tenth []float64
	for _, e := range all {
		half, tenth = append(half, e.Median), append(tenth, e.Decile9)
	}
	return HostLoad{median(half), median(tenth)}
}
