package cli

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/checkpoint"
	"loopc/testdata/lacking"
)

var (
	chaosRuns = flag.Int("chaos", 0, "runs of TestChaos; 0: one of each fault")
	chaosSeed = flag.Uint64("chaos-seed", 0, "first seed of TestChaos; 0: by time")
)

// A victim is a program that TestChaos disturbs, with levels in the loop that is cut into epochs or, of
// several nests, repetitions of the outermost repeat that takes longest.
type victim struct {
	program string
	params  string
	levels  int
	results []string
	want    func() map[string]string // content of the files of the results
}

// victims differ in kind: in place, in time, of several fields, a dynamic program, and several nests with
// repeats, of which one ends by its until.
var victims = []*victim{
	{program: "seidel", params: "T=60,N=20", levels: 60, results: []string{"u"}},
	{program: "diffusion", params: "T=60,N=20", levels: 60, results: []string{"u"}},
	{program: "adi", params: "T=60,N=20", levels: 60, results: []string{"X", "B"}},
	{program: "editdistance", params: "M=120,N=200", levels: 120, results: []string{"D"}},
	{program: "relaxation", params: "T=40,N=12,eps=0.0015", levels: 40, results: []string{"u", "steps", "h", "last"}},
}

// args are the arguments of a run that begins with level 1, and writes its results.
func (v *victim) args() []string {
	var outs []string
	for _, name := range v.results {
		outs = append(outs, name+"="+name+".npy")
	}
	return []string{"-p", v.params, "--random", "4", "--cpus", "1", "--out", strings.Join(outs, ",")}
}

// read returns the content of the results' files in dir.
func (v *victim) read(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range v.results {
		all[name] = read(t, dir, name+".npy")
	}
	return all
}

// A chaos is a run of TestChaos.
type chaos struct {
	t       *testing.T
	random  *rand.Rand
	dir     string
	victim  *victim
	fault   *fault
	every   int // levels between checkpoints
	ranks   int
	ended   bool // the run was ended by killing the launcher
	damaged bool
}

// levels returns the levels of the checkpoints that are there, or their repetitions, the newest first.
func (c *chaos) levels() (all []int) {
	for _, name := range checkpointsIn(c.t, filepath.Join(c.dir, "ck")) {
		text, err := os.ReadFile(filepath.Join(name, "manifest.json"))
		if err != nil { // newer ones have replaced it
			continue
		}
		var m checkpoint.Manifest
		if err := json.Unmarshal(text, &m); err != nil {
			c.t.Error(err)
		}
		if m.At != nil {
			m.Done = m.At.Repetitions
		}
		all = append(all, m.Done)
	}
	slices.Sort(all)
	slices.Reverse(all)
	return all
}

// TestChaos disturbs runs at random moments, and continues them on other numbers of ranks. The
// results have the right bits, at most one interval between checkpoints is computed again, two if the
// newest one was damaged, and nothing is left behind.
func TestChaos(t *testing.T) {
	spaces := mounts(t)
	if spaces[len(spaces)-1] != "-m" {
		lacking.Skip(t, "needs root")
	}
	runs, seed := *chaosRuns, *chaosSeed
	if runs == 0 {
		runs = len(faults)
	}
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-chaos %d -chaos-seed %d", runs, seed)
	for _, v := range victims {
		v.want = sync.OnceValue(func() map[string]string {
			dir := t.TempDir()
			run(t, v.program, dir, append(v.args(), "-n", "1", "--check")...).expect(t, 0, `equals the sequential loops`)
			return v.read(t, dir)
		})
		v.want()
	}
	var again [2]sync.Map // by seed: intervals that were computed again; the second one: after damage
	t.Run("runs", func(t *testing.T) {
		for k := range runs {
			seed := seed + uint64(k)
			t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
				t.Parallel() // it does little but wait
				random := rand.New(rand.NewPCG(seed, 0))
				c := &chaos{t: t, random: random, dir: t.TempDir(), victim: victims[random.IntN(len(victims))], fault: &faults[k%len(faults)], every: 3 + random.IntN(10), ranks: 2 + random.IntN(4)}
				switch lost, counts := c.run(); {
				case counts && c.damaged:
					again[1].Store(seed, lost)
				case counts:
					again[0].Store(seed, lost)
				}
			})
		}
	})
	for damaged, what := range []string{"", ", with the newest checkpoint damaged"} {
		var all []float64
		again[damaged].Range(func(_, lost any) bool { all = append(all, lost.(float64)); return true })
		if slices.Sort(all); len(all) > 0 {
			t.Logf("intervals computed again, of %d runs that continued%s: median %.2f, 99 of 100 %.2f, most %.2f", len(all), what, all[len(all)/2], all[len(all)*99/100], all[len(all)-1])
		}
	}
}

// run disturbs a run, and continues it. It returns how many intervals between checkpoints were
// computed again, if the run continued from a checkpoint.
func (c *chaos) run() (lost float64, counts bool) {
	t, v := c.t, c.victim
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(c.dir, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	var command []string
	if c.fault.wrap != nil {
		command = c.fault.wrap(c)
	}
	transport := []string{"shm", "tcp"}[c.random.IntN(2)]
	how := []string{"-n", strconv.Itoa(c.ranks), "--transport", transport}
	command = append(command, "env", "TMPDIR="+tmp, self)
	command = slices.Concat(command, v.args(), how, c.fault.more, []string{"--checkpoint", "ck", "--checkpoint-every", strconv.Itoa(c.every), "--progress", "json"})
	if !c.fault.goes { // otherwise a busy machine must not end the run
		command = append(command, "--patience", chaosPatience.String())
	}
	p := startCommand(t, "slow-"+v.program, c.dir, command)
	before := []int(nil) // checkpoints that were there when the fault happened
	if !c.fault.goes || c.fault.more != nil {
		if *chaosRuns > 0 && c.chance(5) { // perhaps before the ranks have met: then the end takes a minute
			c.within(time.Second)
		} else {
			c.begun(p)
			c.within(1500 * time.Millisecond)
		}
		before = c.levels()
	}
	c.fault.at(c, p)
	o := outcome{code: exitFailed, stderr: p.stderr.String()}
	if !c.ended {
		o = p.wait(t)
	}
	what := fmt.Sprintf("%s: %s on %d ranks over %s, a checkpoint every %d levels", c.fault.name, v.program, c.ranks, transport, c.every)
	c.check(what, o)
	if c.fault.after != nil {
		c.fault.after(c)
	}
	from := "ck"
	if c.fault.name == "the disk is full" {
		from = "disk"
	}
	ways := []string{"inproc", "shm", "tcp"}
	how = []string{"-n", strconv.Itoa(1 + c.random.IntN(5)), "--transport", ways[c.random.IntN(len(ways))]}
	what += fmt.Sprintf("; resumed with %q", how)
	command = slices.Concat([]string{"env", "TMPDIR=" + tmp, self}, v.args(), how, []string{"--checkpoint", from, "--checkpoint-every", "50", "--resume", from})
	next := startCommand(t, v.program, c.dir, command).wait(t)
	if next.code != 0 || !maps.Equal(v.want(), v.read(t, c.dir)) {
		t.Errorf("%s: exit code %d, or wrong bits, after\n%s\nand\n%s", what, next.code, o.stderr, next.stderr)
	}
	c.expectNothing(what, from)
	lost, counts = c.lost(what, before, o, next)
	t.Logf("%s: exit code %d, checkpoints of %d levels before; %.2f intervals again", what, o.code, before, lost)
	return lost, counts
}

// begun waits until there is a checkpoint, or the run has ended.
func (c *chaos) begun(p *process) {
	for range 3000 {
		if len(c.levels()) > 0 || p.over() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	c.t.Errorf("no checkpoint\n%s", p.stderr.String())
}

// check requires that the disturbed run has ended as it must.
func (c *chaos) check(what string, o outcome) {
	t := c.t
	switch {
	case o.code != exitDone && o.code != exitFailed || c.fault.goes && o.code != exitDone, strings.Contains(o.stderr, "BUG"), strings.Contains(o.stderr, "panic"):
		t.Errorf("%s: exit code %d\n%s", what, o.code, o.stderr)
	case o.code == exitDone && !maps.Equal(c.victim.want(), c.victim.read(t, c.dir)):
		t.Errorf("%s: wrong bits\n%s", what, o.stderr)
	}
}

// over reports whether the process has ended.
func (p *process) over() bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	return err != nil || strings.Contains(string(b), ") Z ")
}

// expectNothing requires that only results and checkpoints are left.
func (c *chaos) expectNothing(what, from string) {
	t := c.t
	for pid, command := range c.processes() {
		t.Errorf("%s: process %d is left: %s", what, pid, command)
	}
	want := []string{"ck", "tmp"}
	if from != "ck" {
		want = append(want, from)
	}
	for _, name := range c.victim.results {
		want = append(want, name+".npy")
	}
	slices.Sort(want)
	expectFiles(t, c.dir, want...)
	expectFiles(t, filepath.Join(c.dir, "tmp"))
	entries, err := os.ReadDir(filepath.Join(c.dir, from))
	if err != nil {
		t.Error(err)
	}
	most := 2
	if c.damaged {
		most++ // until there are two others
	}
	left := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return !strings.HasPrefix(e.Name(), "0") })
	if left || len(entries) > most {
		t.Errorf("%s: left over among the checkpoints: %v", what, entries)
	}
}

// processes returns the commands of the processes that work in the folder of the run. Those that
// end get some time for it.
func (c *chaos) processes() (all map[int]string) {
	for range 50 {
		all = map[int]string{}
		folders, _ := filepath.Glob("/proc/[0-9]*/cwd") // some may end
		for _, name := range folders {
			if at, err := os.Readlink(name); err != nil || !strings.HasPrefix(at, c.dir) {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(name)))
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "cmdline"))
			if err == nil && len(command) > 0 {
				all[pid] = strings.ReplaceAll(string(command), "\x00", " ")
			}
		}
		if len(all) == 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	return all
}

var (
	continuesAfter = regexp.MustCompile(`continues after (\d+) (?:level|repetition)`)
	doneOfTotal    = regexp.MustCompile(`"done":(\d+),"total":(\d+)`)
)

// lost returns how many intervals the disturbed run had computed, by its last report, beyond the
// checkpoint from which the next one continued. before are the levels of the checkpoints that were
// there before the fault.
func (c *chaos) lost(what string, before []int, o, next outcome) (intervals float64, counts bool) {
	from := 0
	if m := continuesAfter.FindStringSubmatch(next.stderr); m != nil {
		from, _ = strconv.Atoi(m[1]) // it is a number
	}
	if c.damaged && len(before) > 0 {
		before = before[1:]
	}
	if len(before) > 0 && from < before[0] {
		c.t.Errorf("%s: continued after %d levels, and there was a checkpoint of %d", what, from, before[0])
	}
	all := doneOfTotal.FindAllStringSubmatch(o.stderr, -1)
	if len(all) == 0 || o.code == exitDone {
		return 0, false
	}
	last := all[len(all)-1]
	done, _ := strconv.ParseFloat(last[1], 64) // it is a number, like the next one
	total, _ := strconv.ParseFloat(last[2], 64)
	most := 1.0
	if c.damaged {
		most++
	}
	intervals = max(0, (float64(c.victim.levels)*done/total-float64(from))/float64(c.every))
	if intervals > most && !c.fault.deaf {
		c.t.Errorf("%s: %.2f intervals are computed again\n%s\n%s", what, intervals, o.stderr, next.stderr)
	}
	return intervals, true
}
