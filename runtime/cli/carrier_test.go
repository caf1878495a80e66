package cli

import (
	"testing"

	"loopc/runtime/transport/mpi"
	"loopc/runtime/transport/ofi"
)

// A transport that there is not, or that this program was built without, is a
// mistake that the user is told how to mend.
func TestTransportNames(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
		not  bool // programs that were built with everything
	}{
		{[]string{"--transport", "smh"}, `no such transport: "smh"; did you mean shm\?; inproc, shm, tcp, ofi or mpi`, false},
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
		s, err := parse(prog.Nest, append([]string{"--verify", "--plans", "60"}, c.args...))
		if err != nil {
			t.Fatal(err)
		}
		kinds := map[string]bool{}
		for _, one := range (&command{prog: prog, settings: s}).matrix() {
			kinds[one.carrier+one.security.MAC+map[bool]string{true: "TLS"}[one.security.TLS]] = true
		}
		if len(kinds) != c.want {
			t.Errorf("%v tries %v", c.args, kinds)
		}
	}
}
