//go:build unix

package cli

import (
	"syscall"
	"testing"
	"time"
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
