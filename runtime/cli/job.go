package cli

import (
	"encoding/hex"
	"time"

	"loopc/runtime/launch"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/transform/plan"
)

// A job has every decision of the launcher, in JSON, so that all ranks do the same. A rank reads it
// from its standard input.
type job struct {
	Params   []int          `json:"params"`
	Floats   []float64      `json:"floats,omitempty"`
	Digest   string         `json:"digest"` // of the launcher's program and plans
	Steps    []plan.Options `json:"steps"`  // of each nest
	Given    []jobArray     `json:"given"`
	Results  []jobArray     `json:"results"`
	Report   bool           `json:"report"`             // of progress
	Stats    bool           `json:"stats,omitempty"`    // report regularly what was done
	Log      string         `json:"log,omitempty"`      // one of logModes
	Virtual  float64        `json:"virtual,omitempty"`  // see virtual
	Carrier  string         `json:"carrier,omitempty"`  // how faces travel, see carrier
	Provider string         `json:"provider,omitempty"` // of libfabric
	Kernel   string         `json:"kernel,omitempty"`   // name of the chosen kernel
	Loops    float64        `json:"loops,omitempty"`    // predicted seconds of the loops as they are written; 0: tiles run
	CPUs     int            `json:"cpus,omitempty"`     // of each rank that then shares items
	Trace    *jobTrace      `json:"trace,omitempty"`
	Keep     *jobKeep       `json:"keep,omitempty"`

	Patience time.Duration `json:"patience,omitempty"` // see launch.Info

	Security security `json:"security"`
	Far      bool     `json:"far,omitempty"`  // the launcher is on another host
	Boot     string   `json:"boot,omitempty"` // see launch.Member, of the launcher

	far *launch.Service // serves files that are not here; nil: all are here
}

// A jobArray is an array with its source or destination: a file, a number, or the seed of its content.
type jobArray struct {
	Array  int      `json:"array"`
	File   *place   `json:"file,omitempty"`
	Form   npy.Form `json:"form,omitempty"`
	Seed   seed     `json:"seed"`
	Number string   `json:"number,omitempty"`
	Unread bool     `json:"unread,omitempty"`
}

// newJob describes the run of c to its ranks.
func (c *command) newJob(givens []*given, files *results) (*job, error) {
	j := &job{Params: c.params(), Floats: c.prog.Floats(), Steps: c.options(), Digest: sched.PlansDigest(c.prog, c.plans), Report: c.settings.progress != "none", Virtual: c.settings.virtual, Carrier: c.settings.carrier, Provider: c.settings.provider, Kernel: c.prog.Kernel.Name, Trace: c.trace.job(len(c.prog.Nest.Arrays)), Keep: c.saving.job(), Stats: c.metrics != nil, Log: c.settings.log, Security: c.settings.security, Patience: c.settings.patience}
	j.Loops, j.CPUs = c.prog.Predicted(), max(1, c.settings.options.CPUs)
	for k, g := range givens {
		if g == nil {
			continue
		}
		a := jobArray{Array: k, Form: g.from.form, Seed: g.seed, Number: g.number, Unread: g.unread}
		if g.file != nil {
			at, err := placeOf(g.from.file.Name(), givenFile(k), false)
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
		j.Results = append(j.Results, jobArray{Array: res.arr, File: &at, Form: npy.FormOf(res.path)})
	}
	return j, nil
}

// digest returns the digest of a run as the handshake uses it.
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
	if a.Unread {
		return unreadGiven(nest, params, a.Array)
	}
	if a.Number != "" {
		return numberGiven(nest, params, a.Array, a.Number)
	}
	if a.File == nil {
		return randomGiven(nest, params, a.Array, a.Seed)
	}
	f, err := a.File.open(false, far)
	if err != nil {
		return nil, err
	}
	return fileGiven(nest, params, a.Array, source{file: f, shown: f.Name(), form: a.Form})
}
