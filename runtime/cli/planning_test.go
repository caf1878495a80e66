//go:build unix

package cli

import (
	"syscall"
	"testing"
	"time"

	"loopc/transform/plan"
)

// TestInterruptPlanning interrupts a program while it plans and adds up what very many ranks need:
// it ends soon, and says why. Half a second is good.
func TestInterruptPlanning(t *testing.T) {
	for _, after := range []time.Duration{100 * time.Millisecond, 400 * time.Millisecond} {
		p := start(t, "diffusion", t.TempDir(), "-n", "4096", "--cpus", "1", "-p", "T=20,N=2000", "--random", "1", "--transport", "inproc")
		time.Sleep(after)
		if err := p.cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		told := time.Now()
		p.wait(t).expect(t, exitFailed, "interrupted")
		took := time.Since(told)
		t.Logf("interrupted after %v, ended %v later", after, took.Round(time.Millisecond))
		if took > 5*time.Second {
			t.Errorf("interrupted after %v, the program ended %v later", after, took)
		}
	}
}

// TestRanksMemory compares the memory of all ranks with the sum over the ranks. With very many
// columns the answer must come quickly, because a run asks before it can be interrupted.
func TestRanksMemory(t *testing.T) {
	for _, c := range []struct {
		program string
		params  []int
		o       plan.Options
	}{
		{"diffusion", []int{5, 30}, plan.Options{Ranks: 3, CPUs: 1}},
		{"diffusion", []int{5, 30}, plan.Options{Ranks: 2, CPUs: 2}},
		{"slow", []int{30000, 500}, plan.Options{Ranks: 2, CPUs: 1, Map: "i", Tile: []int{50, 50, 50}}},
	} {
		prog := programs[c.program]
		p, err := plan.New(prog.Nest, c.params, c.o)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		all := planned{prog, []*plan.Plan{p}}
		got := all.memories()
		took := time.Since(begun)
		begun = time.Now()
		want := int64(0)
		for rank := range p.Ranks {
			want += all.memory(rank)
		}
		each := time.Since(begun)
		if got != want {
			t.Errorf("%s: all ranks need %d bytes, want %d", c.program, got, want)
		}
		t.Logf("%s: %d columns: %v, one by one %v", c.program, p.Columns(), took, each)
		if p.Columns() > 100_000 && took > each/2 {
			t.Errorf("%d columns take %v, and one by one %v", p.Columns(), took, each)
		}
	}
}
