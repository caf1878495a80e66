package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"loopc/runtime/arith"
	"loopc/runtime/array"
	"loopc/runtime/kernel"
	"loopc/runtime/npy"
	"loopc/runtime/sched"
	"loopc/runtime/transport/transporttest"
	"loopc/testdata/emit/adi"
	"loopc/testdata/emit/diffusion"
	"loopc/testdata/emit/editdistance"
	"loopc/testdata/emit/pipeline"
	"loopc/testdata/emit/relaxation"
	"loopc/testdata/emit/seidel"
	"loopc/testdata/emit/sor"
	"loopc/testdata/emit/triangle"
	"loopc/transform/plan"
)

// programEnv names the program that the test binary is to be.
const programEnv = "CLI_TEST_PROGRAM"

// programs are the programs that the test binary can run instead of tests: emitted ones, and some
// of these with faulty kernels.
var programs = map[string]*sched.Program{
	"adi":          adi.Program,
	"diffusion":    diffusion.Program,
	"editdistance": editdistance.Program,
	"pipeline":     pipeline.Program,
	"relaxation":   relaxation.Program,
	"seidel":       seidel.Program,
	"sor":          sor.Program,
	"triangle":     triangle.Program,
	"slow":         faulty(diffusion.Program, sleeps(200*time.Microsecond)),
	"stuck":        faulty(diffusion.Program, func(int, int) { select {} }),
	"reduces":      reduces(),
	// Some seconds of sleep each, for TestChaos.
	"slow-seidel":       faulty(seidel.Program, sleeps(200*time.Microsecond)),
	"slow-diffusion":    faulty(diffusion.Program, sleeps(200*time.Microsecond)),
	"slow-adi":          faulty(adi.Program, sleeps(200*time.Microsecond)),
	"slow-editdistance": faulty(editdistance.Program, sleeps(200*time.Microsecond)),
	"slow-relaxation":   faulty(relaxation.Program, sleeps(200*time.Microsecond)),
	"divides": faulty(pipeline.Program, func(call, _ int) {
		if call == 5 {
			panic(&arith.Error{What: "integer division by zero", At: "pipeline.loop:10", Loops: "i, j, k", Iteration: []int{1, 2, 3}})
		}
	}),
	"divides-init": {Nest: editdistance.Program.Nest, Kernel: editdistance.Program.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
		return kernel.Kernel{Loops: dividesInit{k.Loops}}
	}), Sequential: editdistance.Program.Sequential},
	"buggy": faulty(pipeline.Program, func(call, _ int) {
		if call == 5 {
			_ = make([]int, 3)[call]
		}
	}),
	"wrong": {Nest: pipeline.Program.Nest, Kernel: pipeline.Program.Kernel, Sequential: func(params []int, fields kernel.Fields) error {
		err := pipeline.Program.Sequential(params, fields)
		v := &fields.Result[0]
		array.Cells[float32](*v)[v.Offset([]int{2, 1, 3})]++
		return err
	}},
}

// sleeps returns a fault that is only slow: it takes this time for each iteration.
func sleeps(each time.Duration) func(_, points int) {
	return func(_, points int) { time.Sleep(time.Duration(points) * each) }
}

// reduces returns a program with a reduction, whose first tile never ends: for tests of what comes before.
func reduces() *sched.Program {
	nest := *diffusion.Program.Nest
	nest.Reduces = []plan.Reduce{{Name: "best", Elem: "float64", Op: "max"}}
	prog := faulty(diffusion.Program, func(int, int) { select {} })
	prog.Nest = &nest
	return prog
}

// faulty returns prog with kernels that call fault before every box, with the
// number of boxes so far and the iterations of this one.
func faulty(prog *sched.Program, fault func(call, points int)) *sched.Program {
	if prog.Several() {
		all := *prog
		all.Nests = nil
		for _, part := range prog.Nests {
			all.Nests = append(all.Nests, faulty(part, fault))
		}
		return &all
	}
	version := prog.Kernel.Wrap(func(k kernel.Kernel) kernel.Kernel {
		return kernel.Kernel{Loops: &faultyKernel{Loops: k.Loops, fault: fault}}
	})
	return &sched.Program{Nest: prog.Nest, Kernel: version, Sequential: prog.Sequential}
}

type faultyKernel struct {
	kernel.Loops
	fault func(call, points int)
	calls int
}

func (k *faultyKernel) Box(lo, hi []int) {
	k.calls++
	points := 1
	for x := range lo {
		points *= hi[x] - lo[x] + 1
	}
	k.fault(k.calls, points)
	k.Loops.Box(lo, hi)
}

// A dividesInit is a kernel that can give no array its initial content.
type dividesInit struct{ kernel.Loops }

func (dividesInit) Init(_ int, cell []int, _, _ int, _ []byte, _, _ int) {
	panic(&arith.Error{What: "integer division by zero", At: "editdistance.loop:6", Loops: "i, j", Iteration: append([]int(nil), cell...)})
}

func TestMain(m *testing.M) {
	if prog := programs[os.Getenv(programEnv)]; prog != nil {
		Main(prog)
	}
	transporttest.HeedHangups()
	// Tests must not depend on figures that were measured on this machine.
	for name, value := range map[string]string{"XDG_CONFIG_HOME": filepath.Join(os.TempDir(), "no-such-configuration"), "LOOPC_MACHINE": ""} {
		if err := os.Setenv(name, value); err != nil {
			panic(err)
		}
	}
	// Parallel tests mostly wait for processes: more of them may run than there are CPUs.
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		if err := f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// limit bounds every run of a program.
const limit = 100 * time.Second

// An outcome is how a process ended.
type outcome struct {
	code           int
	stdout, stderr string
	took           time.Duration
}

// A process is a program that runs.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr output
	began          time.Time
	cancel         context.CancelFunc
}

// An output is what a process has written so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(b)
}

// String returns all of it.
func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// computing waits until the process, which reports progress in JSON, has
// computed something.
func (p *process) computing(t *testing.T) {
	t.Helper()
	done := regexp.MustCompile(`"done":[1-9]`)
	for range 800 {
		if done.MatchString(p.stderr.String()) {
			return
		}
		time.Sleep(25 * time.Millisecond)
	}
	t.Fatalf("no progress\n%s", p.stderr.String())
}

// start starts the named program in dir.
func start(t *testing.T, program, dir string, args ...string) *process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startCommand(t, program, dir, append([]string{self}, args...))
}

func startCommand(t *testing.T, program, dir string, args []string) *process {
	t.Helper()
	p := newProcess(program, dir, args)
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// newProcess returns a process that is not started yet.
func newProcess(program, dir string, args []string) *process {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	p := &process{cmd: exec.CommandContext(ctx, args[0], args[1:]...), began: time.Now(), cancel: cancel}
	p.cmd.Env = append(os.Environ(), programEnv+"="+program)
	p.cmd.Dir = dir
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	p.cmd.WaitDelay = 5 * time.Second
	return p
}

// wait waits for the end of the process.
func (p *process) wait(t *testing.T) outcome {
	t.Helper()
	err := p.cmd.Wait()
	p.cancel()
	took := time.Since(p.began)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) || took > limit {
		t.Fatalf("%v after %v\n%s", err, took, p.stderr.String())
	}
	return outcome{p.cmd.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String(), took}
}

// run runs the named program in dir and returns how it ended.
func run(t *testing.T, program, dir string, args ...string) outcome {
	t.Helper()
	return start(t, program, dir, args...).wait(t)
}

// expect fails the test unless the process ended with the code and said
// something on standard error that matches.
func (o outcome) expect(t *testing.T, code int, pattern string) {
	t.Helper()
	if o.code != code || !regexp.MustCompile(pattern).MatchString(o.stderr) {
		t.Errorf("exit code %d, want %d, with %q on standard error:\n%s%s", o.code, code, pattern, o.stdout, o.stderr)
	}
}

// expectFiles fails the test unless dir holds exactly these files.
func expectFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("files %q are left, want %q", got, want)
	}
}

// writeFile writes a .npy file of float64 with pseudo-random cells.
func writeFile(t *testing.T, path string, shape ...int) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := npy.Create(npy.Headed, file, "float64", shape)
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for _, e := range shape {
		n *= e
	}
	cells := make([]float64, n)
	for k := range cells {
		cells[k] = math.Sin(float64(k * k))
	}
	v, err := array.Of(cells, []int{0}, []int{n - 1})
	if err == nil {
		err = w.WriteAt(v.Data, 0)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
