package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"loopc/runtime/files"
	"loopc/runtime/launch"
	"loopc/runtime/sched"
	"loopc/runtime/transport/auth"
	"loopc/transform/plan"
)

// A submission makes another program start the ranks. Their command line is that of this
// program without the flags of the submission.
type submission struct {
	slurm   bool
	script  string   // file for a script for sbatch; "-": stdout; "": none
	options []string // of srun and sbatch
	pods    string   // file for a manifest; "-": stdout; "": none
	image   string
	claim   string
	job     string   // name of the job
	args    []string // of the ranks
}

// define defines the flags.
func (s *submission) define(f *flag.FlagSet) {
	f.BoolVar(&s.slurm, "slurm", false, "start the ranks by srun, in the current allocation or a new one")
	f.StringVar(&s.script, "slurm-script", "", "`file` for a script for sbatch, instead of a run")
	f.Func("slurm-option", "option for srun or sbatch, such as `partition=short`; may be repeated", func(text string) error {
		s.options = append(s.options, text)
		return nil
	})
	f.StringVar(&s.pods, "k8s", "", "`file` for the manifest of an Indexed Job, instead of a run")
	f.StringVar(&s.image, "k8s-image", "", "its `image`, whose entry point is this program")
	f.StringVar(&s.claim, "k8s-claim", "", "`volume claim` that is its working folder")
	f.StringVar(&s.job, "job", "", "`name` of the job (that of the program)")
}

// ways are those flags of the command line that make another program start the ranks. They exclude one another.
func (s *submission) ways() (all []string) {
	for flag, wanted := range map[string]bool{"--slurm": s.slurm, "--slurm-script": s.script != "", "--k8s": s.pods != ""} {
		if wanted {
			all = append(all, flag)
		}
	}
	return all
}

// check checks the flags, for a run with the other settings, and finds the name of the job and
// the command line of the ranks.
func (s *submission) check(f *flag.FlagSet, args []string, nest *plan.Nest, of *settings) error {
	ways := s.ways()
	switch {
	case len(ways) > 1:
		return usagef("--slurm, --slurm-script and --k8s are different ways to start ranks: want one")
	case len(s.options) > 0 && !s.slurm && s.script == "":
		return usagef("--slurm-option is for --slurm and --slurm-script")
	case (s.image != "" || s.claim != "") && s.pods == "":
		return usagef("--k8s-image and --k8s-claim are for --k8s")
	case s.job != "" && len(ways) == 0:
		return usagef("--job is for --slurm, --slurm-script and --k8s")
	case len(ways) == 0:
		return nil
	case of.restarts > 0:
		return usagef("--restarts starts ranks again: with %s another program starts them", ways[0])
	case of.verify || of.inproc || of.hosts != "":
		return usagef("%s makes another program start the ranks: it goes with none of --verify, --transport inproc and --hosts", ways[0])
	}
	if s.pods != "" {
		if err := s.checkPods(of); err != nil {
			return err
		}
	}
	if s.job == "" {
		s.job = "loopc-" + strings.ToLower(strings.ReplaceAll(nest.Name, "_", "-"))
	}
	if err := launch.CheckJobName(s.job); err != nil {
		return usagef("--job: %w", err)
	}
	s.args = without(f, args, "slurm", "slurm-script", "slurm-option", "k8s", "k8s-image", "k8s-claim", "job")
	return nil
}

// checkPods refuses settings that ranks in pods cannot have.
func (s *submission) checkPods(of *settings) error {
	switch {
	case s.image == "":
		return usagef("--k8s needs an image whose entry point is this program: --k8s-image NAME")
	case of.security.Listen != "":
		return usagef("--listen: pods listen at their own addresses")
	case s.claim == "" && of.hasFiles():
		return usagef("--k8s: files in a pod vanish with it; --k8s-claim NAME keeps them in a volume")
	}
	return nil
}

// hasFiles reports whether the command line names files to read or write.
func (s *settings) hasFiles() bool {
	return len(s.in) > 0 || len(s.out) > 0 || s.trace != "" || s.summary != "" && s.summary != "-" ||
		s.checkpointing.dir != "" || s.resume != "" || len(s.shown) > 0
}

// without returns args, which f has parsed, without the named flags and their values.
func without(f *flag.FlagSet, args []string, names ...string) (rest []string) {
	for k := 0; k < len(args) && args[k] != "--"; k++ {
		name, _, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[k], "-"), "-"), "=")
		words := args[k:min(k+2, len(args))]
		if b, ok := f.Lookup(name).Value.(interface{ IsBoolFlag() bool }); hasValue || ok && b.IsBoolFlag() {
			words = words[:1]
		}
		k += len(words) - 1
		if !slices.Contains(names, name) {
			rest = append(rest, words...)
		}
	}
	return rest
}

// stopTime is the time that srun has to end the ranks.
const stopTime = 10 * time.Second

// submit makes another program start the ranks, or writes a file for it. The caller has made
// sure that a run with these settings has a plan.
func (c *command) submit(ctx context.Context) error {
	s := &c.settings.submission
	cpus := 0
	if !c.settings.allCPUs {
		cpus = c.cpus()
	}
	if s.pods != "" {
		job := launch.IndexedJob{Name: s.job, Ranks: c.ranks(), CPUs: cpus, Image: s.image, Claim: s.claim, Args: s.args, Secret: auth.NewSecret()}
		text, err := job.Manifest()
		if err != nil {
			return usageError{err}
		}
		return c.writeDown(s.pods, text, 0o600)
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	job := launch.SlurmJob{Name: s.job, Ranks: c.ranks(), CPUs: cpus, Options: s.options, Program: program, Args: s.args}
	if s.script != "" {
		if dir := c.settings.checkpointing.dir; dir != "" {
			job.Stopped = exitStopped
			if from := c.settings.resume; from != "" && from != dir {
				return usagef("--resume %s: a job that is queued again continues from the folder of --checkpoint, %s; resume from that one, too", from, dir)
			} else if from == "" {
				job.Args = append(slices.Clone(s.args), "--resume", dir) // a job that is queued again continues
			}
		}
		text, err := job.Script()
		if err != nil {
			return usageError{err}
		}
		return c.writeDown(s.script, []byte(text), 0o700)
	}
	args, err := job.Srun()
	if err != nil {
		return usageError{err}
	}
	return c.await(ctx, "srun", exec.CommandContext(ctx, "srun", args...))
}

// await runs cmd, another launcher, which ends with this process, and returns how the ranks
// ended.
func (c *command) await(ctx context.Context, name string, cmd *exec.Cmd) error {
	cmd.Stdout, cmd.Stderr = c.stdout, c.stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	launch.EndWithParent(cmd)
	err := cmd.Start()
	if err == nil {
		if c.settings.checkpointing.dir != "" {
			defer heed(ctx, func(end bool) { c.pass(cmd, end) })()
		}
		err = cmd.Wait()
	}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &exit) && exit.ExitCode() == exitUsage:
		return usageError{fmt.Errorf("%s: %w", name, err)} // rank 0 has explained the error
	case errors.As(err, &exit) && exit.ExitCode() == exitBug:
		return fmt.Errorf("%w: %s: %w", errBug, name, err)
	case errors.As(err, &exit) && exit.ExitCode() == exitStopped:
		return fmt.Errorf("%w: %s: %w", sched.ErrStopped, name, err)
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// pass tells another launcher, which tells the ranks, that a checkpoint is wanted. If end, the run
// ends with this checkpoint.
func (c *command) pass(cmd *exec.Cmd, end bool) {
	s := keepSignals
	if end {
		s = []os.Signal{syscall.SIGTERM}
	}
	_ = cmd.Process.Signal(s[0]) // it may have ended
}

// writeDown writes text to a file, which appears when it is complete; only this user can read
// it. - is standard output.
func (c *command) writeDown(name string, text []byte, mode os.FileMode) error {
	if name == "-" {
		_, err := c.stdout.Write(text)
		return err
	}
	if err := files.CheckWritable(name); err != nil {
		return err
	}
	target, err := files.Target(name)
	if err != nil {
		return err
	}
	temp := filepath.Join(filepath.Dir(target), temporary(filepath.Base(target), rand.Text()[:randomLetters]))
	file, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return files.Unwritable(name, err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(temp, target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	return nil
}
