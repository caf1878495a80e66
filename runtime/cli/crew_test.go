package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"loopc/runtime/array"
	"loopc/runtime/launch"
	"loopc/runtime/launch/pmi/pmitest"
	"loopc/runtime/npy"
	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/transporttest"
	"loopc/testdata/lacking"
	"loopc/transform/plan"
	"loopc/transform/plan/cost"
)

// byVariables returns the environments of ranks that are told everything by
// variables.
func byVariables(t *testing.T, size int) (envs []map[string]string) {
	t.Helper()
	secret := filepath.Join(t.TempDir(), "secret")
	if err := auth.NewSecret().WriteFile(secret); err != nil {
		t.Fatal(err)
	}
	root, err := transporttest.FreeAddress()
	if err != nil {
		t.Fatal(err)
	}
	for rank := range size {
		envs = append(envs, map[string]string{
			"LOOPC_RANK": fmt.Sprint(rank), "LOOPC_SIZE": fmt.Sprint(size), "LOOPC_ROOT": root, "LOOPC_SECRET_FILE": secret,
		})
	}
	return envs
}

// byPMI returns the environments of ranks that meet by PMI on one host.
func byPMI(t *testing.T, size int) (envs []map[string]string) {
	t.Helper()
	manager := pmitest.Start(t, size, pmitest.Slurm)
	for rank := range size {
		env := manager.Environ(rank)
		env["MPI_LOCALNRANKS"] = fmt.Sprint(size)
		envs = append(envs, env)
	}
	return envs
}

// startCrew starts a process of the program for each environment, rank 0 last.
func startCrew(t *testing.T, program, dir string, envs []map[string]string, args ...string) []*process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	all := make([]*process, len(envs))
	for k := len(envs) - 1; k >= 0; k-- {
		command := []string{"env"}
		for name, value := range maps.All(envs[k]) {
			command = append(command, name+"="+value)
		}
		all[k] = startCommand(t, program, dir, append(append(command, self), args...))
	}
	return all
}

// needEnv skips a test where there is no env.
func needEnv(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/usr/bin/env"); err != nil {
		lacking.Skip(t, "the test starts processes by env, which is not there")
	}
}

// TestCrew starts ranks as other launchers do, and compares the result with the
// sequential loops, bit for bit.
func TestCrew(t *testing.T) {
	needEnv(t)
	for name, environments := range map[string]func(*testing.T, int) []map[string]string{"variables": byVariables, "PMI": byPMI} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			args := []string{"-p", "T=12,N=40", "--random", "3", "--out", "u=u.npy", "--check", "--summary", "sum.json", "--trace", "trace.json"}
			for k, p := range startCrew(t, "diffusion", dir, environments(t, 3), args...) {
				o := p.wait(t)
				switch {
				case k == 0:
					o.expect(t, exitDone, "result equals the sequential loops")
				case o.code != exitDone || o.stdout+o.stderr != "":
					t.Errorf("rank %d: exit code %d\n%s%s", k, o.code, o.stdout, o.stderr)
				}
			}
			expectFiles(t, dir, "sum.json", "trace.json", "u.npy")
			var sum struct{ Ranks []struct{ Points int } }
			text, err := os.ReadFile(filepath.Join(dir, "sum.json"))
			if err == nil {
				err = json.Unmarshal(text, &sum)
			}
			if err != nil || len(sum.Ranks) != 3 || sum.Ranks[0].Points+sum.Ranks[1].Points+sum.Ranks[2].Points != 12*40*40 {
				t.Errorf("summary: %v\n%s", err, text)
			}
		})
	}
}

// TestCrewUsage gives a crew command lines that are wrong: one process says so,
// all end.
func TestCrewUsage(t *testing.T) {
	needEnv(t)
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--bogus"}, exitUsage, "no such flag"},
		{[]string{"-n", "2", "-p", "T=12,N=40", "--random", "3"}, exitUsage, "has started 3 ranks"},
		{[]string{"--transport", "inproc", "-p", "T=12,N=40", "--random", "3"}, exitUsage, "has started 3 processes"},
		{[]string{"--verify"}, exitUsage, "start it without"},
		{[]string{"-p", "T=12,N=40", "--in", "u0=none.npy"}, exitFailed, "none.npy"},
	} {
		for k, p := range startCrew(t, "diffusion", t.TempDir(), byVariables(t, 3), c.args...) {
			o := p.wait(t)
			switch {
			case k == 0:
				o.expect(t, c.code, c.want)
			case o.code != c.code || c.code == exitUsage && o.stderr != "":
				t.Errorf("%v: rank %d: exit code %d\n%s", c.args, k, o.code, o.stderr)
			}
		}
	}
}

// TestCrewKilled kills one process of a crew: the others end soon, and say why.
func TestCrewKilled(t *testing.T) {
	t.Parallel() // it does little but wait
	needEnv(t)
	for victim, want := range map[int]string{2: "rank 2", 0: "leads the run"} {
		dir := t.TempDir()
		all := startCrew(t, "slow", dir, byVariables(t, 3), "-p", "T=400,N=60", "--tile", "1x-x-", "--random", "3", "--progress", "json")
		all[0].computing(t)
		began := time.Now()
		if err := all[victim].cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for k, p := range all {
			o := p.wait(t)
			if k == victim {
				continue
			}
			if o.code != exitFailed || !strings.Contains(o.stderr, want) && !strings.Contains(o.stderr, fmt.Sprintf("rank %d", victim)) {
				t.Errorf("rank %d: exit code %d\n%s", k, o.code, o.stderr)
			}
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("the others ended after %v", took)
		}
		expectFiles(t, dir)
	}
}

// TestTraffic compares the traffic between ranks that the plan predicts with what a run has sent.
// Then it places the ranks on two hosts to which a launcher has dealt processes in turn: at most a
// fifth of the traffic that ranks in the launcher's order have between hosts may remain.
func TestTraffic(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"-p", "T=20,N=50", "--random", "3", "--grid", "1x8x1", "--tile", "5x9x50", "--map", "t", "--assign", "retile", "--transport", "inproc", "--cpus", "1"}
	if code := Run(t.Context(), programs["diffusion"], append(args, "--summary", "-"), nil, &out, &errs); code != exitDone {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	var sum struct{ Bytes int64 }
	if err := json.NewDecoder(&out).Decode(&sum); err != nil {
		t.Fatal(err)
	}
	s, err := parse(programs["diffusion"], args)
	if err != nil {
		t.Fatal(err)
	}
	p, err := plan.New(programs["diffusion"].Nest, s.params, s.options)
	if err != nil {
		t.Fatal(err)
	}
	traffic := cost.Traffic(p)
	between := func(host func(rank int) int) (all, hosts int64) {
		for a := range traffic {
			for b := range a {
				if traffic[a][b] != traffic[b][a] {
					t.Errorf("ranks %d and %d exchange %d bytes, or %d", a, b, traffic[a][b], traffic[b][a])
				}
				all += traffic[a][b]
				if host(a) != host(b) {
					hosts += traffic[a][b]
				}
			}
		}
		return all, hosts
	}
	all, dealt := between(func(rank int) int { return rank % 2 })
	if all != sum.Bytes || all == 0 {
		t.Errorf("the plan says %d bytes, the run sent %d", all, sum.Bytes)
	}
	members, on := make([]launch.Member, 8), make([]int, 8)
	for k := range members {
		members[k].Host = fmt.Sprint(k % 2)
	}
	for k, rank := range launch.Place(members, traffic) {
		on[rank] = k % 2
	}
	if _, placed := between(func(rank int) int { return on[rank] }); placed*5 > dealt {
		t.Errorf("%d bytes between hosts, %d in the launcher's order", placed, dealt)
	}
}

// far opens a rendezvous that serves the files, and returns a connection to it.
func far(t *testing.T, files launch.Files, clock func() int64) *launch.Service {
	t.Helper()
	secret := auth.NewSecret()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	root, err := launch.Serve(launch.ServeConfig{Listener: listener, Size: 1, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(root.Close)
	root.Serving(files, clock)
	s, err := launch.OpenService(t.Context(), launch.Info{Size: 1, Root: listener.Addr().String(), Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestFarFiles reads and writes files at the rendezvous, as ranks do that do not
// see them.
func TestFarFiles(t *testing.T) {
	dir := t.TempDir()
	cells := make([]float64, 300*400) // more than fit into one reply
	for k := range cells {
		cells[k] = float64(k) * 1.5
	}
	view, err := array.Of(cells, []int{0, 0}, []int{299, 399})
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, v *array.View) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		w, err := npy.Create(npy.Headed, f, "float64", []int{300, 400})
		if err == nil && v != nil {
			err = w.WriteWritten(v, []int{0, 0})
		}
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	_ = write("in.npy", &view).Close()
	output := write("out.npy", nil)
	defer output.Close()
	in, err := npy.Open(filepath.Join(dir, "in.npy"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	files := &shared{
		arrays: 2, givens: []*given{{file: in}, nil}, trace: &traceFile{dir: dir, ranks: 2},
		results: &results{all: []*result{{arr: 1, file: output}}},
	}
	s := far(t, files, func() int64 { return 42 })

	at, err := placeOf(filepath.Join(dir, "in.npy"), givenFile(0), false)
	if err != nil {
		t.Fatal(err)
	}
	here, err := at.open(false, s)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := here.(*os.File); !ok {
		t.Errorf("a file that is here is read as %T", here)
	}
	_ = here.Close()
	at.Modified++ // another file of that name
	there, err := at.open(false, s)
	if err != nil {
		t.Fatal(err)
	}
	file, err := npy.OpenFile(there, "far")
	if err != nil {
		t.Fatal(err)
	}
	got, err := array.Make("float64", []int{10, 20}, []int{280, 390})
	if err == nil {
		err = file.ReadBox(&got, []int{0, 0})
	}
	if err != nil {
		t.Fatal(err)
	}
	if v := array.Cells[float64](got)[got.Offset([]int{17, 300})]; v != cells[17*400+300] {
		t.Errorf("cell (17, 300) is %v, want %v", v, cells[17*400+300])
	}

	to, err := placeOf(output.Name(), resultFile(1), true)
	if err != nil {
		t.Fatal(err)
	}
	w, err := npy.Append(npy.Headed, &farFile{s, to}, "float64", []int{300, 400})
	if err == nil {
		err = w.WriteWritten(&view, []int{0, 0})
	}
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(filepath.Join(dir, "in.npy"))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(output.Name()); err != nil || !bytes.Equal(b, want) {
		t.Errorf("what was written is not what is there: %v", err)
	}

	part := &farWriter{service: s, file: tracePartFile(2, 1)}
	for _, text := range []string{"one ", "two"} {
		if _, err := io.WriteString(part, text); err != nil {
			t.Fatal(err)
		}
	}
	if b, err := os.ReadFile(filepath.Join(dir, partName(1))); err != nil || string(b) != "one two" {
		t.Errorf("part of the trace: %q, %v", b, err)
	}
	if now, err := s.Clock(); now != 42 || err != nil {
		t.Errorf("the clock says %d, %v", now, err)
	}

	var canceled *launch.CanceledError
	for what, try := range map[string]func() error{
		"writing a given array":     func() error { _, err := s.WriteAt(givenFile(0), []byte("x"), 0); return err },
		"making a result longer":    func() error { _, err := s.WriteAt(resultFile(1), []byte("x"), to.Bytes); return err },
		"writing at an overflow":    func() error { _, err := s.WriteAt(resultFile(1), []byte("x"), 1<<63-1); return err },
		"writing before the start":  func() error { _, err := s.WriteAt(resultFile(1), []byte("x"), -1); return err },
		"reading no file":           func() error { _, err := s.ReadAt(givenFile(1), make([]byte, 1), 0); return err },
		"reading a part of a trace": func() error { _, err := s.ReadAt(tracePartFile(2, 0), make([]byte, 1), 0); return err },
		"a part of nobody's trace":  func() error { _, err := s.WriteAt(tracePartFile(2, 2), []byte("x"), 0); return err },
		"a trace without end":       func() error { _, err := s.WriteAt(tracePartFile(2, 0), []byte("x"), mostTraceBytes); return err },
	} {
		if err := try(); !errors.As(err, &canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if n, err := s.ReadAt(givenFile(0), make([]byte, 10), at.Bytes-4); n != 4 || err != io.EOF {
		t.Errorf("at the end: %d bytes, %v", n, err)
	}
}
