// Command lab runs emitted programs on an emulated cluster: nodes that are p.link
// namespaces of this machine, links of a given rate and latency between them, and
// CPUs that wait for the time that they would compute. It reproduces what the papers
// measured, with real messages, and compares with predictions and with MPI.
//
//	go run ./testdata/lab -o testdata/lab/README.md    every part; renews the tables
//	go run ./testdata/lab -part P2,MPI                 these; prints the tables
//	go run ./testdata/lab -quick                       one cell, and a check of bits: what CI runs
//
// It takes root, iproute2 and a Linux with TAP devices and tbf. Where it cannot run
// it says so and succeeds, but fails if CI=true.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"loopc/transform/plan/cost"
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

// A result is a cell with its measurements and its prediction.
type result struct {
	cell
	predicted float64   // s
	seconds   []float64 // the times of the runs, ascending
	sample              // messages and bytes
}

// median returns the median of the runs' times, in seconds.
func (r *result) median() float64 {
	n := len(r.seconds)
	return (r.seconds[(n-1)/2] + r.seconds[n/2]) / 2
}

// measured is the line of a file below which the tables are.
const measured = "<!-- What follows is written by the lab. -->"

// report runs parts and writes their tables: to the file, below the line that says so
// if it has one.
func report(ctx context.Context, only string, rounds int, file string) error {
	l, err := newLab()
	if err != nil {
		return err
	}
	defer os.RemoveAll(l.scratch)
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
		before, err := os.ReadFile(file)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		head, _, found := strings.Cut(string(before), measured)
		if found {
			head += measured + "\n\n"
		} else {
			head = ""
		}
		return os.WriteFile(file, []byte(head+text.String()), 0o644)
	}
	fmt.Print(text.String())
	return nil
}

// part runs a part and returns its table.
func (l *lab) part(ctx context.Context, p *part, rounds int) (string, error) {
	if l.cluster == nil || l.cluster.link != p.link {
		c, err := emulate(p.nodes, p.link)
		if err != nil {
			return "", err
		}
		l.cluster, l.learned = c, false
	}
	network, err := l.cluster.measureNetwork(time.Second)
	if err != nil {
		return "", err
	}
	f := firstFigures(network)
	known, results := make([]result, len(p.known)), make([]result, len(p.cells))
	if l.learned {
		f, known = l.figures, nil
	}
	for k := range known {
		known[k].cell = p.known[k]
	}
	for k := range results {
		results[k].cell = p.cells[k]
	}
	if slices.ContainsFunc(results, func(r result) bool { return r.open() }) {
		// Heights are chosen with figures that a first round gives.
		if err := l.round(ctx, known); err != nil {
			return "", err
		}
		if f, _, err = l.learn(known, f); err != nil {
			return "", err
		}
		for k := range results {
			if r := &results[k]; r.open() {
				if err := r.choose(l.nest(r.nest), p.link, f); err != nil {
					return "", err
				}
			}
		}
	}
	for range rounds {
		if err := l.round(ctx, known); err != nil {
			return "", err
		}
		if err := l.round(ctx, results); err != nil {
			return "", err
		}
	}
	if !l.learned {
		if l.figures, l.off, err = l.learn(known, f); err != nil {
			return "", err
		}
		l.learned = true
	}
	for k := range results {
		r := &results[k]
		if r.predicted, err = l.predict(&r.cell, l.figures); err != nil {
			return "", err
		}
	}
	return table(p, network, l.figures, l.off, results), nil
}

// round runs cells once.
func (l *lab) round(ctx context.Context, cells []result) (err error) {
	for k := range cells {
		r := &cells[k]
		if r.sample, err = l.run(ctx, &r.cell); err != nil {
			return err
		}
		r.seconds = append(r.seconds, r.Seconds)
		slices.Sort(r.seconds)
	}
	return nil
}

// learn fits the figures of the network to runs that no table has.
func (l *lab) learn(known []result, f figures) (figures, float64, error) {
	var runs []fitted
	for k := range known {
		r := &known[k]
		p, err := r.planned(l.nest(r.nest))
		if err != nil {
			return f, 0, err
		}
		runs = append(runs, fitted{cell: r.cell, nest: p.Nest, run: cost.NewPredictor(p), seconds: r.median()})
	}
	f, off := fit(runs, l.cluster.link, f)
	return f, off, nil
}
