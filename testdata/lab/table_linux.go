package main

import (
	"fmt"
	"loopc/transform/plan"
	"os"
	"runtime"
	"strings"
	"time"
)

// table returns the results of a part as Markdown. f are the figures fitted to other runs, off is
// how well they explain these runs: the part by which a prediction is off.
func table(p *part, network networkTimes, f figures, off float64, results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n%s\n\n", p.title, p.about)
	fmt.Fprintf(&b, "%s, on %d processors (%s). A link transfers %.1f Mbit/s; while all nodes send, the slowest transfers %.1f Mbit/s. A byte arrives after %.2f ms, or after %.2f ms while all nodes send.", time.Now().UTC().Format("2 January 2006, 15:04 MST"), runtime.NumCPU(), processor(), p.link.rate/1e6, network.Bytes*8/1e6, network.Trip*1e3, network.Loaded*1e3)
	fmt.Fprintf(&b, " The figures fitted to %d other runs explain these within %.1f %%: CPU time of a message %.0f µs, latency %.2f ms, credit %.2f ms, acknowledgement %.2f ms, %.1f %% of the link's rate, waking another CPU of a node %.2f ms, startup %.0f ms.\n\n", len(p.known), 100*off, f.Message*1e6, f.Latency*1e3, f.Credit*1e3, f.Sync*1e3, f.Rate*100, f.Local*1e3, f.Open*1e3)
	fmt.Fprintf(&b, "| cell | tile | messages | MB | measured, s | of runs | predicted, s | error | against |\n|---|---|---|---|---|---|---|---|---|\n")
	for k := range results {
		r := &results[k]
		predicted, off, sent := "-", "-", "-"
		if r.mpi == "" {
			predicted, off, sent = fmt.Sprintf("%.3f", r.predicted), fmt.Sprintf("%+.1f %%", 100*(r.predicted/r.median()-1)), fmt.Sprint(r.Messages)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %.3f | %.3f to %.3f | %s | %s | %s |\n", r.what, plan.Times(r.tile), sent, float64(r.Bytes)/1e6,
			r.median(), r.seconds[0], r.seconds[len(r.seconds)-1], predicted, off, against(p, results, k))
	}
	b.WriteByte('\n')
	return b.String()
}

// against compares cell k with the cell of its part that the literature compares it with; "": there
// is none.
func against(p *part, results []result, k int) string {
	r := &results[k]
	times := func(what string, other *result) string {
		return fmt.Sprintf("%s : %.3f", what, other.median()/r.median())
	}
	switch p.name {
	case "balance":
		if k > 0 {
			return times("blocking", &results[0])
		}
	case "P1":
		if at := k / 4 * 4; k > at {
			return times("blocking + vertical", &results[at])
		}
	case "P2":
		if at := k/4*4 + 3; k < at {
			return times("retile", &results[at])
		}
	case "P3":
		if k%2 == 1 {
			return fmt.Sprintf("gains %.0f %%", 100*(1-r.median()/results[k-1].median()))
		}
	case "MPI":
		if k%2 == 1 {
			return fmt.Sprintf("loopc : MPI %.3f", results[k-1].median()/r.median())
		}
	}
	return ""
}

// processor returns the name of this machine's processor.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // without the file, the name is unknown
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "model name"); ok {
			return strings.TrimSpace(strings.TrimLeft(name, "\t: "))
		}
	}
	return "unknown"
}
