package cli

import (
	"errors"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"loopc/runtime/files"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// settings are the command line, checked as far as that needs no file and no plan.
type settings struct {
	params  []int
	given   []bool   // parameters whose value the user named; float parameters continue after the others
	missing []string // parameters without a value
	floats  []float64
	options plan.Options
	allCPUs bool   // the user gave no number of CPUs: it is that of the machine
	machine string // file with a cost.Machine; "": see cost.FindMachine

	tcp      bool          // ranks are processes
	patience time.Duration // how long a silent rank is waited for; 0: launch.DefaultPatience
	carrier  string        // how faces travel between processes: see carrier; "": chosen for each pair of ranks
	provider string        // of libfabric
	words    []string      // the command line
	security security
	submission
	checkpointing
	inproc   bool           // --transport inproc was given
	metrics  string         // address at which metrics are served; "": none
	log      string         // one of logModes
	hosts    string         // file of the hosts for ranks, reached by ssh; "": this host
	in, out  map[int]string // paths by array; reductions continue after the arrays
	random   *seed          // nil: no random data
	check    bool
	planOnly bool
	verbose  bool          // the plan is printed before the run
	kernel   string        // the name of one; "": the environment's, or the fastest
	touch    bool          // results are touched before the clock starts
	hold     bool          // prepared workers say so, and wait before they begin
	atLeast  time.Duration // the run is repeated until all runs together have taken this long
	virtual  float64       // ns that a virtual CPU takes for an iteration; 0: real CPUs
	summary  string        // file; "-": stdout; "": none
	trace    string        // file; "": none
	progress string

	verify bool
	plans  int    // most plans to verify
	seed   uint64 // of verify's choices
}

// actsOnTiles reports whether the run must use tiles: the user compares plans, watches tiles or
// acts between them, or ranks are processes. It does not include --check: makePlans keeps tiles for
// such a run, too, because it is compared with the sequential loops. See command.actsOnTiles for snapshots.
func (s *settings) actsOnTiles() bool {
	return s.verify || s.virtual > 0 || s.resume != "" || s.trace != "" || s.metrics != "" || s.checkpointing.dir != "" || len(s.ways()) > 0
}

// checkNames refuses a file that would be written twice, and a summary or a trace that would
// overwrite a given array.
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
			uses = append(uses, use{"a given array", fileOf(s.in[k])})
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

// setPlan completes the options of the plan.
func (s *settings) setPlan(prog *sched.Program) error {
	o := &s.options
	if o.Ranks < 0 {
		return usagef("-n %d: there must be one rank at least", o.Ranks)
	}
	if o.Ranks > mostRanks {
		return usagef("-n %d: there can be %d ranks at most", o.Ranks, mostRanks)
	}
	if o.CPUs > mostCPUs {
		return usagef("--cpus %d: there can be %d CPUs of a rank at most", o.CPUs, mostCPUs)
	}
	each, err := prog.OptionsForEach(*o) // completed by the schedules of the nests
	switch {
	case err != nil:
		return usageError{err}
	case len(each) == 1:
		*o = each[0]
	case o.Grid == nil:
		o.Ranks = each[0].Ranks
	}
	// GOMAXPROCS knows the affinity mask and the quota of a control group.
	s.allCPUs = o.ShareCPUs(runtime.GOMAXPROCS(0))
	return nil
}

const (
	mostRanks = 4096
	mostCPUs  = 4096 // of a rank
)

// setFiles assigns files to arrays and reductions.
func (s *settings) setFiles(prog *sched.Program, in, out, shown pairs) error {
	nest := prog.Nest
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
			case k < 0 && flag == "out" && slices.ContainsFunc(prog.Repeats(), func(r *sched.Repeat) bool { return r.Name == p.name }):
				errs = append(errs, usagef("--out %s: that is a repeat; --summary FILE writes how many repetitions each repeat ran, as repeats", p.name))
			case k < 0 && len(names) == 0:
				errs = append(errs, usagef("--%s %s: no array is %s", flag, p.name, role))
			case k < 0:
				errs = append(errs, usagef("--%s: no such array: %s%s; those %s are %s", flag, p.name, suggest(p.name, names, ""), role, strings.Join(names, ", ")))
			case k < len(nest.Arrays) && flag == "snapshot" && nest.Arrays[k].Slice != nil:
				errs = append(errs, usagef("--snapshot %s: that array is given back in part, when the run ends; an array without the dimension of the levels, which is updated in place, has snapshots", p.name))
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
		assign("snapshot", "given back as a whole", shown, s.shown, func(a *plan.Array) bool { return a.Returned() && a.Slice == nil }, nil),
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
		s.random = &seed{} // verify fills arrays, so none is missing
		return usagef("--random %s: not a seed, which is a number from 0", text)
	}
	s.random = &seed{Value: v, Special: special}
	return nil
}

// leastPatience and mostPatience bound --patience. Ranks send ten heartbeats in the
// least patience. A longer patience than the most would serve no purpose.
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

// setModes takes the transport, and checks the flags that say what a run does besides computing, and
// those that go with --verify and --virtual.
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
		if err := s.setHosts(); err != nil {
			return err
		}
	}
	if s.verify {
		return s.checkVerify()
	}
	if s.virtual != 0 {
		if err := s.checkVirtual(); err != nil {
			return err
		}
	}
	if s.resume != "" { // the checkpoint may supply arrays: see readFrom
		return nil
	}
	return s.checkGiven(nest)
}

// setHosts sets --hosts: ranks are then processes.
func (s *settings) setHosts() error {
	if s.inproc || s.verify {
		return usagef("--hosts starts processes: it goes with neither --verify nor --transport inproc")
	}
	if s.launched() != nil {
		return usagef("--transport %s has a launcher of its own start the ranks: it does not go with --hosts", s.carrier)
	}
	s.tcp = true
	return nil
}

// checkVerify checks the flags that go with --verify.
func (s *settings) checkVerify() error {
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

// checkVirtual checks --virtual and the flags that go with it.
func (s *settings) checkVirtual() error {
	switch {
	case !(s.virtual > 0 && s.virtual <= 1e9):
		return usagef("--virtual %g: a time per iteration in nanoseconds is from 0 to 1e9", s.virtual)
	case s.check || len(s.out) > 0:
		return usagef("--virtual computes nothing: there is no result to check or to keep")
	}
	return nil
}

// checkGiven checks that every given array has a file, if the run needs them.
func (s *settings) checkGiven(nest *plan.Nest) error {
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
