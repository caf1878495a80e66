package launch

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestReadHosts reads files of hosts.
func TestReadHosts(t *testing.T) {
	got, err := ReadHosts(strings.NewReader("# the cluster\nn1 slots=2\n\nme@n2:2222\n[fe80::1%eth0]:22 slots=3 # by cable\nn1\n::1\n"))
	want := "[{Name:n1 Port:0 Slots:3} {Name:me@n2 Port:2222 Slots:1} {Name:fe80::1%eth0 Port:22 Slots:3} {Name:::1 Port:0 Slots:1}]"
	if err != nil || fmt.Sprintf("%+v", plainHosts(got)) != want {
		t.Errorf("%v, %v, want %s", plainHosts(got), err, want)
	}
	for text, want := range map[string]string{
		"":                     "no hosts",
		"-oProxyCommand=x":     "line 1",
		"n1\nn2 slots=0":       "line 2",
		"n1 slots=x":           "slots=n",
		"n1 cpus=3":            "slots=n",
		"n1:0":                 "not a port",
		"n1:ssh":               "not a port",
		"a;b":                  "not the name",
		"$(reboot)":            "not the name",
		"a'b":                  "not the name",
		"-l@n1":                "not the name",
		"me@-n1":               "not the name",
		"n1\x00":               "not the name",
		"n1 slots=99999999999": "slots=n",
	} {
		if got, err := ReadHosts(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, %v, want %s", text, got, err, want)
		}
	}
}

// plainHosts hides the String method of hosts.
func plainHosts(hosts []Host) (plain []struct {
	Name        string
	Port, Slots int
}) {
	for _, h := range hosts {
		plain = append(plain, struct {
			Name        string
			Port, Slots int
		}(h))
	}
	return plain
}

// TestRemoteSays reads what hosts say when a program was copied to them.
func TestRemoteSays(t *testing.T) {
	var r Remote
	if err := r.parse("welcome\nloopc-copied /tmp/loopc.Ab12 8 0f-3 192.0.2.1 40022 192.0.2.7 22\n"); err != nil || r.dir != "/tmp/loopc.Ab12" || r.CPUs != 8 || r.Boot != "0f-3" || r.Here != "192.0.2.1" {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []string{
		"", "loopc-copied", "loopc-copied /tmp/x 8 b", "loopc-copied tmp/x 8 b 192.0.2.1 1 192.0.2.7 22",
		"loopc-copied /tmp/$(x) 8 b 192.0.2.1 1 192.0.2.7 22", `loopc-copied /tmp/"x 8 b 192.0.2.1 1 192.0.2.7 22`,
		"loopc-copied /tmp/x 0 b 192.0.2.1 1 192.0.2.7 22", "loopc-copied /tmp/x 8 b nowhere 1 192.0.2.7 22",
	} {
		if err := r.parse(bad); err == nil {
			t.Errorf("%q was accepted: %+v", bad, r)
		}
	}
	if _, err := (&Remote{ssh: "ssh"}).Start([]string{"LOOPC_ROOT=a;b"}); err == nil {
		t.Error("a variable with a semicolon is passed on")
	}
}

// TestCopyCut ends the connection to a host in the middle of the program: nothing is left.
func TestCopyCut(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for the shell of a host")
	}
	dir := t.TempDir()
	cmd := exec.Command("sh", "-c", fmt.Sprintf(copyScript, 1000, 1000, "15s"))
	cmd.Env = append(os.Environ(), "TMPDIR="+dir)
	cmd.Stdin = strings.NewReader("#!/bin/sh\nexit 0\n")
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || strings.Contains(string(out), copied) {
		t.Errorf("half a program: %v, %s", err, out)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v are left, %v", left, err)
	}
}

// TestRemote copies a program to a host, runs it there and removes it. A stand-in for ssh runs the
// scripts by the shell of this host.
func TestRemote(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for ssh is a shell script")
	}
	dir := t.TempDir()
	ssh := filepath.Join(dir, "ssh")
	script := "#!/bin/sh\necho \"$@\" >>" + dir + "/log\nwhile [ \"$1\" != -- ]; do shift; done\nshift 2\nSSH_CONNECTION=\"127.0.0.1 1 127.0.0.1 22\" TMPDIR=" + dir + " exec sh -c \"$1\"\n"
	program := filepath.Join(dir, "self")
	err := errors.Join(os.WriteFile(ssh, []byte(script), 0o700), os.WriteFile(program, []byte("#!/bin/sh\n[ -z \"$LOOPC_WATCH\" ] || { echo \"${LOOPC_WATCH#* }\"; cat >"+dir+"/beats; exit 0; }\nread line\necho \"$LOOPC_RANK $line\"\ncase $line in die) kill -9 $$;; esac\nexit 3\n"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(EnvSSH, ssh)
	r, err := CopyTo(t.Context(), Host{Name: "there", Port: 2222, Slots: 1}, program, 0)
	if err != nil {
		t.Fatal(err)
	}
	if r.Here != "127.0.0.1" || r.CPUs < 1 || filepath.Dir(r.dir) != dir {
		t.Errorf("%+v", r)
	}
	cmd, err := r.Start([]string{"LOOPC_RANK=7"})
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader("sesame\n")
	out, err := cmd.Output()
	if string(out) != "7 sesame\n" || r.Lost(err) == nil || !strings.Contains(r.Lost(err).Error(), "its process on there:2222 has ended: exit status 3") {
		t.Errorf("the program says %q and ends with %v", out, r.Lost(err))
	}
	if cmd, err = r.Start([]string{"LOOPC_RANK=7"}); err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = strings.NewReader("die\n")
	if err := r.Lost(cmd.Run()); err == nil || !strings.Contains(err.Error(), "there:2222 was ended by signal 9") {
		t.Errorf("a program that is killed ends with %v", err)
	}
	log, err := os.ReadFile(filepath.Join(dir, "log"))
	if err != nil || strings.Contains(string(log), "sesame") || !strings.Contains(string(log), "-p 2222 -- there") {
		t.Errorf("ssh was called with %s, %v", log, err)
	}
	if err := r.Remove(); err != nil {
		t.Error(err)
	}
	if beats, err := os.ReadFile(filepath.Join(dir, "beats")); err != nil || strings.Trim(string(beats), "\n") != "" {
		t.Errorf("the host hears %q, %v", beats, err)
	}
	if _, err := os.Stat(r.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", r.dir, err)
	}
	if _, err := CopyTo(t.Context(), Host{Name: "there"}, filepath.Join(dir, "none"), 0); err == nil {
		t.Error("a program that does not exist was copied")
	}
	if err := os.WriteFile(ssh, []byte("#!/bin/sh\necho no such key >&2\nexit 255\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := CopyTo(t.Context(), Host{Name: "there"}, program, 0); err == nil || !strings.Contains(err.Error(), "ssh has not reached there") || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("without a key: %v", err)
	}
}
