package cli

import (
	"os"
	"testing"
)

// TestAddressSpaceRefused runs under ulimit -v a program whose arrays do not fit: an error
// before anything is allocated, and not the end of Go's runtime.
func TestAddressSpaceRefused(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limited := func(args ...string) []string {
		return append([]string{"sh", "-c", `ulimit -v 4000000 && exec "$@"`, "sh", self}, args...)
	}
	dir := t.TempDir()
	large := limited("-p", "T=1,N=16000", "--cpus", "1", "--random", "1", "--transport", "inproc")
	startCommand(t, "diffusion", dir, large).wait(t).expect(t, 1, `diffusion: the arrays take 390\d MiB, but the limit here is \d+ MiB`)
	expectFiles(t, dir)
	small := limited("-p", "T=1,N=16", "--cpus", "1", "--random", "1", "--transport", "inproc")
	startCommand(t, "diffusion", dir, small).wait(t).expect(t, 0, "")
}
