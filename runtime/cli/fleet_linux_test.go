package cli

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// TestHostsLeft ends runs on hosts, also in ways that leave the launcher no time to tidy up. The
// copies of the program must disappear from the hosts in any case.
func TestHostsLeft(t *testing.T) {
	for _, c := range []struct {
		name   string
		signal syscall.Signal
		waits  bool // the launcher does not end by it
	}{
		{"killed", syscall.SIGKILL, false},
		{"stopped", syscall.SIGSTOP, true}, // nothing more is heard of it, as when a link is cut
		{"hung up", syscall.SIGHUP, false},
		{"terminated", syscall.SIGTERM, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			temporary := standIn(t)
			args := append(long(2, "tcp")[2:], "--patience", "1s", "--hosts", hostsFile(t, "one\ntwo\n"))
			p := start(t, "slow", t.TempDir(), args...)
			p.computing(t)
			if there, err := os.ReadDir(temporary); err != nil || len(there) != 2 {
				t.Fatalf("on the hosts are %v, %v, want two folders", there, err)
			}
			if err := p.cmd.Process.Signal(c.signal); err != nil {
				t.Fatal(err)
			}
			for try := 0; ; try++ {
				there, err := os.ReadDir(temporary)
				if err == nil && len(there) == 0 {
					break
				}
				if try == 600 {
					t.Fatalf("on the hosts are still %v, %v", there, err)
				}
				time.Sleep(50 * time.Millisecond)
			}
			if c.waits {
				if err := p.cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
			_ = p.cmd.Wait() // it was ended
			p.cancel()
		})
	}
}
