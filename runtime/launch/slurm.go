package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// A SlurmJob is a job for Slurm.
type SlurmJob struct {
	Name    string   // of the job
	Ranks   int      // tasks
	CPUs    int      // per rank, 0: as many as the nodes allow
	Options []string // more options of srun and sbatch, name or name=value, without hyphens
	Program string   // its path, on every node
	Args    []string // of the program

	// Stopped, if not 0, is the exit status of a program that a signal has ended and that is to
	// continue: Script then signals it before the time limit, and queues the job again.
	Stopped int
}

// beforeLimit is the time in seconds before the time limit at which a program that can continue is
// told to end. Slurm may be up to 60 s early.
const beforeLimit = 120

// optionLetters are the characters allowed in values of options, so that sbatch, which
// reads options in a script's comments, takes a value for one word.
const optionLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%=[]*&|"

// check returns an error if Slurm or a shell would misinterpret a part of the job.
func (j *SlurmJob) check() error {
	if err := CheckJobName(j.Name); err != nil {
		return err
	}
	for _, option := range j.Options {
		name, value, _ := strings.Cut(option, "=")
		if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" || name[0] == '-' || strings.Trim(value, optionLetters) != "" {
			return fmt.Errorf("launch: %.100q is not an option of srun: want name or name=value, without hyphens before it", option)
		}
	}
	for _, arg := range append([]string{j.Program}, j.Args...) {
		if strings.ContainsAny(arg, "\x00\n\r") {
			return fmt.Errorf("launch: the argument %.100q has more than one line", arg)
		}
	}
	return nil
}

// Srun returns the arguments of an srun that runs the job, as a step of the allocation in
// which it is called, or in a new allocation. Ranks meet by PMI.
func (j *SlurmJob) Srun() ([]string, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	args := append([]string{"--mpi=pmi2", "--job-name=" + j.Name}, j.tasks()...)
	for _, option := range j.Options {
		args = append(args, "--"+option) // of equal options the last counts
	}
	return append(append(args, "--", j.Program), j.Args...), nil
}

// tasks returns the options that say how many ranks there are.
func (j *SlurmJob) tasks() []string {
	options := []string{"--ntasks=" + strconv.Itoa(j.Ranks)}
	if j.CPUs > 0 {
		options = append(options, "--cpus-per-task="+strconv.Itoa(j.CPUs))
	}
	return options
}

// Script returns a script for sbatch that runs the job.
func (j *SlurmJob) Script() (string, error) {
	if err := j.check(); err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "#!/bin/sh\n# Runs %s on %d ranks, as a job of Slurm: sbatch FILE. They meet by PMI, which\n# has their secret too.\n", j.Name, j.Ranks)
	fmt.Fprintf(&b, "#SBATCH --job-name=%s\n", j.Name)
	for _, option := range j.tasks() {
		fmt.Fprintf(&b, "#SBATCH %s\n", option)
	}
	if j.Stopped > 0 {
		fmt.Fprintf(&b, "#SBATCH --requeue\n#SBATCH --open-mode=append\n#SBATCH --signal=TERM@%d\n", beforeLimit)
	}
	for _, option := range j.Options {
		fmt.Fprintf(&b, "#SBATCH --%s\n", option)
	}
	if j.Stopped > 0 {
		b.WriteString("trap : TERM USR1 # they are for the ranks\n")
	} else {
		b.WriteString("exec ")
	}
	// srun inherits the job's options, except the CPUs of a task.
	b.WriteString("srun --mpi=pmi2")
	for _, word := range append(j.tasks(), append([]string{"--", j.Program}, j.Args...)...) {
		b.WriteString(" " + quoteWord(word))
	}
	if j.Stopped == 0 {
		b.WriteString("\n")
		return b.String(), nil
	}
	fmt.Fprintf(&b, ` &
wait $!
status=$?
while kill -0 $! 2>/dev/null; do # a signal has interrupted wait
	wait $!
	status=$?
done
if [ $status -eq %d ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit $status
`, j.Stopped)
	return b.String(), nil
}

// quoteWord quotes text as one word for a shell.
func quoteWord(text string) string {
	if text != "" && strings.Trim(text, pathLetters+"=,:") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// maxJobName is the longest name of a job: followed by a number, it must still be a valid
// host name.
const maxJobName = 52

// CheckJobName returns an error unless name is a valid name of a Slurm or Kubernetes job:
// lower-case letters, digits, and hyphens inside.
func CheckJobName(name string) error {
	if name == "" || len(name) > maxJobName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Trim(name, "-") != name || name[0] <= '9' {
		return fmt.Errorf("launch: %.100q is not the name of a job: want at most %d small letters, digits and hyphens, the first one a letter", name, maxJobName)
	}
	return nil
}
