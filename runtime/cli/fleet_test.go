package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"loopc/runtime/launch"
	"loopc/testdata/lacking"
)

// standIn makes a stand-in for ssh that runs scripts by the shell of this host, in another working
// directory. Its temporary files are below the folder returned. The host "closed" cannot be
// reached; the host "far" sees this host by another address than the others do.
func standIn(t *testing.T) (temporary string) {
	t.Helper()
	if _, err := os.Stat("/bin/sh"); err != nil {
		lacking.Skip(t, "the stand-in for ssh is a script for sh, which is not there")
	}
	temporary = t.TempDir()
	ssh := filepath.Join(t.TempDir(), "ssh")
	script := `#!/bin/sh
while [ "$1" != -- ]; do shift; done
from=127.0.0.1
case $2 in
closed) echo "connect to host closed port 22: Connection refused" >&2; exit 255;;
far) from=127.0.0.2;;
esac
cd /
SSH_CONNECTION="$from 1 127.0.0.1 22" TMPDIR=` + temporary + ` exec sh -c "$3"
`
	if err := os.WriteFile(ssh, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(launch.EnvSSH, ssh)
	return temporary
}

// hostsFile writes a file of hosts and returns its name.
func hostsFile(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "hosts")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestHosts runs ranks on hosts, as many as these have slots, and compares the
// result with the sequential loops. Nothing is left on the hosts.
func TestHosts(t *testing.T) {
	temporary := standIn(t)
	dir := t.TempDir()
	args := []string{"-p", "T=12,N=40", "--random", "3", "--cpus", "1", "--out", "u=u.npy", "--check", "--summary", "sum.json", "--trace", "trace.json"}
	o := run(t, "diffusion", dir, append(args, "--hosts", hostsFile(t, "one slots=2\ntwo # and no more\n"))...)
	o.expect(t, exitDone, "result equals the sequential loops")
	if !regexp.MustCompile(`on 3 ranks x 1 CPU \((tcp|shm), `).MatchString(o.stdout) {
		t.Errorf("these are not three ranks:\n%s", o.stdout)
	}
	expectFiles(t, dir, "sum.json", "trace.json", "u.npy")
	expectFiles(t, temporary)
	var sum struct{ Ranks []struct{ Points int } }
	if err := json.Unmarshal([]byte(read(t, dir, "sum.json")), &sum); err != nil || len(sum.Ranks) != 3 || sum.Ranks[0].Points+sum.Ranks[1].Points+sum.Ranks[2].Points != 12*40*40 {
		t.Errorf("summary: %v, %+v", err, sum)
	}
	if !strings.Contains(read(t, dir, "trace.json"), `"rank 2`) {
		t.Error("the trace lacks rank 2")
	}
	// What ranks on hosts print is printed here, and if they end with a bug's exit code, so does the launcher.
	run(t, "buggy", dir, "-p", "X=20,Y=20,Z=20", "--random", "3", "--cpus", "1", "--hosts", hostsFile(t, "one slots=2")).expect(t, exitBug, "index out of range")
	expectFiles(t, temporary)
}

// TestHostsErrors names hosts that cannot do what is asked of them.
func TestHostsErrors(t *testing.T) {
	temporary := standIn(t)
	for _, c := range []struct {
		hosts string
		args  []string
		code  int
		want  string
	}{
		{"one slots=2", []string{"-n", "3"}, exitUsage, "-n 3: the hosts of .* have 2 slots"},
		{"one slots=2", []string{"--grid", "1x3x1"}, exitUsage, "lack 1 slot"},
		{"one\n-oProxyCommand=reboot", nil, exitUsage, "line 2: \"-oProxyCommand=reboot\" is not the name of a host"},
		{"one", []string{"--transport", "inproc"}, exitUsage, "--hosts starts processes"},
		{"one\nclosed", nil, exitFailed, "host closed: the program cannot be copied there: ssh has not reached closed.*Connection refused"},
		{"one\nfar", nil, exitUsage, "sees this host as .*--listen names"},
	} {
		args := append([]string{"-p", "T=12,N=40", "--random", "3", "--cpus", "1", "--hosts", hostsFile(t, c.hosts)}, c.args...)
		run(t, "diffusion", t.TempDir(), args...).expect(t, c.code, c.want)
		expectFiles(t, temporary)
	}
	run(t, "diffusion", t.TempDir(), "-p", "T=12,N=40", "--random", "3", "--hosts", "none").expect(t, exitFailed, "none")
}
