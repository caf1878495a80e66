package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// mostTime bounds a single run of a program.
const mostTime = 10 * time.Minute

// settle is the pause between the allocation of memory and the start of the clock, for C
// programs too (peer.h). The system has just cleared the memory; streaming stores would
// have to wait until its cache lines are evicted [note xeon-rows].
const settle = 20 * time.Millisecond

// atLeast is how long a program computes: shorter runs are repeated, and the sample has the
// mean. C programs repeat theirs if they use MEASURE of peer.h.
const atLeast = 20 * time.Millisecond

// A sample is one run.
type sample struct {
	Seconds  float64 `json:"seconds"`         // by the program's own clock
	Prepare  float64 `json:"prepare_seconds"` // part of Seconds: before the first tile, Hold included
	Hold     float64 `json:"hold_seconds"`    // part of Prepare: waiting at the meeting
	Points   float64 `json:"points"`          // iterations
	Checksum string  `json:"checksum"`        // of the results; "": not requested
	Kernel   string  `json:"kernel"`          // of loopc, if its summary has it
}

// A contender is a program that runs a nest.
type contender struct {
	name string
	// strict: its results must have the bits of the sequential loops.
	strict bool
	plain  bool // the loops as they are written, without tiles or ranks
	run    func(ctx context.Context, check bool) (sample, error)
}

// A meeting is where processes wait until all of them are ready.
type meeting struct {
	missing sync.WaitGroup
	all     chan struct{} // closed when all processes are ready
}

func newMeeting(processes int) *meeting {
	m := &meeting{all: make(chan struct{})}
	m.missing.Add(processes)
	go func() {
		m.missing.Wait()
		close(m.all)
	}()
	return m
}

// execute runs the command on the given processors. It decodes what the program prints, one JSON
// value, into result. With a meeting, the program first prints another value when it is ready. When
// all programs are ready, and settle has passed, execute closes the program's standard input, which
// lets it continue. Nobody waits for a program that failed.
func execute(ctx context.Context, cpus []int, env []string, meet *meeting, result any, name string, args ...string) error {
	ctx, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	arrive := func() {}
	if meet != nil {
		arrive = sync.OnceFunc(meet.missing.Done)
		defer arrive()
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	fail := func(err error) error {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		return fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return fail(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return fail(err)
	}
	if err := startOn(cmd, cpus); err != nil {
		return fail(err)
	}
	// A grandchild may keep the pipe open after the process has ended.
	defer context.AfterFunc(ctx, func() { _ = stdout.Close() })()
	printed := json.NewDecoder(stdout)
	if meet != nil {
		var ready string
		if err = printed.Decode(&ready); err == nil {
			arrive()
			<-meet.all
			time.Sleep(settle)
		}
	}
	err = errors.Join(err, stdin.Close()) // the end of the input also lets it continue
	if err == nil {
		err = printed.Decode(result)
	}
	_, _ = io.Copy(io.Discard, stdout)
	if failed := cmd.Wait(); failed != nil {
		return fail(failed)
	}
	if err != nil {
		return fail(fmt.Errorf("what it prints cannot be read: %w", err))
	}
	return nil
}

// runPeer runs a C program, prefixed by the command launcher (mpirun) unless that is empty.
func runPeer(ctx context.Context, launcher []string, program, variant string, p params, cpus []int, check bool) (sample, error) {
	words := append(append([]string(nil), launcher...), program, "variant="+variant)
	for _, x := range p {
		words = append(words, fmt.Sprintf("%s=%d", x.name, x.value))
	}
	if check {
		words = append(words, "check=1")
	} else {
		words = append(words, fmt.Sprintf("at_least=%d", atLeast.Milliseconds()))
	}
	var s sample
	err := execute(ctx, cpus, []string{
		fmt.Sprintf("OMP_NUM_THREADS=%d", len(cpus)), "OMP_PROC_BIND=true", "OMP_DYNAMIC=false",
		// Open MPI: allow root, as in a container, and keep the ranks on cpus.
		"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_hwloc_base_binding_policy=none",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "OMPI_MCA_btl_vader_single_copy_mechanism=none",
	}, nil, &s, words[0], words[1:]...)
	if err == nil && !(s.Seconds > 0) {
		err = fmt.Errorf("%s: it says that it took %g s", words[0], s.Seconds)
	}
	return s, err
}

// An emitted is the program that loopc emits for a nest.
type emitted struct {
	nest   *nest
	path   string
	wanted string // the requested kind of kernel; "": the program chooses
	kernel string // the requested kind, or the fastest that this processor can run
	given  *supplier
}

// portable is the kind of kernel that every emitted program has.
const portable = "portable"

// newEmitted finds out which kinds of kernels the program has. If wanted is "", the program
// chooses the kernel of each run, as it does for its users.
func newEmitted(ctx context.Context, n *nest, path, wanted string) (*emitted, error) {
	e := &emitted{nest: n, path: path, kernel: portable}
	probe := func(kind string) (sample, error) {
		e.wanted = kind
		return e.run(ctx, n.least(), processors()[:1], "", nil, "--comm", "overlap") // an option of tiles: the loops are not run as written
	}
	if _, err := probe(portable); err != nil { // the program has no flag --kernel
		if wanted != "" && wanted != portable {
			return nil, &UsageError{fmt.Sprintf("the program of %s has no choice of kernels: --kernel %s", n.name, wanted)}
		}
		_, err := probe("")
		return e, err
	}
	kinds := []string{"avx512", "avx2", portable}
	if wanted != "" {
		kinds = []string{wanted}
	}
	var failed error
	for _, kind := range kinds {
		s, err := probe(kind)
		if err != nil {
			failed = err
			continue
		}
		// A nest without a kernel of that kind runs the next slower one.
		e.kernel = s.Kernel
		if s.Kernel == "" {
			e.kernel = kind + " or slower"
		}
		if kind == portable {
			e.kernel = portable
		}
		e.wanted = wanted
		return e, nil
	}
	return nil, failed
}

// run runs the program once, on one rank with a worker for each processor. If folder is not
// empty, it writes its results there. At a meeting, the program waits with its workers
// prepared; its times have this wait as Hold.
func (e *emitted) run(ctx context.Context, p params, cpus []int, folder string, meet *meeting, more ...string) (sample, error) {
	args := []string{
		"-n", "1", "--cpus", fmt.Sprint(len(cpus)), "-p", p.String(),
		"--random", "1", "--summary", "-", "--progress", "none", "--touch",
	}
	if e.wanted != "" {
		args = append(args, "--kernel", e.wanted)
	}
	if folder == "" {
		args = append(args, "--at-least", atLeast.String())
	} else {
		for _, name := range e.nest.outs {
			args = append(args, "--out", name+"="+e.result(folder, name))
		}
	}
	if meet != nil {
		args = append(args, "--hold")
	}
	given, err := e.given.args(ctx, p)
	if err != nil {
		return sample{}, err
	}
	args = append(append(args, given...), more...)
	var s sample
	err = execute(ctx, cpus, nil, meet, &s, e.path, args...)
	if want := e.nest.points(p); err == nil && s.Points != want {
		err = fmt.Errorf("%s: %.0f iterations were run, not %.0f", e.nest.name, s.Points, want)
	}
	return s, err
}

// result is the path of the file for an output array.
func (e *emitted) result(folder, name string) string { return filepath.Join(folder, name+".npy") }

// contender makes e run with the given parameters on the given processors.
func (e *emitted) contender(p params, cpus []int) *contender {
	return &contender{name: "loopc", strict: true, run: func(ctx context.Context, check bool) (sample, error) {
		if !check {
			return e.run(ctx, p, cpus, "", newMeeting(1))
		}
		folder, err := os.MkdirTemp("", "loopc-bench-")
		if err != nil {
			return sample{}, err
		}
		defer os.RemoveAll(folder)
		s, err := e.run(ctx, p, cpus, folder, newMeeting(1))
		if err != nil {
			return s, err
		}
		var sum uint64
		for _, name := range e.nest.outs {
			if sum, err = checksumFile(sum, e.result(folder, name)); err != nil {
				return s, err
			}
		}
		s.Checksum = fmt.Sprintf("%016x", sum)
		return s, nil
	}}
}

// independent runs e on each of the processors by itself, all at the same time. All runs
// start their iterations together at a meeting, because the time of preparation varies. The
// sample has the slowest run's time and all runs' iterations, both divided by the number of
// processors.
func (e *emitted) independent(p params, cpus []int) *contender {
	return &contender{name: "single runs at once", run: func(ctx context.Context, _ bool) (sample, error) {
		type outcome struct {
			sample
			err error
		}
		outcomes := make(chan outcome, len(cpus))
		meet := newMeeting(len(cpus))
		for _, cpu := range cpus {
			go func() {
				s, err := e.run(ctx, p, []int{cpu}, "", meet)
				outcomes <- outcome{s, err}
			}()
		}
		var all sample
		var failed error
		for range cpus {
			o := <-outcomes
			if o.err != nil {
				failed = o.err
			}
			all.Seconds = max(all.Seconds, o.Seconds-o.Prepare)
			all.Points += o.Points
		}
		all.Seconds /= float64(len(cpus))
		all.Points /= float64(len(cpus))
		return all, failed
	}}
}
