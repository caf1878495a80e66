package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"loopc/testdata/lacking"
	"loopc/transform/plan/cost"
)

// TestMachine covers the ways in which a run finds a machine's figures. A machine on which only
// tiles take time favors few tiles, and one on which only iterations do favors many, so their plans
// must differ. If the user has given every option of the plan, they must not.
func TestMachine(t *testing.T) {
	dir := t.TempDir()
	write := func(path string, change func(m *cost.Machine)) {
		t.Helper()
		m := cost.DefaultMachine()
		m.Measured = "2026-01-01"
		m.Kernel = cost.Kernel{Point: []cost.Rate{{}}}
		m.Links = map[string]cost.Link{"local": {Overlap: 1}, "inproc": {Overlap: 1}, "tcp": {Overlap: 1}}
		change(m)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		text, err := cost.FormatMachine(m)
		if err == nil {
			err = os.WriteFile(path, text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	few, many := filepath.Join(dir, "few.json"), filepath.Join(dir, "many.json")
	write(few, func(m *cost.Machine) { m.Kernel.Tile = 1 })
	write(many, func(m *cost.Machine) { m.Kernel.Point[0].Seconds = 1 })
	broken := filepath.Join(dir, "broken.json")
	if err := os.WriteFile(broken, []byte("{}"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-n", "2", "--cpus", "1", "-p", "T=400,N=400", "--plan"}
	planned := func(args ...string) string {
		t.Helper()
		o := run(t, "diffusion", dir, args...)
		if o.code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, o.code, o.stderr)
		}
		plan, _, found := strings.Cut(o.stdout, "\npredicted ")
		if !found {
			t.Errorf("%v: no time is predicted:\n%s", args, plan)
		}
		return plan
	}
	builtin := planned(args...)
	a, b := planned(append(args, "--machine", few)...), planned(append(args, "--machine", many)...)
	if a == b || a == builtin && b == builtin {
		t.Errorf("two machines have one plan:\n%s%s", a, b)
	}
	fixed := append(args, "--tile", "20x20x20", "--grid", "1x2x1", "--map", "t", "--assign", "cluster", "--comm", "overlap")
	if a, b := planned(append(fixed, "--machine", few)...), planned(append(fixed, "--machine", many)...); a != b {
		t.Errorf("nothing is open, but two machines have two plans:\n%s%s", a, b)
	}

	t.Setenv("LOOPC_MACHINE", many)
	if got := planned(args...); got != b {
		t.Errorf("LOOPC_MACHINE is not heard:\n%s%s", got, b)
	}
	if got := planned(append(args, "--machine", few)...); got != a {
		t.Errorf("the flag does not win over LOOPC_MACHINE:\n%s%s", got, a)
	}
	t.Setenv("LOOPC_MACHINE", broken)
	run(t, "diffusion", dir, args...).expect(t, 1, "broken.json: .*schema is missing")
	t.Setenv("LOOPC_MACHINE", "")
	run(t, "diffusion", dir, append(args, "--machine", broken)...).expect(t, 1, "broken.json: .*schema is missing")
	run(t, "diffusion", dir, append(args, "--machine", filepath.Join(dir, "none.json"))...).expect(t, 1, "none.json: no such file")

	// Where loopc calibrate puts it; the variable is that of Linux and the BSDs.
	if home, err := os.UserConfigDir(); err != nil || !strings.Contains(home, "no-such-configuration") {
		if runtime.GOOS != "linux" {
			t.Skipf("the folder of the user's configuration is %s (%v), not that of XDG_CONFIG_HOME", home, err)
		}
		lacking.Skipf(t, "the folder of the user's configuration is %s (%v), not that of XDG_CONFIG_HOME", home, err)
	}
	t.Setenv("XDG_CONFIG_HOME", dir)
	write(filepath.Join(dir, "loopc", "machine.json"), func(m *cost.Machine) { m.Kernel.Point[0].Seconds = 1 })
	if got := planned(args...); got != b {
		t.Errorf("the machine that was measured is not found:\n%s%s", got, b)
	}
	if err := os.WriteFile(filepath.Join(dir, "loopc", "machine.json"), []byte("{"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := run(t, "diffusion", dir, args...)
	o.expect(t, 0, "warning: .*machine.json: .*built-in figures are used")
	if !strings.HasPrefix(o.stdout, builtin) {
		t.Errorf("without a machine that can be read:\n%s%s", o.stdout, builtin)
	}
}
