package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"loopc/runtime/kernel"
	"loopc/runtime/sched"
	"loopc/runtime/simd"
)

// TestWritten: a small run on one CPU must use the sequential loops instead of tiles, with the same
// result. Large runs, and runs with options that need tiles or name a kernel must use tiles.
func TestWritten(t *testing.T) {
	t.Setenv(sched.KernelVariable, "")
	dir := t.TempDir()
	first := ""
	for _, c := range []struct {
		args []string
		want bool
	}{
		{[]string{"--cpus", "1"}, true},
		{[]string{"--cpus", "1", "--touch"}, true},
		{[]string{"--cpus", "2"}, true}, // tiles take longer to begin
		{[]string{"--cpus", "1", "--tile", "2x5x5"}, false},
		{[]string{"--cpus", "1", "--kernel", "portable"}, false},
		{[]string{"--cpus", "1", "--kernel", "portable", "--tile", "none"}, true},
		{[]string{"--tile", "none"}, true},
		{[]string{"--tile", "none", "--check", "--cpus", "2"}, true},
		{[]string{"--cpus", "1", "--kernel", "avx2"}, true}, // its vectors compute rows, too
		{[]string{"--cpus", "1", "--check"}, false},
		{[]string{"--cpus", "1", "--checkpoint", "saved"}, false},
	} {
		if slices.Contains(c.args, "avx2") && !simd.AVX2() {
			continue
		}
		args := append([]string{"-p", "T=4,N=20", "-n", "1", "--random", "1", "--out", "u=u.npy", "--summary", "sum.json"}, c.args...)
		run(t, "seidel", dir, args...).expect(t, exitDone, "")
		var sum sched.Summary
		if err := json.Unmarshal([]byte(read(t, dir, "sum.json")), &sum); err != nil {
			t.Fatal(err)
		}
		if got := sum.Kernel == kernel.AsWritten || strings.HasSuffix(sum.Kernel, kernel.InArrays); got != c.want {
			t.Errorf("%v: kernel %s", c.args, sum.Kernel)
		}
		u := read(t, dir, "u.npy")
		if first == "" {
			first = u
		}
		if u != first || sum.Points != 4*20*20 {
			t.Errorf("%v: another result, or %d iterations", c.args, sum.Points)
		}
	}
	for params, want := range map[string]bool{"T=4,N=20": true, "T=100,N=2000": false} {
		o := run(t, "seidel", dir, "-p", params, "-n", "1", "--cpus", "1", "--plan")
		o.expect(t, exitDone, "")
		if got := strings.Contains(o.stdout, "kernel          loops\n") || strings.Contains(o.stdout, kernel.InArrays+"\n"); got != want {
			t.Errorf("%s: the plan is\n%s", params, o.stdout)
		}
	}
}
