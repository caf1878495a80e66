package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// A usageError is a mistake on the command line: exit code 2.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func usagef(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// parse reads the command line of a program. It leaves prog as it is: the caller gives it the float
// parameters of the settings (With).
func parse(prog *sched.Program, args []string) (*settings, error) {
	nest := prog.Nest
	s := &settings{words: args, in: map[int]string{}, out: map[int]string{}, checkpointing: checkpointing{shown: map[int]string{}}}
	f := flag.NewFlagSet(nest.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	var params, in, out, shown pairs
	var transport, random string
	option := func(name, usage string) {
		f.Func(name, usage, func(text string) error { return s.options.Set(name, text) })
	}
	f.IntVar(&s.options.Ranks, "n", 0, "`ranks` to run on (1)")
	option("cpus", "CPUs of a rank: a `number`, or a mesh such as 2x1x2, one entry per loop (those available, as far as they are predicted to be of use)")
	option("tile", "`sides` of a tile in iterations, such as 32x32x256; 0 or - leaves one open; none: the loops run as they are written")
	option("first", "`sides` of the first tile, when CPUs take tiles cyclically; 0 or - means the same as the other tiles")
	option("grid", "`ranks` per loop, such as 4x4x1")
	f.StringVar(&s.options.Map, "map", "", "`loop` along which the tiles of a worker lie (the longest)")
	option("group", "`"+oneOf(plan.Group(plan.Any).All())+"`: how the tiles of a step are given to the CPUs of a rank")
	f.IntVar(&s.options.Sub, "sub", 0, "`sub-tiles` of a tile, with vertical grouping")
	f.IntVar(&s.options.Epoch, "epoch", 0, "`levels` (values of the outermost loop) of an epoch, into which the run is cut (a run is cut to fit the memory, to write checkpoints, or if it is very long)")
	option("assign", "`"+oneOf(plan.Assign(plan.Any).All())+"`: how columns of tiles are given to the ranks")
	option("comm", "`"+oneOf(plan.Comm(plan.Any).All())+"`: whether messages travel while tiles are computed; buffered, a send ends when the system has taken it")
	option("shape", "`"+oneOf(plan.Shape(plan.Any).All())+"`: criterion by which the grid of ranks is chosen (model)")
	f.StringVar(&s.machine, "machine", "", "`file` of what computation and messages cost here, see loopc calibrate")
	f.StringVar(&transport, "transport", "", "`what` is between ranks: "+oneOf(transportNames()))
	f.StringVar(&s.provider, "provider", "", "`name` of libfabric's provider, such as tcp;ofi_rxm (the first that can do RDMA)")
	f.Func("patience", "how `long` a silent rank is waited for, such as 30s (5s)", s.setPatience)
	defineSecurity(&s.security, f)
	s.submission.define(f)
	f.Var(&params, "p", "`parameters`, such as X=64,Y=64")
	f.Var(&in, "in", "files of given arrays, such as `u0=file.npy`")
	f.Var(&out, "out", "files for results, such as `u=file.npy`")
	f.StringVar(&random, "random", "", "`seed` of pseudo-random content for given arrays without a file")
	f.BoolVar(&s.check, "check", false, "compare the results with the sequential loops")
	f.BoolVar(&s.planOnly, "plan", false, "print the plan and do not run")
	f.BoolVar(&s.verbose, "verbose", false, "print the plan on standard error, and run it")
	f.StringVar(&s.kernel, "kernel", "", "portable, avx2 or avx512: the `kernel` that computes, in tiles or entire arrays (the fastest that the processor has, or the loops in Go)")
	f.StringVar(&s.checkpointing.dir, "checkpoint", "", "`folder` for checkpoints, from which a run can continue")
	f.Func("checkpoint-every", "how `much` a lost run computes again, at most: a time, or a number of levels or of repetitions (10m)", s.setEvery)
	f.StringVar(&s.resume, "resume", "", "`folder` of checkpoints, with the newest of which the run begins")
	f.Var(&shown, "snapshot", "files for snapshots of arrays, such as `u=frames/u-%06d.npy`, where the number is that of levels that are done")
	f.IntVar(&s.showEvery, "every", 0, "`levels` between two snapshots")
	f.IntVar(&s.restarts, "restarts", 0, "how `often` all ranks are started again, from the last checkpoint, if one is lost")
	f.Float64Var(&s.virtual, "virtual", 0, "`nanoseconds` to wait for each iteration instead of computing it")
	f.BoolVar(&s.touch, "touch", false, "have the memory of results before the clock starts, in one process")
	f.BoolVar(&s.hold, "hold", false, "print \"ready\" when workers are prepared, and begin at the next line of standard input, in one process")
	f.DurationVar(&s.atLeast, "at-least", 0, "repeat the run in one process until all runs together have taken so `long`; the summary has the mean times")
	f.StringVar(&s.metrics, "metrics", "", "`address:port`, or a port of 127.0.0.1, to show metrics of the run at, for Prometheus")
	f.StringVar(&s.log, "log", "", "`text` or json: log of launcher and ranks on standard error, with time, rank and step")
	f.StringVar(&s.hosts, "hosts", "", "`file` of hosts to start ranks on, by ssh: lines host[:port] [slots=n]")
	f.StringVar(&s.summary, "summary", "", "`file` for a summary in JSON; - is standard output")
	f.StringVar(&s.trace, "trace", "", "`file` for a trace of the run")
	f.StringVar(&s.progress, "progress", "auto", "auto, json, lines or none: `how` to tell of progress")
	f.BoolVar(&s.verify, "verify", false, "run many plans and compare each with the sequential loops")
	f.IntVar(&s.plans, "plans", 60, "most `plans` to verify")
	f.Uint64Var(&s.seed, "seed", 1, "`seed` of what verify chooses")
	if err := f.Parse(args); err != nil {
		return nil, flagError(nest, f, err)
	}
	if f.NArg() > 0 {
		return nil, usagef("unexpected argument %q", f.Arg(0))
	}
	err := errors.Join(
		refuseZero(f),
		s.setParams(nest, params),
		s.setPlan(prog),
		s.setFiles(prog, in, out, shown),
		s.setRandom(random),
		s.setModes(nest, transport),
		s.checkNames(nest),
		s.checkPipes(),
		onlyVerify(f, s),
	)
	err = errors.Join(err, s.checkpointing.check(s, prog, len(shown) > 0))
	err = errors.Join(err, checkSecurity(&s.security, s), s.submission.check(f, args, nest, s))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// The messages of package flag for a value that does not fit, and for a missing one.
var (
	wrongValue   = regexp.MustCompile(`(?s)^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-([a-z0-9-]+): (.*)$`)
	missingValue = regexp.MustCompile(`^flag needs an argument: -([a-z0-9-]+)$`)
)

// flagError makes an error of package flag a usageError, with a suggestion.
func flagError(nest *plan.Nest, f *flag.FlagSet, err error) error {
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if m := wrongValue.FindStringSubmatch(err.Error()); m != nil {
		given := m[1]
		if text, err := strconv.Unquote(given); err == nil {
			given = text
		}
		what := m[3]
		switch {
		case what == "parse error" && strings.HasPrefix(err.Error(), "invalid boolean"):
			what = "it is true or false"
		case what == "parse error":
			what = "not a number"
		}
		return usagef("%s %s: %s%s", dashed(m[2]), given, what, exampleOf(nest, m[2]))
	}
	if m := missingValue.FindStringSubmatch(err.Error()); m != nil {
		return usagef("%s: its value is missing%s", dashed(m[1]), exampleOf(nest, m[1]))
	}
	const unknown = "flag provided but not defined: -"
	name, found := strings.CutPrefix(err.Error(), unknown)
	if !found {
		return usageError{err}
	}
	var names []string
	f.VisitAll(func(x *flag.Flag) { names = append(names, x.Name) })
	return usagef("no such flag: --%s%s", strings.TrimLeft(name, "-"), suggest(strings.TrimLeft(name, "-"), names, "--"))
}

// dashed returns a flag as the user writes it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// exampleOf returns an example of a flag for the nest, if the flag's form may not be clear.
func exampleOf(nest *plan.Nest, name string) string {
	if !slices.Contains([]string{"p", "in", "out", "tile", "first", "grid"}, name) {
		return ""
	}
	for _, e := range examples(nest) {
		if strings.HasPrefix(e[0], dashed(name)+" ") {
			return ", as in " + e[0]
		}
	}
	return ""
}

// refuseZero refuses flags with the number 0: in the options, 0 means that the flag is not given.
func refuseZero(f *flag.FlagSet) (err error) {
	f.Visit(func(given *flag.Flag) {
		switch {
		case given.Value.String() != "0":
		case given.Name == "n":
			err = errors.Join(err, usagef("-n 0: there must be one rank at least"))
		case given.Name == "epoch":
			err = errors.Join(err, usagef("--epoch 0: there must be one level at least"))
		case given.Name == "sub":
			err = errors.Join(err, usagef("--sub 0: there must be one sub-tile at least"))
		}
	})
	return err
}

// onlyVerify refuses flags that have a meaning with --verify only.
func onlyVerify(f *flag.FlagSet, s *settings) (err error) {
	f.Visit(func(given *flag.Flag) {
		if (given.Name == "plans" || given.Name == "seed") && !s.verify {
			err = errors.Join(err, usagef("--%s is for --verify", given.Name))
		}
	})
	return err
}

// A pair is one part of a flag of the form a=b,c=d.
type pair struct{ name, value string }

type pairs []pair

// String implements flag.Value.
func (p *pairs) String() string { return "" }

// Set implements flag.Value. A part without = continues the value before it, because a file's
// name may contain a comma.
func (p *pairs) Set(text string) error {
	for k, part := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(part, "=")
		switch {
		case ok && name != "":
			*p = append(*p, pair{strings.TrimSpace(name), value})
		case k > 0 && !ok:
			(*p)[len(*p)-1].value += "," + part
		default:
			return fmt.Errorf("%q is not of the form name=value", part)
		}
	}
	return nil
}

// verifySizes are the first values that verify tries for parameters without a default: odd, and
// all different.
var verifySizes = []int{47, 61, 53, 41}
