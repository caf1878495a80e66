// Command lab runs emitted programs on an emulated cluster: nodes that are network
// namespaces of this machine, links of a given rate and latency between them, and
// CPUs that wait for the time that they would compute. It reproduces what the papers
// measured, with real messages, and compares with predictions and with MPI.
//
//	go run ./testdata/lab                 every part; tables in Markdown
//	go run ./testdata/lab -part P2,MPI    these
//	go run ./testdata/lab -quick          one cell, and a check of bits: what CI runs
//
// It takes root, iproute2 and a Linux with TAP devices and tbf. Where it cannot run
// it says so and succeeds, but fails if CI=true.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	only := flag.String("part", "", "`parts` to run, separated by commas: balance, P1, P2, P3, MPI (all)")
	rounds := flag.Int("rounds", 3, "`times` that each cell is run, in turn")
	quick := flag.Bool("quick", false, "run one cell and check that overlapping wins, and that results have the right bits")
	out := flag.String("o", "", "`file` for the tables (standard output)")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	urgent() // what else the machine does must not delay what is measured
	var err error
	if *quick {
		err = check(ctx)
	} else {
		err = report(ctx, *only, *rounds, *out)
	}
	switch {
	case err == nil:
	case errors.Is(err, errCannot) && os.Getenv("CI") != "true":
		fmt.Println("skipped:", err)
	default:
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
}

// A result is a cell and what came of it.
type result struct {
	cell
	predicted float64
	seconds   []float64 // of the runs, ascending
	sample              // messages and bytes
}

// median is that of the runs.
func (r *result) median() float64 { return r.seconds[len(r.seconds)/2] }

// report runs parts and writes their tables.
func report(ctx context.Context, only string, rounds int, file string) error {
	l, err := newLab()
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.scratch)
	if l.cluster, err = emulate(16, network); err != nil {
		return err
	}
	var text strings.Builder
	for _, p := range parts() {
		if only != "" && !slices.Contains(strings.Split(only, ","), p.name) {
			continue
		}
		if missing := mpiMissing(); p.name == "MPI" && len(missing) > 0 {
			if err := fmt.Errorf("%w: %s missing", errCannot, strings.Join(missing, ", ")); os.Getenv("CI") == "true" {
				return err
			}
			fmt.Fprintln(os.Stderr, "skipped MPI:", missing)
			continue
		}
		s, err := l.part(ctx, &p, rounds)
		if err != nil {
			return err
		}
		text.WriteString(s)
		fmt.Fprint(os.Stderr, s)
	}
	if file != "" {
		return os.WriteFile(file, []byte(text.String()), 0o644)
	}
	fmt.Print(text.String())
	return nil
}

// part runs a part and returns its table.
func (l *lab) part(ctx context.Context, p *part, rounds int) (string, error) {
	nodes := 0
	for _, c := range slices.Concat(p.known, p.cells) {
		nodes = max(nodes, c.nodes)
	}
	is, err := l.cluster.prove(nodes, time.Second)
	if err != nil {
		return "", err
	}
	if len(p.known) != l.learned {
		if l.figures, l.off, err = l.learn(ctx, p.known, firstFigures(is)); err != nil {
			return "", err
		}
		l.learned = len(p.known)
	}
	f, off := l.figures, l.off
	results := make([]result, len(p.cells))
	for k := range p.cells {
		r := &results[k]
		r.cell = p.cells[k]
		if err := r.choose(l.nest(r.nest), network, f); err != nil {
			return "", err
		}
		if r.predicted, err = l.predict(&r.cell, f); err != nil {
			return "", err
		}
	}
	for range rounds {
		for k := range results {
			r := &results[k]
			if r.sample, err = l.run(ctx, &r.cell); err != nil {
				return "", err
			}
			r.seconds = append(r.seconds, r.Seconds)
		}
	}
	for k := range results {
		slices.Sort(results[k].seconds)
	}
	return table(p, is, f, off, results), nil
}

// learn fits the figures of the network to runs that no table has.
func (l *lab) learn(ctx context.Context, known []cell, f figures) (figures, float64, error) {
	var runs []fitted
	for _, c := range known {
		var times []float64
		for range 3 {
			s, err := l.run(ctx, &c)
			if err != nil {
				return f, 0, err
			}
			times = append(times, s.Seconds)
		}
		slices.Sort(times)
		p, err := c.planned(l.nest(c.nest))
		if err != nil {
			return f, 0, err
		}
		runs = append(runs, fitted{cell: c, nest: p.Nest, run: p.Predictor(), seconds: times[1]})
	}
	f, off := fit(runs, network, f)
	return f, off, nil
}
