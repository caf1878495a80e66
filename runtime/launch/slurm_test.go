package launch

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// slurmJob is a job with arguments that a shell would take for something else.
func slurmJob() SlurmJob {
	return SlurmJob{
		Name: "job-7", Ranks: 4, CPUs: 2, Options: []string{"partition=all", "exclusive"}, Program: "/opt/it's/program",
		Args: []string{"-p", "T=1,N=2", "--out", "u=$HOME/`id`;'a b'\\.npy", "", "*", "#SBATCH --uid=0", "--"},
	}
}

// TestSrun compares the arguments of srun.
func TestSrun(t *testing.T) {
	j := slurmJob()
	got, err := j.Srun()
	want := append([]string{"--mpi=pmi2", "--job-name=job-7", "--ntasks=4", "--cpus-per-task=2", "--partition=all", "--exclusive", "--", j.Program}, j.Args...)
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// TestScriptContinues runs the script of a program that ends with a checkpoint: the job is queued
// again, and a signal to the script does not end it.
func TestScriptContinues(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script is for sh")
	}
	for _, c := range []struct {
		status int
		want   string
	}{{4, "srun requeue 17 "}, {0, "srun "}, {1, "srun "}} {
		j := slurmJob()
		j.Stopped = 4
		script, err := j.Script()
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(script, "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --signal=TERM@120\n#SBATCH --partition=all\n") {
			t.Errorf("%s", script)
		}
		dir := t.TempDir()
		for name, text := range map[string]string{
			"srun":     "kill -TERM $PPID; kill -USR1 $PPID; sleep 0.3; printf 'srun ' >>said; exit " + strconv.Itoa(c.status),
			"scontrol": "printf '%s ' \"$@\" >>said",
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("/bin/sh", "-s")
		cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + dir + ":/usr/bin:/bin", "SLURM_JOB_ID=17"}, strings.NewReader(script)
		out, _ := cmd.CombinedOutput() // its status is compared
		said, err := os.ReadFile(filepath.Join(dir, "said"))
		if err != nil || string(said) != c.want || cmd.ProcessState.ExitCode() != c.status {
			t.Errorf("status %d: %q, %v, exit status %d\n%s", c.status, said, err, cmd.ProcessState.ExitCode(), out)
		}
	}
}

// TestScript lets a shell run a script with a stand-in for srun, which must get exactly the
// arguments that srun should get.
func TestScript(t *testing.T) {
	j := slurmJob()
	script, err := j.Script()
	if err != nil {
		t.Fatal(err)
	}
	const head = `#!/bin/sh
# Runs job-7 on 4 ranks, as a job of Slurm: sbatch FILE. They meet by PMI, which
# has their secret too.
#SBATCH --job-name=job-7
#SBATCH --ntasks=4
#SBATCH --cpus-per-task=2
#SBATCH --partition=all
#SBATCH --exclusive
exec srun --mpi=pmi2 --ntasks=4 --cpus-per-task=2 -- '/opt/it'\''s/program' -p T=1,N=2 --out `
	if !strings.HasPrefix(script, head) {
		t.Errorf("%s\nwant %s", script, head)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the script is for sh")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "srun"), []byte("#!/bin/sh\nprintf '%s\\0' \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-s")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, []string{"PATH=" + dir}, strings.NewReader(script)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := append([]string{"--mpi=pmi2", "--ntasks=4", "--cpus-per-task=2", "--", j.Program}, j.Args...)
	if got := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestSlurmRefuses has names, options and arguments that a script would take for
// something else.
func TestSlurmRefuses(t *testing.T) {
	for want, change := range map[string]func(*SlurmJob){
		"name of a job":      func(j *SlurmJob) { j.Name = "a\n#SBATCH" },
		"option of srun":     func(j *SlurmJob) { j.Options = []string{"time=1 --uid=0"} },
		"more than one line": func(j *SlurmJob) { j.Args = []string{"a\n#SBATCH --uid=0"} },
	} {
		j := slurmJob()
		change(&j)
		_, err := j.Script()
		if _, alike := j.Srun(); err == nil || alike == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, %v, want %q", err, alike, want)
		}
	}
	for _, option := range []string{"", "=3", "--time=3", "-p", "Time=3", "time=$(id)", "time=3\n", "comment=a'b"} {
		j := SlurmJob{Name: "j", Ranks: 1, Options: []string{option}}
		if _, err := j.Srun(); err == nil {
			t.Errorf("the option %q is passed on", option)
		}
	}
	for name, fits := range map[string]bool{"a": true, "a-1": true, strings.Repeat("a", 52): true, "": false, "1a": false, "-a": false, "a-": false, "A": false, "a_b": false, "a.b": false, strings.Repeat("a", 53): false} {
		if err := CheckJobName(name); (err == nil) != fits {
			t.Errorf("%q: %v", name, err)
		}
	}
}
