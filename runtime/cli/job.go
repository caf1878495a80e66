package cli

import (
	"encoding/hex"
	"fmt"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/launch"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// A job is what a rank reads from its standard input, in JSON: everything that
// the launcher decided, so that all ranks do the same.
type job struct {
	Params   []int          `json:"params"`
	Options  plan.Options   `json:"options"`
	Digest   string         `json:"digest"`          // of the launcher's plan
	Steps    []plan.Options `json:"steps,omitempty"` // of each of several nests, instead of Options
	Given    []jobArray     `json:"given"`
	Results  []jobArray     `json:"results"`
	Report   bool           `json:"report"`             // of progress
	Stats    bool           `json:"stats,omitempty"`    // tell now and then what was done
	Log      string         `json:"log,omitempty"`      // one of logModes
	Virtual  float64        `json:"virtual,omitempty"`  // see virtual
	Carrier  string         `json:"carrier,omitempty"`  // see byTCP
	Provider string         `json:"provider,omitempty"` // of libfabric
	Kernel   string         `json:"kernel,omitempty"`   // the name of the one that runs
	Trace    *jobTrace      `json:"trace,omitempty"`

	Patience time.Duration `json:"patience,omitempty"` // see launch.Info

	Security security `json:"security"`
	Far      bool     `json:"far,omitempty"`  // the launcher is on another host
	Boot     string   `json:"boot,omitempty"` // see launch.Member, of the launcher

	far *launch.Service // where files are that are not here; nil: all are
}

// A jobArray is an array and the file that it comes from or goes to; without a
// file, the seed that it is made of.
type jobArray struct {
	Array int    `json:"array"`
	File  *place `json:"file,omitempty"`
	Seed  seed   `json:"seed"`
}

// newJob describes the run of c to its ranks.
func (c *command) newJob(givens []*given, files *results) (*job, error) {
	j := &job{Params: c.plan.Params, Report: c.settings.progress != "none", Virtual: c.settings.virtual, Carrier: c.settings.carrier, Provider: c.settings.provider, Kernel: c.prog.Kernel.Name, Trace: c.trace.job(len(c.prog.Nest.Arrays)), Stats: c.metrics != nil, Log: c.settings.log, Security: c.settings.security, Patience: c.settings.patience}
	c.planJob(j)
	for k, g := range givens {
		if g == nil {
			continue
		}
		a := jobArray{Array: k, Seed: g.seed}
		if g.file != nil {
			at, err := placeOf(g.file.Name(), givenFile(k), false)
			if err != nil {
				return nil, err
			}
			a.File = &at
		}
		j.Given = append(j.Given, a)
	}
	for _, res := range files.all {
		at, err := placeOf(res.temp, resultFile(res.arr), true)
		if err != nil {
			return nil, err
		}
		j.Results = append(j.Results, jobArray{Array: res.arr, File: &at})
	}
	return j, nil
}

// digest returns the digest of a run as the handshake has it.
func digest(text string) (d [32]byte) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(d) {
		panic("BUG: the digest of a plan is not a SHA-256 in hexadecimal")
	}
	copy(d[:], b)
	return d
}

// open opens the source of the array that a describes.
func (a *jobArray) open(nest *plan.Nest, params []int, far *launch.Service) (*given, error) {
	if a.File == nil {
		return randomGiven(nest, params, a.Array, a.Seed)
	}
	f, err := a.File.open(false, far)
	if err != nil {
		return nil, err
	}
	file, err := npy.OpenFile(f, f.Name())
	if err != nil {
		return nil, err
	}
	return fileGiven(nest, params, a.Array, file)
}

// emptyView returns a view without cells of an array with the given number of
// dimensions.
func emptyView(elem string, dims int) (array.View, error) {
	lo, hi := make([]int, max(1, dims)), make([]int, max(1, dims))
	for k := range hi {
		hi[k] = -1
	}
	return array.Make(elem, lo, hi)
}

// rankViews makes the views that a rank needs: of given arrays the box that it
// reads, of results the box that it writes.
func (j *job) rankViews(prog *sched.Program, p *plan.Plan, rank int) (given, result []array.View, err error) {
	nest := prog.Nest
	fields := sched.NewFields(nest)
	if need, limit := rankMemory(prog, p, nil, rank), sched.MemoryLimit(); limit > 0 && need > limit {
		return nil, nil, fmt.Errorf("needs %d MiB for its tiles and arrays, but the limit here is %d MiB; use more ranks", need>>20, limit>>20)
	}
	for i := range j.Given {
		k := j.Given[i].Array
		v, err := j.rankGiven(&j.Given[i], p, rank)
		if err != nil {
			return nil, nil, fmt.Errorf("array %s: %w", nest.Arrays[k].Name, err)
		}
		fields.Given[k] = v
	}
	for _, r := range j.Results {
		lo, hi, ok := p.ResultBox(rank, r.Array)
		if !ok {
			continue
		}
		v, err := array.Make(nest.Arrays[r.Array].Elem, lo, hi)
		if err != nil {
			return nil, nil, fmt.Errorf("result %s: %w", nest.Arrays[r.Array].Name, err)
		}
		v.TrackWritten()
		fields.Result[r.Array] = v
	}
	return fields.Given, fields.Result, nil
}

// rankGiven reads what a rank needs of a given array.
func (j *job) rankGiven(a *jobArray, p *plan.Plan, rank int) (array.View, error) {
	arr := &p.Nest.Arrays[a.Array]
	lo, hi, ok := p.GivenBox(rank, a.Array)
	if !ok {
		return emptyView(arr.Elem, len(arr.Lo))
	}
	g, err := a.open(p.Nest, p.Params, j.far)
	if err != nil {
		return array.View{}, err
	}
	defer closeGiven([]*given{g})
	return g.box(lo, hi)
}

// rankMemory is what a rank allocates for its tiles and its views, in bytes: of a
// program of several nests, which have plans, at most.
func rankMemory(prog *sched.Program, p *plan.Plan, plans []*plan.Plan, rank int) (most int64) {
	if prog.Nests == nil {
		m := p.Memory(rank)
		return plan.AddBytes(sched.MemoryOf(prog, p, rank, m), plan.AddBytes(m.Given, m.Results))
	}
	for k, p := range plans {
		most = max(most, rankMemory(prog.Nests[k], p, nil, rank))
	}
	return most
}

// ranksMemory is the sum of rankMemory of all ranks. There may be very many, or ranks of very
// many columns: none is gone through twice.
func ranksMemory(prog *sched.Program, p *plan.Plan, plans []*plan.Plan) (all int64) {
	programs := prog.Nests
	if programs == nil {
		programs, plans = []*sched.Program{prog}, []*plan.Plan{p}
	}
	most := make([]int64, p.Ranks)
	for k, p := range plans {
		for rank, m := range p.Memories() {
			need := plan.AddBytes(sched.MemoryOf(programs[k], p, rank, m), plan.AddBytes(m.Given, m.Results))
			most[rank] = max(most[rank], need)
		}
	}
	for _, m := range most {
		all = plan.AddBytes(all, m)
	}
	return all
}
