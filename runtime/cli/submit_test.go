package cli

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestSubmitUsage gives command lines with which no run can be submitted. Each must be refused as
// wrong usage, and leave no file.
func TestSubmitUsage(t *testing.T) {
	small := []string{"-p", "T=12,N=40", "--random", "3", "-n", "3"}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--slurm", "--k8s", "f", "--k8s-image", "i"}, "want one"},
		{[]string{"--slurm-option", "time=3"}, "--slurm-option is for"},
		{[]string{"--k8s-image", "i"}, "are for --k8s"},
		{[]string{"--job", "j"}, "--job is for"},
		{[]string{"--slurm", "--hosts", "h"}, "--slurm makes another program start the ranks"},
		{[]string{"--slurm", "--transport", "inproc"}, "--slurm makes another program start the ranks"},
		{[]string{"--slurm", "--job", "J"}, "--job: .*\"J\" is not the name of a job"},
		{[]string{"--slurm", "--slurm-option", "--uid=0"}, "\"--uid=0\" is not an option of srun"},
		{[]string{"--k8s", "f"}, "needs an image"},
		{[]string{"--k8s", "f", "--k8s-image", "-"}, "\"-\" is not the name of an image"},
		{[]string{"--k8s", "f", "--k8s-image", "i", "--listen", "127.0.0.1"}, "pods listen at their own"},
		{[]string{"--k8s", "f", "--k8s-image", "i", "--out", "u=u.npy"}, "--k8s-claim"},
		{[]string{"--slurm", "--grid", "1x500x1"}, "grid"}, // there is no such plan
	} {
		dir := t.TempDir()
		run(t, "diffusion", dir, append(slices.Clone(small), c.args...)...).expect(t, exitUsage, c.want)
		expectFiles(t, dir)
	}
}

// TestSlurmFlag lets a stand-in for srun start the ranks. It must get the command line without the
// flags for Slurm, and the run must succeed or fail as the stand-in does.
func TestSlurmFlag(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the stand-in for srun is a script for sh")
	}
	dir, bin := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\n"
	for name, value := range byVariables(t, 3)[0] {
		script += "export " + name + "=" + value + "\n"
	}
	script += `echo "$@" >` + bin + `/log
while [ "$1" != -- ]; do shift; done
shift
for rank in 1 2; do LOOPC_RANK=$rank "$@" & done
LOOPC_RANK=0 "$@"; s=$?
wait
exit $s
`
	if err := os.WriteFile(filepath.Join(bin, "srun"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	args := []string{"--slurm", "-p", "T=12,N=40", "--job=it", "--random", "3", "-slurm-option", "time=3", "-n", "3", "--cpus", "1", "--out", "u=u.npy", "--check", "--slurm-option=nodes=3"}
	run(t, "diffusion", dir, args...).expect(t, exitDone, "result equals the sequential loops")
	expectFiles(t, dir, "u.npy")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, bin, "log"), "--mpi=pmi2 --job-name=it --ntasks=3 --cpus-per-task=1 --time=3 --nodes=3 -- "+self+" -p T=12,N=40 --random 3 -n 3 --cpus 1 --out u=u.npy --check\n"; got != want {
		t.Errorf("srun was called with\n%s, want\n%s", got, want)
	}

	run(t, "buggy", dir, "--slurm", "-p", "X=20,Y=20,Z=20", "--random", "3", "--cpus", "1", "-n", "3").expect(t, exitBug, "index out of range")

	run(t, "diffusion", dir, "--slurm", "-p", "T=12,N=40", "-n", "3", "--in", "u0=none.npy").expect(t, exitFailed, "srun: exit status 1")

	t.Setenv("PATH", t.TempDir())
	run(t, "diffusion", dir, "--slurm", "-p", "T=12,N=40", "-n", "3", "--random", "3").expect(t, exitFailed, "srun: .*not found")
}

// TestPods writes a manifest, and does with it what Kubernetes does: each pod gets
// its index, the container's variables and arguments, and the Secret in a file.
func TestPods(t *testing.T) {
	needEnv(t)
	dir := t.TempDir()
	manifest := filepath.Join(dir, "pods.json")
	run(t, "diffusion", dir, "-p", "T=12,N=40", "--random", "3", "-n", "3", "--cpus", "1", "--out", "u=u.npy", "--check", "--k8s", manifest, "--k8s-image=i", "--k8s-claim", "c").expect(t, exitDone, "")
	if info, err := os.Stat(manifest); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v: the manifest has a secret", info.Mode(), err)
	}
	var list struct {
		Items []struct {
			Kind       string
			StringData map[string]string
			Spec       struct {
				Completions int
				Template    struct {
					Spec struct {
						Containers []struct {
							Args []string
							Env  []struct{ Name, Value string }
						}
					}
				}
			}
		}
	}
	if err := json.Unmarshal([]byte(read(t, manifest)), &list); err != nil {
		t.Fatal(err)
	}
	secret, env := filepath.Join(dir, "secret"), map[string]string{}
	var args []string
	size := 0
	for _, item := range list.Items {
		switch item.Kind {
		case "Secret":
			if err := os.WriteFile(secret, []byte(item.StringData["secret"]), 0o600); err != nil {
				t.Fatal(err)
			}
		case "Job":
			size = item.Spec.Completions
			c := item.Spec.Template.Spec.Containers[0]
			for _, arg := range c.Args {
				args = append(args, strings.ReplaceAll(strings.ReplaceAll(arg, "$(LOOPC_POD_IP)", "127.0.0.1"), "$$", "$"))
			}
			for _, v := range c.Env {
				env[v.Name] = v.Value
			}
		}
	}
	if env["LOOPC_SECRET_FILE"] != "/run/loopc/secret" || env["LOOPC_ROOT"] != "loopc-diffusion-0.loopc-diffusion:20777" || size != 3 {
		t.Fatalf("%d pods with %v", size, env)
	}
	// Here, the Secret is mounted elsewhere, and the pod's name stands for nothing; the
	// others learn where rank 0 is all the same, as the root is an address for them.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	env["LOOPC_SECRET_FILE"] = secret
	var envs []map[string]string
	for rank := range size {
		pod := map[string]string{"JOB_COMPLETION_INDEX": fmt.Sprint(rank), "LOOPC_ROOT": "127.0.0.1:" + port}
		if rank == 0 {
			pod["LOOPC_ROOT"] = "loopc-diffusion-0.loopc-diffusion:" + port
		}
		for name, value := range env {
			if pod[name] == "" {
				pod[name] = value
			}
		}
		envs = append(envs, pod)
	}
	for k, p := range startCrew(t, "diffusion", dir, envs, args...) {
		o := p.wait(t)
		if k == 0 {
			o.expect(t, exitDone, "result equals the sequential loops")
		} else if o.code != exitDone {
			t.Errorf("pod %d: exit code %d\n%s", k, o.code, o.stderr)
		}
	}
	expectFiles(t, dir, "pods.json", "secret", "u.npy")
}

// TestSlurmScriptContinues requires that a script for a run with checkpoints continues from them.
func TestSlurmScriptContinues(t *testing.T) {
	for given, want := range map[string]string{
		"--checkpoint ck":             "--checkpoint ck --resume ck &",
		"--checkpoint ck --resume ck": "--checkpoint ck --resume ck &",
	} {
		args := append([]string{"--slurm-script", "-", "-p", "T=12,N=40", "-n", "3", "--random", "3"}, strings.Fields(given)...)
		o := run(t, "diffusion", t.TempDir(), args...)
		o.expect(t, exitDone, "")
		if !strings.Contains(o.stdout, want) || !strings.Contains(o.stdout, "-eq 4 ]; then scontrol requeue") {
			t.Errorf("%s: the script is\n%s", given, o.stdout)
		}
	}
	// It would begin again from another folder each time that it is queued.
	run(t, "diffusion", t.TempDir(), "--slurm-script", "-", "-p", "T=12,N=40", "-n", "3", "--random", "3", "--checkpoint", "ck", "--resume", "another").
		expect(t, exitUsage, "resume from that one, too")
}
