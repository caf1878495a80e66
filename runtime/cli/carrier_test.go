package cli

import (
	"errors"
	"strings"
	"sync"
	"testing"

	"loopc/runtime/transport/auth"
	"loopc/runtime/transport/mpi"
	"loopc/runtime/transport/ofi"
	"loopc/runtime/transport/shm"
	"loopc/runtime/transport/tcp"
	"loopc/testdata/lacking"
)

// A transport that there is not, or that this program was built without, is a
// mistake that the user is told how to mend.
func TestTransportNames(t *testing.T) {
	names := transportNames()
	last := len(names) - 1
	for _, c := range []struct {
		args []string
		want string
		not  bool // programs that were built with everything
	}{
		{[]string{"--transport", "smh"}, `no such transport: "smh"; did you mean shm\?; ` + strings.Join(names[:last], ", ") + " or " + names[last], false},
		{[]string{"--transport", "tcp", "--provider", "shm"}, `--provider names a provider of libfabric, for --transport ofi`, false},
		{[]string{"--transport", "ofi"}, `--transport ofi: no RDMA: .*loopc run --transport ofi.*go build -tags ofi`, ofi.Built() == nil},
		{[]string{"--transport", "mpi"}, `--transport mpi: no MPI: .*loopc run --transport mpi.*CC=mpicc go build -tags mpi`, mpi.Built() == nil},
		{[]string{"--verify", "--transport", "shm", "--tls"}, `leave out --listen, and --tls and --mac unless with --transport tcp`, false},
	} {
		if c.not {
			continue
		}
		o := run(t, "diffusion", t.TempDir(), append([]string{"-n", "2", "--random", "1"}, c.args...)...)
		o.expect(t, exitUsage, c.want)
	}
}

// TestVerifyTransport verifies on one transport only.
func TestVerifyTransport(t *testing.T) {
	for _, c := range []struct {
		args []string
		want int // kinds of trials
	}{
		{[]string{"--transport", "inproc"}, 1},
		{[]string{"--transport", "tcp"}, 3},
		{[]string{"--transport", "tcp", "--tls"}, 1},
		{nil, 3 + len(transports) - 1},
	} {
		prog := programs["diffusion"]
		s, err := parse(prog, append([]string{"--verify", "--plans", "60"}, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]bool{}
		for _, one := range (&command{planned: planned{prog: prog}, settings: s}).matrix() {
			kinds[one.carrier+one.security.MAC+map[bool]string{true: "TLS"}[one.security.TLS]] = true
		}
		if len(kinds) != c.want {
			t.Errorf("%v tries %v", c.args, kinds)
		}
	}
}

// With --transport shm, ranks that cannot share memory - one has no way to it, as on
// another host - end the run and say so; without, they use TCP.
func TestSharedMemoryOrNot(t *testing.T) {
	if err := shm.Supported(); err != nil {
		if errors.Is(err, shm.ErrNeedsLinux) {
			t.Skip(err)
		}
		lacking.Skip(t, err)
	}
	for carrier, want := range map[string]string{bySHM: "ranks 0 and 1 do not share a host", "": ""} {
		secret := auth.NewSecret()
		cfgs, err := tcp.Loopback(2, secret)
		if err != nil {
			t.Fatal(err)
		}
		cfgs[0].Peers, cfgs[1].Peers = []int{1}, []int{0}
		if cfgs[1].Local, err = shm.Listen(1, secret); err != nil {
			t.Fatal(err)
		}
		j := &job{Carrier: carrier}
		var both sync.WaitGroup
		for k := range cfgs {
			both.Go(func() {
				tr, err := j.connect(t.Context(), cfgs[k])
				if err == nil {
					if by := carriers(tr, nil); len(by) != 1 || by[0] != byTCP {
						t.Errorf("rank %d uses %v", k, by)
					}
					err = tr.Close(nil)
				}
				if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
					t.Errorf("--transport %q, rank %d: %v, want %q", carrier, k, err, want)
				}
			})
		}
		both.Wait()
	}
}
