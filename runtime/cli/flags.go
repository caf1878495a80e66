package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"loopc/runtime/files"
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

// settings are the command line, checked as far as that needs no file and no
// plan.
type settings struct {
	params  []int
	given   []bool // parameters whose value was named, not the default
	options plan.Options
	allCPUs bool   // the number of CPUs is not given but what the machine has
	machine string // file of what computation and messages cost; "": see plan.FindMachine

	tcp      bool          // ranks are processes
	patience time.Duration // how long a silent rank is waited for; 0: launch.DefaultPatience
	carrier  string        // what is between these: see byTCP; "": what suits each two of them
	provider string        // of libfabric
	words    []string      // the command line
	security security
	submission
	inproc   bool           // asked for by name
	metrics  string         // address at which they are shown; "": they are not
	log      string         // one of logModes
	hosts    string         // file of those that ranks are started on by ssh; "": this one
	in, out  map[int]string // paths by array; of reductions, which count on behind the arrays
	random   *seed          // nil: no random data
	check    bool
	planOnly bool
	verbose  bool    // the plan is printed before the run
	kernel   string  // the name of one; "": the environment's, or the fastest
	touch    bool    // results are in memory before the clock starts
	hold     bool    // workers that are prepared say so, and wait to be told to begin
	virtual  float64 // ns that a virtual CPU takes for an iteration; 0: real CPUs
	summary  string  // file; "-": stdout; "": none
	trace    string  // file; "": none
	progress string

	verify bool
	plans  int    // most plans to verify
	seed   uint64 // of what verify chooses
}

// parse reads the command line of a program.
func parse(prog *sched.Program, args []string) (*settings, error) {
	nest := prog.Nest
	s := &settings{words: args, in: map[int]string{}, out: map[int]string{}}
	f := flag.NewFlagSet(nest.Name, flag.ContinueOnError)
	f.SetOutput(io.Discard)
	var params, in, out pairs
	var cpus, group, assign, comm, shapeBy, transport, random string
	f.IntVar(&s.options.Ranks, "n", 0, "`ranks` to run on (1)")
	f.StringVar(&cpus, "cpus", "", "CPUs of a rank: a `number`, or a mesh such as 2x1x2, one entry per loop (those available, as far as they are predicted to be of use)")
	f.Var((*shape)(&s.options.Tile), "tile", "`sides` of a tile in iterations, such as 32x32x256; 0 or - leaves one open")
	f.Var((*shape)(&s.options.First), "first", "`sides` of the first tile where CPUs take tiles in turn; 0 or - as of others")
	f.Var((*shape)(&s.options.Grid), "grid", "`ranks` per loop, such as 4x4x1")
	f.StringVar(&s.options.Map, "map", "", "`loop` along which the tiles of a worker lie (the longest)")
	f.StringVar(&group, "group", "", "`hyperplane` or vertical: how the tiles of a step are given to the CPUs of a rank")
	f.IntVar(&s.options.Sub, "sub", 0, "`sub-tiles` of a tile, with vertical grouping")
	f.StringVar(&assign, "assign", "", "`retile`, cluster, cyclic or mirror: how columns of tiles are given to the ranks")
	f.StringVar(&comm, "comm", "", "`overlap`, blocking or buffered: whether messages travel while tiles are computed; buffered, a send ends when the system has taken it")
	f.StringVar(&shapeBy, "shape", "", "`model`, communication or scheduling: what the grid of ranks is chosen by (model)")
	f.StringVar(&s.machine, "machine", "", "`file` of what computation and messages cost here, see loopc calibrate")
	f.StringVar(&transport, "transport", "", "inproc, shm, tcp, ofi or mpi: `what` is between ranks (if there are several, shm within a host, tcp between hosts)")
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
	f.StringVar(&s.kernel, "kernel", "", "portable, avx2 or avx512: the `kernel` that computes (the fastest that the processor has)")
	f.Float64Var(&s.virtual, "virtual", 0, "`nanoseconds` to wait for each iteration instead of computing it")
	f.BoolVar(&s.touch, "touch", false, "have the memory of results before the clock starts, in one process")
	f.BoolVar(&s.hold, "hold", false, "print \"ready\" when workers are prepared, and begin at the next line of standard input, in one process")
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
		s.setPlan(prog, cpus, group, assign, comm, shapeBy),
		s.setFiles(nest, in, out),
		s.setRandom(random),
		s.setModes(nest, transport),
		s.checkNames(nest),
		onlyVerify(f, s),
	)
	err = errors.Join(err, checkSecurity(&s.security, s), s.submission.check(f, args, nest, s))
	if err != nil {
		return nil, err
	}
	return s, nil
}

// What package flag says of a value that does not fit, and of one that is missing.
var (
	wrongValue   = regexp.MustCompile(`(?s)^invalid (?:boolean )?value ("(?:[^"\\]|\\.)*") for (?:flag )?-([a-z0-9-]+): (.*)$`)
	missingValue = regexp.MustCompile(`^flag needs an argument: -([a-z0-9-]+)$`)
)

// flagError makes an error of package flag one of ours, with a suggestion.
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

// dashed is a flag as the user writes it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// exampleOf shows how a flag is given to the nest whose form may not be clear.
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

// refuseZero refuses numbers that are given as 0, which stands for an open choice.
func refuseZero(f *flag.FlagSet) (err error) {
	f.Visit(func(given *flag.Flag) {
		switch {
		case given.Value.String() != "0":
		case given.Name == "n":
			err = errors.Join(err, usagef("-n 0: there must be one rank at least"))
		case given.Name == "sub":
			err = errors.Join(err, usagef("--sub 0: there must be one sub-tile at least"))
		}
	})
	return err
}

// onlyVerify refuses flags that mean something with --verify only.
func onlyVerify(f *flag.FlagSet, s *settings) (err error) {
	f.Visit(func(given *flag.Flag) {
		if (given.Name == "plans" || given.Name == "seed") && !s.verify {
			err = errors.Join(err, usagef("--%s is for --verify", given.Name))
		}
	})
	return err
}

// checkNames refuses a file that would be written twice, and a summary or a trace that
// would take the place of an array that is given.
func (s *settings) checkNames(nest *plan.Nest) error {
	type use struct{ what, path string }
	var uses []use
	for k := range len(nest.Arrays) + len(nest.Reduces) {
		if s.out[k] != "" {
			uses = append(uses, use{"a result", s.out[k]})
		}
	}
	results := len(uses)
	for k := range nest.Arrays {
		if s.in[k] != "" {
			uses = append(uses, use{"a given array", s.in[k]})
		}
	}
	for _, other := range []use{{"the trace", s.trace}, {"the summary", s.summary}} {
		if other.path == "" || other.path == "-" && other.what == "the summary" {
			continue
		}
		for _, u := range uses {
			if files.Same(u.path, other.path) {
				return usagef("%s is named for %s and for %s", other.path, u.what, other.what)
			}
		}
		uses = append(uses, other)
	}
	for k, u := range uses[:results] {
		for _, v := range uses[:k] {
			if files.Same(u.path, v.path) {
				return usagef("%s is named for two results", u.path)
			}
		}
	}
	return nil
}

// setParams gives every parameter its value.
func (s *settings) setParams(nest *plan.Nest, named pairs) error {
	s.params, s.given = make([]int, len(nest.Params)), make([]bool, len(nest.Params))
	var errs []error
	for _, p := range named {
		k := slices.Index(nest.Params, p.name)
		v, err := strconv.Atoi(p.value)
		switch {
		case k < 0 && len(nest.Params) == 0:
			errs = append(errs, usagef("%s has no parameters, %s is unknown", nest.Name, p.name))
		case k < 0:
			errs = append(errs, usagef("no such parameter: %s%s; %s has %s", p.name, suggest(p.name, nest.Params, ""), nest.Name, strings.Join(nest.Params, ", ")))
		case err != nil:
			errs = append(errs, usagef("parameter %s: %q is not an integer", p.name, p.value))
		case s.given[k] && s.params[k] != v:
			errs = append(errs, usagef("parameter %s is given twice", p.name))
		default:
			s.params[k], s.given[k] = v, true
		}
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	var missing []string
	for k, name := range nest.Params {
		if s.given[k] {
			continue
		}
		v, ok := nest.Defaults[name]
		switch {
		case ok:
		case s.verify:
			v = verifySizes[k%len(verifySizes)]
		default:
			missing = append(missing, name)
		}
		s.params[k] = v
	}
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return usagef("parameter %s has no default; give it: -p %s=...", missing[0], missing[0])
	}
	return usagef("parameters %s have no default; give them: -p %s=...", strings.Join(missing, ", "), strings.Join(missing, "=...,"))
}

// setPlan fills in the options of the plan that are not flags by themselves.
func (s *settings) setPlan(prog *sched.Program, cpus, group, assign, comm, shapeBy string) error {
	o := &s.options
	if o.Ranks < 0 {
		return usagef("-n %d: there must be one rank at least", o.Ranks)
	}
	if o.Ranks > mostRanks {
		return usagef("-n %d: there can be %d ranks at most", o.Ranks, mostRanks)
	}
	var err, errGroup, errAssign, errShape error
	o.Comm, err = plan.CommNamed(comm)
	o.Group, errGroup = plan.GroupNamed(group)
	o.Assign, errAssign = plan.AssignNamed(assign)
	o.Shape, errShape = plan.ShapeNamed(shapeBy)
	if err = errors.Join(err, errGroup, errAssign, errShape); err != nil {
		return usageError{err}
	}
	switch {
	case cpus == "":
	case strings.ContainsAny(cpus, "x×"):
		err = (*shape)(&o.Mesh).Set(cpus)
	default:
		o.CPUs, err = strconv.Atoi(cpus)
		if err != nil || o.CPUs < 1 || o.CPUs > mostCPUs {
			return usagef("--cpus %s: not a number of CPUs", cpus)
		}
	}
	if err != nil {
		return usagef("--cpus %s: %w", cpus, err)
	}
	*o = prog.Nest.Scheduled(*o)
	if prog.Nests != nil && o.Ranks == 0 && o.Grid == nil { // their schedules may say
		each, err := prog.OptionsForEach(*o)
		if err != nil {
			return usageError{err}
		}
		o.Ranks = each[0].Ranks
	}
	if o.CPUs == 0 && o.Mesh == nil {
		ranks := max(1, o.Ranks)
		if o.Ranks == 0 {
			for _, g := range o.Grid {
				ranks *= max(1, g)
			}
		}
		// GOMAXPROCS knows the affinity mask and the quota of a control group.
		o.CPUs, s.allCPUs = max(1, runtime.GOMAXPROCS(0)/ranks), true
	}
	return nil
}

const (
	mostRanks = 4096
	mostCPUs  = 4096 // of a rank
)

// setFiles assigns files to arrays and reductions.
func (s *settings) setFiles(nest *plan.Nest, in, out pairs) error {
	assign := func(flag, role string, named pairs, to map[int]string, fits func(*plan.Array) bool, reduces []plan.Reduce) error {
		var names []string
		for k := range nest.Arrays {
			if fits(&nest.Arrays[k]) {
				names = append(names, nest.Arrays[k].Name)
			}
		}
		for _, r := range reduces {
			names = append(names, r.Name)
		}
		var errs []error
		for _, p := range named {
			k := slices.IndexFunc(nest.Arrays, func(a plan.Array) bool { return a.Name == p.name })
			if r := slices.IndexFunc(reduces, func(r plan.Reduce) bool { return r.Name == p.name }); r >= 0 {
				k = len(nest.Arrays) + r
			}
			switch {
			case k < 0 && len(names) == 0:
				errs = append(errs, usagef("--%s %s: no array is %s", flag, p.name, role))
			case k < 0:
				errs = append(errs, usagef("--%s: no such array: %s%s; those %s are %s", flag, p.name, suggest(p.name, names, ""), role, strings.Join(names, ", ")))
			case k < len(nest.Arrays) && !fits(&nest.Arrays[k]):
				errs = append(errs, usagef("--%s %s: that array is not %s", flag, p.name, role))
			case p.value == "":
				errs = append(errs, usagef("--%s %s: the name of the file is missing", flag, p.name))
			case to[k] != "":
				errs = append(errs, usagef("--%s %s is given twice", flag, p.name))
			default:
				to[k] = p.value
			}
		}
		return errors.Join(errs...)
	}
	return errors.Join(
		assign("in", "given by the caller", in, s.in, isGiven, nil),
		assign("out", "given back", out, s.out, (*plan.Array).Returned, nest.Reduces),
	)
}

// isGiven reports whether the caller supplies the content of a.
func isGiven(a *plan.Array) bool { return a.Role == plan.In || a.Role == plan.InOut }

func (s *settings) setRandom(text string) error {
	if text == "" {
		return nil
	}
	number, special := strings.CutSuffix(text, ":special")
	v, err := strconv.ParseUint(number, 10, 64)
	if err != nil {
		s.random = &seed{} // arrays were to be filled: they are not missing
		return usagef("--random %s: not a seed, which is a number from 0", text)
	}
	s.random = &seed{Value: v, Special: special}
	return nil
}

// leastPatience and mostPatience bound --patience: ranks beat ten times as often as the
// least, and who waits longer waits for nothing.
const (
	leastPatience = time.Second
	mostPatience  = 24 * time.Hour
)

// setPatience takes --patience.
func (s *settings) setPatience(text string) error {
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		return errors.New("want a time with its unit, such as 30s or 2m")
	case d < leastPatience || d > mostPatience:
		return errors.New("want from 1s to 24h")
	}
	s.patience = d
	return nil
}

// setModes checks what the program is to do.
func (s *settings) setModes(nest *plan.Nest, transport string) error {
	if err := s.setTransport(transport); err != nil {
		return err
	}
	if !slices.Contains(progressModes, s.progress) {
		return usagef("--progress %s: it is one of %s", s.progress, strings.Join(progressModes, ", "))
	}
	if !slices.Contains(logModes, s.log) {
		return usagef("--log %s: it is text or json", s.log)
	}
	if s.metrics != "" {
		var err error
		if s.metrics, err = metricsAddress(s.metrics); err != nil {
			return err
		}
	}
	if s.hosts != "" {
		if s.inproc || s.verify {
			return usagef("--hosts starts processes: it goes with neither --verify nor --transport inproc")
		}
		if s.carrier == byMPI {
			return usagef("--transport mpi has mpiexec start the ranks: it does not go with --hosts")
		}
		s.tcp = true
	}
	if s.verify {
		switch {
		case s.plans < 1:
			return usagef("--plans %d: there must be one at least", s.plans)
		case len(s.in) > 0 || len(s.out) > 0:
			return usagef("--verify makes its own data, it takes no files")
		case s.trace != "":
			return usagef("--verify runs many plans, --trace shows one run")
		}
		return nil
	}
	switch {
	case s.virtual == 0:
	case !(s.virtual > 0 && s.virtual <= 1e9):
		return usagef("--virtual %g: a time per iteration in nanoseconds is from 0 to 1e9", s.virtual)
	case s.check || len(s.out) > 0:
		return usagef("--virtual computes nothing: there is no result to check or to keep")
	}
	if s.planOnly || s.random != nil {
		return nil
	}
	var missing []string
	for k := range nest.Arrays {
		if a := &nest.Arrays[k]; isGiven(a) && s.in[k] == "" {
			missing = append(missing, a.Name)
		}
	}
	if len(missing) > 0 {
		return usagef("array %s must be given: --in %s=file.npy, or --random 1 for pseudo-random content", strings.Join(missing, ", "), missing[0])
	}
	return nil
}

// A shape is a flag of the form 4x4x1.
type shape []int

// String implements flag.Value.
func (v *shape) String() string {
	var b strings.Builder
	for k, x := range *v {
		if k > 0 {
			b.WriteByte('x')
		}
		fmt.Fprint(&b, x)
	}
	return b.String()
}

// Set implements flag.Value.
func (v *shape) Set(text string) error {
	*v = nil
	for part := range strings.SplitSeq(strings.ReplaceAll(text, "×", "x"), "x") {
		x := 0
		if part != "-" {
			var err error
			if x, err = strconv.Atoi(part); err != nil || x < 0 || x > 1<<40 {
				return fmt.Errorf("%q is not a size: sizes are integers with x between, as in 16x32", part)
			}
		}
		*v = append(*v, x)
	}
	return nil
}

// A pair is one part of a flag of the form a=b,c=d.
type pair struct{ name, value string }

type pairs []pair

// String implements flag.Value.
func (p *pairs) String() string { return "" }

// Set implements flag.Value. A part without = continues the value before it: a
// file's name may have a comma.
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

// verifySizes are the values with which verify begins for parameters that have
// no default: odd, and unlike one another.
var verifySizes = []int{47, 61, 53, 41}
