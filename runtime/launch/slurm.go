package launch

import (
	"fmt"
	"strconv"
	"strings"
)

// A SlurmJob is what Slurm is to run.
type SlurmJob struct {
	Name    string   // of the job
	Ranks   int      // tasks
	CPUs    int      // of each, 0 for what the nodes give
	Options []string // more options of srun and sbatch, name or name=value, without hyphens
	Program string   // its path, on every node
	Args    []string // of the program
}

// optionLetters are what values of options consist of: such that they are one word
// for sbatch, which reads them in comments of a script.
const optionLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:,@%=[]*&|"

// check returns an error if part of the job would be taken for something else.
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

// Srun returns the arguments of an srun that runs the job, as a step of the
// allocation in which it is called, or in one of its own. Ranks meet by PMI.
func (j *SlurmJob) Srun() ([]string, error) {
	if err := j.check(); err != nil {
		return nil, err
	}
	args := append([]string{"--mpi=pmi2", "--job-name=" + j.Name}, j.tasks()...)
	for _, option := range j.Options {
		args = append(args, "--"+option) // the last one counts
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
	for _, option := range j.Options {
		fmt.Fprintf(&b, "#SBATCH --%s\n", option)
	}
	// srun knows the job's options, but for the CPUs of a task, by itself.
	b.WriteString("exec srun --mpi=pmi2")
	for _, word := range append(j.tasks(), append([]string{"--", j.Program}, j.Args...)...) {
		b.WriteString(" " + quoteWord(word))
	}
	b.WriteString("\n")
	return b.String(), nil
}

// quoteWord makes text one word for a shell.
func quoteWord(text string) string {
	if text != "" && strings.Trim(text, pathLetters+"=,:") == "" {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// maxJobName is the longest name of a job: with a number behind it, it is that of a
// host.
const maxJobName = 52

// CheckJobName returns an error unless name can be that of a job of Slurm or
// Kubernetes: small letters, digits and hyphens within.
func CheckJobName(name string) error {
	if name == "" || len(name) > maxJobName || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" || strings.Trim(name, "-") != name || name[0] <= '9' {
		return fmt.Errorf("launch: %.100q is not the name of a job: want at most %d small letters, digits and hyphens, the first one a letter", name, maxJobName)
	}
	return nil
}
