package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// sources is where the nests of the lab are, seen from the root of the repository.
var sources = filepath.Join("testdata", "lab")

// A lab builds programs and runs them on a cluster.
type lab struct {
	scratch string // folder
	secret  string // file with what the ranks of a run know
	nests   map[string]*plan.Nest
	built   map[string]string // programs, by nest
	cluster *emulated
	port    int // of the last rendezvous

	// What was learned of the cluster: parts on the same one share it.
	figures figures
	off     float64 // of the fit, relative
	learned bool
}

// newLab prepares a folder for programs. The caller removes it.
func newLab() (*lab, error) {
	scratch, err := os.MkdirTemp("", "loopc-lab-")
	if err != nil {
		return nil, err
	}
	l := &lab{scratch: scratch, secret: filepath.Join(scratch, "secret"), nests: map[string]*plan.Nest{}, built: map[string]string{}}
	// Nobody else is on this network.
	return l, os.WriteFile(l.secret, []byte(strings.Repeat("1ab5", 16)+"\n"), 0o600)
}

// nest returns a nest of the lab.
func (l *lab) nest(name string) *plan.Nest {
	if l.nests[name] == nil {
		l.nests[name] = nestOf(name)
	}
	return l.nests[name]
}

// program builds the program of a nest.
func (l *lab) program(nest string) (string, error) {
	if p := l.built[nest]; p != "" {
		return p, nil
	}
	compiler := filepath.Join(l.scratch, "loopc")
	if _, err := os.Stat(compiler); err != nil {
		if err := output(exec.Command("go", "build", "-o", compiler, "./cmd/loopc")); err != nil {
			return "", err
		}
	}
	folder := filepath.Join(l.scratch, nest)
	if err := output(exec.Command(compiler, "compile", filepath.Join(sources, nest+".loop"), "-o", folder)); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", "program", ".")
	build.Dir, build.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	if err := output(build); err != nil {
		return "", err
	}
	l.built[nest] = filepath.Join(folder, "program")
	return l.built[nest], nil
}

// tail is the end of what a program says.
func tail(text string) string {
	const most = 2000
	return text[max(0, len(text)-most):]
}

// output runs a command; an error has what it said.
func output(cmd *exec.Cmd) error {
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return nil
}

// predict returns what a cell is expected to take, in seconds.
func (l *lab) predict(c *cell, f figures) (float64, error) {
	p, err := c.planned(l.nest(c.nest))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", c.what, err)
	}
	return cost.NewPredictor(p).Predict(c.machine(p.Nest, l.cluster.link, f), cost.LinkTCP).Seconds, nil
}

// A sample is what is read of the summary of a run, and of the line of a peer.
type sample struct {
	Seconds  float64 `json:"seconds"`
	Messages int64   `json:"messages"`
	Bytes    int64   `json:"bytes"`
}

// afterSwitch is how much nicer than the switch a rank is: one that polls, as those of
// MPI do, must not hold up the network of the others.
const afterSwitch = "5"

// mostTime bounds a run.
const mostTime = time.Minute

// run runs a cell once.
func (l *lab) run(ctx context.Context, c *cell) (s sample, err error) {
	if c.mpi != "" {
		return l.runPeer(ctx, c)
	}
	out, _, err := l.ranks(ctx, c, "--summary", "-", "--virtual", strconv.FormatFloat(c.point*1e9, 'g', -1, 64))
	if err != nil {
		return s, err
	}
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&s); err != nil {
		return s, fmt.Errorf("%s: its summary cannot be read: %w", c.what, err)
	}
	p, err := c.planned(l.nest(c.nest))
	if err != nil {
		return s, err
	}
	if messages, bytes, exact := cost.Volume(p); exact && (messages != s.Messages || bytes != s.Bytes) {
		return s, fmt.Errorf("%s: %d messages of %d bytes were sent, the plan has %d of %d", c.what, s.Messages, s.Bytes, messages, bytes)
	}
	return s, nil
}

// ranks runs the program of a cell, a rank on each node, and returns what rank 0
// prints, and what it says on standard error.
func (l *lab) ranks(ctx context.Context, c *cell, more ...string) (printed, told string, err error) {
	program, err := l.program(c.nest)
	if err != nil {
		return "", "", err
	}
	ctx, stop := context.WithTimeout(ctx, mostTime)
	defer stop()
	l.port = (l.port + 1) % 2000
	args := append(append(c.flags(l.nest(c.nest).Params), "--transport", "tcp", "--random", "1", "--progress", "none"), more...)
	var stdout bytes.Buffer
	said := make([]bytes.Buffer, c.nodes)
	commands := make([]*exec.Cmd, c.nodes)
	for k := range commands {
		cmd := exec.CommandContext(ctx, "nice", append([]string{"-n", afterSwitch, program}, args...)...)
		cmd.Env = append(os.Environ(),
			"LOOPC_RANK="+strconv.Itoa(k), "LOOPC_SIZE="+strconv.Itoa(c.nodes), "LOOPC_SECRET_FILE="+l.secret,
			fmt.Sprintf("LOOPC_ROOT=%s:%d", l.cluster.nodes[0].address(), 7000+l.port),
			"GOMAXPROCS=4") // what waits in the system keeps one for a while
		cmd.Stderr, cmd.WaitDelay = &said[k], time.Second
		if k == 0 {
			cmd.Stdout = &stdout
		}
		if err = l.cluster.nodes[k].start(cmd); err != nil {
			stop()
			break
		}
		commands[k] = cmd
	}
	errs := make([]error, c.nodes)
	var all sync.WaitGroup
	for k, cmd := range commands {
		if cmd == nil {
			continue
		}
		all.Go(func() {
			if errs[k] = cmd.Wait(); errs[k] != nil {
				errs[k] = fmt.Errorf("%s: node %d: %w\n%s", c.what, k, errs[k], tail(said[k].String()))
				stop() // without it the others would wait
			}
		})
	}
	all.Wait()
	return stdout.String(), said[0].String(), errors.Join(append(errs, err)...)
}
